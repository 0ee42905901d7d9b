package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	"github.com/pullback-go/pullback/bench/internal/measure"
)

// maxRecorded is how many elements a recorded call may have.
const maxRecorded = 1 << 16

// recordCalls writes the calls of the points, with what the reference says of them. It tells of
// what it leaves out.
func recordCalls(points []measure.Point, impossible []string, path string, stdout io.Writer) error {
	var list []measure.Point
	var others []string
	bytes := 0
	for _, p := range points {
		switch {
		case p.Op == measure.Upload || p.Op == measure.Download || p.Op == measure.TrainStep:
			if !slices.Contains(others, p.Op) {
				others = append(others, p.Op)
			}
		case p.N > maxRecorded:
			return fmt.Errorf("%s of %d elements is too large to be recorded; choose -sizes of at most %d", p.Op, p.N, maxRecorded)
		default:
			inputs, results := p.Stored()
			bytes += casefile.Bytes(inputs, results, p.DType)
			list = append(list, p)
		}
	}
	if len(others) > 0 {
		impossible = append(impossible, strings.Join(others, ", ")+": no calls of one operation")
	}
	switch {
	case len(list) == 0:
		return errors.New("there is nothing to record: " + strings.Join(impossible, "; "))
	case bytes > casefile.MaxBytes:
		return fmt.Errorf("the %d cases would be some %d MB, more than the %d that replay reads; choose fewer operations, dtypes, layouts or -sizes",
			len(list), bytes>>20, casefile.MaxBytes>>20)
	}
	err := casefile.Create(path, func(yield func([]calls.Call) bool) {
		for _, p := range list {
			if !yield(p.Calls(0)) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	notes(stdout, "not recorded", impossible)
	fmt.Fprintf(stdout, "%s: %d cases; go run ./bench replay %s makes them again\n", path, len(list), path)
	return nil
}
