package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dtype is the type of an array's elements.
type dtype int

const (
	f32     dtype = iota
	f16           // IEEE 754 binary16
	bf16          // the upper half of a float32
	f32past       // float32 that is written past the caches, at addresses that are multiples of a vector
)

// suffix is what the names of kernels for the type end in.
func (d dtype) suffix() string { return [...]string{"", "Float16", "BFloat16", "Past"}[d] }

func (d dtype) size() int { return [...]int{4, 2, 2, 4}[d] }

func (d dtype) slice() string {
	return [...]string{"[]float32", "[]uint16", "[]uint16", "[]float32"}[d]
}

// load reads vectors from memory as float32. Pairs of bfloat16 vectors are read as one register
// of words, of which the first vector has the even and the second the odd ones: for element-wise work the
// order in between does not matter.
func (d dtype) load(v vec, at func(i int) operand.Mem) {
	switch d {
	case f16:
		for i := range v {
			build.VCVTPH2PS(at(i), v[i])
		}
	case bf16:
		upper := constant(0xffff0000).times(1)[0]
		for i := 0; i < len(v); i += 2 {
			build.VMOVDQU32(at(i), v[i+1])
			build.VPSLLD(operand.U8(16), v[i+1], v[i])
			build.VPANDD(upper, v[i+1], v[i+1])
		}
	default:
		for i := range v {
			build.VMOVUPS(at(i), v[i])
		}
	}
}

// loadMasked reads the lanes of one vector that the mask selects, and zeros for the others.
func (d dtype) loadMasked(x reg.VecVirtual, m operand.Mem, mask reg.OpmaskVirtual) {
	switch d {
	case f16:
		build.VCVTPH2PS_Z(m, mask, x)
	case bf16:
		build.VPMOVZXWD_Z(m, mask, x)
		build.VPSLLD(operand.U8(16), x, x)
	default:
		build.VMOVUPS_Z(m, mask, x)
	}
}

// store rounds float32 vectors to nearest even and writes them.
func (d dtype) store(v vec, at func(i int) operand.Mem) {
	switch d {
	case f16:
		for i := range v {
			build.VCVTPS2PH(operand.U8(0), v[i], at(i))
		}
	case bf16:
		storeBFloat16Pairs(v, at)
	case f32past:
		for i := range v {
			build.VMOVNTPS(v[i], at(i))
		}
	default:
		for i := range v {
			build.VMOVUPS(v[i], at(i))
		}
	}
}

// storeMasked does the same for the lanes of one vector that the mask selects.
func (d dtype) storeMasked(x reg.VecVirtual, m operand.Mem, mask reg.OpmaskVirtual) {
	switch d {
	case f16:
		build.VCVTPS2PH(operand.U8(0), x, mask, m)
	case bf16:
		build.VPMOVDW(shiftRight(roundBFloat16(vec{x}), 16)[0], mask, m)
	default:
		build.VMOVUPS(x, mask, m)
	}
}

// oddWords selects them, in kernels of bfloat16.
var oddWords reg.OpmaskVirtual

// setOddWords sets it up.
func setOddWords() {
	bits := build.GP32()
	build.MOVL(operand.U32(0xaaaaaaaa), bits)
	oddWords = build.K()
	build.KMOVD(bits, oddWords)
}

// storeBFloat16Pairs rounds pairs of vectors in one register of words. A NaN stays one only if its
// lower half is 0, as it is if it comes of bfloat16 numbers.
func storeBFloat16Pairs(v vec, at func(i int) operand.Mem) {
	one, half := constant(0x00010001).times(1)[0], constant(0x80008000).times(1)[0]
	for i := 0; i < len(v); i += 2 {
		upper, lower, even, up := build.ZMM(), build.ZMM(), v[i], build.ZMM()
		build.VPSRLD(operand.U8(16), even, upper)
		build.VMOVDQU16(v[i+1], oddWords, upper)
		build.VPSLLD(operand.U8(16), v[i+1], lower)
		build.VMOVDQU16(lower, oddWords, even)
		// Up if the lower half is more than half a unit, or half of one and upper is odd.
		build.VPANDD(one, upper, up)
		build.VPADDUSW(even, up, up)
		build.VPSUBUSW(half, up, up)
		build.VPMINUW(one, up, up)
		build.VPADDW(up, upper, upper)
		build.VMOVDQU32(upper, at(i))
	}
}

// roundBFloat16 rounds to nearest even what the upper halves then hold: half a unit is added, less
// one bit if the last bit kept is even. The carry takes the largest numbers to infinity, as it should.
// NaN is only made quiet.
func roundBFloat16(v vec) vec {
	odd := and(shiftRight(v, 16), constant(1))
	r := addInt(addInt(v, constant(0x7fff)), odd)
	quiet := constant(0x00400000).times(len(v))
	for i, x := range v {
		k := build.K()
		build.VCMPPS(operand.U8(unordered), x, x, k)
		build.VPORD(quiet[i], x, k, r[i])
	}
	return r
}

const unordered = 0x03 // predicate of VCMPPS
