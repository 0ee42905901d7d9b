package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sum holds eight float64 sums, one for each lane of a float32 vector.
type Sum struct{ low, high reg.VecVirtual }

// NewSum returns sums of nothing.
func NewSum() Sum {
	s := Sum{build.YMM(), build.YMM()}
	build.VXORPD(s.low, s.low, s.low)
	build.VXORPD(s.high, s.high, s.high)
	return s
}

// Add adds the vectors one after the other.
func (s Sum) Add(v Vec) {
	for _, x := range v {
		low, high := toFloat64(x)
		build.VADDPD(low, s.low, s.low)
		build.VADDPD(high, s.high, s.high)
	}
}

// Return adds the lanes in pairs, ((0+1)+(2+3)) + ((4+5)+(6+7)), and stores the sum
// as the function's result.
func (s Sum) Return() {
	build.VHADDPD(s.high, s.low, s.low) // 0+1, 4+5, 2+3, 6+7
	high := build.XMM()
	build.VEXTRACTF128(operand.U8(1), s.low, high)
	build.VADDPD(high, s.low.AsX(), high) // (0+1)+(2+3), (4+5)+(6+7)
	total := build.XMM()
	build.VHADDPD(high, high, total)
	build.Store(total, build.ReturnIndex(0))
}

// toFloat64 converts the lower and the upper four lanes.
func toFloat64(x reg.VecVirtual) (low, high reg.VecVirtual) {
	low, high = build.YMM(), build.YMM()
	build.VCVTPS2PD(x.AsX(), low)
	build.VEXTRACTF128(operand.U8(1), x, high.AsX())
	build.VCVTPS2PD(high.AsX(), high)
	return low, high
}
