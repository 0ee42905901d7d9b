package metrics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var nan, inf = math.NaN(), math.Inf(1)

// near requires the numbers to agree to rounding, with NaN equal to NaN.
func near(t require.TestingT, want, got float64, what string) {
	if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 {
		require.Equal(t, math.IsNaN(want), math.IsNaN(got), "%s: want %v, got %v", what, want, got)
		require.True(t, math.IsNaN(want) || want == got || want == 0 && math.Abs(got) < 1e-14, "%s: want %v, got %v", what, want, got)
		return
	}
	require.InEpsilon(t, want, got, 1e-12, what)
}

// rows draws scores, often tied and sometimes infinite, with labels of both classes.
func rows(t *rapid.T) (scores, labels []float64) {
	n := rapid.IntRange(2, 40).Draw(t, "rows")
	score := rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) / 2 }),
		rapid.Float64Range(-50, 50),
		rapid.SampledFrom([]float64{inf, -inf, math.Copysign(0, -1), math.MaxFloat64, -math.SmallestNonzeroFloat64}),
	)
	scores = rapid.SliceOfN(score, n, n).Draw(t, "scores")
	labels = rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 1}), n, n).Draw(t, "labels")
	labels[0], labels[n-1] = 1, -1
	return scores, labels
}
