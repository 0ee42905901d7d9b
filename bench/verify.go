package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	"github.com/pullback-go/pullback/bench/internal/verify"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/internal/atomicfile"
)

const verifyUsage = `Usage: bench verify [flags]   make random calls on all devices and compare

Operations, dtypes, shapes, layouts and values are random; what comes of a call is compared with a float64
reference and between the devices. A soft margin loss and its gradient are tried in one pass too, where the device
fuses the two. The first failure is made as small as it can be and written to a file that replay takes.

` + tolerances

// verifyDevices makes random calls.
func verifyDevices(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := newFlags("bench verify")
	names := flags.String("devices", "", "`names` of devices (default all that can be opened)")
	n := flags.Int("n", 2000, "`number` of calls")
	seed := flags.Uint64("seed", 1, "`seed`; the same one makes the same calls")
	out := flags.String("out", "verify_failure.json", "`file` to write a failure to")
	if err := parseFlags(flags, verifyUsage, args, stderr); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return usagef(flags, "unexpected argument %q", flags.Arg(0))
	case *n < 1:
		return usagef(flags, "-n %d; at least one call is needed", *n)
	}
	if err := atomicfile.Check(*out); err != nil {
		return err
	}
	devices, unavailable, err := openDevices(*names)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevices(devices)) }()
	targets := make([]*calls.Target, len(devices))
	for i, d := range devices {
		if targets[i], err = calls.NewTarget(d); err != nil {
			return err
		}
	}
	show, finish := showProgress(stderr, "verifying")
	r, err := verify.Run(ctx, targets, *n, *seed, func(i int) { show(i, *n) })
	finish()
	fmt.Fprintf(stdout, "seed %d: %d calls\n", *seed, r.Cases)
	for _, d := range r.Devices {
		fmt.Fprintf(stdout, "%s: %d calls", d.Name, d.Cases)
		if d.Skipped > 0 {
			fmt.Fprintf(stdout, ", %d skipped for want of a dtype or an operation", d.Skipped)
		}
		fmt.Fprintf(stdout, ", largest error %.3g ulp", d.ULP)
		if d.Op != "" {
			fmt.Fprintf(stdout, ", in %s", d.Op)
		}
		fmt.Fprintln(stdout)
	}
	for _, p := range r.Pairs {
		fmt.Fprintf(stdout, "%s and %s: %.3g ulp apart at most", p.A, p.B, p.ULP)
		if p.Op != "" {
			fmt.Fprintf(stdout, ", in %s", p.Op)
		}
		fmt.Fprintln(stdout)
	}
	notes(stdout, "cannot be opened", unavailable)
	switch {
	case r.Failure != nil: // even if it was stopped while it was made small
		return reportFailure(r.Failure, *out, stdout)
	case ctx.Err() != nil:
		return errors.New("stopped early: the calls until then passed")
	}
	return err
}

// reportFailure writes a failed call to a file and tells of it.
func reportFailure(f *verify.Failure, path string, stdout io.Writer) error {
	fmt.Fprintf(stdout, "failed: call %d on %s, made small: ", f.Case, f.Device)
	if len(f.Calls) > 1 {
		fmt.Fprintf(stdout, "%s in one pass with ", device.OpString(f.Calls[0].Op))
	}
	c := f.Calls[len(f.Calls)-1]
	fmt.Fprintf(stdout, "%s of", device.OpString(c.Op))
	for i, t := range c.Inputs {
		fmt.Fprintf(stdout, " %s %s%s", device.ArgName(c.Op, i), t.DType, device.ShapeString(t.Shape))
	}
	fmt.Fprintf(stdout, " to %s: %s\n", c.Output.DType, f.Reason)
	if err := casefile.Create(path, slices.Values([][]calls.Call{f.Calls})); err != nil {
		return err
	}
	return fmt.Errorf("a call failed; go run ./bench replay -device '%s' %s makes it again", f.Device, path)
}
