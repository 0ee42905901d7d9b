package verify

import (
	"context"
	"fmt"
	"math"

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

// Failure is a call that came out wrong, made small.
type Failure struct {
	Case   int // of the seed
	Call   calls.Call
	Device string
	Reason string
}

// checker makes calls on all devices.
type checker struct {
	targets []*calls.Target
	has     []map[string]bool
}

// Run makes n random calls on the targets. It stops early at the first failure, and with
// the context's error when that ends. After each call it calls progress.
func Run(ctx context.Context, targets []*calls.Target, n int, seed uint64, progress func(i int)) (*Result, error) {
	c := &checker{targets: targets, has: make([]map[string]bool, len(targets))}
	r := &Result{}
	for i, t := range targets {
		c.has[i] = map[string]bool{}
		r.Devices = append(r.Devices, Device{Name: t.Name()})
		for _, u := range targets[:i] {
			r.Pairs = append(r.Pairs, Pair{A: u.Name(), B: t.Name()})
		}
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		call := Random(seed, i)
		f, err := c.check(call, r)
		if err != nil {
			return r, err
		}
		r.Cases++
		progress(i + 1)
		if f != nil {
			r.Failure = f
			f.Call = Shrink(call, func(smaller calls.Call) bool {
				g, err := c.check(smaller, nil)
				if err != nil || g == nil || g.Device != f.Device {
					return false
				}
				f.Reason = g.Reason
				return true
			})
			f.Case = i
			return r, nil
		}
	}
	return r, nil
}

// check makes a call on every device and compares. The error is the reference's. If r is
// not nil the call is counted in it.
func (c *checker) check(call calls.Call, r *Result) (*Failure, error) {
	want, err := call.Want()
	if err != nil {
		return nil, err
	}
	d := call.Result().DType
	allowed := call.Tolerance()
	var first *Failure
	results := make([][]float64, len(c.targets))
	for i, t := range c.targets {
		if !c.hasAll(i, call) {
			if r != nil {
				r.Devices[i].Skipped++
			}
			continue
		}
		values, err := t.Run(call)
		worst, reason := compare(values, want, d, allowed, err)
		if r != nil {
			r.Devices[i].Cases++
			if worst > r.Devices[i].ULP {
				r.Devices[i].ULP, r.Devices[i].Op = worst, call.Op.Name()
			}
		}
		if reason != "" {
			if first == nil {
				first = &Failure{Call: call, Device: t.Name(), Reason: reason}
			}
			continue
		}
		results[i] = values
	}
	if r != nil {
		r.countPairs(results, want, d, call.Op)
	}
	return first, nil
}

// compare returns the largest error of a result, and why it is wrong if it is.
func compare(values []float64, want []reference.Number, d device.DType, allowed float64, err error) (worst float64, reason string) {
	if err != nil {
		return math.Inf(1), err.Error()
	}
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
func (r *Result) countPairs(results [][]float64, want []reference.Number, d device.DType, op device.Op) {
	k := 0
	for i := range results {
		for j := range i {
			p := &r.Pairs[k]
			k++
			if results[i] == nil || results[j] == nil {
				continue
			}
			for e, w := range want {
				other := reference.Number{Value: results[j][e], Scale: max(w.Scale, math.Abs(w.Value))}
				if ulp := reference.Distance(results[i][e], other, d); ulp > p.ULP {
					p.ULP, p.Op = ulp, op.Name()
				}
			}
		}
	}
}

// hasAll reports whether device i has the operation in every dtype of the call.
func (c *checker) hasAll(i int, call calls.Call) bool {
	for _, t := range append([]calls.Tensor{call.Output}, call.Inputs...) {
		key := call.Op.Name() + t.DType.String()
		if _, known := c.has[i][key]; !known {
			c.has[i][key] = c.targets[i].Has(call.Op, t.DType)
		}
		if !c.has[i][key] {
			return false
		}
	}
	return true
}
