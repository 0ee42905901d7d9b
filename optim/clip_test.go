package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/optim"
)

// The norm of (3, 4) and (12) together is 13, of which PyTorch's formula makes 13 +
// 1e-6.
func TestClip(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	norm := func(maximum float64) func([]*graph.Node) []*graph.Node {
		return func(gradients []*graph.Node) []*graph.Node { return optim.ClipNorm(gradients, maximum) }
	}
	value := func(maximum float64) func([]*graph.Node) []*graph.Node {
		return func(gradients []*graph.Node) []*graph.Node { return optim.ClipValue(gradients, maximum) }
	}
	const half = 6.5 / (13 + 1e-6)
	for name, c := range map[string]struct {
		clip  func([]*graph.Node) []*graph.Node
		a     [2]float64
		b     float64
		wantA [2]float64
		wantB float64
		exact bool // not only to rounding
	}{
		"norm above the maximum": {norm(6.5), [2]float64{3, -4}, 12, [2]float64{3 * half, -4 * half}, 12 * half, false},
		"norm below the maximum": {norm(14), [2]float64{3, -4}, 12, [2]float64{3, -4}, 12, true},
		"norm of 0":              {norm(1), [2]float64{0, 0}, 0, [2]float64{0, 0}, 0, true},
		"NaN":                    {norm(1), [2]float64{3, nan}, 12, [2]float64{nan, nan}, nan, true},
		"infinite":               {norm(1), [2]float64{3, inf}, 12, [2]float64{0, nan}, 0, true},
		"values":                 {value(3.5), [2]float64{3, -4}, 12, [2]float64{3, -3.5}, 3.5, true},
		"values inside":          {value(12), [2]float64{3, -4}, 12, [2]float64{3, -4}, 12, true},
		"values not finite":      {value(2), [2]float64{nan, -inf}, inf, [2]float64{nan, -2}, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			tolerance := 1e-15
			if c.exact {
				tolerance = 0
			}
			same := func(want, got []float64, tolerance float64) {
				t.Helper()
				require.Len(t, got, len(want))
				for i := range want {
					if math.IsNaN(want[i]) {
						require.True(t, math.IsNaN(got[i]), "%v", got)
					} else {
						within(t, want[i], got[i], tolerance)
					}
				}
			}
			f := newSession(t).Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return c.clip(in) })
			out, err := f.Run(vector(c.a[:]...), vector(c.b))
			require.NoError(t, err)
			same(c.wantA[:], out[0].Float64s(), tolerance)
			same([]float64{c.wantB}, out[1].Float64s(), tolerance)

			out, err = f.Run(vector(narrow(c.a[:])...), vector(float32(c.b)))
			require.NoError(t, err)
			same(c.wantA[:], widen(out[0].Float32s()), tolerance*1e9)
			same([]float64{c.wantB}, widen(out[1].Float32s()), tolerance*1e9)
		})
	}
}

// The squares of float16 gradients do not overflow, and the dtypes stay.
func TestClipFloat16(t *testing.T) {
	f := newSession(t).Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		clipped := optim.ClipNorm([]*graph.Node{ops.Cast(in[0], device.Float16), in[1]}, 5)
		require.Equal(t, device.Float16, clipped[0].DType())
		require.Equal(t, device.Float32, clipped[1].DType())
		return []*graph.Node{ops.Cast(clipped[0], device.Float32), clipped[1]}
	})
	out, err := f.Run(vector(float32(30_000)), vector(float32(-40_000)))
	require.NoError(t, err)
	require.Equal(t, []float32{3}, out[0].Float32s())
	require.InDelta(t, -4, out[1].Float32s()[0], 1e-6)
}

// Nothing to clip is not a mistake, and clipping is differentiable: with s = 1/(|x|
// + ε) and x = (3, 4), d(s·x₀)/dx = s·e₀ - s²·x₀·x/|x|.
func TestClipNormIsDifferentiable(t *testing.T) {
	require.Empty(t, optim.ClipNorm(nil, 1))
	require.Empty(t, optim.ClipValue(nil, 1))
	f := newSession(t).Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		clipped := optim.ClipNorm(in, 1)[0]
		return graph.Gradients(ops.Sum(ops.Mul(clipped, g.Tensor(vector(1., 0)))), in...)
	})
	out, err := f.Run(tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{3, 4})))
	require.NoError(t, err)
	s := 1 / (5 + 1e-6)
	require.InDeltaSlice(t, []float64{s - s*s*9/5, -s * s * 12 / 5}, out[0].Float64s(), 1e-15)
}
