package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	"github.com/pullback-go/pullback/bench/internal/measure"
)

// maxRecorded is how many elements a recorded call may have.
const maxRecorded = 1 << 16

// recordCalls writes the calls of the points, with what the reference says of them.
func recordCalls(points []measure.Point, path string, stdout io.Writer) error {
	var list []calls.Call
	for _, p := range points {
		c := p.Calls(0)
		if len(c) > 0 && p.N > maxRecorded {
			return fmt.Errorf("%s of %d elements is too large to be recorded; choose -sizes of at most %d", p.Op, p.N, maxRecorded)
		}
		list = append(list, c...)
	}
	if len(list) == 0 {
		return errors.New("there is nothing to record: upload, download and train_step are no calls of one operation")
	}
	if err := casefile.Create(path, list); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d cases; go run ./bench replay %s makes them again\n", path, len(list), path)
	return nil
}
