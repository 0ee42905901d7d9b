package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	"github.com/pullback-go/pullback/bench/internal/replay"
)

const replayUsage = `Usage: bench replay [flags] FILE…   make recorded calls again and compare

Prints a line for each file: cases, passed, largest error; and the first failures with their
numbers. Files are those of verify, of -record, or reference values: pointwise, tensors or status,
plain or compressed with gzip.
`

// replayFiles makes the calls of files again.
func replayFiles(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := newFlags("bench replay", replayUsage, stderr)
	name := flags.String("device", "cpu", "`name` of the device")
	ulp := flags.Float64("ulp", 0, "error in `units` in the last place that passes (default 2 for float32, 4 for float64, 1 for float16 and bfloat16, and what cancels)")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	switch {
	case flags.NArg() == 0:
		return usagef(flags, "there are no files; name at least one")
	case !(*ulp >= 0):
		return usagef(flags, "-ulp %v; it must be a positive number", *ulp)
	}
	dev, err := calls.Open(*name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	bad := 0
	for _, path := range flags.Args() {
		if ctx.Err() != nil {
			return errors.New("stopped early: the files above were replayed, the others were not")
		}
		file, err := casefile.Open(path)
		if err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			bad++
			continue
		}
		r := replay.Run(dev, file, *ulp)
		r.Print(stdout, path)
		if r.Failed() > 0 {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d files did not pass", bad, flags.NArg())
	}
	return nil
}
