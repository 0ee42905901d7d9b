package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// Where gradients flow, and how much, in cases with exact values.

func vector(v ...float64) array { return array{[]int{len(v)}, v} }

func TestGradientFlow(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name   string
		inputs []array
		build  func(in []*graph.Node) *graph.Node // is summed
		want   []array                            // the gradients for all inputs
	}{
		{"a value used twice", []array{vector(1, 2)},
			func(in []*graph.Node) *graph.Node { return ops.Add(ops.Add(in[0], in[0]), in[0]) }, []array{vector(3, 3)}},
		{"a value used in two branches", []array{vector(1, 2)},
			func(in []*graph.Node) *graph.Node { return ops.Sub(ops.Square(in[0]), in[0]) }, []array{vector(1, 3)}},
		{"an operand used as both", []array{vector(3, -4)},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], in[0]) }, []array{vector(6, -8)}},
		{"a product", []array{vector(3, 4), vector(5, 6)},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], in[1]) }, []array{vector(5, 6), vector(3, 4)}},
		{"a broadcast scalar", []array{vector(3, 4), {[]int{}, []float64{7}}},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], in[1]) }, []array{vector(7, 7), {[]int{}, []float64{7}}}},
		{"a column against a row", []array{{[]int{2, 1}, []float64{1, 2}}, {[]int{1, 3}, []float64{10, 20, 30}}},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], in[1]) },
			[]array{{[]int{2, 1}, []float64{60, 60}}, {[]int{1, 3}, []float64{3, 3, 3}}}},
		{"a leading axis", []array{vector(1, 2), {[]int{3, 2}, []float64{1, 2, 3, 4, 5, 6}}},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], in[1]) },
			[]array{vector(9, 12), {[]int{3, 2}, []float64{1, 2, 1, 2, 1, 2}}}},
		{"an empty result", []array{vector(1, 2), {[]int{0, 2}, []float64{}}},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], in[1]) }, []array{vector(0, 0), {[]int{0, 2}, []float64{}}}},
		{"Sign stops the gradient", []array{vector(-2, 3)},
			func(in []*graph.Node) *graph.Node { return ops.Sign(in[0]) }, []array{vector(0, 0)}},
		{"a way around Sign", []array{vector(-2, 3)},
			func(in []*graph.Node) *graph.Node { return ops.Mul(in[0], ops.Sign(in[0])) }, []array{vector(-1, 1)}},
		{"the node itself", []array{{[]int{}, []float64{4}}},
			func(in []*graph.Node) *graph.Node { return in[0] }, []array{{[]int{}, []float64{1}}}},

		{"ReLU at 0", []array{vector(-1, 0, math.Copysign(0, -1), 1, nan, inf)},
			func(in []*graph.Node) *graph.Node { return ops.ReLU(in[0]) }, []array{vector(0, 0, 0, 1, 0, 1)}},
		{"LeakyReLU at 0", []array{vector(-1, 0, 1)},
			func(in []*graph.Node) *graph.Node { return ops.LeakyReLU(in[0], 0.25) }, []array{vector(0.25, 0.25, 1)}},
		{"Abs at 0", []array{vector(-1, 0, 1)},
			func(in []*graph.Node) *graph.Node { return ops.Abs(in[0]) }, []array{vector(-1, 0, 1)}},
		{"Maximum at a tie", []array{vector(1, 2, 3), vector(3, 2, 1)},
			func(in []*graph.Node) *graph.Node { return ops.Maximum(in[0], in[1]) }, []array{vector(0, 0.5, 1), vector(1, 0.5, 0)}},
		{"Maximum of a value and itself", []array{vector(1, 2)},
			func(in []*graph.Node) *graph.Node { return ops.Maximum(in[0], in[0]) }, []array{vector(1, 1)}},
		{"Hinge at the margin", []array{vector(1, 0.5, 2), vector(1, 1, 1)},
			func(in []*graph.Node) *graph.Node { return ops.Hinge(in[0], in[1], device.Sum) }, []array{vector(0, -1, 0), vector(0, -0.5, 0)}},
		{"Sqrt at 0", []array{vector(0, 4)},
			func(in []*graph.Node) *graph.Node { return ops.Sqrt(in[0]) }, []array{vector(inf, 0.25)}},
		{"Log at 0", []array{vector(0, 4)},
			func(in []*graph.Node) *graph.Node { return ops.Log(in[0]) }, []array{vector(inf, 0.25)}},
		{"saturated activations", []array{vector(-1000, 1000)},
			func(in []*graph.Node) *graph.Node {
				x := in[0]
				return ops.Add(ops.Add(ops.Tanh(x), ops.Sigmoid(x)), ops.Add(ops.GELU(x), ops.Softplus(x)))
			}, []array{vector(0, 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, newSession(t), func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
				return graph.Gradients(ops.Sum(c.build(in)), in...)
			}, c.inputs...)
			for i, want := range c.want {
				require.Empty(t, closeTo(got[i], want, 0), "input %d", i)
			}
		})
	}
}

// TestGradientOnlyWhereAsked differentiates for one input of two; nothing is built for the other.
func TestGradientOnlyWhereAsked(t *testing.T) {
	s := newSession(t)
	multiplications := func(xs func(in []*graph.Node) []*graph.Node) string {
		f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			return graph.Gradients(ops.Sum(ops.MatMul(ops.Exp(in[0]), in[1])), xs(in)...)
		})
		matrix := device.Type{DType: device.Float32, Shape: []int{4, 4}}
		g, err := f.Trace(matrix, matrix)
		require.NoError(t, err)
		return dot(t, g)
	}
	forW := multiplications(func(in []*graph.Node) []*graph.Node { return in[1:] })
	forBoth := multiplications(func(in []*graph.Node) []*graph.Node { return in })
	require.Equal(t, 1, countLabels(forW, "MatMul{"), "Expᵀ·gradient")
	require.Equal(t, 2, countLabels(forBoth, "MatMul{"))
}
