package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

// checkOutput makes sure that a file can be written to path, if one is wanted, so that a path that cannot
// be is known before work begins, and that it is not that of the input.
func checkOutput(path, input string) error {
	if path == "" {
		return nil
	}
	if out, err := os.Stat(path); err == nil {
		if in, err := os.Stat(input); err == nil && os.SameFile(out, in) {
			return fmt.Errorf("%s cannot be written: it is the file of the data", path)
		}
	}
	return atomicfile.Check(path)
}

// buffered calls fill with a buffer in front of w.
func buffered(w io.Writer, fill func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := fill(b); err != nil {
		return err
	}
	return b.Flush()
}
