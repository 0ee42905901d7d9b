package vec

// Coefficients of R, with log(1+x) = x + x²·R(x): minimax fits, coefficients
// rounded one after the other.
var (
	// for 0 ≤ x ≤ 1, relative error of the logarithm 2^-27.5
	log1pUnit = []float32{-0x1.ffffd4p-2, 0x1.554e0ap-2, -0x1.ff28b8p-3, 0x1.9364fap-3, -0x1.3a903ap-3, 0x1.b5bd2ap-4, -0x1.d8de94p-5, 0x1.4b835ap-6, -0x1.b3c4p-9}
	// for √½-1 ≤ x ≤ √2-1, relative error 2^-27.8
	log1pSymmetric = []float32{-0x1.fffff8p-2, 0x1.55555p-2, -0x1.000438p-2, 0x1.99a41ep-3, -0x1.5423fap-3, 0x1.226c92p-3, -0x1.0f50dep-3, 0x1.0871p-3, -0x1.380bdap-4}
)

// Log1pUnit returns log(1+x) for 0 ≤ x ≤ 1 and overwrites x. It is within 1 ulp.
func Log1pUnit(x Vec) Vec {
	r := Horner(x, log1pUnit...)
	MulAdd(r, Mul(x, x), x)
	return r
}

// sqrtHalf is the bits of √½.
const sqrtHalf = 0x3f3504f3

// exponent returns the integer 2^23·k for which d/2^k, d positive and normal, is
// within √½ and √2.
func exponent(d Vec) Vec { return And(SubInt(d, Const(sqrtHalf)), Const(0xff800000)) }

// joinLog returns k·ln2 + log(1+x) for √½-1 ≤ x ≤ √2-1, given 2^23·k as a number. It overwrites x.
func joinLog(k, x Vec) Vec {
	r := Horner(x, log1pSymmetric...)
	MulAdd(r, Mul(x, x), Mul(k, Float(ln2Lo/(1<<23))))
	x = Add(x, r)
	AddMul(x, k, Float(ln2Hi/(1<<23)))
	return x
}

// Log1p returns log(1+x) for 0 ≤ x ≤ 2^120. It is within 1 ulp.
//
// 1+x as rounded only says what power of two to take out: (1+x)/2^k - 1 = x/2^k + (1/2^k - 1)
// is rounded once.
func Log1p(x Vec) Vec {
	k := exponent(Add(x, Float(1)))
	inverse := SubInt(Float(1).Scalar().Times(len(x)), k)
	f := Sub(inverse, Float(1))
	AddMul(f, x, inverse)
	return joinLog(IntToFloat(k), f)
}

// Log returns ln(x) within 1 ulp: -Inf at 0, NaN below, +Inf at +Inf, NaN at NaN.
func Log(x Vec) Vec {
	tiny := Compare(Less, x, Float(0x1p-126))
	normal := Select(tiny, x, IntToFloat(x)) // the bits of a subnormal number are 2^149 times it
	k := exponent(normal)
	f := Sub(SubInt(normal, k), Float(1))
	y := joinLog(Sub(IntToFloat(k), And(tiny, Float(149<<23))), f)

	// Of the special numbers, +Inf and NaN are their own logarithms.
	y = Select(Compare(NotLess, x, Const(inf)), y, x)
	y = Select(Compare(Equal, x, Float(0)), y, Const(inf)|signBit)
	return Or(y, Compare(Less, x, Float(0)))
}

const inf = 0x7f800000

// OnePlusProduct returns ∏(1+x_j) - 1 over the vectors of x ≥ 0, lane by lane, and overwrites them:
// (1+a)(1+b) - 1 = a·(1+b) + b keeps the accuracy of small numbers. The logarithm of a product is
// the sum of the logarithms for the price of one.
func OnePlusProduct(x Vec) Vec {
	for len(x) > 1 {
		half := len(x) / 2
		a, b := x[:half:half], x[half:2*half]
		MulAdd(a, Add(b, Float(1)), b)
		x = append(a, x[2*half:]...)
	}
	return x
}

// Complement is 1 less a product, and the product. Where the product is near 1, nothing cancels in the former
// if it is put together by 1 - (1-a)(1-b) = a + (1-a)·b.
type Complement struct{ Less, Product Vec }

// Times multiplies the products lane by lane, and overwrites c.
func (c Complement) Times(d Complement) Complement {
	AddMul(c.Less, c.Product, d.Less)
	return Complement{c.Less, Mul(c.Product, d.Product)}
}

// SumVectors adds the vectors of x in pairs.
func SumVectors(x Vec) Vec {
	for len(x) > 1 {
		half := len(x) / 2
		x = append(Add(x[:half], x[half:2*half]), x[2*half:]...)
	}
	return x
}
