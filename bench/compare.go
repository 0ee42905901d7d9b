package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
	"github.com/pullback-go/pullback/bench/internal/replay"
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
  matmul             elements of the product [r,c] of [r,c] by [c,c], r·c = n, as square as n allows, c at most r
  linear             elements of the output [n/256,256] of a layer from 256 to 256 features
  relu, sum          elements of the input
  adamw              elements of the parameter; gradient and two moments have as many
  upload, download   elements that are copied to or from the device
  train_step         rows of the mini-batch; the layout column has the network: upload, forward,
                     backward, AdamW and the loss's way back

Layouts are those of the first input, a matrix as square as n allows: contiguous; strided, every second column of a
wider one; transposed; broadcast, one row repeated.

The largest error, max ulp, is against a float64 reference; of train_step it is that of the loss of one mini-batch before
any step, in ulp of the dtype, although in the half types what every layer leaves is rounded too; of upload and download it is 0 or infinite. Infinity is 1.8e308 in JSON and CSV. Exit status 1 if an error is larger than
verify allows (see bench verify -h; of train_step 8, and 64 in the half types; adamw is not judged).

What needs more than 4 GiB of memory is not measured. At least three samples are taken of every point on every device, so
that many points take longer than the budget; with -quick alone what there is no time for in 20 seconds is left out, and said to be.
`

// comparison is what the flags of a measurement say.
type comparison struct {
	selection
	devices         string
	json, csv, plot string
	record          string
	budget          time.Duration
	limit           time.Duration // for everything, 0 for none
}

func parseComparison(args []string, stderr io.Writer) (*comparison, error) {
	c := &comparison{}
	flags := newFlags("bench")
	flags.StringVar(&c.devices, "devices", "", "`names` of devices (default "+strings.Join(defaultDevices, ",")+", as far as there are)")
	flags.Var(choices{&c.ops, measure.Ops}, "ops", "`operations` to measure (default all)")
	flags.Func("sizes", "`sizes` n such as 4096,2^20, and networks with their rows such as 30-64-32-1/32 (default some of each, or of the kind that is not given)", c.setSizes)
	flags.Var(choices{&c.dtypes, allDTypes}, "dtypes", "`dtypes` float32, float16, bfloat16, float64 (default float32)")
	flags.Var(choices{&c.reductions, allReductions}, "reductions", "`reductions` of the loss: none, mean, sum (default mean)")
	flags.Var(choices{&c.layouts, measure.Layouts}, "layouts", "`layouts` contiguous, strided, transposed, broadcast (default contiguous)")
	flags.BoolVar(&c.quick, "quick", false, "fewer sizes; without -budget in under 20 seconds")
	flags.DurationVar(&c.budget, "budget", 0, "`time` to spend, shared out among the points; more of it makes medians steadier (default 60s, with -quick 12s)")
	flags.StringVar(&c.json, "json", "", "also write the machine and the records to this `file`")
	flags.StringVar(&c.csv, "csv", "", "also write the records to this `file`")
	flags.StringVar(&c.plot, "plot", "", "also draw time an element over size into this `file`, .png or .svg; dashed is the time that memory takes, from the speed measured in the run")
	flags.StringVar(&c.record, "record", "", "measure nothing, but write the calls that the other flags choose, with the float64 reference's results, to this `file` for replay")
	if err := parseFlags(flags, compareUsage, args, stderr); err != nil {
		return nil, err
	}
	set := given(flags)
	switch {
	case flags.NArg() > 0:
		return nil, usagef(flags, "unexpected argument %q; the commands are replay and verify, without one devices are measured", flags.Arg(0))
	case set["budget"] && c.budget <= 0:
		return nil, usagef(flags, "a budget of %v; it must be a positive time, such as 60s", c.budget)
	case c.plot != "" && c.format() != "png" && c.format() != "svg":
		return nil, usagef(flags, "the picture %q ends neither in .png nor in .svg", c.plot)
	case len(c.sizes) > 0 && !c.measures(func(op string) bool { return op != measure.TrainStep }):
		return nil, usagef(flags, "train_step takes no size such as %d, but networks with their rows such as 30-64-32-1/32", c.sizes[0])
	case len(c.networks) > 0 && !c.measures(func(op string) bool { return op == measure.TrainStep }):
		return nil, usagef(flags, "%s/%d is a size of train_step, which -ops leaves out", c.networks[0].widths, c.networks[0].rows)
	case c.record != "" && !set["sizes"]:
		return nil, usagef(flags, "-record needs -sizes, of at most %d", maxRecorded)
	}
	if c.record != "" {
		for _, name := range []string{"devices", "json", "csv", "plot", "budget", "quick"} {
			if set[name] {
				return nil, usagef(flags, "-%s has no meaning with -record, which measures nothing", name)
			}
		}
	}
	paths := []string{c.json, c.csv, c.plot}
	for i, path := range paths {
		if path != "" && slices.ContainsFunc(paths[:i], func(other string) bool { return sameFile(path, other) }) {
			return nil, usagef(flags, "%s is to hold two things; give each a file of its own", path)
		}
	}
	switch {
	case c.budget == 0 && c.quick:
		c.budget, c.limit = 12*time.Second, 20*time.Second
	case c.budget == 0:
		c.budget = time.Minute
	}
	return c, nil
}

// measures reports whether any operation is chosen that is of a kind.
func (c *comparison) measures(kind func(op string) bool) bool {
	return slices.ContainsFunc(or(c.ops, measure.Ops), kind)
}

// sameFile reports whether two paths, of which the second may be empty, lead to the same file.
func sameFile(a, b string) bool {
	if b == "" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// format is the ending of the picture's name.
func (c *comparison) format() string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(c.plot), "."))
}

// compare measures and prints the table, or records calls.
func compare(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	start := time.Now()
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
		return recordCalls(points, impossible, c.record, stdout)
	}
	if len(points) == 0 {
		return fmt.Errorf("nothing can be measured: %s", strings.Join(impossible, "; "))
	}
	if c.plot != "" && !report.Drawable(points) {
		return errors.New("-plot has nothing to draw: it shows time over size, so that at least two -sizes of one operation other than train_step are needed")
	}
	devices, unavailable, err := openDevices(c.devices)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDevices(devices)) }()

	facts := machine.Describe()
	memory := machine.NewMemory(facts.LastLevelCache(), runtime.GOMAXPROCS(0))
	before := time.Now()
	memory.Measure(&facts, 1)
	taken := time.Since(before) // and twice as much at the end
	var until time.Time
	if c.limit > 0 {
		until = start.Add(c.limit - 2*taken - reserve)
	}
	show, finish := showProgress(stderr, "measuring")
	measured, stopped := measure.Run(ctx, measure.Options{
		Points: points, Devices: devices, Budget: max(c.budget-time.Since(start)-2*taken, time.Millisecond), Until: until,
		LastLevelCache: facts.LastLevelCache(), Progress: show,
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
	if measured.Late > 0 {
		notes(out, "not measured", []string{fmt.Sprintf("%d of %d measurements, for which %v were too short; choose less, or give a -budget",
			measured.Late, len(points)*len(devices), c.limit)})
	}
	if _, err := stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if stopped == nil && len(measured.Results) == 0 && len(measured.Failed) == 0 {
		return errors.New("nothing was measured, for the reasons above")
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
	return wrong(measured.Results)
}

// reserve is the time kept back for the last measurement and for writing the files.
const reserve = 1500 * time.Millisecond

// wrong returns an error if results are further from the reference than they may be.
func wrong(results []*measure.Result) error {
	var first *measure.Result
	n := 0
	for _, r := range results {
		if r.Wrong {
			first = cmp.Or(first, r)
			n++
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("wrong results: %d, such as %s in %s of %d on %s, which is %s ulp from the reference; go run ./bench verify -devices '%s' looks closer",
		n, first.Op, first.DType, first.N, first.Device, replay.ULP(first.MaxULP), first.Device)
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
