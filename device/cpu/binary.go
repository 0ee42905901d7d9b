package cpu

import (
	"math"

	"github.com/pullback-go/pullback/device"
)

// binaryKernel returns the kernel of an element-wise operation with two inputs,
// and its cost for one element; nil if there is none.
func binaryKernel[F float](op device.Op) (kernel func(dst, a, b []F), cost int) {
	switch op := op.(type) {
	case device.Add:
		return add[F], cheap
	case device.Sub:
		return sub[F], cheap
	case device.Mul:
		return mul[F], cheap
	case device.Div:
		return div[F], cheap
	case device.Maximum:
		return maximum[F], cheap
	case device.ReLUBackward:
		return reluBackward[F], cheap
	case device.LeakyReLUBackward:
		return func(dst, a, b []F) { leakyReLUBackward(op.NegativeSlope, dst, a, b) }, cheap
	case device.TanhBackward:
		return tanhBackward[F], cheap
	case device.SigmoidBackward:
		return sigmoidBackward[F], cheap
	case device.GELUBackward:
		return geluBackward[F], costly
	}
	return nil, 0
}

func add[F float](dst, a, b []F) {
	b = b[:len(a)]
	for i, x := range a {
		dst[i] = x + b[i]
	}
}

func sub[F float](dst, a, b []F) {
	b = b[:len(a)]
	for i, x := range a {
		dst[i] = x - b[i]
	}
}

func mul[F float](dst, a, b []F) {
	b = b[:len(a)]
	for i, x := range a {
		dst[i] = x * b[i]
	}
}

func div[F float](dst, a, b []F) {
	b = b[:len(a)]
	for i, x := range a {
		dst[i] = x / b[i]
	}
}

func maximum[F float](dst, a, b []F) {
	b = b[:len(a)]
	for i, x := range a {
		dst[i] = max(x, b[i])
	}
}

func reluBackward[F float](dst, gradOutput, self []F) {
	self = self[:len(gradOutput)]
	for i, g := range gradOutput {
		dst[i] = F(choose(self[i] > 0, float64(g), 0))
	}
}

func leakyReLUBackward[F float](slope float64, dst, gradOutput, self []F) {
	self = self[:len(gradOutput)]
	for i, v := range gradOutput {
		g := float64(v)
		dst[i] = F(choose(self[i] > 0, g, slope*g))
	}
}

func tanhBackward[F float](dst, gradOutput, output []F) {
	for i, g := range gradOutput {
		y := float64(output[i])
		dst[i] = F(float64(g) * ((1 - y) * (1 + y)))
	}
}

func sigmoidBackward[F float](dst, gradOutput, output []F) {
	for i, g := range gradOutput {
		y := float64(output[i])
		dst[i] = F(float64(g) * y * (1 - y))
	}
}

func geluBackward[F float](dst, gradOutput, self []F) {
	for i, g := range gradOutput {
		x := float64(self[i])
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		dst[i] = F(float64(g) * (normalCDF(x) + float64(x*density)))
	}
}

// maximumBackward is the one element-wise kernel with three inputs beside the losses'.
func maximumBackward[F float](dst, gradOutput, self, other []F) {
	self, other = self[:len(gradOutput)], other[:len(gradOutput)]
	for i, v := range gradOutput {
		x, y, g := self[i], other[i], float64(v)
		dst[i] = F(choose(x > y, g, choose(x == y, g/2, 0)))
	}
}
