package main

// Coefficients of R, with log(1+x) = x + x²·R(x): minimax fits, coefficients
// rounded one after the other.
var (
	// for 0 ≤ x ≤ 1, relative error of the logarithm 2^-27.5
	log1pUnitCoefficients = []float32{-0x1.ffffd4p-2, 0x1.554e0ap-2, -0x1.ff28b8p-3, 0x1.9364fap-3, -0x1.3a903ap-3, 0x1.b5bd2ap-4, -0x1.d8de94p-5, 0x1.4b835ap-6, -0x1.b3c4p-9}
	// for √½-1 ≤ x ≤ √2-1, relative error 2^-27.8
	log1pSymmetric = []float32{-0x1.fffff8p-2, 0x1.55555p-2, -0x1.000438p-2, 0x1.99a41ep-3, -0x1.5423fap-3, 0x1.226c92p-3, -0x1.0f50dep-3, 0x1.0871p-3, -0x1.380bdap-4}
)

// log1pUnit returns log(1+x) for 0 ≤ x ≤ 1 and overwrites x. It is within 1 ulp.
func log1pUnit(x vec) vec {
	r := horner(x, log1pUnitCoefficients...)
	mulAdd(r, mul(x, x), x)
	return r
}

// sqrtHalf is the bits of √½.
const sqrtHalf = 0x3f3504f3

// log1p returns log(1+x) for 0 ≤ x ≤ 2^120. It is within 1 ulp.
//
// 1+x as rounded only says what power of two to take out: (1+x)/2^k - 1 = x/2^k + (1/2^k - 1)
// is rounded once.
func log1p(x vec) vec {
	k := and(subInt(add(x, float(1)), constant(sqrtHalf)), constant(0xff800000)) // 2^23·k
	inverse := subInt(float(1).times(len(x)), k)
	f := sub(inverse, float(1))
	addMul(f, x, inverse)

	exponent := intToFloat(k)
	r := horner(f, log1pSymmetric...)
	mulAdd(r, mul(f, f), mul(exponent, float(ln2Lo/(1<<23))))
	y := add(f, r)
	addMul(y, exponent, float(ln2Hi/(1<<23)))
	return y
}

// onePlusProduct returns ∏(1+x_j) - 1 over the vectors of x ≥ 0, lane by lane, and overwrites them:
// (1+a)(1+b) - 1 = a·(1+b) + b keeps the accuracy of small numbers. The logarithm of a product is
// the sum of the logarithms for the price of one.
func onePlusProduct(x vec) vec {
	for len(x) > 1 {
		half := len(x) / 2
		a, b := x[:half:half], x[half:2*half]
		mulAdd(a, add(b, float(1)), b)
		x = append(a, x[2*half:]...)
	}
	return x
}

// complementProduct returns ∏1/(1-y_j) - 1 over the vectors of 0 ≤ y ≤ ½, lane by lane, and overwrites
// them. For y = e/(1+e) that is ∏(1+e_j) - 1. It is the quotient of 1 - ∏(1-y_j) and ∏(1-y_j): nothing cancels
// in the former if it is put together by 1 - (1-a)(1-b) = a + (1-a)·b.
func complementProduct(y vec) vec {
	rest := sub(float(1).times(len(y)), y)
	for len(y) > 1 {
		half := len(y) / 2
		addMul(y[:half], rest[:half], y[half:])
		rest = mul(rest[:half], rest[half:])
		y = y[:half]
	}
	return div(y, rest)
}
