package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
)

// checkPlace makes sure, before anything is measured, that a file can be made there.
func checkPlace(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory, but a file is to be written there", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s cannot be written: there is no directory %s", path, filepath.Dir(path))
	}
	return nil
}

// writeFile writes a file beside its place and moves it there when it is whole. What is no
// regular file, such as a pipe, is written to.
func writeFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o666)
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return maybe.WriteFile(path, data, 0o666)
}
