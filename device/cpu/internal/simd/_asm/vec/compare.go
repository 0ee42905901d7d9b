package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of [Compare]. Where an operand is NaN, those that begin with Not are true and
// the others are not.
const (
	Equal        = 0x00
	Less         = 0x11
	Greater      = 0x1e
	NotLess      = 0x15
	NotLessEqual = 0x16
	unordered    = 0x03
	ordered      = 0x07
	unequal      = 0x0c
)

// Compare returns a mask, for AVX2 only, that selects where a compares so with b.
func Compare(predicate uint8, a Vec, b Arg) Vec {
	return binary(func(ops ...operand.Op) { build.VCMPPS(operand.U8(predicate), ops[0], ops[1], ops[2]) }, a, b)
}

// Select returns b where the sign bit of mask is set, else a.
func Select(mask, a Vec, b Arg) Vec {
	dst := newVec(len(a))
	for i, o := range b.operands(len(a)) {
		build.VBLENDVPS(mask[i], o, a[i], dst[i])
	}
	return dst
}

// Negative selects the lanes of a vector in which a sign bit is set.
type Negative []lane

type lane struct {
	sign reg.VecVirtual    // in AVX2: the vector
	mask reg.OpmaskVirtual // in AVX-512
}

// IsNegative selects where the sign bit of a is set.
func IsNegative(a Vec) Negative {
	n := make(Negative, len(a))
	for i, x := range a {
		n[i].sign = x
		if set == AVX512 {
			n[i].mask = build.K()
			build.VPMOVD2M(x, n[i].mask)
		}
	}
	return n
}

// SumNegative returns Σ min(a, 0) over the vectors of a, which n was made for. In AVX-512 a NaN may be left out.
func SumNegative(n Negative, a Vec) Vec {
	if set == AVX2 {
		return SumVectors(AtMost(a, Float(0)))
	}
	sum := newVec(1)
	build.VMOVAPS_Z(a[0], n[0].mask, sum[0])
	for i := 1; i < len(a); i++ {
		build.VADDPS(a[i], sum[0], n[i].mask, sum[0])
	}
	return sum
}

// MulSubWhere sets a to b·c - a, rounded once, in the selected lanes.
func MulSubWhere(n Negative, a, b Vec, c Arg) {
	for i := range a {
		o := element{c, i}.operands(1)[0]
		if set == AVX512 {
			build.VFMSUB231PS(o, b[i], n[i].mask, a[i])
			continue
		}
		d := Copy(a[i:i+1], 1)[0]
		build.VFMSUB231PS(o, b[i], d)
		build.VBLENDVPS(n[i].sign, d, a[i], a[i])
	}
}

// OrZero returns a, with 0 in place of NaN.
func OrZero(a Vec) Vec {
	if set == AVX2 {
		return And(a, Compare(ordered, a, a))
	}
	dst := newVec(len(a))
	for i, x := range a {
		k := build.K()
		build.VCMPPS(operand.U8(ordered), x, x, k)
		build.VMOVAPS_Z(x, k, dst[i])
	}
	return dst
}
