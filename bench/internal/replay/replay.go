// Package replay makes recorded calls again on a device and compares what comes of
// them with what was recorded.
package replay

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Failure is a case that did not come out as recorded.
type Failure struct {
	Case int // counted from 1
	Text string
}

// Result is how a file went.
type Result struct {
	Format  string
	Cases   int
	Passed  int
	Skipped int            // for want of a dtype or an operation
	Lacking map[string]int // what was wanting, with the number of cases
	MaxULP  float64        // over the cases that were run
	First   []Failure      // the first few failures
}

// Failed is how many cases did not come out as recorded.
func (r *Result) Failed() int { return r.Cases - r.Passed - r.Skipped }

// mostFailures is how many failures a result tells of.
const mostFailures = 5

// defaultULP is the error that is allowed in a result of the dtype.
func defaultULP(d device.DType) float64 {
	switch d {
	case device.Float32:
		return 2
	case device.Float64:
		return 4
	}
	return 1
}

// Run makes the calls of a file on the target. An ulp above 0 is the error to allow
// in place of the defaults: 2 in float32, 4 in float64 and 1 in the half types, and what the case says it may
// have besides. The error is the file's.
//
// Where a case has the loss and its gradient, and the device fuses calls, they are made a second time together.
func Run(t *calls.Target, f *casefile.File, ulp float64) (*Result, error) {
	r := &Result{Format: f.Format, Lacking: map[string]int{}}
	for {
		c, err := f.Next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		r.one(t, c, ulp)
	}
}

// rows is how the cases of one [casefile.Case] went.
type rows struct {
	*Result
	first           int
	failed, skipped []bool
}

func (r *Result) one(t *calls.Target, c *casefile.Case, ulp float64) {
	s := &rows{r, c.Number, make([]bool, c.Rows), make([]bool, c.Rows)}
	for i := range c.Checks {
		s.check(t, c.Checks[i:i+1], ulp)
	}
	if _, fuses := t.Device.(device.Fuser); fuses && len(c.Checks) > 1 {
		s.check(t, c.Checks, ulp)
	}
	r.Cases += c.Rows
	for i := range c.Rows {
		switch {
		case s.failed[i]:
		case s.skipped[i]:
			r.Skipped++
		default:
			r.Passed++
		}
	}
}

// fail notes that a row failed.
func (s *rows) fail(row int, format string, args ...any) {
	if s.failed[row] {
		return
	}
	s.failed[row] = true
	if len(s.First) < mostFailures {
		s.First = append(s.First, Failure{s.first + row + 1, fmt.Sprintf(format, args...)})
	}
}

// failAll notes that a call failed, and with it all rows.
func (s *rows) failAll(format string, args ...any) {
	for row := range s.failed {
		s.fail(row, format, args...)
	}
}

// skip notes that rows cannot be run, for want of something.
func (s *rows) skip(lacking string) {
	for i := range s.skipped {
		if !s.skipped[i] {
			s.skipped[i] = true
			s.Lacking[lacking]++
		}
	}
}

// check makes calls, one or a loss with its gradient in one pass.
func (s *rows) check(t *calls.Target, checks []casefile.Check, ulp float64) {
	if checks[0].Want == nil {
		s.checkCode(t, &checks[0])
		return
	}
	name, list := checks[0].Name, []calls.Call{}
	for _, c := range checks {
		list = append(list, c.Call)
	}
	if len(checks) > 1 {
		name = "in one pass"
	}
	results, err := t.Run(list...)
	if err != nil {
		for _, c := range list {
			if lacking := t.Lacks(c, err); lacking != "" {
				s.skip(lacking)
				return
			}
		}
		s.failAll("%s: %v", name, err)
		return
	}
	for k := range checks {
		c := &checks[k]
		allowed := max(defaultULP(c.Result().DType), c.Tolerance)
		if len(checks) > 1 {
			name = c.Name + " in one pass"
			allowed = max(allowed, calls.Tolerances(list)[k])
		}
		if ulp > 0 {
			allowed = ulp
		}
		s.compare(name, c, results[k], allowed)
	}
}

// compare holds a result to what must come of the call.
func (s *rows) compare(name string, c *casefile.Check, values []float64, allowed float64) {
	d := c.Result().DType
	perRow := s.Format == casefile.Pointwise
	for i, want := range c.Want {
		distance := reference.Distance(values[i], want, d)
		s.MaxULP = max(s.MaxULP, distance)
		if distance <= allowed {
			continue
		}
		row, of := 0, ""
		if perRow {
			row, of = i, operands(c, i)
		}
		s.fail(row, "%s: element %d%s is %v, but must be %v: %s ulp of %s, where %.3g are allowed",
			name, i, of, values[i], want.Value, ULP(distance), d, allowed)
	}
}

// checkCode asks phase one alone.
func (s *rows) checkCode(t *calls.Target, c *casefile.Check) {
	err := t.Plan(c.Call)
	if got := code(err); got != c.Code {
		if lacking := t.Lacks(c.Call, err); c.Code == 0 && lacking != "" {
			s.skip(lacking)
			return
		}
		s.failAll("%s: phase one returned %v, but must return %v", c.Name, status(got), status(c.Code))
	}
}

// code returns the status code that an error carries.
func code(err error) device.Code {
	var c device.Code
	switch {
	case err == nil:
		return 0
	case errors.As(err, &c):
		return c
	}
	return device.ErrInternal
}

func status(c device.Code) string {
	if c == 0 {
		return "0 (success)"
	}
	return c.Error()
}

// ULP formats a distance.
func ULP(x float64) string {
	if math.IsInf(x, 0) {
		return "infinitely many"
	}
	return fmt.Sprintf("%.3g", x)
}

// Print writes the result as one line, and more where there is more to say.
func (r *Result) Print(w io.Writer, name string) {
	fmt.Fprintf(w, "%s: %s, %d cases, %d passed", name, r.Format, r.Cases, r.Passed)
	if n := r.Failed(); n > 0 {
		fmt.Fprintf(w, ", %d failed", n)
	}
	if r.Skipped > 0 {
		fmt.Fprintf(w, ", %d skipped", r.Skipped)
	}
	if r.Format != casefile.Status {
		fmt.Fprintf(w, ", largest error %s ulp", ULP(r.MaxULP))
	}
	fmt.Fprintln(w)
	for _, reason := range slices.Sorted(maps.Keys(r.Lacking)) {
		fmt.Fprintf(w, "  skipped %d: the device has no %s\n", r.Lacking[reason], reason)
	}
	for _, f := range r.First {
		fmt.Fprintf(w, "  case %d: %s\n", f.Case, f.Text)
	}
	if n := r.Failed() - len(r.First); n > 0 {
		fmt.Fprintf(w, "  and %d more\n", n)
	}
}

// operands shows what element i of a pointwise file was made from.
func operands(c *casefile.Check, i int) string {
	text := " ("
	for k, x := range c.Inputs {
		if k > 0 {
			text += ", "
		}
		at := i
		if len(x.Shape) == 0 {
			at = 0
		}
		text += fmt.Sprintf("%s %v", device.ArgName(c.Op, k), x.Values()[at])
	}
	return text + ")"
}
