package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
	"github.com/pullback-go/pullback/bench/internal/report"
	"github.com/pullback-go/pullback/internal/atomicfile"
)

const compareUsage = `Usage: bench [flags]            measure devices and print a table
       bench replay [flags] FILE…   make recorded calls again, see bench replay -h
       bench verify [flags]         make random calls on all devices, see bench verify -h

Lists are separated by commas; "all" stands for all there are.

Operations, and what their size n counts:
  softmarginloss_forward, softmarginloss_backward, softmarginloss_both
                     elements of the scores and of the targets; both is the loss with
                     its gradient, in one pass where the device can fuse them
  matmul             elements of the product [r,c] of [r,c] by [c,c], r·c = n, as square as n allows
  linear             elements of the output [n/256,256] of a layer from 256 to 256 features
  relu, sum          elements of the input
  adamw              elements of the parameter; gradient and two moments have as many
  upload, download   elements that are copied to or from the device
  train_step         rows of the mini-batch; the layout column has the network: upload, forward,
                     backward, AdamW and the loss's way back

Layouts are those of the first input, a matrix as square as n allows: contiguous; strided, every second column of a
wider one; transposed; broadcast, one row repeated.
`

// comparison is what the flags of a measurement say.
type comparison struct {
	selection
	devices         string
	json, csv, plot string
	record          string
	budget          time.Duration
}

func parseComparison(args []string, stderr io.Writer) (*comparison, error) {
	c := &comparison{}
	flags := newFlags("bench", compareUsage, stderr)
	flags.StringVar(&c.devices, "devices", "", "`names` of devices (default "+strings.Join(defaultDevices, ",")+", as far as there are)")
	flags.Var(choices{&c.ops, measure.Ops}, "ops", "`operations` to measure (default all)")
	flags.Func("sizes", "`sizes` n such as 4096,2^20, and networks with their rows such as 30-64-32-1/32 (default some of each)", c.setSizes)
	flags.Var(choices{&c.dtypes, allDTypes}, "dtypes", "`dtypes` float32, float16, bfloat16, float64 (default float32)")
	flags.Var(choices{&c.reductions, allReductions}, "reductions", "`reductions` of the loss: none, mean, sum (default mean)")
	flags.Var(choices{&c.layouts, measure.Layouts}, "layouts", "`layouts` contiguous, strided, transposed, broadcast (default contiguous)")
	flags.BoolVar(&c.quick, "quick", false, "fewer sizes, in under 20 seconds")
	flags.DurationVar(&c.budget, "budget", 0, "`time` to spend, roughly; more of it makes medians steadier (default 60s, with -quick 12s)")
	flags.StringVar(&c.json, "json", "", "also write the machine and the records to this `file`")
	flags.StringVar(&c.csv, "csv", "", "also write the records to this `file`")
	flags.StringVar(&c.plot, "plot", "", "also draw time an element over size into this `file`, .png or .svg")
	flags.StringVar(&c.record, "record", "", "measure nothing, but write the calls that the other flags choose, with the float64 reference's results, to this `file` for replay")
	if err := parseFlags(flags, args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, usagef(flags, "unexpected argument %q; the commands are replay and verify, without one devices are measured", flags.Arg(0))
	case c.budget < 0:
		return nil, usagef(flags, "a budget of %v; it must be a positive time, such as 60s", c.budget)
	case c.plot != "" && c.format() != "png" && c.format() != "svg":
		return nil, usagef(flags, "the picture %q ends neither in .png nor in .svg", c.plot)
	}
	if c.budget == 0 {
		c.budget = time.Minute
		if c.quick {
			c.budget = 12 * time.Second
		}
	}
	return c, nil
}

// format is the ending of the picture's name.
func (c *comparison) format() string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(c.plot), "."))
}

// compare measures and prints the table, or records calls.
func compare(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c, err := parseComparison(args, stderr)
	if err != nil {
		return err
	}
	points, impossible, err := c.points()
	if err != nil {
		return err
	}
	for _, path := range []string{c.json, c.csv, c.plot, c.record} {
		if path == "" {
			continue
		}
		if err := atomicfile.Check(path); err != nil {
			return err
		}
	}
	if c.record != "" {
		return recordCalls(points, c.record, stdout)
	}
	if len(points) == 0 {
		return fmt.Errorf("nothing can be measured: %s", strings.Join(impossible, "; "))
	}
	devices, unavailable, err := openDevices(c.devices)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevices(devices)) }()

	start := time.Now()
	facts := machine.Describe()
	memory := machine.NewMemory(facts.LastLevelCache(), runtime.GOMAXPROCS(0))
	memory.Measure(&facts, 1)
	taken := time.Since(start) // and twice as much at the end
	show, finish := showProgress(stderr, "measuring")
	measured, stopped := measure.Run(ctx, measure.Options{
		Points: points, Devices: devices, Budget: max(c.budget-3*taken, time.Millisecond), LastLevelCache: facts.LastLevelCache(), Progress: show,
	})
	finish()
	if stopped == nil {
		memory.Measure(&facts, 2) // the machine may have been busy the first time
	}

	out := &bytes.Buffer{}
	report.WriteTable(out, measured.Results)
	fmt.Fprintln(out)
	report.WriteMachine(out, facts)
	if measured.Disturbed > 0.1 {
		notes(out, "noise", []string{fmt.Sprintf("other programs disturbed %.0f%% of the samples, so what takes several threads may be faster than shown", 100*measured.Disturbed)})
	}
	notes(out, "cannot be opened", unavailable)
	notes(out, "not measured", append(impossible, measured.Refused...))
	notes(out, "failed", measured.Failed)
	if _, err := stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if stopped != nil {
		return errors.New("stopped early: the table has what was measured until then, and no files were written")
	}
	if err := c.write(facts, measured.Results); err != nil {
		return err
	}
	if len(measured.Failed) > 0 {
		return fmt.Errorf("%d measurements failed, see under the table", len(measured.Failed))
	}
	return nil
}

// notes prints sentences under the table.
func notes(w io.Writer, what string, sentences []string) {
	for _, s := range sentences {
		fmt.Fprintf(w, "%s: %s\n", what, s)
	}
}

// write writes the files that were asked for.
func (c *comparison) write(facts machine.Machine, results []*measure.Result) error {
	document := report.NewDocument(facts, results)
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{c.json, document.WriteJSON},
		{c.csv, document.WriteCSV},
		{c.plot, func(w io.Writer) error { return report.WritePlot(w, facts, results, c.format()) }},
	} {
		if f.path == "" {
			continue
		}
		if err := atomicfile.Write(f.path, f.write); err != nil {
			return err
		}
	}
	return nil
}
