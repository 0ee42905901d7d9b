package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sum holds float64 sums, one for each lane of a float32 vector.
type Sum struct{ low, high reg.VecVirtual }

// NewSum returns sums of nothing.
func NewSum() Sum { return Sum{Zero()[0], Zero()[0]} }

// Add adds the vectors one after the other.
func (s Sum) Add(v Vec) {
	for _, x := range v {
		low, high := toFloat64(x)
		build.VADDPD(low, s.low, s.low)
		build.VADDPD(high, s.high, s.high)
	}
}

// SumInMemory is a Sum in memory of the function's own, for kernels that add to it now and then.
type SumInMemory struct{ low, high operand.Mem }

// NewSumInMemory returns sums of nothing.
func NewSumInMemory() SumInMemory {
	size := 4 * Lanes()
	m := build.AllocLocal(2 * size)
	s := SumInMemory{m, m.Offset(size)}
	s.Clear()
	return s
}

// Clear forgets what was added.
func (s SumInMemory) Clear() { s.store(NewSum()) }

// Add adds the vectors one after the other.
func (s SumInMemory) Add(v Vec) {
	sum := s.Load()
	sum.Add(v)
	s.store(sum)
}

// Load returns the sums in registers.
func (s SumInMemory) Load() Sum {
	sum := Sum{register(), register()}
	build.VMOVUPD(s.low, sum.low)
	build.VMOVUPD(s.high, sum.high)
	return sum
}

func (s SumInMemory) store(sum Sum) {
	build.VMOVUPD(sum.low, s.low)
	build.VMOVUPD(sum.high, s.high)
}

// Return stores the sum of the lanes, see Store, as the function's result.
func (s Sum) Return() { build.Store(s.total(), build.ReturnIndex(0)) }

// Store stores the sum of the lanes. In AVX2 their order is ((0+1)+(2+3)) + ((4+5)+(6+7)); in AVX-512 halves are
// added until one number is left.
func (s Sum) Store(m operand.Mem) { build.VMOVSD(s.total(), m) }

func (s Sum) total() reg.VecVirtual {
	high := build.XMM()
	if set == AVX512 {
		wide := build.ZMM()
		build.VADDPD(s.high, s.low, s.low)
		build.VEXTRACTF64X4(operand.U8(1), s.low, wide.AsY())
		build.VADDPD(wide, s.low, s.low)
		build.VEXTRACTF64X2(operand.U8(1), s.low.AsY(), high)
		build.VADDPD(s.low.AsX(), high, high)
		build.VUNPCKHPD(high, high, wide.AsX())
		build.VADDSD(wide.AsX(), high, high)
	} else {
		build.VHADDPD(s.high, s.low, s.low) // 0+1, 4+5, 2+3, 6+7
		build.VEXTRACTF128(operand.U8(1), s.low, high)
		build.VADDPD(high, s.low.AsX(), high) // (0+1)+(2+3), (4+5)+(6+7)
		build.VHADDPD(high, high, high)
	}
	return high
}

// toFloat64 converts the lower and the upper half of the lanes.
func toFloat64(x reg.VecVirtual) (low, high reg.VecVirtual) {
	low, high = register(), register()
	if set == AVX512 {
		build.VCVTPS2PD(x.AsY(), low)
		build.VEXTRACTF64X4(operand.U8(1), x, high.AsY())
		build.VCVTPS2PD(high.AsY(), high)
		return low, high
	}
	build.VCVTPS2PD(x.AsX(), low)
	build.VEXTRACTF128(operand.U8(1), x, high.AsX())
	build.VCVTPS2PD(high.AsX(), high)
	return low, high
}
