package main

// magic is 1.5·2^23. The sum of magic and a number well below 2^22 is rounded to an
// integer, which the low bits of the sum hold.
const magic = 0x1.8p23

// bias is the exponent bias of float32: the bits of 2^n are n + bias shifted left by 23.
const bias = 127

const (
	log2E = 0x1.715476p0
	ln2Hi = 0x1.62e43p-1 // ln 2 = ln2Hi + ln2Lo
	ln2Lo = -0x1.05c61p-29
	ln2   = 0x1.62e42fefa39efp-1
)

// expCoefficients are those of Q with e^r = 1 + r·Q(r) for |r| ≤ ln2/2, relative error
// 2^-28.2: a minimax fit, coefficients rounded one after the other.
var expCoefficients = []float32{1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558acp-5, 0x1.123976p-7, 0x1.6a506ap-10}

// keepExp keeps the constants of the exponentials in registers.
func keepExp() {
	keepFloats(log2E, ln2Hi, ln2Lo)
	keepFloats(expCoefficients...)
}

// reduceExp splits x, which it overwrites with r, as n·ln2 + r with |r| ≤ ln2/2 and an
// integer n, and returns n + origin, the latter being magic plus an integer, and n. Unless
// highest is 0, it is an upper bound of the first result; where that counts, r is larger. NaN gives NaN.
//
// n·ln2Hi is exact inside the fused operation and so is its difference from x, so r
// is rounded once.
func reduceExp(x vec, origin, highest float32) (z, n vec) {
	z = copyOf(float(origin), len(x))
	addMul(z, x, float(log2E))
	if highest != 0 {
		z = atMost(z, float(highest))
	}
	n = sub(z, float(origin))
	subMul(x, n, float(ln2Hi))
	subMul(x, n, float(ln2Lo))
	return z, n
}

// decayExp returns e^x within 1 ulp, subnormal numbers included, for -104 ≤ x ≤ 0, and
// overwrites x. NaN gives NaN.
func decayExp(x vec) vec {
	_, n := reduceExp(x, magic, 0)
	e := horner(x, expCoefficients...)
	mulAdd(e, x, float(1))
	return scale(e, n)
}

// unit is the factor by which kernels keep 1 + e^x smaller than it is, so that up to e^104 it is
// not infinite on the way. Gradients are multiplied by it as well, so it should not be smaller than need be.
const (
	unitShift = 40
	unit      = 0x1p-40
)

// maxExponent is where x is to be cut off for the sum of losses and
// the gradient at once. e^-x rounds to 0 there.
const maxExponent = (125 + unitShift) * ln2

// unitPlusExp returns unit·(1 + e^x) for x ≥ -43, and overwrites x. Above 2^125 it may be
// too large, unless highest is 0; it is +Inf where x is. NaN gives NaN. Precise keeps the error below 0.8 ulp, not 1.4.
func unitPlusExp(x vec, highest float32, precise bool) vec {
	z, _ := reduceExp(x, magic+bias-unitShift, highest)
	power := shiftLeft(z, 23)
	q, s := expProduct(x, power)
	if !precise {
		mulAdd(q, s, power)
		return add(q, float(unit))
	}
	return addProduct(q, s, power, float(unit).times(len(x)))
}

// expProduct returns Q(r) and r·power. Their product is (e^r - 1)·power, to be added to
// power in the rounding of a fused operation: that is exact up to there, and keeps NaN and Inf,
// unlike adding to an exponent.
func expProduct(r, power vec) (q, s vec) {
	return horner(r, expCoefficients...), mul(r, power)
}

// addProduct returns q·s + power + one, rounded about once, for |q·s| < power/2, and
// overwrites q.
func addProduct(q, s, power, one vec) (d vec) {
	for i := range q { // vector by vector, which takes fewer registers
		sum, rest := twoSum(power[i:i+1], one[i:i+1])
		mulAdd(q[i:i+1], s[i:i+1], rest)
		d = append(d, add(q[i:i+1], sum)...)
	}
	return d
}

// twoSum returns the sum of a power of two and another one, and what its rounding lost. If the
// second is so much the larger that the sum is rounded, it may be wrong by half a unit in the last place.
func twoSum(power, one vec) (sum, lost vec) {
	sum = add(one, power)
	return sum, sub(one, sub(sum, power))
}

// splitOnePlusExp returns d and a power of two s with 1 + e^x = d/s, for x ≥ -80, and
// overwrites x. Both are normal numbers for x < 175; d is +Inf where x is.
func splitOnePlusExp(x vec) (d, s vec) {
	z, _ := reduceExp(x, magic, magic+252)
	// s is 2^-j, with j half of n or 0 if n is negative, and e^x·s has the exponent n-j.
	j := shiftLeft(shiftRight(maxInt(z, float(magic)), 1), 23)
	s = subInt(float(1).times(len(x)), j)
	power := addInt(shiftLeft(z, 23), s)
	q, product := expProduct(x, power)
	return addProduct(q, product, power, s), s
}
