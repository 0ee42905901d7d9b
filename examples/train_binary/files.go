package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

// standardOutput stands for the standard output in the place of a file to write.
const standardOutput = "-"

// file is a file that a flag names; without a path it was not named.
type file struct{ flag, path, holds string }

// written reports whether the flag names a file to write.
func (f file) written() bool { return f.path != "" && f.path != standardOutput }

// checkOverlaps makes sure, before work begins, that no output overwrites an input or another output. The model
// to resume may be that to save.
func checkOverlaps(inputs, outputs []file) error {
	for i, out := range outputs {
		if !out.written() {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(outputs[:i]), func(f file) bool { return !f.written() })
		for _, other := range slices.Concat(inputs, others) {
			if other.path != "" && within(out.path, other.path) && !(out.flag == "save" && other.flag == "resume") {
				return fmt.Errorf("-%s cannot write %s: %s is the file of the %s", out.flag, out.path, other.path, other.holds)
			}
		}
	}
	return nil
}

// checkWritable makes sure, before work begins, that the outputs can be written.
func checkWritable(outputs []file) error {
	for _, out := range outputs {
		if !out.written() {
			continue
		}
		if err := atomicfile.Check(out.path); err != nil {
			return err
		}
		look, needs := os.Stat, "a model needs"
		switch out.flag {
		case "save":
		case "report":
			look, needs = os.Lstat, "a report replaces nothing but"
		default:
			continue
		}
		if info, err := look(out.path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s cannot be written: %s a regular file", out.path, needs)
		}
	}
	return nil
}

// makeFolder makes a directory, and those above it, that may be there already. What tidy finds empty in the end of those
// that were made, it removes.
func makeFolder(path string) (tidy func(), err error) {
	var made []string
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	return func() {
		for _, folder := range made {
			os.Remove(folder) // which fails if something is in it
		}
	}, os.MkdirAll(path, 0o755)
}

// writeFile writes an output as a whole or not at all, or through a pipe, which may have nobody at its other end
// when the context ends.
func writeFile(ctx context.Context, path string, stdout io.Writer, fill func(io.Writer) error) error {
	if path == standardOutput {
		return promptly(ctx, func() error { return buffered(stdout, fill) })
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return promptly(ctx, func() error { return atomicfile.Write(path, fill) })
	}
	return atomicfile.Write(path, fill) // not promptly, since its temporary file has to go
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
// may be shared, and a directory is no file.
func same(a, b string) bool {
	if info, err := os.Stat(a); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeDir) != 0 {
		return false
	}
	return samePlace(a, b)
}

// samePlace reports whether two paths lead to one place, at the end of which there may be nothing yet.
func samePlace(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	switch {
	case errX == nil && errY == nil:
		return os.SameFile(x, y)
	case errX == nil || errY == nil || filepath.Base(a) != filepath.Base(b) || filepath.Dir(a) == a || filepath.Dir(b) == b:
		return false
	}
	return samePlace(filepath.Dir(a), filepath.Dir(b))
}
