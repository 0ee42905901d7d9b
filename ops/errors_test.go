package ops_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// line returns the caller's line.
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

// TestErrors makes each mistake that a caller can make; the error must say what
// was wrong, and point to the line in this file that made the call.
func TestErrors(t *testing.T) {
	f32 := func(shape ...int) device.Type { return device.Type{DType: device.Float32, Shape: shape} }
	f64 := func(shape ...int) device.Type { return device.Type{DType: device.Float64, Shape: shape} }
	type types = []device.Type
	type in = []*graph.Node
	const r = device.Reduction(3)
	mean := device.Mean
	for _, c := range []struct {
		line  int
		build func(x in) *graph.Node
		types types
		want  string
	}{
		{line(), func(x in) *graph.Node { return ops.Add(x[0], x[1]) }, types{f32(2, 3), f32(2, 4)}, "Add: other: shape [2,4] does not broadcast with [2,3]"},
		{line(), func(x in) *graph.Node { return ops.Sub(x[0], x[1]) }, types{f32(3), f32(2)}, "Sub: other: shape [2] does not broadcast with [3]"},
		{line(), func(x in) *graph.Node { return ops.Mul(x[0], x[1]) }, types{f32(3, 1), f32(2, 2)}, "Mul: other: shape [2,2] does not broadcast with [3,1]"},
		{line(), func(x in) *graph.Node { return ops.Div(x[0], x[1]) }, types{f32(0), f32(2)}, "Div: other: shape [2] does not broadcast with [0]"},
		{line(), func(x in) *graph.Node { return ops.Maximum(x[0], x[1]) }, types{f32(3), f64(3)}, "Maximum: other: float64 does not mix with float32; float64 goes only with float64, so cast one of them"},
		{line(), func(x in) *graph.Node { return ops.Exp(nil) }, types{f32(1)}, "Exp: self: the tensor is missing (161001"},
		{line(), func(x in) *graph.Node { return ops.Add(x[0], nil) }, types{f32(1)}, "Add: other: the tensor is missing (161001"},
		{line(), func(x in) *graph.Node { return ops.Cast(x[0], 0) }, types{f32(1)}, "Cast: To: dtype(0) is not one of float32, float16, bfloat16, float64"},

		{line(), func(x in) *graph.Node { return ops.Sum(x[0], 2) }, types{f32(2, 3)}, "axes [2]: each must be given once and lie in -2 to 1 for shape [2,3]"},
		{line(), func(x in) *graph.Node { return ops.SumKeepDims(x[0], -3) }, types{f32(2, 3)}, "axes [-3]: each must be given once and lie in -2 to 1 for shape [2,3]"},
		{line(), func(x in) *graph.Node { return ops.Mean(x[0], 1, -1) }, types{f32(2, 3)}, "axes [1 -1]: each must be given once and lie in -2 to 1 for shape [2,3]"},
		{line(), func(x in) *graph.Node { return ops.MeanKeepDims(x[0], 0, 0) }, types{f32(2, 3)}, "axes [0 0]: each must be given once and lie in -2 to 1 for shape [2,3]"},

		{line(), func(x in) *graph.Node { return ops.Reshape(x[0], 4) }, types{f32(2, 3)}, "Reshape: shape: [4] holds 4 elements, but [2,3] has 6"},
		{line(), func(x in) *graph.Node { return ops.Reshape(x[0], 4, -1) }, types{f32(2, 3)}, "Reshape: [4,-1] does not divide the 6 elements of [2,3]; one dimension may be -1, the others must divide the number of elements"},
		{line(), func(x in) *graph.Node { return ops.Reshape(x[0], -1, -1) }, types{f32(2, 3)}, "Reshape: [-1,-1] does not divide the 6 elements of [2,3]"},
		{line(), func(x in) *graph.Node { return ops.Reshape(x[0], -2, -3) }, types{f32(2, 3)}, "Reshape: shape: dimension 0 of [-2,-3] is negative"},
		{line(), func(x in) *graph.Node { return ops.Reshape(x[0], 1, 1, 1, 1, 1, 1, 1, 1, 6) }, types{f32(2, 3)}, "Reshape: shape: [1,1,1,1,1,1,1,1,6] has rank 9, more than the 8 dimensions that are supported"},
		{line(), func(x in) *graph.Node { return ops.Transpose(x[0], 0, 0) }, types{f32(2, 3)}, "Transpose: permutation: [0,0] is not a permutation of the 2 axes of [2,3]"},
		{line(), func(x in) *graph.Node { return ops.Transpose(x[0], 1, 2) }, types{f32(2, 3)}, "Transpose: permutation: [1,2] is not a permutation of the 2 axes of [2,3]"},
		{line(), func(x in) *graph.Node { return ops.Transpose(x[0], 0, -1) }, types{f32(2, 3)}, "Transpose: permutation: [0,-1] is not a permutation of the 2 axes of [2,3]"},
		{line(), func(x in) *graph.Node { return ops.Transpose(x[0], 0) }, types{f32(2, 3)}, "Transpose: permutation: [0] is not a permutation of the 2 axes of [2,3]"},
		{line(), func(x in) *graph.Node { return ops.BroadcastTo(x[0], 3, 2) }, types{f32(2, 3)}, "BroadcastTo: shape: [2,3] does not broadcast to [3,2]"},
		{line(), func(x in) *graph.Node { return ops.BroadcastTo(x[0], 3) }, types{f32(2, 3)}, "BroadcastTo: shape: [2,3] does not broadcast to [3]"},
		{line(), func(x in) *graph.Node { return ops.BroadcastTo(x[0], 1, 1, 1, 1, 1, 1, 1, 2, 3) }, types{f32(2, 3)}, "BroadcastTo: shape: [1,1,1,1,1,1,1,2,3] has rank 9"},
		{line(), func(x in) *graph.Node { return ops.SumTo(x[0], x[1]) }, types{f32(2, 3), f32(4)}, "holds 4 elements"},

		{line(), func(x in) *graph.Node { return ops.MatMul(x[0], x[1]) }, types{f32(2, 3), f32(2, 3)}, "MatMul: other: [2,3] by [2,3]: the inner dimensions 3 and 2 differ"},
		{line(), func(x in) *graph.Node { return ops.MatMulTransposed(x[0], x[1], true, true) }, types{f32(2, 3), f32(2, 3)}, "MatMul: other: [3,2] by [3,2]: the inner dimensions 2 and 3 differ"},
		{line(), func(x in) *graph.Node { return ops.MatMul(x[0], x[1]) }, types{f32(2, 3), f32(3)}, "MatMul: other: shape [3] is not a matrix; rank 2 is needed"},
		{line(), func(x in) *graph.Node { return ops.Linear(x[0], x[1], x[2]) }, types{f32(2, 3), f32(3, 4), f32(1, 4)}, "Linear: bias: shape [1,4] is not [4]"},

		{line(), func(x in) *graph.Node { return ops.Dropout(x[0], 1, 0) }, types{f32(2)}, "Dropout: P: the dropped share is 1, but must be in [0, 1)"},
		{line(), func(x in) *graph.Node { return ops.Dropout(x[0], -0.1, 0) }, types{f32(2)}, "Dropout: P: the dropped share is -0.1, but must be in [0, 1)"},

		{line(), func(x in) *graph.Node { return ops.BCEWithLogits(x[0], x[1], mean) }, types{f32(5, 1), f32(5)}, "BCEWithLogits: the target has shape [5], but the prediction [5,1]; use ops.Reshape"},
		{line(), func(x in) *graph.Node { return ops.Hinge(x[0], x[1], mean) }, types{f32(5, 1), f32(5)}, "Hinge: the target has shape [5], but the prediction [5,1]; use ops.Reshape"},
		{line(), func(x in) *graph.Node { return ops.SquaredHinge(x[0], x[1], mean) }, types{f32(5), f32(5, 1)}, "SquaredHinge: the target has shape [5,1], but the prediction [5]; use ops.Reshape"},
		{line(), func(x in) *graph.Node { return softmarginloss.Forward(x[0], x[1], mean) }, types{f32(5, 1), f32(5)}, "SoftMarginLoss: the target has shape [5], but the prediction [5,1]; use ops.Reshape"},
		{line(), func(x in) *graph.Node { return softmarginloss.Backward(x[0], x[0], x[1], mean) }, types{f32(5, 1), f32(5)}, "SoftMarginLossBackward: the target has shape [5], but the prediction [5,1]; use ops.Reshape"},
		{line(), func(x in) *graph.Node { return softmarginloss.Backward(x[1], x[0], x[0], mean) }, types{f32(5), f32(4)}, "SoftMarginLossBackward: self: shape [5] does not broadcast with [4]"},
		{line(), func(x in) *graph.Node { return ops.BCEWithLogits(x[0], x[1], r) }, types{f32(5), f32(5)}, "BCEWithLogits: reduction: 3 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{line(), func(x in) *graph.Node { return softmarginloss.Forward(x[0], x[1], r) }, types{f32(5), f32(5)}, "SoftMarginLoss: reduction: 3 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{line(), func(x in) *graph.Node { return softmarginloss.Backward(x[0], x[0], x[1], r) }, types{f32(5), f32(5)}, "SoftMarginLossBackward: reduction: 3 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{line(), func(x in) *graph.Node { return ops.Hinge(x[0], x[1], r) }, types{f32(5), f32(5)}, "reduction(3) is not one of none, mean, sum"},
		{line(), func(x in) *graph.Node { return ops.Reduce(x[0], r) }, types{f32(5)}, "reduction(3) is not one of none, mean, sum"},

		{line(), func(x in) *graph.Node { return graph.Gradients(ops.Exp(x[0]), x[0])[0] }, types{f32(5)}, "Gradients: Exp has shape [5], but only a value of one element can be differentiated; reduce it with Sum or Mean"},
		{line(), func(x in) *graph.Node { return graph.Gradients(ops.Sum(x[0]), x[0], x[1])[1] }, types{f32(5), f32(5)}, "Gradients: ReduceSum is not computed from x 1, input 1, so there is no gradient for it"},
	} {
		f := newSession(t).Function(func(_ *graph.Graph, x []*graph.Node) []*graph.Node {
			n := c.build(x)
			require.False(t, n.Valid(), c.want)
			return []*graph.Node{ops.Exp(n)} // what follows is inert
		})
		_, err := f.Trace(c.types...)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, fmt.Sprintf("errors_test.go:%d: ", c.line))
	}
}

// TestErrorsAreTheDevices checks that a device's refusal can be told from the graph's error.
func TestErrorsAreTheDevices(t *testing.T) {
	f := newSession(t).Function(func(_ *graph.Graph, x []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(x[0], x[1])}
	})
	_, err := f.Run(vector(1, 2).dense(), vector(1, 2, 3).dense())
	var refusal *device.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, device.ErrParamInvalid, refusal.Code)
	require.Equal(t, "Add", refusal.Op)
	require.Equal(t, "other", refusal.Arg)
}

// TestBuildersAfterAnError checks that no builder panics on inert or nil nodes.
func TestBuildersAfterAnError(t *testing.T) {
	s := newSession(t)
	for _, c := range cases() {
		types := make([]device.Type, len(c.inputs))
		for i, a := range c.inputs {
			types[i] = device.Type{DType: device.Float32, Shape: a.shape}
		}
		for name, node := range map[string]func(g *graph.Graph) *graph.Node{
			"inert": func(g *graph.Graph) *graph.Node { return g.Fail(fmt.Errorf("the first mistake")) },
			"nil":   func(*graph.Graph) *graph.Node { return nil },
		} {
			f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				for i := range in {
					in[i] = node(g)
				}
				n := c.build(in)
				require.True(t, !n.Valid() || len(c.inputs) == 0, c.name)
				return []*graph.Node{n}
			})
			_, err := f.Trace(types...)
			require.Error(t, err, c.name)
			if name == "inert" {
				require.ErrorContains(t, err, "the first mistake", c.name)
			}
		}
	}
}
