package cpu

import (
	"math"

	"github.com/pullback-go/pullback/device"
)

// unaryKernel returns the kernel of an element-wise operation with one input, and
// its cost for one element; nil if there is none.
func unaryKernel[F float](op device.Op) (kernel func(dst, a []F), cost int) {
	switch op := op.(type) {
	case device.Neg:
		return neg[F], cheap
	case device.Sqrt:
		return sqrt[F], cheap
	case device.Square:
		return square[F], cheap
	case device.Abs:
		return abs[F], cheap
	case device.Sign:
		return sign[F], cheap
	case device.ReLU:
		return relu[F], cheap
	case device.LeakyReLU:
		return func(dst, a []F) { leakyReLU(op.NegativeSlope, dst, a) }, cheap
	case device.Exp:
		return each[F](exp), costly
	case device.Log:
		return each[F](math.Log), costly
	case device.Tanh:
		return each[F](math.Tanh), costly
	case device.Sigmoid:
		return each[F](sigmoid), costly
	case device.GELU:
		return each[F](gelu), costly
	case device.Softplus:
		return each[F](softplus), costly
	}
	return nil, 0
}

// each returns the kernel that applies f, computed in float64 and rounded once.
func each[F float](f func(float64) float64) func(dst, a []F) {
	return func(dst, a []F) {
		for i, x := range a {
			dst[i] = F(f(float64(x)))
		}
	}
}

func neg[F float](dst, a []F) {
	for i, x := range a {
		dst[i] = -x
	}
}

func sqrt[F float](dst, a []F) {
	for i, x := range a {
		dst[i] = F(math.Sqrt(float64(x))) // the same as a square root in float32
	}
}

func square[F float](dst, a []F) {
	for i, x := range a {
		dst[i] = x * x
	}
}

func abs[F float](dst, a []F) {
	for i, x := range a {
		dst[i] = F(math.Abs(float64(x)))
	}
}

func sign[F float](dst, a []F) {
	for i, v := range a {
		x := float64(v)
		// ±0 and NaN are their own signs.
		dst[i] = F(choose(math.Abs(x) > 0, math.Copysign(1, x), x))
	}
}

func relu[F float](dst, a []F) {
	for i, x := range a {
		dst[i] = max(x, 0)
	}
}

func leakyReLU[F float](slope float64, dst, a []F) {
	for i, v := range a {
		x := float64(v)
		dst[i] = F(choose(x > 0, x, slope*x))
	}
}

// exp is e^x. Processors are slow at the powers of subnormal numbers, and need not take them.
func exp(x float64) float64 {
	if math.Abs(x) < 0x1p-60 {
		return 1
	}
	return math.Exp(x)
}

// sigmoid is 1/(1 + e^-x), accurate in both tails and without overflow.
func sigmoid(x float64) float64 {
	e := exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// softplus is ln(1 + e^x), accurate in both tails and without overflow.
func softplus(x float64) float64 {
	y := math.Log1p(exp(-math.Abs(x)))
	if x > 0 {
		y += x
	}
	return y
}

// normalCDF is the standard normal distribution function, accurate in both tails.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func gelu(x float64) float64 { return x * normalCDF(x) }

// choose returns x if the condition holds, else y. It has no branch, which random
// data would make the processor mispredict.
func choose(condition bool, x, y float64) float64 {
	var mask uint64
	if condition {
		mask = 1
	}
	mask = -mask
	return math.Float64frombits(math.Float64bits(x)&mask | math.Float64bits(y)&^mask)
}
