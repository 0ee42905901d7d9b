package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// To the bit, whatever is kept or dropped, wherever a block starts.
func TestDropout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := both(0, 0x1p-149, 1, math.MaxFloat32, inf)
	for _, p := range []float64{0, 0x1p-24, 0.1, 1.0 / 3, 0.5, 0.9, 1 - 0x1p-24, 1 - 0x1p-53} {
		for n := range 258 {
			key0, key1, start := float32(r.IntN(1<<24)), float32(r.IntN(1<<24)), r.IntN(1<<40)
			src, dst := make([]float32, n), make([]float32, n)
			for i := range src {
				src[i] = anyFloat(r)
				if r.IntN(10) == 0 {
					src[i] = float32(special[r.IntN(len(special))])
				}
			}
			Dropout(dst, src, device.DropoutSeed(key0, key1), start, p)
			for i, x := range src {
				want := float32(0)
				if device.DropoutRandom(key0, key1, start+i) >= p {
					want = float32(float64(x) / (1 - p))
				}
				require.True(t, same(float64(want), float64(dst[i])), "p %v, element %d of %d: %v of %v, want %v", p, i, n, dst[i], x, want)
			}
		}
	}
}
