package simd

import (
	"math"
	"math/rand/v2"
	"slices"
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

// Sums of losses, from those of a perfect model, which are tiny, to those of one that is always wrong, of
// margins that differ and of margins that are all the same.
func TestSoftMarginLossSums(t *testing.T) {
	for _, set := range softMarginSets() {
		t.Run(set.name, func(t *testing.T) { testSoftMarginLossSums(t, &set.float32) })
	}
}

func testSoftMarginLossSums(t *testing.T, of *SoftMarginLoss[float32]) {
	r := rand.New(rand.NewPCG(1, 2))
	sums := make([]float64, 8)
	sum := func(self, target []float32) float64 {
		return total(sums, len(self), func(sums []float64) { of.Sums(self, target, sums) })
	}
	both := func(self, target []float32, factor float32) float64 {
		dst := make([]float32, len(self))
		return total(sums, len(self), func(sums []float64) { of.SumsBackward(dst, self, target, factor, sums) })
	}
	for _, centre := range []float64{0, 0.1, -0.3, 3, 10, 20, 50, 80, -3, -10, -19, -20, -21, -50, -1000, 1e30, -1e30} {
		for _, spread := range []float64{2, 0} {
			for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 513, 1000, 1023, 1024, 1025, 1100, 5000} {
				self, target := make([]float32, n), make([]float32, n)
				want := 0.0
				for i := range self {
					target[i] = float32(2*r.IntN(2) - 1)
					self[i] = target[i] * float32(centre+spread*r.NormFloat64())
					want += softplus(-float64(target[i]) * float64(self[i]))
				}
				tolerance := want * 0x1p-22
				if spread == 0 {
					tolerance *= 2 // all errors have one sign
				}
				for _, got := range []float64{sum(self, target), both(self, target, 1), both(self, target, 1e-15)} {
					require.InDelta(t, want, got, tolerance, "%d losses around a margin of %v", n, centre)
				}
			}
		}
	}
	// Below the normal numbers the losses are rounded to subnormal ones.
	self, target := slices.Repeat([]float32{95}, 64), slices.Repeat([]float32{1}, 64)
	require.InEpsilon(t, 64*math.Exp(-95), sum(self, target), 1e-4)
	require.InEpsilon(t, 64*math.Exp(-95), both(self, target, 1), 1e-4)

	// One special value among 100 others.
	for _, c := range []struct{ self, want float64 }{{nan, nan}, {-nan, nan}, {inf, 0}, {-inf, inf}, {1e38, 0}, {-1e38, float64(float32(1e38))}} {
		for i := range 101 {
			self, target := slices.Repeat([]float32{200}, 101), slices.Repeat([]float32{1}, 101)
			self[i] = float32(c.self)
			require.True(t, same(c.want, sum(self, target)), "%v as element %d", c.self, i)
			require.True(t, same(c.want, both(self, target, 1)), "%v as element %d", c.self, i)
		}
	}
}

// A sum is that of its part alone, whatever comes before.
func TestSoftMarginLossSumsOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 3*Part + 500
	self, target, dst := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range self {
		self[i], target[i] = float32(3*r.NormFloat64()), float32(2*r.IntN(2)-1)
	}
	for _, set := range softMarginSets() {
		of, got, both, past, want := &set.float32, make([]float64, 4), make([]float64, 4), make([]float64, 4), make([]float64, 1)
		of.Sums(self, target, got)
		of.SumsBackward(dst, self, target, 1, both)
		of.SumsBackwardPast(dst, self, target, 1, past)
		require.Equal(t, both, past)
		for i := range got {
			lo, hi := i*Part, min((i+1)*Part, n)
			of.Sums(self[lo:hi], target[lo:hi], want)
			require.Equal(t, want[0], got[i], "part %d", i)
			of.SumsBackward(dst[lo:hi], self[lo:hi], target[lo:hi], 1, want)
			require.Equal(t, want[0], both[i], "part %d, with gradients", i)
		}
	}
}

// The gradients that are written past the caches are those that are not, wherever they lie.
func TestSoftMarginLossPastTheCaches(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	memory, sums := make([]float32, 5100), make([]float64, 8)
	for _, set := range softMarginSets() {
		of := &set.float32
		for _, n := range []int{0, 1, 7, 8, 15, 16, 63, 64, 65, 128, 1000, 4096, 5000} {
			for offset := range 17 {
				self, target, want := make([]float32, n), make([]float32, n), make([]float32, n)
				for i := range self {
					self[i], target[i] = float32(20*r.NormFloat64()), float32(2*r.IntN(2)-1)
				}
				for _, factor := range []float32{1, -0.25, 1e-6, 1e-20} {
					check := func(f func(dst []float32)) {
						dst := memory[offset:][:n]
						clear(memory)
						f(dst)
						require.Equal(t, want, append([]float32{}, dst...))
						for i, x := range memory {
							require.True(t, x == 0 || i >= offset && i < offset+n, "element %d was written", i-offset)
						}
					}
					of.Backward(want, self, target, factor)
					check(func(dst []float32) { of.BackwardPast(dst, self, target, factor) })
					of.SumsBackward(want, self, target, factor, sums)
					check(func(dst []float32) { of.SumsBackwardPast(dst, self, target, factor, sums) })
				}
			}
		}
	}
}
