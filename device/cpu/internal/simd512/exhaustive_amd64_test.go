package simd512

import (
	"flag"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

var exhaustive = flag.Bool("exhaustive", false, "try all 2^32 float32 margins (minutes)")

// TestExhaustive finds the largest errors over all float32 margins, with
//
//	go test -run Exhaustive -exhaustive -v -timeout 2h
//
// Targets are 1, because of a target of -1 the kernels see nothing but the margin's other sign.
func TestExhaustive(t *testing.T) {
	if !*exhaustive {
		t.Skip("not asked for; add -exhaustive")
	}
	const sweep = 1 << 16
	const third = float32(1.0 / 3)
	targets := make([]float32, sweep)
	for i := range targets {
		targets[i] = 1
	}
	gradient := func(m float64) float64 { return -sigmoid(-m) }
	gradientThird := func(m float64) float64 { return -sigmoid(-m) * float64(third) }
	for _, c := range []struct {
		name string
		run  func(dst, x []float32)
		want func(m float64) float64
	}{
		{"Loss", func(dst, x []float32) { SoftMarginLoss(dst, x, targets) }, loss},
		{"Gradient", func(dst, x []float32) { SoftMarginLossBackward(dst, x, targets, 1) }, gradient},
		{"Gradient/3", func(dst, x []float32) { SoftMarginLossBackward(dst, x, targets, third) }, gradientThird},
		{"GradientOfVector/3", func(dst, x []float32) { SoftMarginLossBackwardVector(dst, targets, x, targets, third) }, gradientThird},
		{"GradientWithSum", func(dst, x []float32) { SoftMarginLossSumBackward(dst, x, targets, 1) }, gradient},
		{"GradientWithSum/3", func(dst, x []float32) { SoftMarginLossSumBackward(dst, x, targets, third) }, gradientThird},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, dst := make([]float32, sweep), make([]float32, sweep)
			largest, at := 0.0, float32(0)
			for first := uint64(0); first < 1<<32; first += sweep {
				for i := range x {
					x[i] = math.Float32frombits(uint32(first + uint64(i)))
				}
				c.run(dst, x)
				for i, got := range dst {
					want := c.want(float64(x[i]))
					if u := ulps(got, want, want); u > largest {
						largest, at = u, x[i]
					}
				}
			}
			t.Logf("%.4f ulp at %v", largest, at)
			require.LessOrEqual(t, largest, 2.0, "at %v", at)
		})
	}
}
