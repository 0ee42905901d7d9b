package gradcheck

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/pullback-go/pullback/device"
)

// Report holds what a check found.
type Report struct {
	// Entries has one entry for each derivative compared: first derivatives before second
	// ones, inputs in the order in which they were checked, elements row-major.
	Entries []Entry

	// Tolerance is the largest relative error that is accepted.
	Tolerance float64
}

// Entry is one derivative, computed in two ways: of s at order 1, of t at order 2, see
// the package comment.
type Entry struct {
	Order         int
	Input         int     // the input's position
	Index         []int   // the element's index in the input
	Analytic      float64 // by the gradient rules
	Numeric       float64 // by finite differences
	RelativeError float64 // see the package comment; NaN unless both numbers are finite
}

var orderNames = [...]string{1: "first", 2: "second"}

// String returns the entry as one phrase.
func (e Entry) String() string {
	return fmt.Sprintf("%s derivative for input %d at %s: %.10g by the gradient rules, %.10g by differences, relative error %.2g",
		orderNames[e.Order], e.Input, device.ShapeString(e.Index), e.Analytic, e.Numeric, e.RelativeError)
}

// Failures returns the entries whose relative error is above the tolerance or NaN.
func (r *Report) Failures() []Entry {
	var failures []Entry
	for _, e := range r.Entries {
		if !(e.RelativeError <= r.Tolerance) {
			failures = append(failures, e)
		}
	}
	return failures
}

// Err returns nil if all derivatives agree, else an error with a line for each
// order and input that has failures: how many, and the worst of them.
func (r *Report) Err() error {
	checked := groups(r.Entries)
	var errs []error
	for _, failures := range groups(r.Failures()) {
		of := 0
		for _, g := range checked {
			if g[0].Order == failures[0].Order && g[0].Input == failures[0].Input {
				of = len(g)
			}
		}
		hint := ""
		if w := worst(failures); w.RelativeError < 1e-4 {
			hint = "; so little may be the differences' own error, where the function is steep or nearly constant: try other inputs"
		}
		errs = append(errs, fmt.Errorf("gradcheck: %v (tolerance %.2g); %d of %d elements fail%s",
			worst(failures), r.Tolerance, len(failures), of, hint))
	}
	return errors.Join(errs...)
}

// String returns a line for each order and input: the number of elements
// compared and the worst entry.
func (r *Report) String() string {
	var b strings.Builder
	for _, g := range groups(r.Entries) {
		fmt.Fprintf(&b, "%d elements, the worst: %v\n", len(g), worst(g))
	}
	return b.String()
}

// groups cuts the entries into runs of the same order and input.
func groups(entries []Entry) [][]Entry {
	var list [][]Entry
	for i, e := range entries {
		if i == 0 || e.Order != entries[i-1].Order || e.Input != entries[i-1].Input {
			list = append(list, nil)
		}
		last := &list[len(list)-1]
		*last = append(*last, e)
	}
	return list
}

// worst returns the entry with the largest relative error, NaN above all, the first of those that are
// as good as equal.
func worst(entries []Entry) Entry {
	w := entries[0]
	for _, e := range entries {
		if e.RelativeError > 1.001*w.RelativeError || math.IsNaN(e.RelativeError) && !math.IsNaN(w.RelativeError) {
			w = e
		}
	}
	return w
}
