package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
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

// report is the file for the result. A regular file is written beside its place,
// which is tried before training, and moved there when it is whole; anything else,
// such as a pipe, is written to. Without a path there is no report.
type report struct {
	path string
	file *os.File
	temp bool // file is to be moved to path
}

func openReport(path string) (_ *report, err error) {
	if path == "" {
		return &report{}, nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("the result cannot be written to %s: %w", path, err)
		}
	}()
	mode := fs.FileMode(0o666) // less what the umask takes away
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		info, err := os.Stat(resolved)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(resolved, os.O_WRONLY, 0)
			return &report{path: path, file: f}, err
		}
		path, mode = resolved, info.Mode().Perm()
	}
	temp := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return &report{path: path, file: f, temp: true}, err
}

func (r *report) write(v result) error {
	if r.file == nil {
		return nil
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(data, '\n'))
	if r.temp {
		err = errors.Join(err, r.file.Sync())
	}
	err = errors.Join(err, r.file.Close())
	if err == nil && r.temp {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err != nil {
		return fmt.Errorf("the result cannot be written to %s: %w", r.path, err)
	}
	r.file = nil
	return nil
}

// discard closes, and removes, what write has not finished.
func (r *report) discard() error {
	if r.file == nil {
		return nil
	}
	_ = r.file.Close() // it may be closed already
	if !r.temp {
		return nil
	}
	return os.Remove(r.file.Name())
}
