package optim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// Logistic regression with a ridge penalty is strictly convex, so it has one
// optimum, whatever finds it. That of the whole of the breast cancer data,
// standardised, was found by Newton's method elsewhere.
func TestLogisticRegressionFindsTheOptimum(t *testing.T) {
	frame := dataset.BreastCancer()
	encoder, err := dataset.FitEncoder(frame, dataset.EncoderOptions{})
	require.NoError(t, err)
	matrix, err := encoder.Transform(frame)
	require.NoError(t, err)
	batches, err := matrix.Batches(matrix.Rows(), 1, tensor.Float64)
	require.NoError(t, err)
	x, y := batches.At(0)

	// The curvature lies between 0.01, of the penalty, and about 3.3, a quarter of
	// the largest eigenvalue of the features' correlations. These are Nesterov's
	// step 1/L and momentum (√κ-1)/(√κ+1) for it.
	opt := optim.SGD{LR: optim.Constant(0.3), Momentum: 0.9, Nesterov: true}
	model := func(g *graph.Graph, in []*graph.Node) (objective, loss *graph.Node) {
		w := g.Parameter("w", device.Type{DType: device.Float64, Shape: []int{30, 1}}, nil)
		b := g.Parameter("b", device.Type{DType: device.Float64, Shape: []int{1}}, nil)
		loss = softmarginloss.Forward(ops.Linear(in[0], w, b), in[1], device.Mean)
		penalty := ops.Mul(g.Constant(device.Float64, 0.005), ops.Sum(ops.Square(w)))
		return ops.Add(loss, penalty), loss
	}
	s := newSession(t)
	step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		objective, _ := model(g, in)
		optim.Minimize(g, opt, objective)
		return []*graph.Node{objective}
	})
	evaluate := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		objective, loss := model(g, in)
		return []*graph.Node{objective, loss}
	})
	for range 1000 {
		_, err := step.RunScalar(x, y)
		require.NoError(t, err)
	}
	out, err := evaluate.Run(x, y)
	require.NoError(t, err)
	require.InDelta(t, 0.09959137548, out[0].Float64s()[0], 1e-7, "objective")
	require.InDelta(t, 0.07283328652, out[1].Float64s()[0], 1e-7, "mean loss")
}
