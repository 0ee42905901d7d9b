//go:build linux

package simulator

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomCalls has the known answer of Philox4x32-10 for key 0 and counter 0: 6627e8d5 e169c58d. The rest of
// what randomness promises is in TestRandom.
func randomCalls() []call {
	zero := contiguous(int64_, []int{1}, 0)
	u, angle := float64(0x6627e8d5+1)/(1<<32), float64(0xe169c58d)/(1<<32)*2*math.Pi
	normal := math.Sqrt(-2*math.Log(u)) * math.Cos(angle)
	return []call{
		{name: "random", op: "aclnnInplaceRandom", workspace: -1, args: []any{zero, 0, 1 << 16, 0, 0}, want: map[int][]float64{0: {0xc58d}}},
		{name: "random from", op: "aclnnInplaceRandom", workspace: -1, args: []any{zero, -1000, -1000 + 1<<16, 0, 0}, want: map[int][]float64{0: {0xc58d - 1000}}},
		{name: "normal", op: "aclnnInplaceNormal", workspace: -1, args: []any{contiguous(float, []int{1}, 0), float32(2), float32(0.5), 0, 0}, want: map[int][]float64{0: {2 + 0.5*normal}}},
	}
}

// Random numbers are the same for the same seed and offset, others for others, and have the right moments.
func TestRandom(t *testing.T) {
	v := variants[0]
	const n = 4096
	run := func(lines ...call) [][]float64 {
		var input strings.Builder
		for _, c := range lines {
			input.WriteString(c.line())
		}
		out, errs, err := v.start(t, v.program(t, "operators.c"), input.String())
		require.NoError(t, err, errs)
		var results [][]float64
		for line := range strings.Lines(out) {
			words := strings.Fields(line)
			require.Equal(t, "0,0,0", words[0])
			got, err := decode(float, strings.TrimSuffix(words[2], "|"))
			require.NoError(t, err)
			results = append(results, got)
		}
		return results
	}
	zeros := contiguous(float, []int{n}, make([]float64, n)...)
	normal := func(seed, offset int) call {
		return call{op: "aclnnInplaceNormal", args: []any{zeros, float32(3), float32(2), seed, offset}}
	}
	got := run(normal(1, 0), normal(1, 0), normal(2, 0), normal(1, 1), call{op: "aclnnInplaceRandom", args: []any{zeros, -5, 5, 7, 0}})
	require.Equal(t, got[0], got[1])
	require.NotEqual(t, got[0], got[2])
	require.NotEqual(t, got[0], got[3])
	mean, variance := 0.0, 0.0
	for _, x := range got[0] {
		mean += x / n
		variance += (x - 3) * (x - 3) / n
	}
	require.InDelta(t, 3, mean, 5*2/math.Sqrt(n))
	require.InDelta(t, 4, variance, 5*4*math.Sqrt(2.0/n))
	seen := map[float64]int{}
	for _, x := range got[4] {
		seen[x]++
	}
	require.Len(t, seen, 10)
	for x, times := range seen {
		require.Equal(t, math.Trunc(x), x)
		require.GreaterOrEqual(t, x, -5.0)
		require.Less(t, x, 5.0)
		require.InDelta(t, n/10.0, times, 6*math.Sqrt(n/10.0))
	}
}
