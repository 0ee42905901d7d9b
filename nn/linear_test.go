package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/optim"
)

// Parameters have the precision to be trained in, whatever the input has, and the
// output has the input's.
func TestLinearDTypes(t *testing.T) {
	layer := nn.Linear{Name: "layer", In: 3, Out: 2, Seed: 1}
	for _, c := range []struct {
		input, parameters device.DType
		tolerance         float64 // some roundings of sums below 2
	}{
		{device.Float64, device.Float64, 0x1p-50},
		{device.Float32, device.Float32, 0x1p-22},
		{device.Float16, device.Float32, 0x1p-9},
		{device.BFloat16, device.Float32, 0x1p-6},
	} {
		t.Run(c.input.String(), func(t *testing.T) {
			s := newSession(t)
			f := forward(s, func(x *graph.Node) *graph.Node {
				y := layer.Forward(ops.Cast(x, c.input))
				require.Equal(t, device.Type{DType: c.input, Shape: []int{2, 2}}, y.Type())
				for i, shape := range [][]int{{3, 2}, {2}} {
					require.Equal(t, device.Type{DType: c.parameters, Shape: shape}, x.Graph().Parameters()[i].Type())
				}
				return ops.Cast(y, device.Float64)
			})
			x := []float64{0.5, -1, 2, 0.25, 1.5, -0.75} // exact in every dtype
			out := run(t, f, matrix(2, 3, x))[0].Float64s()
			require.Equal(t, []string{"layer/weight", "layer/bias"}, s.Parameters())

			w := fill(nn.XavierUniform, 1, "layer/weight", 3, 2)
			for i := range 2 {
				for j := range 2 {
					want := x[3*i]*w[j] + x[3*i+1]*w[2+j] + x[3*i+2]*w[4+j]
					require.InDelta(t, want, out[2*i+j], c.tolerance)
				}
			}
		})
	}
}

// Steps that are too small for a float16 to show are kept by the float32
// parameters: 1 - 1e-4 rounded to float16 is 1.
func TestMasterWeights(t *testing.T) {
	ones := func(uint64, string, int, int) graph.Initializer {
		return func(values []float64) {
			for i := range values {
				values[i] = 1
			}
		}
	}
	layer := nn.Linear{Name: "layer", In: 1, Out: 1, Init: ones}
	s := newSession(t)
	step := forward(s, func(x *graph.Node) *graph.Node {
		y := layer.Forward(x)
		optim.Minimize(x.Graph(), optim.SGD{LR: optim.Constant(1e-4)}, ops.Sum(y))
		return y
	})
	one := matrix(1, 1, []float16.Float16{float16.Fromfloat32(1)})
	require.Equal(t, []float16.Float16{float16.Fromfloat32(1)}, run(t, step, one)[0].Data())
	for range 9 {
		run(t, step, one)
	}
	require.InDelta(t, 0.999, value(t, s, "layer/weight").Float32s()[0], 1e-6)
	require.InDelta(t, -0.001, value(t, s, "layer/bias").Float32s()[0], 1e-9)
}
