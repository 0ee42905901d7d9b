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

// report is where the result goes. A regular file is written beside its place and
// moved there when it is whole; anything else, such as a pipe, is written to.
type report struct {
	path string      // without links; empty if no report is wanted
	mode fs.FileMode // of the file to be made, less what the umask takes away
	temp bool
}

// newReport makes sure that the result can be written to path, so that a path that
// cannot be is known before training, and that it is not the data.
func newReport(path, data string) (_ *report, err error) {
	if path == "" {
		return &report{}, nil
	}
	defer func() { err = reportError(path, err) }()
	r := &report{path: path, mode: 0o666, temp: true}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		info, err := os.Stat(resolved)
		if err != nil {
			return nil, err
		}
		if source, err := os.Stat(data); err == nil && os.SameFile(info, source) {
			return nil, errors.New("it is the file of the data")
		}
		if info.IsDir() {
			return nil, errors.New("it is a directory")
		}
		r.path, r.mode, r.temp = resolved, info.Mode().Perm(), info.Mode().IsRegular()
	}
	if !r.temp {
		return r, nil
	}
	f, err := r.create()
	if err != nil {
		return nil, err
	}
	return r, errors.Join(f.Close(), os.Remove(f.Name()))
}

// create makes an empty file of a name of its own beside the report's place.
func (r *report) create() (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("%s.%016x.tmp", r.path, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, r.mode)
}

func (r *report) write(v result) (err error) {
	if r.path == "" {
		return nil
	}
	defer func() { err = reportError(r.path, err) }()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if !r.temp {
		return os.WriteFile(r.path, data, r.mode)
	}
	f, err := r.create()
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), r.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func reportError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the result cannot be written to %s: %w", path, err)
}
