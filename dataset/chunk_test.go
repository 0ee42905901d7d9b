package dataset

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Numbers come back to the bit, in the bytes that are enough for them.
func TestChunk(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		bytes  int
	}{
		"whole":                     {[]float64{1, -2, 1 << 24, nan}, 4},
		"float32":                   {[]float64{0.5, math.Inf(1), float64(float32(0.1)), math.Copysign(0, -1)}, 4},
		"decimals":                  {[]float64{0.1, -12.345, nan, 2147483.647, 0}, 4},
		"of nine digits":            {[]float64{0.123456789, -2.1, 1.000000001}, 4},
		"large whole":               {[]float64{16777217, -2147483647}, 4},
		"too large":                 {[]float64{2147483648.5, 0.1}, 8},
		"too many digits":           {[]float64{0.1, 1.0 / 3}, 8},
		"too many for the largest":  {[]float64{0.123456789, 3}, 8},
		"a negative zero":           {[]float64{0.1, math.Copysign(0, -1)}, 8},
		"infinity among decimals":   {[]float64{0.1, math.Inf(-1)}, 8},
		"the smallest whole number": {[]float64{0.1, math.MinInt32}, 8},
	} {
		k := newChunk(c.values)
		require.Equal(t, c.bytes, 4+len(k.f64)/len(c.values)*4, name)
		requireSameBits(t, c.values, &k)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			if rapid.Bool().Draw(t, "any") {
				return rapid.Float64().Draw(t, "number")
			}
			digits := rapid.IntRange(0, 11).Draw(t, "digits")
			x, err := strconv.ParseFloat(strconv.FormatFloat(rapid.Float64Range(-3000, 3000).Draw(t, "decimal"), 'f', digits, 64), 64)
			require.NoError(t, err)
			return x
		}), 1, 20).Draw(t, "values")
		k := newChunk(values)
		requireSameBits(t, values, &k)
	})
}

func requireSameBits(t require.TestingT, values []float64, k *chunk) {
	for i, v := range values {
		if got := k.at(i); v != v {
			require.True(t, got != got)
		} else {
			require.Equal(t, math.Float64bits(v), math.Float64bits(got), "%v, not %v", got, v)
		}
	}
}
