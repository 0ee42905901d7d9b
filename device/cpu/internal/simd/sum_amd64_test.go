package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The order of the sum is specified, so the sum is known to the bit.
func TestSumFloat64(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		x := make([]float32, n)
		var lane [8]float64
		for i := range x {
			x[i] = float32(r.NormFloat64()) * float32(math.Ldexp(1, r.IntN(60)))
			lane[i%8] += float64(x[i])
		}
		want := ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
		require.Equal(t, want, SumFloat64(x), "%d elements", n)
	}
	require.True(t, math.IsNaN(SumFloat64([]float32{1, float32(inf), float32(-inf)})))
}

func TestAddFloat64(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sums, want, x := make([]float64, 77), make([]float64, 77), make([]float32, 77)
	for range 3 {
		for i := range x {
			x[i] = anyFloat(r)
			want[i] += float64(x[i])
		}
		AddFloat64(sums, x)
	}
	for i := range want {
		require.True(t, same(want[i], sums[i]), "element %d: got %v, want %v", i, sums[i], want[i])
	}
}

// Sums of losses, from those of a perfect model, which are subnormal, to those of one that is always wrong.
func TestSoftMarginLossSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, centre := range []float64{0, 3, 10, 20, 50, 80, -3, -10, -19, -20, -21, -50, -1000, 1e30, -1e30} {
		for _, n := range []int{0, 1, 7, 8, 31, 32, 33, 63, 64, 255, 256, 257, 1000, 5000} {
			self, target, dst := make([]float32, n), make([]float32, n), make([]float32, n)
			want := 0.0
			for i := range self {
				target[i] = float32(2*r.IntN(2) - 1)
				self[i] = target[i] * float32(centre+2*r.NormFloat64())
				want += softplus(-float64(target[i]) * float64(self[i]))
			}
			for _, got := range []float64{SoftMarginLossSum(self, target), SoftMarginLossSumBackward(dst, self, target, 1), SoftMarginLossSumBackward(dst, self, target, 1e-15)} {
				require.InDelta(t, want, got, want*0x1p-22, "%d losses around a margin of %v", n, centre)
			}
		}
	}
	// Below the normal numbers the losses are rounded to subnormal ones.
	self, target := make([]float32, 64), make([]float32, 64)
	for i := range self {
		self[i], target[i] = 95, 1
	}
	require.InEpsilon(t, 64*math.Exp(-95), SoftMarginLossSum(self, target), 1e-4)

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

// The gradients that come with a sum are those that come without.
func TestSoftMarginLossSumBackwardStoresTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	self, target := make([]float32, n), make([]float32, n)
	for i := range self {
		self[i], target[i] = anyFloat(r), float32(2*r.IntN(2)-1)
	}
	alone, both := make([]float32, n), make([]float32, n)
	for _, factor := range []float32{1, 1e-6, -0.3, 1e-20} {
		SoftMarginLossBackward(alone, self, target, factor)
		SoftMarginLossSumBackward(both, self, target, factor)
		for i := range alone {
			require.True(t, same(float64(alone[i]), float64(both[i])), "%v and %v: %v alone, %v with the sum", self[i], target[i], alone[i], both[i])
		}
	}
}
