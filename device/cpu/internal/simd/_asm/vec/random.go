package vec

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stride is eight increments, modulo 2^64.
const stride = increment << 3 & (1<<64 - 1)

// SplitMix64 (Steele, Lea and Flood, 2014) hashes the numbers of an arithmetic sequence.
const (
	increment            = 0x9e3779b97f4a7c15
	mix1, mix2           = 0xbf58476d1ce4e5b9, 0x94d049bb133111eb
	shift1, shift2       = 30, 27
	randomBits     uint8 = 24 // of a hash that count, the highest
)

// Random is a sequence of SplitMix64's numbers, one for each float32 lane, in AVX2.
//
// A register holds four numbers, so it takes two for a vector: for lanes 0, 1, 4 and 5, and for lanes 2, 3, 6 and 7, as
// the instruction that packs masks of two registers into one wants them.
type Random struct{ states [2]reg.VecVirtual }

// NewRandom starts the sequence at the uint64 parameter.
func NewRandom(start string) Random {
	var r Random
	for i, lanes := range [][4]uint64{{0, 1, 4, 5}, {2, 3, 6, 7}} {
		r.states[i] = register()
		build.VPBROADCASTQ(address(start), r.states[i])
		for j := range lanes {
			lanes[j] *= increment
		}
		build.VPADDQ(words64([...]string{"lanes0145", "lanes2367"}[i], lanes), r.states[i], r.states[i])
	}
	return r
}

// Above returns masks, for n vectors, of the lanes in which the number's high bits are above the int64 parameter.
func (r Random) Above(limit string, n int) Vec {
	masks := newVec(n)
	for i := range masks {
		var above [2]reg.VecVirtual
		for j, state := range r.states {
			z := times64(xorShift(state, shift1), mix1)
			z = times64(xorShift(z, shift2), mix2)
			z = xorShift(z, 31)
			build.VPSRLQ(operand.U8(64-randomBits), z, z)
			bound := register()
			build.VPBROADCASTQ(address(limit), bound)
			build.VPCMPGTQ(bound, z, z)
			above[j] = z
			build.VPADDQ(same64(stride), state, state)
		}
		build.VSHUFPS(operand.U8(0x88), above[1], above[0], masks[i])
	}
	return masks
}

// xorShift returns x ^ x>>n.
func xorShift(x reg.VecVirtual, n uint8) reg.VecVirtual {
	dst := register()
	build.VPSRLQ(operand.U8(n), x, dst)
	build.VPXOR(x, dst, dst)
	return dst
}

// times64 returns the low 64 bits of x·c, by products of halves.
func times64(x reg.VecVirtual, c uint64) reg.VecVirtual {
	low, high, cross := register(), register(), register()
	build.VPSRLQ(operand.U8(32), x, high)
	build.VPMULUDQ(same64(c), high, high)
	build.VPMULUDQ(same64(c>>32), x, cross)
	build.VPADDQ(cross, high, high)
	build.VPSLLQ(operand.U8(32), high, high)
	build.VPMULUDQ(same64(c), x, low)
	build.VPADDQ(high, low, low)
	return low
}

var constants64 = map[uint64]operand.Mem{}

// same64 returns memory with c in four lanes.
func same64(c uint64) operand.Mem {
	m, ok := constants64[c]
	if !ok {
		m = words64(fmt.Sprintf("all%016x", c), [4]uint64{c, c, c, c})
		constants64[c] = m
	}
	return m
}

func words64(name string, words [4]uint64) operand.Mem {
	m := build.GLOBL(name, attr.RODATA|attr.NOPTR)
	for i, w := range words {
		build.DATA(8*i, operand.U64(w))
	}
	return m
}
