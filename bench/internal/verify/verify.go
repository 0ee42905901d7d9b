package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Result is what a run has found.
type Result struct {
	Cases   int
	Devices []Device
	Pairs   []Pair
	Failure *Failure // the first, nil if there was none
}

// Device is how one device did.
type Device struct {
	Name    string
	Cases   int
	Skipped int     // for want of an operation or a dtype
	ULP     float64 // the largest error
	Op      string  // where it was
}

// Pair is how far two devices were apart at most, in ulp.
type Pair struct {
	A, B string
	ULP  float64
	Op   string
}

// Failure is a call that came out wrong, or a loss with its gradient, made small.
type Failure struct {
	Case   int // of the seed
	Calls  []calls.Call
	Device string
	Reason string
}

// checker makes calls on all devices.
type checker struct{ targets []*calls.Target }

// Run makes n random calls on the targets. It stops early at the first failure, and with
// the context's error when that ends before there is one. After each call it calls progress.
func Run(ctx context.Context, targets []*calls.Target, n int, seed uint64, progress func(i int)) (*Result, error) {
	c := &checker{targets}
	r := &Result{}
	for i, t := range targets {
		r.Devices = append(r.Devices, Device{Name: t.Name()})
		for _, u := range targets[:i] {
			r.Pairs = append(r.Pairs, Pair{A: u.Name(), B: t.Name()})
		}
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		list := Random(seed, i)
		f, err := c.check(list, r)
		if err != nil {
			return r, err
		}
		r.Cases++
		progress(i + 1)
		if f != nil {
			r.Failure = f
			f.Case = i
			f.Calls = Shrink(ctx, list, func(smaller []calls.Call) bool {
				g, err := c.check(smaller, nil)
				if err != nil || g == nil || g.Device != f.Device {
					return false
				}
				f.Reason = g.Reason
				return true
			})
			return r, nil
		}
	}
	return r, nil
}

// check makes calls on every device and compares. The error is the reference's. If r is
// not nil the calls are counted in it.
func (c *checker) check(list []calls.Call, r *Result) (*Failure, error) {
	want := make([][]reference.Number, len(list))
	for k, call := range list {
		var err error
		if want[k], err = call.Want(); err != nil {
			return nil, err
		}
	}
	allowed := calls.Tolerances(list)
	var first *Failure
	results := make([][][]float64, len(c.targets))
	for i, t := range c.targets {
		values, err := t.Run(list...)
		if err != nil && lacks(t, list, err) {
			if r != nil {
				r.Devices[i].Skipped++
			}
			continue
		}
		reason := ""
		if err != nil {
			reason = err.Error()
			values = make([][]float64, len(list)) // infinitely far from the reference
		}
		for k, call := range list {
			worst, wrong := compare(values[k], want[k], call.Result().DType, allowed[k])
			if reason == "" {
				reason = wrong
			}
			if r != nil && worst > r.Devices[i].ULP {
				r.Devices[i].ULP, r.Devices[i].Op = worst, call.Op.Name()
			}
		}
		if r != nil {
			r.Devices[i].Cases++
		}
		if reason == "" {
			results[i] = values
		} else if first == nil {
			first = &Failure{Calls: list, Device: t.Name(), Reason: reason}
		}
	}
	if r != nil {
		r.countPairs(results, want, list)
	}
	return first, nil
}

// lacks reports whether a device refused calls for want of an operation or a dtype.
func lacks(t *calls.Target, list []calls.Call, refused error) bool {
	return slices.ContainsFunc(list, func(c calls.Call) bool { return t.Lacks(c, refused) != "" })
}

// compare returns the largest error of a result, and why it is wrong if it is.
func compare(values []float64, want []reference.Number, d device.DType, allowed float64) (worst float64, reason string) {
	if len(values) != len(want) {
		return math.Inf(1), fmt.Sprintf("%d elements where the result has %d", len(values), len(want))
	}
	for i, w := range want {
		ulp := reference.Distance(values[i], w, d)
		if ulp > allowed && reason == "" {
			reason = fmt.Sprintf("element %d is %v, but must be %v: %.3g ulp of %s, where %.3g are allowed", i, values[i], w.Value, ulp, d, allowed)
		}
		worst = max(worst, ulp)
	}
	return worst, reason
}

// countPairs keeps how far the devices are from each other, in ulp of the terms.
func (r *Result) countPairs(results [][][]float64, want [][]reference.Number, list []calls.Call) {
	pair := 0
	for i := range results {
		for j := range i {
			p := &r.Pairs[pair]
			pair++
			if results[i] == nil || results[j] == nil {
				continue
			}
			for k, c := range list {
				for e, w := range want[k] {
					other := reference.Number{Value: results[j][k][e], Scale: max(w.Scale, math.Abs(w.Value))}
					if ulp := reference.Distance(results[i][k][e], other, c.Result().DType); ulp > p.ULP {
						p.ULP, p.Op = ulp, c.Op.Name()
					}
				}
			}
		}
	}
}
