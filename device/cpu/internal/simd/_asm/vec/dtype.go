package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// DType is the type of an array's elements.
type DType int

const (
	F32  DType = iota
	F16        // IEEE 754 binary16
	BF16       // the upper half of a float32; vectors in pairs hold elements out of order
	BF16InOrder
	F32Past // float32 that is written past the caches, at addresses that are multiples of a vector
	F64     // for sums
)

// Suffix is what the names of kernels for the type end in.
func (d DType) Suffix() string {
	return [...]string{"", "Float16", "BFloat16", "BFloat16", "Past", ""}[d]
}

func (d DType) size() int { return [...]int{4, 2, 2, 2, 4, 8}[d] }

func (d DType) slice() string {
	return [...]string{"[]float32", "[]uint16", "[]uint16", "[]uint16", "[]float32", "[]float64"}[d]
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
			upper := Vec{Const(0xffff0000).Scalar().VecVirtual}
			for i := 0; i < pairs; i += 2 {
				build.VMOVUPS(at(i), v[i+1])
				build.VPSLLD(operand.U8(16), v[i+1], v[i])
				one(build.VANDPS, build.VPANDD)(upper[0], v[i+1], v[i+1])
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

// loadMasked reads the lanes of one vector that the AVX-512 mask selects, and zeros for the others.
func (d DType) loadMasked(x reg.VecVirtual, m operand.Mem, mask reg.OpmaskVirtual) {
	switch d {
	case F16:
		build.VCVTPH2PS_Z(m, mask, x)
	case BF16:
		build.VPMOVZXWD_Z(m, mask, x)
		build.VPSLLD(operand.U8(16), x, x)
	default:
		build.VMOVUPS_Z(m, mask, x)
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
			r := ShiftRight(Select(Compare(unordered, x, x), roundBFloat16(x), Or(x, quietBit)), 16)[0]
			high := build.XMM()
			build.VEXTRACTI128(operand.U8(1), r, high)
			build.VPACKUSDW(high, r.AsX(), high)
			build.VMOVDQU(high, at(i))
		}
	case F32Past:
		for i := range v {
			build.VMOVNTPS(v[i], at(i))
		}
	default:
		for i := range v {
			build.VMOVUPS(v[i], at(i))
		}
	}
}

// storeMasked does the same for the lanes of one vector that the AVX-512 mask selects.
func (d DType) storeMasked(x reg.VecVirtual, m operand.Mem, mask reg.OpmaskVirtual) {
	switch d {
	case F16:
		build.VCVTPS2PH(operand.U8(0), x, mask, m)
	case BF16:
		r := roundBFloat16(Vec{x})
		k := build.K()
		build.VCMPPS(operand.U8(unordered), x, x, k)
		build.VPORD(quietBit.Scalar().VecVirtual, x, k, r[0])
		build.VPMOVDW(ShiftRight(r, 16)[0], mask, m)
	default:
		build.VMOVUPS(x, mask, m)
	}
}

// pairs returns how many vectors are read or written in pairs.
func (d DType) pairs(v Vec) int {
	if d == BF16 {
		return len(v) / 2 * 2
	}
	return 0
}

// oddWords selects them, in AVX-512 kernels of bfloat16.
var oddWords reg.OpmaskVirtual

// setUp loads what kernels of the type keep in registers.
func (d DType) setUp() {
	if d != BF16 || set != AVX512 {
		return
	}
	bits := build.GP32()
	build.MOVL(operand.U32(0xaaaaaaaa), bits)
	oddWords = build.K()
	build.KMOVD(bits, oddWords)
}

// A pair of bfloat16 vectors is read and written as one register of words, of which
// the first vector has the even and the second the odd ones: for element-wise
// work the order in between does not matter, and this one takes the fewest instructions. A NaN
// stays one only if its lower half is 0, as it is if it comes of bfloat16 numbers.
func storeBFloat16Pairs(v Vec, at func(i int) operand.Mem) {
	unit, half := Const(0x00010001).Scalar(), Const(0x80008000).Scalar()
	for i := 0; i < len(v); i += 2 {
		upper, lower, up := register(), register(), register()
		build.VPSRLD(operand.U8(16), v[i], upper)
		build.VPSLLD(operand.U8(16), v[i+1], lower)
		if set == AVX512 {
			build.VMOVDQU16(v[i+1], oddWords, upper)
			build.VMOVDQU16(lower, oddWords, v[i])
			lower = v[i]
		} else {
			build.VPBLENDW(operand.U8(0xaa), v[i+1], upper, upper)
			build.VPBLENDW(operand.U8(0xaa), lower, v[i], lower)
		}
		// Up if lower is more than half a unit, or half of one and upper is odd.
		one(build.VANDPS, build.VPANDD)(unit.VecVirtual, upper, up)
		build.VPADDUSW(lower, up, up)
		build.VPSUBUSW(half.VecVirtual, up, up)
		build.VPMINUW(unit.VecVirtual, up, up)
		build.VPADDW(up, upper, upper)
		build.VMOVUPS(upper, at(i))
	}
}

// roundBFloat16 rounds to nearest even: half a unit is added, less one bit if the last bit
// kept is even. The carry takes the largest numbers to infinity, as it should.
func roundBFloat16(v Vec) Vec {
	odd := And(ShiftRight(v, 16), Const(1))
	return AddInt(AddInt(v, Const(0x7fff)), odd)
}

// quietBit makes a NaN quiet, and keeps it one whatever its lower half.
const quietBit = Const(0x00400000)
