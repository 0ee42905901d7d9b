package vec

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// An exponential is taken apart as
//
//	e^x = 2^n · e^r,  n = round(x/ln2, to a multiple of 1/steps),  r = x - n·ln2
//
// where e^r is a polynomial. AVX2 takes whole n, so that 2^n is but an exponent. AVX-512 has an instruction
// that looks up sixteen numbers at once, so it takes sixteenths, and r is so small that a
// polynomial of half the degree will do.

// steps is how many n there are from one integer to the next.
func steps() int { return [...]int{1, 16}[set] }

// magic is a number whose sum with a number well below 2^18 is rounded to a multiple of 1/steps. The low bits
// of the sum hold that multiple as an integer.
func magic() float32 { return 0x1.8p23 / float32(steps()) }

// bias is the exponent bias of float32: the bits of 2^n are n + bias shifted left by 23, for a whole n.
const bias = 127

const (
	log2E = 0x1.715476p0
	ln2Hi = 0x1.62e43p-1 // ln 2 = ln2Hi + ln2Lo
	ln2Lo = -0x1.05c61p-29
)

var (
	// those of Q with e^r = 1 + r·Q(r) for |r| ≤ ln2/2, relative error 2^-28.2: a minimax
	// fit, coefficients rounded one after the other
	expCoefficients = []float32{1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558acp-5, 0x1.123976p-7, 0x1.6a506ap-10}
	// those of Q with e^r = 1 + r + r²·Q(r) for |r| ≤ ln2/32, relative error 2^-29.2
	expSixteenth = []float32{0x1.00022p-1, 0x1.555556p-3}
)

// table and correction are looked up by the low four bits, j, of a multiple of 1/16: the bits of T = 2^(j/16)
// as rounded, less those that the multiple puts in place itself, and what ln T is above j/16·ln2.
type table struct{ name string }

var powers, corrections = table{"powers"}, table{"corrections"}

func (t table) Scalar() Scalar {
	if s, kept := resident[t]; kept {
		return s
	}
	m, ok := tables[t]
	if !ok {
		words := make([]uint32, 16)
		for j := range words {
			power := float32(math.Exp2(float64(j) / 16))
			if t == powers {
				words[j] = math.Float32bits(power) - bias<<23 - uint32(j)<<19
			} else {
				words[j] = math.Float32bits(float32(math.Log(float64(power)) - float64(j)/16*math.Ln2))
			}
		}
		m = data(t.name, words)
		tables[t] = m
	}
	r := register()
	build.VMOVUPS(m, r)
	return Scalar{r}
}

var tables = map[table]operand.Mem{}

// lookUp returns the table's entries.
func lookUp(t table, z Vec) Vec {
	return binary(func(ops ...operand.Op) { build.VPERMD(ops[0], ops[1], ops[2]) }, z, t.Scalar())
}

// KeepExp keeps the constants of the exponentials, see [Keep].
func KeepExp() {
	Keep(Float(log2E), Float(ln2Hi), Float(ln2Lo), powers, corrections)
	for _, c := range expSixteenth {
		Keep(Float(c))
	}
}

// KeepUnitPlusExp keeps those of [UnitPlusExp].
func KeepUnitPlusExp() {
	KeepExp()
	Keep(Float(magic()+bias-UnitShift), Float(Unit))
}

// reduceExp splits x, which it overwrites with r, and returns n + origin, the latter being magic plus an
// integer. Unless highest is 0, it is an upper bound of the result; where that counts, r is
// larger. NaN gives NaN.
//
// n·ln2Hi is exact inside the fused operation and so is its difference from x, so r
// is rounded once, but for the tiny correction.
func reduceExp(x Vec, origin, highest float32) Vec {
	return reduce(AddMul, build.VFNMADD231PS, x, origin, highest)
}

// reduceNegatedExp does the same for -x.
func reduceNegatedExp(x Vec, origin, highest float32) Vec {
	return reduce(SubMul, build.VFNMSUB231PS, x, origin, highest)
}

func reduce(addMul func(a, b Vec, c Arg), first instruction, x Vec, origin, highest float32) Vec {
	z := Copy(Float(origin), len(x))
	addMul(z, x, Float(log2E))
	if highest != 0 {
		z = AtMost(z, Float(highest))
	}
	for i := range x { // vector by vector, which takes fewer registers
		n := register()
		build.VSUBPS(Float(origin).operands(1)[0], z[i], n)
		first(Float(ln2Hi).operands(1)[0], n, x[i])
		if set == AVX512 { // what is small comes together aside, which takes less time than one after the other
			low := lookUp(corrections, z[i:i+1])
			AddMul(low, Vec{n}, Float(ln2Lo))
			build.VSUBPS(low[0], x[i], x[i])
			continue
		}
		build.VFNMADD231PS(Float(ln2Lo).operands(1)[0], n, x[i])
	}
	return z
}

// power returns 2^n, given n + bias + magic, or that times 2^-bias, to be put in place by an addition of integers, given
// n + magic.
func power(z Vec) Vec {
	if set == AVX512 {
		return AddInt(ShiftLeft(z, 19), lookUp(powers, z))
	}
	return ShiftLeft(z, 23)
}

// expProduct returns two factors of (e^r - 1)·power. Their product is to be added to power in the rounding
// of a fused operation: that is exact up to there, and keeps NaN and Inf,
// unlike adding to an exponent.
func expProduct(r, power Vec) (q, s Vec) {
	if set == AVX512 {
		q = Horner(r, expSixteenth...)
		MulAdd(q, Mul(r, r), r)
		return q, power
	}
	return Horner(r, expCoefficients...), Mul(r, power)
}

// Unit is the factor by which kernels keep exponentials larger or smaller than they are until their
// last step, so that none from e^-104 to e^104 is subnormal or infinite on the way. Gradients are multiplied
// by it as well, so it should not be smaller than need be.
const (
	UnitShift = 40
	Unit      = 0x1p-40
)

// MaxExponent is where x is to be cut off for [UnitPlusExp]. e^-x rounds to 0 there.
const MaxExponent = (125 + UnitShift) * math.Ln2

// UnitPlusExp returns Unit·(1 + e^x) for 0 ≤ x ≤ MaxExponent, within 0.8 ulp, and overwrites x. NaN gives
// NaN.
func UnitPlusExp(x Vec) Vec {
	return unitPlusExp(power(reduceExp(x, magic()+bias-UnitShift, 0)), x)
}

// RoughUnitPlusExp does the same for x ≥ -43, within 4 ulp for |x| < 30 and 8 everywhere. Above 2^125 it may be too
// large; it is +Inf where x is.
func RoughUnitPlusExp(x Vec) Vec {
	z := Copy(Float(magic()+bias-UnitShift), len(x))
	AddMul(z, x, Float(log2E))
	z = AtMost(z, Float(magic()+bias+125))
	SubMul(x, Sub(z, Float(magic()+bias-UnitShift)), Float(ln2Hi))
	return unitPlusExp(power(z), x)
}

// SignedUnitPlusExp does the same for x ≥ -43. Above 2^125 it may be too large; it is +Inf where x is.
func SignedUnitPlusExp(x Vec) Vec { return signedUnitPlusExp(reduceExp, x) }

// UnitPlusNegatedExp does the same for -x.
func UnitPlusNegatedExp(x Vec) Vec { return signedUnitPlusExp(reduceNegatedExp, x) }

func signedUnitPlusExp(reduce func(x Vec, origin, highest float32) Vec, x Vec) Vec {
	power := power(reduce(x, magic()+bias-UnitShift, magic()+bias+125))
	q, s := expProduct(x, power)
	return addProduct(q, s, power, Float(Unit).Scalar().Times(len(x)))
}

// addProduct returns q·s + a + b, rounded about once, for |q·s| < a/2, and overwrites q.
func addProduct(q, s, a, b Vec) Vec {
	var d Vec
	for i := range q { // vector by vector, which takes fewer registers
		q, s, a, b := q[i:i+1], s[i:i+1], a[i:i+1], b[i:i+1]
		larger, smaller := a, b
		if set == AVX512 { // the sum of two whole powers of two is exact, whichever is larger
			larger, smaller = Max(a, b), Min(a, b)
		}
		sum := Add(larger, smaller)
		MulSub(q, s, Sub(Sub(sum, larger), smaller)) // what the sum's rounding added is taken away
		d = append(d, Add(q, sum)...)
	}
	return d
}

// unitPlusExp adds the smaller terms first: for power ≥ Unit, their rounding counts for little.
func unitPlusExp(power, r Vec) Vec {
	q, s := expProduct(r, power)
	MulAdd(q, s, Float(Unit))
	return Add(q, power)
}

// DecayExp returns e^-x within 1 ulp, subnormal results included, for 0 ≤ x ≤ 104, and overwrites x. NaN gives NaN.
func DecayExp(x Vec) Vec {
	z := reduceNegatedExp(x, magic()+bias+UnitShift, 0)
	power := power(z)
	e, s := expProduct(x, power)
	MulAdd(e, s, power)
	return Mul(e, Float(Unit))
}

// SplitOnePlusExp returns d and a power of two s with 1 + e^x = d/s, for x ≥ -80, and
// overwrites x. Both are normal numbers for x < 175; d is +Inf where x is.
func SplitOnePlusExp(x Vec) (d, s Vec) {
	z := reduceExp(x, magic(), magic()+252)
	// s is 2^-j, with j half of n or 0 if n is negative, and e^x·s has the exponent n-j.
	j := ShiftLeft(ShiftRight(MaxInt(z, Float(magic())), uint8(math.Ilogb(float64(2*steps())))), 23)
	s = SubInt(Float(1).Scalar().Times(len(x)), j)
	power := AddInt(power(z), s)
	q, product := expProduct(x, power)
	return addProduct(q, product, power, s), s
}

// Exp returns e^x and overwrites x, in AVX2: within 1 ulp everywhere, subnormal results
// included; +Inf above the range; NaN at NaN.
//
// A power of two as small or as large as the result's does not fit one float32, so it is a
// product of two, of which the second rounds.
func Exp(x Vec) Vec {
	x = AtMost(AtLeast(x, Float(-104)), Float(89)) // e^x rounds to 0 and +Inf there
	z := reduceExp(x, magic()+2*bias, 0)
	half := And(ShiftLeft(z, 22), Const(0xff800000))
	rest := SubInt(ShiftLeft(z, 23), half)
	e, s := expProduct(x, half)
	MulAdd(e, s, half)
	return Mul(e, rest)
}
