package softmarginloss_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// TestNodesAndCallsAgree compares the loss and its gradients as nodes of a graph with
// the two-phase calls, bit by bit. The gradient for the target is the call with self and target exchanged.
func TestNodesAndCallsAgree(t *testing.T) {
	shape := []int{3, 4}
	self := []float64{0.5, -1, 2, -20, 90, -90, 0, 1e-3, -0.25, 3, 7, -7}
	target := []float64{1, 1, -1, -1, 1, 1, -1, 1, 0.3, -1.5, 1, -1}
	gradOutput := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	b := newBench(t, "cpu")
	session, err := graph.NewSession(b.device)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	host := func(shape []int, values []float64) *tensor.Dense {
		x := graph.NewTensor(device.Type{DType: device.Float32, Shape: shape})
		for i, v := range values {
			x.Float32s()[i] = float32(v)
		}
		return x
	}
	for _, r := range []device.Reduction{device.None, device.Mean, device.Sum} {
		gradShape, grads := shape, gradOutput
		if r != device.None {
			gradShape, grads = nil, gradOutput[2:3]
		}
		f := session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			loss := softmarginloss.Forward(in[1], in[2], r)
			weighted := ops.Sum(ops.Mul(in[0], loss)) // so that gradOutput reaches the loss
			return append([]*graph.Node{loss}, graph.Gradients(weighted, in[1], in[2])...)
		})
		nodes, err := f.Run(host(gradShape, grads), host(shape, self), host(shape, target))
		require.NoError(t, err)

		x, y, g := b.values(device.Float32, shape, self...), b.values(device.Float32, shape, target...), b.values(device.Float32, gradShape, grads...)
		for i, call := range []call{
			{forward: true, self: x, target: y, reduction: r},
			{gradOutput: g, self: x, target: y, reduction: r},
			{gradOutput: g, self: y, target: x, reduction: r},
		} {
			typ := device.Type{DType: device.Float32, Shape: nodes[i].Shape()}
			got := b.run(call, typ, device.RowMajor(typ.Shape))
			for k, v := range nodes[i].Float32s() {
				require.Equal(t, float64(v), got[k], "reduction %v, output %d, element %d", r, i, k)
			}
		}
	}
}
