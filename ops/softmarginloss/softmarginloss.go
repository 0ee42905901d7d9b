// Package softmarginloss is the soft margin loss, forward and backward,
//
//	loss_i = log(1 + exp(-target_i · self_i))
//	grad_i = -target_i · sigmoid(-target_i · self_i) · gradOutput_i · norm
//
// as nodes of a graph, [Forward] and [Backward], and as the two-phase call on a
// device without a graph, [ForwardGetWorkspaceSize] and
// [BackwardGetWorkspaceSize], named and ordered as CANN's aclnnSoftMarginLoss
// and aclnnSoftMarginLossBackward.
//
// The margin target·self says how right a score is; the loss is its softplus,
// logistic regression's loss for targets -1 and +1. It is computed as
// max(0, -m) + log1p(exp(-|m|)) of the margin m, so that it and its
// gradient are finite and accurate for every finite score; the literal formula
// overflows near |m| = 88 in float32, exactly where a model is most wrong.
package softmarginloss

import (
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// Forward returns the soft margin loss of scores self against targets -1 and +1
// (any value is legal) of the same shape, reduced: of self's shape for
// [device.None], else a scalar. Other shapes are an error, so that a broadcast is
// always asked for, with ops.BroadcastTo. Of no elements the mean is NaN and the sum 0.
func Forward(self, target *graph.Node, reduction device.Reduction) *graph.Node {
	if err := ops.CheckTarget("SoftMarginLoss", self, target); err != nil {
		return self.Graph().Fail(err)
	}
	return graph.Apply(device.SoftMarginLoss{Reduction: reduction}, func(n, g *graph.Node) []*graph.Node {
		self, target := n.Input(0), n.Input(1)
		return []*graph.Node{
			ops.SumTo(Backward(g, self, target, reduction), self),
			ops.SumTo(Backward(g, target, self, reduction), target), // the loss is symmetric in the two
		}
	}, self, target)
}

// Backward returns the gradient of the loss for self, given the gradient of the
// final result for the loss: gradOutput is a scalar for mean and sum, but any shape
// that broadcasts with self's is legal. With self and target exchanged it is the gradient for
// target. It can be differentiated again, for all three operands.
func Backward(gradOutput, self, target *graph.Node, reduction device.Reduction) *graph.Node {
	if err := ops.CheckTarget("SoftMarginLossBackward", self, target); err != nil {
		return self.Graph().Fail(err)
	}
	return graph.Apply(device.SoftMarginLossBackward{Reduction: reduction}, func(n, g *graph.Node) []*graph.Node {
		// With p = σ(-ts) and q = σ(ts) = 1 - p, and p' = -pq:
		//   d(-tp)/ds = t²pq    d(-tp)/dt = tspq - p
		// taken in an order that is finite where t² or ts is not.
		gradOutput, self, target := n.Input(0), n.Input(1), n.Input(2)
		margin := ops.Mul(target, self)
		p, q := ops.Sigmoid(ops.Neg(margin)), ops.Sigmoid(margin)
		tpq := ops.Mul(target, ops.Mul(p, q))
		outer := ops.ScaleForMean(ops.Mul(g, gradOutput), n, reduction)
		return []*graph.Node{
			ops.SumTo(Backward(g, self, target, reduction), gradOutput),
			ops.SumTo(ops.Mul(outer, ops.Mul(target, tpq)), self),
			ops.SumTo(ops.Mul(outer, ops.Sub(ops.Mul(self, tpq), p)), target),
		}
	}, gradOutput, self, target)
}
