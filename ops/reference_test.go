package ops_test

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
)

// The second implementation of every operation: float64 values in plain loops
// over indices, written from the operations' documentation.

// array is a tensor in row-major order.
type array struct {
	shape []int
	data  []float64
}

func zeros(shape ...int) array { return array{shape, make([]float64, device.Elements(shape))} }

// lattice returns distinct values between -2 and 2.2, no nearer than 0.02 to 0, to ±1 and
// to those of another phase from 0 to 4, so that they keep away from kinks and ties.
func lattice(phase int, shape ...int) array {
	a := zeros(shape...)
	for i := range a.data {
		a.data[i] = 0.1 + 0.03*float64(phase) + 0.2*float64((8*i+5*phase)%21-10)
	}
	return a
}

// positive returns values between 0.5 and 2.9.
func positive(phase int, shape ...int) array {
	a := zeros(shape...)
	for i := range a.data {
		a.data[i] = 0.5 + 0.2*float64((5*i+3*phase)%13)
	}
	return a
}

// labels returns targets -1 and +1.
func labels(shape ...int) array {
	a := zeros(shape...)
	for i := range a.data {
		a.data[i] = float64(1 - 2*(i*i%3%2))
	}
	return a
}

func (a array) dense() *tensor.Dense {
	return tensor.New(tensor.WithShape(a.shape...), tensor.WithBacking(slices.Clone(a.data)))
}

// each calls f with every index of the shape, in row-major order.
func each(shape []int, f func(index []int)) {
	index := make([]int, len(shape))
	var walk func(axis int)
	walk = func(axis int) {
		if axis == len(shape) {
			f(index)
			return
		}
		for index[axis] = 0; index[axis] < shape[axis]; index[axis]++ {
			walk(axis + 1)
		}
	}
	walk(0)
}

// at returns a pointer to the element that is at the index after broadcasting.
func (a array) at(index ...int) *float64 {
	position := 0
	for i, d := range a.shape {
		k := index[len(index)-len(a.shape)+i]
		if d == 1 {
			k = 0
		}
		position = position*d + k
	}
	return &a.data[position]
}

// reference computes what an operation should.
type reference func(in []array) array

// elementwise is f on the elements of the inputs, broadcast to the longest of
// their dimensions.
func elementwise(f func(v []float64) float64) reference {
	return func(in []array) array {
		rank := 0
		for _, a := range in {
			rank = max(rank, len(a.shape))
		}
		shape := make([]int, rank)
		for i := range shape {
			shape[i] = 1
			for _, a := range in {
				if j := i - rank + len(a.shape); j >= 0 && a.shape[j] != 1 {
					shape[i] = a.shape[j]
				}
			}
		}
		out := zeros(shape...)
		each(shape, func(index []int) {
			v := make([]float64, len(in))
			for i, a := range in {
				v[i] = *a.at(index...)
			}
			*out.at(index...) = f(v)
		})
		return out
	}
}

func unary(f func(x float64) float64) reference {
	return func(in []array) array { return elementwise(func(v []float64) float64 { return f(v[0]) })(in[:1]) }
}

func binary(f func(a, b float64) float64) reference {
	return elementwise(func(v []float64) float64 { return f(v[0], v[1]) })
}

// reduced sums the result of another reference over the given axes, or averages it.
func reduced(of reference, mean, keepDims bool, axes ...int) reference {
	return func(in []array) array {
		a := of(in)
		kept := slices.Clone(a.shape)
		for _, axis := range axes {
			kept[axis] = 1
		}
		out := zeros(kept...)
		each(a.shape, func(index []int) {
			*out.at(index...) += *a.at(index...)
		})
		if mean {
			for i := range out.data {
				out.data[i] *= float64(len(out.data)) / float64(len(a.data))
			}
		}
		if !keepDims {
			out.shape = nil
			for i, d := range a.shape {
				if !slices.Contains(axes, i) {
					out.shape = append(out.shape, d)
				}
			}
		}
		return out
	}
}

// reducedLoss reduces the result of another reference as a loss.
func reducedLoss(of reference, r device.Reduction) reference {
	if r == device.None {
		return of
	}
	return func(in []array) array {
		var axes []int
		for i := range of(in).shape {
			axes = append(axes, i)
		}
		return reduced(of, r == device.Mean, false, axes...)(in)
	}
}

// norm is what a gradient of n elements is multiplied by.
func norm(r device.Reduction, n int) float64 {
	if r == device.Mean {
		return 1 / float64(n)
	}
	return 1
}

// reshaped is the first input under another shape.
func reshaped(shape ...int) reference {
	return func(in []array) array { return array{shape, in[0].data} }
}

func identity(in []array) array { return in[0] }

func transposed(permutation ...int) reference {
	return func(in []array) array {
		shape := make([]int, len(permutation))
		for i, p := range permutation {
			shape[i] = in[0].shape[p]
		}
		out := zeros(shape...)
		each(shape, func(index []int) {
			from := make([]int, len(index))
			for i, p := range permutation {
				from[p] = index[i]
			}
			*out.at(index...) = *in[0].at(from...)
		})
		return out
	}
}

func broadcast(shape ...int) reference {
	return func(in []array) array {
		return elementwise(func(v []float64) float64 { return v[0] })([]array{in[0], zeros(shape...)})
	}
}

// matmul is the product of the first two inputs, plus the third if there is one.
func matmul(transposeA, transposeB bool) reference {
	return func(in []array) array {
		a, b := in[0], in[1]
		if transposeA {
			a = transposed(1, 0)([]array{a})
		}
		if transposeB {
			b = transposed(1, 0)([]array{b})
		}
		out := zeros(a.shape[0], b.shape[1])
		for i := range out.shape[0] {
			for j := range out.shape[1] {
				for k := range a.shape[1] {
					*out.at(i, j) += *a.at(i, k) * *b.at(k, j)
				}
				if len(in) > 2 {
					*out.at(i, j) += *in[2].at(j)
				}
			}
		}
		return out
	}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func gelu(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// shapes names a case by the shapes of its inputs.
func shapes(in ...array) string {
	s := ""
	for _, a := range in {
		s += device.ShapeString(a.shape)
	}
	return s
}

// closeTo returns a complaint unless the values are equal within tolerance, relative to the larger of 1 and want.
func closeTo(got, want array, tolerance float64) string {
	if !slices.Equal(got.shape, want.shape) {
		return fmt.Sprintf("shape %v, want %v", got.shape, want.shape)
	}
	for i, w := range want.data {
		g := got.data[i]
		same := g == w || math.IsNaN(g) && math.IsNaN(w)
		if !same && !(math.Abs(g-w) <= tolerance*math.Max(1, math.Abs(w))) {
			return fmt.Sprintf("element %d is %v, want %v", i, g, w)
		}
	}
	return ""
}
