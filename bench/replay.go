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
plain or compressed with gzip. A case with the loss and its gradient is made a second time in one pass where the
device fuses the two. What the device says it does not have, an operation or a dtype, is skipped.

` + tolerances

// tolerances says what passes, here and in verify.
const tolerances = `What passes, in units in the last place of the result's dtype (of its terms, where they cancel):
  softmarginloss     2 in float32, 4 in float64, 1 in float16 and bfloat16; of a reduced loss 2.5 in float32, whose
                     terms are rounded before they are added up, and 4 if it is made in one pass with its
                     gradient; 8+√N/16 in float64, of N terms
  its gradient       the same 2, 4 and 1; in float32 one more of a mean if 1/N is no power of two, and
                     one more where targets are not ±1: these are products that are rounded on the way
                     Where targets are not ±1, loss and gradient may be off by |self·target|·2^-24 of
                     themselves more in float32, and by |self·target|·2^-53 in float64, for self·target may be rounded first.
  matmul, linear,    8+√K in float32, of K terms; 12+√K in float64, where the reference rounds as well; 1 in the
  sum, mean          half types
  other operations   0.5 to 4 in float32, as their formulas allow; up to 4 more in float64; 1 in the half types
  adamw              8, 12 and 1, in replay alone: verify leaves it out. A step divides by 1-β^step, which cancels, so
                     that a device which takes β in float32 is right to some tens of ulps, and no bound would mean much.
Files without magnitudes ("scale") have float64 results from float64 arithmetic, with rounding errors as large as the device's, so
that 8 pass.
`

// replayFiles makes the calls of files again.
func replayFiles(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := newFlags("bench replay")
	name := flags.String("device", "cpu", "`name` of the device")
	ulp := flags.Float64("ulp", 0, "error in `units` in the last place that passes, in place of the above")
	if err := parseFlags(flags, replayUsage, args, stderr); err != nil {
		return err
	}
	switch {
	case flags.NArg() == 0:
		return usagef(flags, "there are no files; name at least one")
	case given(flags)["ulp"] && !(*ulp > 0):
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
		r, err := replayFile(dev, path, *ulp)
		switch {
		case err != nil:
			fmt.Fprintln(stderr, "bench:", err)
			bad++
			continue
		case r.Failed() > 0:
			bad++
		}
		r.Print(stdout, path)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d files did not pass", bad, flags.NArg())
	}
	return nil
}

func replayFile(dev *calls.Target, path string, ulp float64) (r *replay.Result, err error) {
	file, err := casefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return replay.Run(dev, file, ulp)
}
