package ops_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
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

// TestGradientOnlyWhereAsked differentiates a product for one operand: the other's gradient is not computed.
func TestGradientOnlyWhereAsked(t *testing.T) {
	s := newSession(t)
	products := func(operands ...int) int {
		f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			var xs []*graph.Node
			for _, i := range operands {
				xs = append(xs, in[i])
			}
			return graph.Gradients(ops.Sum(ops.MatMul(in[0], in[1])), xs...)
		})
		matrix := device.Type{DType: device.Float32, Shape: []int{4, 4}}
		g, err := f.Trace(matrix, matrix)
		require.NoError(t, err)
		var picture strings.Builder
		require.NoError(t, g.WriteDOT(&picture))
		return strings.Count(picture.String(), "MatMul")
	}
	require.Equal(t, 1, products(0))
	require.Equal(t, 1, products(1))
	require.Equal(t, 2, products(0, 1))
}

// TestLongChain uses x in 10,000 additions, one after the other.
func TestLongChain(t *testing.T) {
	const n = 10_000
	got := run(t, newSession(t), func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		x := in[0]
		y := x
		for range n {
			y = ops.Add(y, x)
		}
		return append([]*graph.Node{y}, graph.Gradients(ops.Sum(y), x)...)
	}, vector(2, -1))
	require.Equal(t, []float64{2 * (n + 1), -(n + 1)}, got[0].data)
	require.Equal(t, []float64{n + 1, n + 1}, got[1].data)
}

// TestDeepChain applies tanh 1,000 times; the gradient is the product of the slopes.
func TestDeepChain(t *testing.T) {
	const n = 1000
	got := run(t, newSession(t), func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		y := in[0]
		for range n {
			y = ops.Tanh(y)
		}
		return graph.Gradients(y, in[0])
	}, array{[]int{}, []float64{0.5}})
	y, slope := 0.5, 1.
	for range n {
		y = math.Tanh(y)
		slope *= 1 - y*y
	}
	require.InEpsilon(t, slope, got[0].data[0], 1e-11)
}

// TestMixedDTypeGradients has exact values: each gradient comes back in its operand's dtype.
func TestMixedDTypeGradients(t *testing.T) {
	f := newSession(t).Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		return graph.Gradients(ops.Sum(ops.MatMul(in[0], in[1])), in...)
	})
	x := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{1 + 0x1p-20, 2}))
	w := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float16.Float16{float16.Fromfloat32(0.5), float16.Fromfloat32(3)}))
	got, err := f.Run(x, w)
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 3}, got[0].Data())
	require.Equal(t, []float16.Float16{float16.Fromfloat32(1), float16.Fromfloat32(2)}, got[1].Data(), "1 + 2⁻²⁰ rounds to 1")
}

// TestSoftMarginLossIsFinite takes the loss where its literal formula overflows,
// with the gradients of all operands of its gradient.
func TestSoftMarginLossIsFinite(t *testing.T) {
	s := newSession(t)
	f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		loss := softmarginloss.Forward(in[1], in[2], device.None)
		backward := softmarginloss.Backward(in[0], in[1], in[2], device.None)
		outputs := []*graph.Node{loss, backward}
		outputs = append(outputs, graph.Gradients(ops.Sum(loss), in[1], in[2])...)
		return append(outputs, graph.Gradients(ops.Sum(backward), in...)...)
	})
	x := []float32{1e4, -1e4, 1e4, -1e4, 100, -100, 3e38, -3e38, 3e38}
	target := []float32{1, 1, -1, -1, -1, 1, 1, 1, 1e20}
	one := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}
	v := func(data []float32) *tensor.Dense {
		return tensor.New(tensor.WithShape(len(data)), tensor.WithBacking(data))
	}
	got, err := f.Run(v(one), v(x), v(target))
	require.NoError(t, err)
	zero := []float32{0, 0, 0, 0, 0, 0, 0, 0, 0}
	forX, forTarget := []float32{0, -1, 1, 0, 1, -1, 0, -1, 0}, []float32{0, 1e4, -1e4, 0, -100, 100, 0, 3e38, 0}
	for i, want := range [][]float32{
		{0, 1e4, 1e4, 0, 100, 100, 0, 3e38, 0}, // the loss
		forX,
		forX, forTarget, // its gradients
		forX, zero, {0, -1, -1, 0, -1, -1, 0, -1, 0}, // those of Backward
	} {
		for k := range want {
			// e^-100 is not quite 0.
			require.InDelta(t, want[k], got[i].Float32s()[k], 1e-40, "output %d, margin %v", i, x[k]*target[k])
		}
	}
}

// TestSecondDerivativesAreFinite takes activations where a square overflows in
// float16, far out on their straight ends: the second derivative is 0 there, not NaN.
func TestSecondDerivativesAreFinite(t *testing.T) {
	for name, f := range map[string]func(x *graph.Node) *graph.Node{
		"Tanh": ops.Tanh, "Sigmoid": ops.Sigmoid, "GELU": ops.GELU, "Softplus": ops.Softplus,
	} {
		got := run(t, newSession(t), func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			x := ops.Cast(in[0], device.Float16)
			slope := graph.Gradients(ops.Sum(f(x)), x)[0]
			return []*graph.Node{ops.Cast(graph.Gradients(ops.Sum(slope), x)[0], device.Float64)}
		}, vector(-60000, -300, 300, 60000))
		require.Empty(t, closeTo(got[0], vector(0, 0, 0, 0), 0), name)
	}
}
