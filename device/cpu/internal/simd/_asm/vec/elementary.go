package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// Positive returns max(x, 0), +0 at -0, and NaN at NaN.
func Positive(x Vec) Vec { return And(x, Compare(NotLessEqual, x, Float(0))) }

// Sign returns x's sign: -1 or 1, and x itself for zeros and NaN.
func Sign(x Vec) Vec {
	one := Or(And(x, signBit), Float(1))
	return Select(Compare(unequal, x, Float(0)), x, one)
}

// Maximum returns the larger of a and b, with +0 above -0, and NaN if either is.
func Maximum(a, b Vec) Vec {
	larger := And(Max(a, b), Max(b, a)) // they differ only in the sign of zeros, or at NaN
	return Or(larger, Compare(unordered, a, b))
}

// MulFloat64 returns a·b rounded from float64, with the float64 parameter b.
func MulFloat64(a Vec, b string) Vec { return inFloat64(build.VMULPD, a, b) }

// DivFloat64 returns a/b rounded from float64, with the float64 parameter b.
func DivFloat64(a Vec, b string) Vec { return inFloat64(build.VDIVPD, a, b) }

func inFloat64(f instruction, a Vec, b string) Vec {
	param := register()
	build.VBROADCASTSD(address(b), param)
	dst := newVec(len(a))
	for i, x := range a {
		low, high := toFloat64(x)
		f(param, low, low)
		f(param, high, high)
		build.VCVTPD2PSY(low, dst[i].AsX())
		build.VCVTPD2PSY(high, high.AsX())
		build.VINSERTF128(operand.U8(1), high.AsX(), dst[i], dst[i])
	}
	return dst
}

// tanhCoefficients are those of R with tanh(x) = x + x³·R(x²) for |x| ≤ 0.6, relative error 2^-28.4:
// a minimax fit, coefficients rounded one after the other.
var tanhCoefficients = []float32{-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89ab8p-5, 0x1.54c3a2p-6, -0x1.828682p-8}

// Magnitude returns |x|, but at least 2^-40 and at most highest. Functions whose values are as good as those
// at 0 below that are spared the powers of subnormal numbers, at which processors are slow.
func Magnitude(x Vec, highest float32) Vec {
	return AtLeast(AtMost(Abs(x), Float(highest)), Float(0x1p-40))
}

// Tanh returns tanh(x). For |x| < 0.55 it is a polynomial, and beyond, where nothing cancels,
// 1 - 2/(e^|2x| + 1).
func Tanh(x Vec) Vec {
	t := Magnitude(x, 10) // tanh(10) rounds to 1
	square := Mul(t, t)
	small := Mul(Horner(square, tanhCoefficients...), square)
	MulAdd(small, x, x)

	isSmall := Compare(Less, t, Float(0.55))
	u := Add(t, t)
	p := power(reduceExp(u, magic()+bias, 0))
	q, s := expProduct(u, p)
	MulAdd(q, s, Add(p, Float(1)))
	large := Sub(Float(1).Scalar().Times(len(x)), Div(Float(2).Scalar().Times(len(x)), q))
	return Or(Select(isSmall, large, small), And(x, signBit)) // -0 at -0
}

// Sigmoid returns 1/(1 + e^-x).
func Sigmoid(x Vec) Vec {
	d := UnitPlusNegatedExp(AtMost(x, Float(20)))
	return Div(Float(Unit).Scalar().Times(len(x)), d)
}

// Softplus returns log(1 + e^x) as max(x, 0) + log(1 + e^-|x|).
func Softplus(x Vec) Vec {
	return Add(Log1pUnit(DecayExp(Magnitude(x, 104))), AtLeast(x, Float(0)))
}

// centreCoefficients are those of P with Φ(x) = ½ + x·P(x²) for |x| ≤ 1, relative error
// 2^-28.4: a minimax fit, coefficients rounded one after the other.
var centreCoefficients = []float32{0x1.988454p-2, -0x1.105862p-4, 0x1.46d558p-7, -0x1.376eacp-10, 0x1.e26c98p-14, -0x1.12209p-17}

// GELU returns x·Φ(x): a polynomial for |x| < 1, and max(x, 0) - |x|·Φ(-|x|) beyond.
func GELU(x Vec) Vec {
	t := Magnitude(x, MaxNormal)
	centre := Horner(Mul(t, t), centreCoefficients...)
	MulAdd(centre, x, Float(0.5))
	centre = Mul(centre, x)

	scaled, decay := NormalTail(t)
	tail := Mul(Mul(Mul(scaled, t), decay), Float(Unit))
	return Select(Compare(Less, t, Float(1)), Sub(AtLeast(x, Float(0)), tail), centre)
}

// slopeCoefficients are those of D with Φ(x) + x·φ(x) = ½ + x·D(x²) for |x| ≤ 1, error 2^-27.3
// of Φ(-|x|) + |x|·φ(x): a minimax fit, coefficients rounded one after the other.
var slopeCoefficients = []float32{0x1.988452p-1, -0x1.1057f8p-2, 0x1.ea29cp-5, -0x1.3684ccp-7, 0x1.2552ep-10, -0x1.66a066p-14}

// GELUDerivative returns Φ(x) + x·φ(x), with φ the density: a polynomial for |x| < 1, and beyond it
// e^(-t²/2)·(N - t/√(2π)) for t = -x, where Φ(-t) = e^(-t²/2)·N, and 1 less that for t = x.
func GELUDerivative(x Vec) Vec {
	t := Magnitude(x, MaxNormal)
	centre := Horner(Mul(t, t), slopeCoefficients...)
	MulAdd(centre, x, Float(0.5))

	scaled, decay := NormalTail(t)
	SubMul(scaled, t, Float(0x1.988454p-2)) // 1/√(2π)
	k := Mul(Mul(scaled, decay), Float(Unit))
	tail := Select(x, Sub(Float(1).Scalar().Times(len(x)), k), k)
	return Select(Compare(Less, t, Float(1)), tail, centre)
}
