package simd512

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device/cpu/internal/simd"
)

// same compares as a NaN equals any other, and 0 does not equal -0.
func same(x, y float64) bool {
	return x != x && y != y || x == y && math.Signbit(x) == math.Signbit(y)
}

// Sums of losses, from those of a perfect model, which are tiny, to those of one that is always wrong.
func TestSoftMarginLossSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, centre := range []float64{0, 3, 10, 20, 50, 80, -3, -10, -19, -20, -21, -50, -1000, 1e30, -1e30} {
		for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 1000, 1023, 1024, 1025, 1100, 5000} {
			self, target, dst := make([]float32, n), make([]float32, n), make([]float32, n)
			want := 0.0
			for i := range self {
				target[i] = float32(2*r.IntN(2) - 1)
				self[i] = target[i] * float32(centre+2*r.NormFloat64())
				want += loss(float64(target[i]) * float64(self[i]))
			}
			for _, got := range []float64{
				SoftMarginLossSum(self, target),
				SoftMarginLossSumBackward(dst, self, target, 1),
				SoftMarginLossSumBackward(dst, self, target, 1e-15),
			} {
				require.InDelta(t, want, got, want*0x1p-22, "%d losses around a margin of %v", n, centre)
				require.InDelta(t, simd.SoftMarginLossSum(self, target), got, want*0x1p-21, "%d losses around a margin of %v", n, centre)
			}
		}
	}
	// Below the normal numbers the losses are rounded to subnormal ones.
	self, target := make([]float32, 64), make([]float32, 64)
	for i := range self {
		self[i], target[i] = 95, 1
	}
	require.InEpsilon(t, 64*math.Exp(-95), SoftMarginLossSum(self, target), 1e-4)
	require.InEpsilon(t, 64*math.Exp(-95), SoftMarginLossSumBackward(make([]float32, 64), self, target, 1), 1e-4)

	// One special value among 100 others.
	for _, c := range []struct{ self, want float64 }{{nan, nan}, {inf, 0}, {-inf, inf}, {1e38, 0}, {-1e38, float64(float32(1e38))}} {
		for i := range 101 {
			self, target := make([]float32, 101), make([]float32, 101)
			for j := range self {
				self[j], target[j] = 200, 1
			}
			self[i] = float32(c.self)
			require.True(t, same(c.want, SoftMarginLossSum(self, target)), "%v as element %d", c.self, i)
			require.True(t, same(c.want, SoftMarginLossSumBackward(make([]float32, 101), self, target, 1)), "%v as element %d", c.self, i)
		}
	}
}
