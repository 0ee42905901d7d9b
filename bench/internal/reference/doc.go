// Package reference computes operations of package device in float64, from the
// formulas in their documentation and from nothing else, and says how far a
// device's result is from them.
//
// The measure is the unit in the last place (ulp) of the result's dtype. Where
// terms cancel, as in sums and matrix products, it is the ulp of the terms and not
// of what is left of them: [Number] carries both.
package reference

import (
	"math"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// Number is an exact result, as well as float64 can tell.
type Number struct {
	Value float64
	Scale float64 // the magnitude of the terms it was made from, whose ulp is the measure
}

// exact is a number that nothing cancelled in.
func exact(x float64) Number { return Number{x, math.Abs(x)} }

// over returns the number divided by n.
func (n Number) over(d float64) Number { return Number{n.Value / d, n.Scale / d} }

// Distance returns how far got, of dtype d, is from the number, in ulp. NaN is 0
// from NaN and infinitely far from everything else.
func Distance(got float64, want Number, d device.DType) float64 {
	ulp := devicetest.ULP(got, want.Value, d)
	if ulp > 0 && want.Scale > math.Abs(want.Value) && !math.IsInf(want.Scale, 0) && !math.IsInf(ulp, 0) {
		ulp *= devicetest.Unit(want.Value, d) / devicetest.Unit(want.Scale, d)
	}
	return ulp
}

// Total adds numbers up, with Neumaier's correction of the rounding errors. The zero
// Total is an empty sum.
type Total struct{ sum, correction, scale float64 }

// Add adds a number.
func (t *Total) Add(n Number) {
	s := t.sum + n.Value
	if math.Abs(t.sum) >= math.Abs(n.Value) {
		t.correction += (t.sum - s) + n.Value
	} else {
		t.correction += (n.Value - s) + t.sum
	}
	t.sum = s
	t.scale += n.Scale
}

// Over returns the sum divided by n: 1 for the sum itself.
func (t *Total) Over(n float64) Number {
	sum := t.sum
	if !math.IsInf(sum, 0) && !math.IsNaN(sum) {
		sum += t.correction
	}
	return Number{sum, t.scale}.over(n)
}
