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
// in place of the defaults: 2 in float32, 4 in float64 and 1 in the half types, and for operations other than the loss what
// their references allow.
func Run(t *calls.Target, f *casefile.File, ulp float64) *Result {
	r := &Result{Format: f.Format, Cases: f.Cases, Lacking: map[string]int{}}
	failed, skipped := map[int]bool{}, map[int]bool{}
	has := map[string]bool{}
	for i := range f.Checks {
		c := &f.Checks[i]
		if reason := lacking(t, c, has); reason != "" {
			n := 1
			if c.PerElement {
				n = len(c.Want)
			}
			for k := range n {
				if !skipped[c.Case+k] {
					skipped[c.Case+k] = true
					r.Lacking[reason]++
				}
			}
			continue
		}
		r.check(t, c, ulp, failed)
	}
	for i := range f.Cases {
		switch {
		case failed[i]:
		case skipped[i]:
			r.Skipped++
		default:
			r.Passed++
		}
	}
	return r
}

// lacking names what the device does not have of what the check needs, if anything.
func lacking(t *calls.Target, c *casefile.Check, has map[string]bool) string {
	if c.Want == nil && c.Code != 0 {
		return "" // to be refused, whatever the reason
	}
	for _, x := range append([]calls.Tensor{c.Output}, c.Inputs...) {
		if x.Missing() {
			continue
		}
		key := fmt.Sprintf("%s in %s", c.Op.Name(), x.DType)
		if _, known := has[key]; !known {
			has[key] = t.Has(c.Op, x.DType)
		}
		if !has[key] {
			return key
		}
	}
	return ""
}

func (r *Result) fail(failed map[int]bool, at int, format string, args ...any) {
	if !failed[at] && len(failed) < mostFailures {
		r.First = append(r.First, Failure{at + 1, fmt.Sprintf(format, args...)})
	}
	failed[at] = true
}

// check makes one call.
func (r *Result) check(t *calls.Target, c *casefile.Check, ulp float64, failed map[int]bool) {
	if c.Want == nil {
		if got := code(t.Plan(c.Call)); got != c.Code {
			r.fail(failed, c.Case, "%s: phase one returned %v, but must return %v", c.Name, status(got), status(c.Code))
		}
		return
	}
	values, err := t.Run(c.Call)
	if err != nil {
		n := 1
		if c.PerElement {
			n = len(c.Want)
		}
		for k := range n {
			r.fail(failed, c.Case+k, "%s: %v", c.Name, err)
		}
		return
	}
	d := c.Result().DType
	allowed := ulp
	if !(allowed > 0) {
		allowed = max(defaultULP(d), c.Tolerance)
	}
	for i, want := range c.Want {
		distance := reference.Distance(values[i], want, d)
		r.MaxULP = max(r.MaxULP, distance)
		if distance <= allowed {
			continue
		}
		at := c.Case
		if c.PerElement {
			at += i
		}
		r.fail(failed, at, "%s: element %d%s is %v, but must be %v: %s ulp of %s, where %v are allowed",
			c.Name, i, operands(c, i), values[i], want.Value, ULP(distance), d, allowed)
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

// operands shows what element i was made from, where the call says so plainly.
func operands(c *casefile.Check, i int) string {
	if !c.PerElement {
		return ""
	}
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
