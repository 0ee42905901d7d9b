package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

// file is a file that a flag names; without a path it was not named.
type file struct{ flag, path, holds string }

// checkOutputs makes sure, before work begins, that the outputs can be written, and that none of them
// overwrites an input or another output. The model to resume may be that to save.
func checkOutputs(inputs, outputs []file) error {
	for i, out := range outputs {
		if out.path == "" {
			continue
		}
		for _, other := range slices.Concat(inputs, outputs[:i]) {
			if other.path != "" && within(out.path, other.path) && !(out.flag == "save" && other.flag == "resume") {
				return fmt.Errorf("-%s cannot write %s: %s is the file of the %s", out.flag, out.path, other.path, other.holds)
			}
		}
		if err := out.checkWritable(); err != nil {
			return err
		}
	}
	return nil
}

// checkWritable writes nothing in the end: the directory that a report needs is removed if it was not there.
func (f file) checkWritable() error {
	switch f.flag {
	case "save":
		if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return fmt.Errorf("%s cannot be written: a model needs a regular file", f.path)
		}
	case "report":
		folder := filepath.Dir(f.path)
		var absent []string
		for at := folder; ; at = filepath.Dir(at) {
			if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
				break
			}
			absent = append(absent, at)
		}
		defer func() {
			for _, made := range absent {
				os.Remove(made)
			}
		}()
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return fmt.Errorf("the directory of the report cannot be made: %w", err)
		}
	}
	return atomicfile.Check(f.path)
}

// within reports whether a path names a file, or one in it as if that were a directory.
func within(path, file string) bool {
	for !same(path, file) {
		folder := filepath.Dir(path)
		if folder == path {
			return false
		}
		path = folder
	}
	return true
}

// same reports whether two paths name one file, which need not be there yet. Devices such as /dev/null
// may be shared.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y) && x.Mode()&(fs.ModeDevice|fs.ModeDir) == 0
	}
	if errX == nil || errY == nil || filepath.Base(a) != filepath.Base(b) {
		return false
	}
	x, errX = os.Stat(filepath.Dir(a))
	y, errY = os.Stat(filepath.Dir(b))
	return errX == nil && errY == nil && os.SameFile(x, y)
}
