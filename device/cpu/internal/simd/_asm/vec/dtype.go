package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// DType is the type of an array's elements.
type DType int

const (
	F32  DType = iota
	F16        // IEEE 754 binary16
	BF16       // the upper half of a float32; vectors in pairs hold elements out of order
	BF16InOrder
	F64 // for sums
)

// Suffix is what the names of kernels for the type end in.
func (d DType) Suffix() string { return [...]string{"", "Float16", "BFloat16", "BFloat16", ""}[d] }

func (d DType) size() int { return [...]int{4, 2, 2, 2, 8}[d] }

func (d DType) slice() string {
	return [...]string{"[]float32", "[]uint16", "[]uint16", "[]uint16", "[]float64"}[d]
}

// load reads vectors from memory as float32.
func (d DType) load(v Vec, at func(i int) operand.Mem) {
	switch d {
	case F16:
		for i := range v {
			build.VCVTPH2PS(at(i), v[i])
		}
	case BF16, BF16InOrder:
		pairs := d.pairs(v)
		if pairs > 0 {
			upper := Const(0xffff0000).Scalar()
			for i := 0; i < pairs; i += 2 {
				build.VMOVDQU(at(i), v[i+1])
				build.VPSLLD(operand.U8(16), v[i+1], v[i])
				build.VPAND(upper, v[i+1], v[i+1])
			}
		}
		for i := pairs; i < len(v); i++ {
			build.VPMOVZXWD(at(i), v[i])
			build.VPSLLD(operand.U8(16), v[i], v[i])
		}
	default:
		for i := range v {
			build.VMOVUPS(at(i), v[i])
		}
	}
}

// store rounds float32 vectors to nearest even and writes them.
func (d DType) store(v Vec, at func(i int) operand.Mem) {
	switch d {
	case F16:
		for i := range v {
			build.VCVTPS2PH(operand.U8(0), v[i], at(i))
		}
	case BF16, BF16InOrder:
		pairs := d.pairs(v)
		if pairs > 0 {
			storeBFloat16Pairs(v[:pairs], at)
		}
		for i := pairs; i < len(v); i++ {
			x := v[i : i+1]
			r := ShiftRight(Select(Compare(unordered, x, x), roundBFloat16(x), Or(x, Const(0x00400000))), 16)[0]
			high := build.XMM()
			build.VEXTRACTI128(operand.U8(1), r, high)
			build.VPACKUSDW(high, r.AsX(), high)
			build.VMOVDQU(high, at(i))
		}
	default:
		for i := range v {
			build.VMOVUPS(v[i], at(i))
		}
	}
}

// pairs returns how many vectors are read or written in pairs.
func (d DType) pairs(v Vec) int {
	if d == BF16 {
		return len(v) / 2 * 2
	}
	return 0
}

// A pair of bfloat16 vectors is read and written as one register of words, of which
// the first vector has the even and the second the odd ones: for element-wise
// work the order in between does not matter, and this one takes the fewest instructions. A NaN
// stays one only if its lower half is 0, as it is if it comes of bfloat16 numbers.
func storeBFloat16Pairs(v Vec, at func(i int) operand.Mem) {
	one, half := Const(0x00010001).Scalar(), Const(0x80008000).Scalar()
	for i := 0; i < len(v); i += 2 {
		upper, lower, up := build.YMM(), build.YMM(), build.YMM()
		build.VPSRLD(operand.U8(16), v[i], upper)
		build.VPBLENDW(operand.U8(0xaa), v[i+1], upper, upper)
		build.VPSLLD(operand.U8(16), v[i+1], lower)
		build.VPBLENDW(operand.U8(0xaa), lower, v[i], lower)
		// Up if lower is more than half a unit, or half of one and upper is odd.
		build.VPAND(one, upper, up)
		build.VPADDUSW(lower, up, up)
		build.VPSUBUSW(half, up, up)
		build.VPMINUW(one, up, up)
		build.VPADDW(up, upper, upper)
		build.VMOVDQU(upper, at(i))
	}
}

// roundBFloat16 rounds to nearest even: half a unit is added, less one bit if the last bit
// kept is even. The carry takes the largest numbers to infinity, as it should.
func roundBFloat16(v Vec) Vec {
	odd := And(ShiftRight(v, 16), Const(1))
	return AddInt(AddInt(v, Const(0x7fff)), odd)
}
