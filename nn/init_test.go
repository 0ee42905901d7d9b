package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/nn"
)

func fill(init nn.Init, seed uint64, name string, fanIn, fanOut int) []float64 {
	values := make([]float64, fanIn*fanOut)
	init(seed, name, fanIn, fanOut)(values)
	return values
}

// With 300 inputs and 200 outputs there are 60,000 draws: the mean of n draws has
// deviation σ/√n, their variance σ²·√((kurtosis-1)/n), with kurtosis 9/5 of a
// uniform and 3 of a normal distribution. The limits are 4 deviations.
func TestInitialiserStatistics(t *testing.T) {
	const in, out = 300, 200
	const n = in * out
	for name, c := range map[string]struct {
		init               nn.Init
		variance, kurtosis float64
	}{
		"XavierUniform":  {nn.XavierUniform, 2. / (in + out), 9. / 5},
		"XavierNormal":   {nn.XavierNormal, 2. / (in + out), 3},
		"KaimingUniform": {nn.KaimingUniform, 2. / in, 9. / 5},
		"KaimingNormal":  {nn.KaimingNormal, 2. / in, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var mean, variance, fourth, largest float64
			values := fill(c.init, 1, name, in, out)
			for _, v := range values {
				mean += v / n
				variance += v * v / n
				fourth += v * v * v * v / n
				largest = max(largest, math.Abs(v))
			}
			require.InDelta(t, 0, mean, 4*math.Sqrt(c.variance/n), "mean")
			require.InDelta(t, c.variance, variance, 4*c.variance*math.Sqrt((c.kurtosis-1)/n), "variance")
			require.InDelta(t, c.kurtosis, fourth/(variance*variance), 0.1, "kurtosis")
			if c.kurtosis < 3 {
				bound := math.Sqrt(3 * c.variance)
				require.LessOrEqual(t, largest, bound)
				require.Greater(t, largest, 0.999*bound, "the range is used")
			}
		})
	}
}

// The values follow from seed and name alone.
func TestInitialisersAreSeeded(t *testing.T) {
	for kind, init := range map[string]nn.Init{
		"XavierUniform": nn.XavierUniform, "XavierNormal": nn.XavierNormal,
		"KaimingUniform": nn.KaimingUniform, "KaimingNormal": nn.KaimingNormal,
	} {
		t.Run(kind, func(t *testing.T) {
			values := fill(init, 1, "a/weight", 3, 2)
			require.Equal(t, values, fill(init, 1, "a/weight", 3, 2))

			again := init(1, "a/weight", 3, 2) // one initialiser may fill the parameter of several sessions
			for range 2 {
				repeated := make([]float64, 6)
				again(repeated)
				require.Equal(t, values, repeated)
			}
			for other, different := range map[string][]float64{
				"name": fill(init, 1, "b/weight", 3, 2),
				"seed": fill(init, 2, "a/weight", 3, 2),
			} {
				for i := range values {
					require.NotEqual(t, values[i], different[i], "another %s, element %d", other, i)
				}
			}
		})
	}
}

// Fans that make no sense do not make infinite weights.
func TestFansBelowOne(t *testing.T) {
	for _, init := range []nn.Init{nn.XavierUniform, nn.XavierNormal, nn.KaimingUniform, nn.KaimingNormal} {
		values, one := make([]float64, 5), make([]float64, 5)
		init(1, "w", 0, -3)(values)
		init(1, "w", 1, 1)(one)
		require.Equal(t, one, values)
	}
}
