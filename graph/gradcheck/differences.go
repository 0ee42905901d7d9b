package gradcheck

import (
	"math"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/graph"
)

// checker evaluates one model around one point.
type checker struct {
	inputs   []*tensor.Dense // contiguous
	checked  []int           // positions of the inputs to differentiate
	order    int
	function *graph.Function // gives y, then ds/dx for each checked input, then dt/dx

	v, w []float64   // the weights of s, for the elements of y
	u    [][]float64 // those of t, for each checked input
}

// run compares every derivative and returns first-order entries before second-order ones.
func (c *checker) run() ([]Entry, error) {
	analytic, err := c.function.Run(c.inputs...)
	if err != nil {
		return nil, err
	}
	var entries [2][]Entry
	for i, j := range c.checked {
		shape := c.inputs[j].Shape()
		for k := range shape.TotalSize() {
			numeric, resolvable, err := c.differentiate(j, k)
			if err != nil {
				return nil, err
			}
			for order := range c.order {
				exact := analytic[1+order*len(c.checked)+i].Float64s()[k]
				entries[order] = append(entries[order], Entry{
					Order: order + 1, Input: j, Index: unravel(k, shape),
					Analytic: exact, Numeric: numeric[order],
					RelativeError: relativeError(exact, numeric[order], resolvable[order]),
				})
			}
		}
	}
	return append(entries[0], entries[1]...), nil
}

// differentiate estimates the derivatives of s and t for element k of input j, and
// returns with each the smallest derivative that rounding lets it resolve.
func (c *checker) differentiate(j, k int) (estimate, resolvable [2]float64, err error) {
	x := &c.inputs[j].Float64s()[k]
	at := *x
	defer func() { *x = at }()
	r := math.Ldexp(1, max(math.Ilogb(at), 0))
	h := r / 2048 // a power of two, so that at±h is exact or nearly so
	for _, step := range []struct{ h, weight float64 }{{3 * h, 0.1}, {2 * h, -0.6}, {h, 1.5}} {
		*x = at + step.h
		plus, err := c.function.Run(c.inputs...)
		if err != nil {
			return estimate, resolvable, err
		}
		*x = at - step.h
		minus, err := c.function.Run(c.inputs...)
		if err != nil {
			return estimate, resolvable, err
		}
		var ds, dt difference
		ds.addQuadratic(plus[0].Float64s(), minus[0].Float64s(), c.v, c.w)
		for i, u := range c.u {
			dt.addLinear(plus[1+i].Float64s(), minus[1+i].Float64s(), u)
		}
		for order, d := range []difference{ds, dt} {
			estimate[order] += step.weight * d.value / (2 * step.h)
			resolvable[order] = d.magnitude / (256 * r)
		}
	}
	return estimate, resolvable, nil
}

// difference is one of sums. Taking it term by term leaves out, exactly, the
// terms that do not move, whose rounding would drown those that do.
type difference struct {
	value     float64
	magnitude float64 // of the terms that move
}

// addQuadratic adds the difference of Σ v·y + w·y² between plus and minus.
func (d *difference) addQuadratic(plus, minus, v, w []float64) {
	for i := range v {
		d.add(plus[i], minus[i], v[i]+w[i]*(plus[i]+minus[i]))
	}
}

// addLinear adds the difference of Σ u·y.
func (d *difference) addLinear(plus, minus, u []float64) {
	for i := range u {
		d.add(plus[i], minus[i], u[i])
	}
}

func (d *difference) add(plus, minus, slope float64) {
	if plus != minus {
		d.value += slope * (plus - minus)
		d.magnitude += math.Abs(slope) * max(math.Abs(plus), math.Abs(minus))
	}
}

// relativeError measures the difference against the larger number, or against
// the smallest that can be resolved. It is NaN unless both numbers are finite.
func relativeError(analytic, numeric, resolvable float64) float64 {
	d := math.Abs(analytic - numeric)
	if d == 0 {
		return 0
	}
	return d / max(math.Abs(analytic), math.Abs(numeric), resolvable)
}

// unravel returns the index of the element at a row-major position.
func unravel(position int, shape []int) []int {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = position % shape[axis]
		position /= shape[axis]
	}
	return index
}
