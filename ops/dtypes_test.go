package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// TestMixedDTypes gives every builder operands of different dtypes. Values have the
// promoted dtype, gradients that of their operand, at both orders, and all are near
// those that float64 gives for the same values.
func TestMixedDTypes(t *testing.T) {
	s := newSession(t)
	for _, dtypes := range [][]device.DType{
		{device.Float32}, {device.Float16}, {device.BFloat16}, {device.Float32, device.Float16}, {device.Float16, device.Float32},
		{device.BFloat16, device.Float16}, {device.Float16, device.Float32, device.BFloat16},
	} {
		for _, c := range cases() {
			if c.builder() == "Sign" {
				continue // no gradient
			}
			name := fmt.Sprint(c.name, dtypes)
			// Each input is rounded to its dtype, and computed with in it or in float64.
			model := func(exact bool) graph.Model {
				return func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
					rounded := make([]*graph.Node, len(in))
					promoted := dtypes[0]
					for i, x := range in {
						rounded[i] = ops.Cast(x, dtypes[i%len(dtypes)])
						promoted, _ = device.Promote(promoted, rounded[i].DType())
						if exact {
							rounded[i] = ops.Cast(rounded[i], device.Float64)
						}
					}
					checked := c.checkedOf(rounded)
					y := c.build(rounded)
					if !exact && c.checked == nil {
						require.Equal(t, promoted, y.DType(), name)
					}
					first := graph.Gradients(ops.Sum(ops.Square(y)), checked...)
					sum := y.Graph().Constant(device.Float64, 0)
					for i, g := range first {
						require.Equal(t, checked[i].Type(), g.Type(), name)
						sum = ops.Add(sum, ops.Sum(ops.Cast(g, device.Float64)))
					}
					outputs := append([]*graph.Node{y}, first...)
					for _, x := range checked {
						if sum.DependsOn(x) {
							second := graph.Gradients(sum, x)[0]
							require.Equal(t, x.Type(), second.Type(), name)
							outputs = append(outputs, second)
						}
					}
					for i, out := range outputs {
						outputs[i] = ops.Cast(out, device.Float64)
					}
					return outputs
				}
			}
			got, want := run(t, s, model(false), c.inputs...), run(t, s, model(true), c.inputs...)
			for i := range want {
				require.Empty(t, closeToLargest(got[i], want[i], tolerance(dtypes)), "%s: output %d", name, i)
			}
		}
	}
}

// tolerance allows for some roundings of the coarsest dtype.
func tolerance(dtypes []device.DType) float64 {
	unit := 0.
	for _, d := range dtypes {
		unit = max(unit, map[device.DType]float64{device.Float32: 0x1p-24, device.Float16: 0x1p-11, device.BFloat16: 0x1p-8}[d])
	}
	return 16 * unit
}

// closeToLargest returns a complaint unless the values are equal within tolerance, relative to the largest.
func closeToLargest(got, want array, tolerance float64) string {
	largest := 1.
	for _, w := range want.data {
		largest = max(largest, math.Abs(w))
	}
	return closeTo(got, want, tolerance*largest)
}

// TestCast compares conversions with Go's own and with exact values.
func TestCast(t *testing.T) {
	s := newSession(t)
	x := []float64{0, 1, -1, 0.1, 1. / 3, 1 + 0x1p-11, 1 + 0x3p-11, 65504, 65520, -1e-8, 3e38, 1e-45, math.Inf(1), math.Inf(-1), math.NaN()}
	to := func(dtypes ...device.DType) []float64 {
		return run(t, s, func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			y := in[0]
			for _, d := range dtypes {
				y = ops.Cast(y, d)
			}
			return []*graph.Node{ops.Cast(y, device.Float64)}
		}, array{[]int{len(x)}, x})[0].data
	}
	single, half, brain := to(device.Float32), to(device.Float16), to(device.BFloat16)
	for i, v := range x {
		want := float64(float32(v))
		require.True(t, single[i] == want || v != v && math.IsNaN(single[i]), "float32(%v) = %v", v, single[i])
		want = float64(float16.Fromfloat32(float32(v)).Float32())
		require.True(t, half[i] == want || v != v && math.IsNaN(half[i]), "float16(%v) = %v, want %v", v, half[i], want)
	}
	// bfloat16 has 8 significant bits: 1/3 = 0.0101010101… in binary.
	require.Equal(t, []float64{0, 1, -1, 0x1.9ap-4, 0x1.56p-2, 1, 1, 65536, 65536}, brain[:9])
	require.Equal(t, single[:len(x)-1], to(device.Float64, device.Float32, device.Float64, device.Float32)[:len(x)-1], "a chain")
}

// TestCastGradient checks that the gradient comes back in the operand's dtype, through a chain of casts.
func TestCastGradient(t *testing.T) {
	s := newSession(t)
	got := run(t, s, func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		x := ops.Cast(in[0], device.Float32)
		y := ops.Cast(ops.Cast(x, device.Float16), device.Float32)
		gradients := graph.Gradients(ops.Sum(ops.Mul(y, y)), x, in[0])
		require.Equal(t, device.Float32, gradients[0].DType())
		require.Equal(t, device.Float64, gradients[1].DType())
		return []*graph.Node{gradients[1]}
	}, array{[]int{2}, []float64{0.5, 1 + 0x1p-12}})
	require.Equal(t, []float64{1, 2}, got[0].data)
}

// TestMeanGradientInFloat16 has more elements than float16 can count.
func TestMeanGradientInFloat16(t *testing.T) {
	const n = 1 << 17
	s := newSession(t)
	zeros, ones := make([]float16.Float16, n), make([]float16.Float16, n)
	for i := range ones {
		ones[i] = float16.Fromfloat32(1)
	}
	for _, c := range []struct {
		name  string
		build func(x, ones *graph.Node) *graph.Node
		want  float32
	}{
		{"Mean", func(x, _ *graph.Node) *graph.Node { return ops.Mean(x) }, 1. / n},
		{"BCEWithLogits for the target", func(x, ones *graph.Node) *graph.Node { return ops.BCEWithLogits(ones, x, device.Mean) }, -1. / n},
	} {
		f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			return graph.Gradients(c.build(in[0], in[1]), in[0])
		})
		got, err := f.Run(tensor.New(tensor.WithShape(n), tensor.WithBacking(zeros)), tensor.New(tensor.WithShape(n), tensor.WithBacking(ones)))
		require.NoError(t, err)
		for _, g := range got[0].Data().([]float16.Float16) {
			if g.Float32() != c.want {
				require.Equal(t, c.want, g.Float32(), c.name)
			}
		}
	}
}
