package vec

import "github.com/mmcloughlin/avo/build"

// Magic is 1.5·2^23. The sum of Magic and a number well below 2^22 is rounded to an
// integer, which the low bits of the sum hold.
const Magic = 0x1.8p23

// Bias is the exponent bias of float32: the bits of 2^n are n + Bias shifted left by 23.
const Bias = 127

const (
	log2E = 0x1.715476p0
	ln2Hi = 0x1.62e43p-1 // ln 2 = ln2Hi + ln2Lo
	ln2Lo = -0x1.05c61p-29
)

// expCoefficients are those of Q with e^r = 1 + r·Q(r) for |r| ≤ ln2/2, relative error
// 2^-28.2: a minimax fit, coefficients rounded one after the other.
var expCoefficients = []float32{1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558acp-5, 0x1.123976p-7, 0x1.6a506ap-10}

// reduceExp splits x, which it overwrites with r, as n·ln2 + r with |r| ≤ ln2/2 and an
// integer n, and returns n + origin, the latter being Magic plus an integer. Unless
// highest is 0, it is an upper bound of the result; where that counts, r is larger. NaN gives NaN.
//
// n·ln2Hi is exact inside the fused operation and so is its difference from x, so r
// is rounded once.
func reduceExp(x Vec, origin Arg, highest float32) Vec {
	return reduce(AddMul, build.VFNMADD231PS, x, origin, highest)
}

// reduceNegatedExp does the same for -x.
func reduceNegatedExp(x Vec, origin Arg, highest float32) Vec {
	return reduce(SubMul, build.VFNMSUB231PS, x, origin, highest)
}

func reduce(addMul func(a, b Vec, c Arg), first instruction, x Vec, origin Arg, highest float32) Vec {
	z := Copy(origin, len(x))
	addMul(z, x, Float(log2E))
	if highest != 0 {
		z = AtMost(z, Float(highest))
	}
	from, high, low := origin.operands(len(x)), Float(ln2Hi).operands(len(x)), Float(ln2Lo).operands(len(x))
	for i := range x { // vector by vector, which takes fewer registers
		n := build.YMM()
		build.VSUBPS(from[i], z[i], n)
		first(high[i], n, x[i])
		build.VFNMADD231PS(low[i], n, x[i])
	}
	return z
}

// expProduct returns Q(r) and r·power. Their product is (e^r - 1)·power, to be added to
// power in the rounding of a fused operation: that is exact up to there, and keeps NaN and Inf,
// unlike adding to an exponent.
func expProduct(r, power Vec) (q, s Vec) {
	return Horner(r, expCoefficients...), Mul(r, power)
}

// Unit is the factor by which kernels keep exponentials larger or smaller than they are until their
// last step, so that none from e^-104 to e^104 is subnormal or infinite on the way. Gradients are multiplied
// by it as well, so it should not be smaller than need be.
const (
	UnitShift = 40
	Unit      = 0x1p-40
)

const ln2 = 0x1.62e42fefa39efp-1

// MaxExponent is where x is to be cut off for [BothExp]. e^-x rounds to 0 there.
const MaxExponent = (125 + UnitShift) * ln2

// UnitPlusExp returns Unit·(1 + e^x) for x ≥ -43, and overwrites x. Above 2^125 it may be
// too large; it is +Inf where x is. NaN gives NaN. Precise keeps the error below 0.8 ulp, not 1.4.
func UnitPlusExp(x Vec, precise bool) Vec {
	return unitPlusExp(reduceExp, x, precise)
}

// UnitPlusNegatedExp does the same for -x, precisely.
func UnitPlusNegatedExp(x Vec) Vec { return unitPlusExp(reduceNegatedExp, x, true) }

func unitPlusExp(reduce func(x Vec, origin Arg, highest float32) Vec, x Vec, precise bool) Vec {
	power := ShiftLeft(reduce(x, Float(Magic+Bias-UnitShift), Magic+Bias+125), 23)
	q, s := expProduct(x, power)
	if !precise {
		MulAdd(q, s, power)
		return Add(q, Float(Unit))
	}
	return addProduct(q, s, power, Float(Unit).Scalar().Times(len(x)))
}

// addProduct returns q·s + power + unit, rounded about once, for |q·s| < power/2, and
// overwrites q.
func addProduct(q, s, power, unit Vec) Vec {
	var d Vec
	for i := range q { // vector by vector, which takes fewer registers
		sum, rest := twoSum(power[i:i+1], unit[i:i+1])
		MulAdd(q[i:i+1], s[i:i+1], rest)
		d = append(d, Add(q[i:i+1], sum)...)
	}
	return d
}

// twoSum returns the sum of a power of two and another one, and what its rounding lost. If the
// second is so much the larger that the sum is rounded, it may be wrong by half a unit in the last place.
func twoSum(power, unit Vec) (sum, lost Vec) {
	sum = Add(unit, power)
	return sum, Sub(unit, Sub(sum, power))
}

// DecayExp returns e^-x within 1 ulp for -43 ≤ x ≤ 104, and overwrites x. NaN gives NaN.
func DecayExp(x Vec) Vec {
	power := ShiftLeft(reduceNegatedExp(x, Float(Magic+Bias+UnitShift), 0), 23)
	e, s := expProduct(x, power)
	MulAdd(e, s, power)
	return Mul(e, Float(Unit))
}

// BothExp returns what [UnitPlusExp] does, Unit·(1 + e^x), and e^-x, for -43 ≤ x ≤ MaxExponent,
// and overwrites x.
func BothExp(x Vec, precise bool) (d, inverse Vec) {
	power := ShiftLeft(reduceExp(x, Float(Magic+Bias-UnitShift), 0), 23)
	q, s := expProduct(x, power)
	unit := Float(Unit).Scalar()
	for i := range q { // vector by vector, which takes fewer registers
		q, s, power, unit := q[i:i+1], s[i:i+1], power[i:i+1], unit.Times(1)
		e := Copy(q, 1)
		MulAdd(e, s, power)
		inverse = append(inverse, Div(unit, e)...)
		if precise {
			d = append(d, addProduct(q, s, power, unit)...)
		} else {
			d = append(d, Add(e, unit)...)
		}
	}
	return d, inverse
}

// SplitOnePlusExp returns d and a power of two s with 1 + e^x = d/s, for x ≥ -80, and
// overwrites x. Both are normal numbers for x < 175; d is +Inf where x is.
func SplitOnePlusExp(x Vec) (d, s Vec) {
	z := reduceExp(x, Float(Magic), Magic+252)
	// s is 2^-j, with j half of n or 0 if n is negative, and e^x·s has the exponent n-j.
	j := ShiftLeft(ShiftRight(MaxInt(z, Float(Magic)), 1), 23)
	s = SubInt(Float(1).Scalar().Times(len(x)), j)
	power := AddInt(ShiftLeft(z, 23), s)
	q, product := expProduct(x, power)
	return addProduct(q, product, power, s), s
}

// Exp returns e^x and overwrites x: within 1 ulp everywhere, subnormal results
// included; +Inf above the range; NaN at NaN.
//
// A power of two as small or as large as the result's does not fit one float32, so it is a
// product of two, of which the second rounds.
func Exp(x Vec) Vec {
	x = AtMost(AtLeast(x, Float(-104)), Float(89)) // e^x rounds to 0 and +Inf there
	z := reduceExp(x, Float(Magic+2*Bias), 0)
	half := And(ShiftLeft(z, 22), Const(0xff800000))
	rest := SubInt(ShiftLeft(z, 23), half)
	e, s := expProduct(x, half)
	MulAdd(e, s, half)
	return Mul(e, rest)
}
