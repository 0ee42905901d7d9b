package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// result is the object that -json writes.
type result struct {
	Seed           uint64  `json:"seed"`
	Device         string  `json:"device"`
	DType          string  `json:"dtype"`
	Epochs         int     `json:"epochs"`
	TrainLoss      float64 `json:"train_loss"`
	TestLoss       float64 `json:"test_loss"`
	Accuracy       float64 `json:"accuracy"`
	AUC            float64 `json:"auc"`
	StepsPerSecond float64 `json:"steps_per_second"`
}

// report is the file for the result: it is made beside its place before
// training, so that a place that cannot be written to is known at once, and moved there
// when it is whole. Without a path there is no report.
type report struct {
	path string
	temp *os.File
}

func createReport(path string) (*report, error) {
	if path == "" {
		return &report{}, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("the result cannot be written to %s: it is a directory", path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("the result cannot be written to %s: %w", path, err)
	}
	return &report{path: path, temp: temp}, nil
}

func (r *report) write(v result) error {
	if r.temp == nil {
		return nil
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = r.temp.Write(append(data, '\n'))
	err = errors.Join(err, r.temp.Sync(), r.temp.Close())
	if err == nil {
		err = os.Rename(r.temp.Name(), r.path)
	}
	if err != nil {
		return fmt.Errorf("the result cannot be written to %s: %w", r.path, err)
	}
	r.temp = nil
	return nil
}

// discard removes what write has not moved to its place.
func (r *report) discard() error {
	if r.temp == nil {
		return nil
	}
	_ = r.temp.Close() // it may be closed already
	return os.Remove(r.temp.Name())
}
