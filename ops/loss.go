package ops

import (
	"fmt"
	"slices"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// BCEWithLogits returns the binary cross-entropy of logits x against targets in
// [0, 1] of the same shape, max(x, 0) - x·target + log(1 + e^-|x|), reduced.
func BCEWithLogits(x, target *graph.Node, reduction device.Reduction) *graph.Node {
	if err := CheckTarget("BCEWithLogits", x, target); err != nil {
		return x.Graph().Fail(err)
	}
	return graph.Apply(device.BCEWithLogits{Reduction: reduction}, func(n, g *graph.Node) nodes {
		x, target := n.Input(0), n.Input(1)
		return nodes{
			SumTo(bceWithLogitsBackward(g, x, target, reduction), x),
			SumTo(Neg(Mul(x, ScaleForMean(g, x, reduction))), target),
		}
	}, x, target)
}

func bceWithLogitsBackward(gradOutput, x, target *graph.Node, reduction device.Reduction) *graph.Node {
	return graph.Apply(device.BCEWithLogitsBackward{Reduction: reduction}, func(n, g *graph.Node) nodes { // (σ(x) - target)·gradOutput·norm
		gradOutput, x, target := n.Input(0), n.Input(1), n.Input(2)
		outer := ScaleForMean(Mul(g, gradOutput), n, reduction)
		return nodes{
			SumTo(bceWithLogitsBackward(g, x, target, reduction), gradOutput),
			SumTo(Mul(outer, Mul(Sigmoid(x), Sigmoid(Neg(x)))), x),
			SumTo(Neg(outer), target),
		}
	}, gradOutput, x, target)
}

// Hinge returns the hinge loss max(0, 1 - target·x) of scores x against targets
// -1 and +1 of the same shape, reduced.
func Hinge(x, target *graph.Node, reduction device.Reduction) *graph.Node {
	if err := CheckTarget("Hinge", x, target); err != nil {
		return x.Graph().Fail(err)
	}
	return Reduce(hinge(x, target), reduction)
}

// SquaredHinge returns the squared hinge loss max(0, 1 - target·x)² of scores x
// against targets -1 and +1 of the same shape, reduced.
func SquaredHinge(x, target *graph.Node, reduction device.Reduction) *graph.Node {
	if err := CheckTarget("SquaredHinge", x, target); err != nil {
		return x.Graph().Fail(err)
	}
	return Reduce(Square(hinge(x, target)), reduction)
}

func hinge(x, target *graph.Node) *graph.Node {
	return ReLU(Sub(constant(x, 1), Mul(target, x)))
}

// Reduce returns x reduced to a scalar as a loss is, or x itself for none.
func Reduce(x *graph.Node, reduction device.Reduction) *graph.Node {
	switch reduction {
	case device.None:
		return x
	case device.Mean:
		return Mean(x)
	case device.Sum:
		return Sum(x)
	}
	return x.Graph().Fail(fmt.Errorf("%v is not one of none, mean, sum", reduction))
}

// ScaleForMean returns the gradient of a loss divided by the number of elements of
// x if the reduction is a mean, else the gradient.
func ScaleForMean(gradient, x *graph.Node, reduction device.Reduction) *graph.Node {
	if reduction != device.Mean {
		return gradient
	}
	return divide(gradient, float64(x.Type().Elements()))
}

// CheckTarget returns an error unless the predictions and targets of a loss have
// the same shape: (n,1) against (n) would broadcast to (n,n), the classic way to
// train on nonsense.
func CheckTarget(loss string, x, target *graph.Node) error {
	if !x.Valid() || !target.Valid() || slices.Equal(x.Shape(), target.Shape()) {
		return nil
	}
	return fmt.Errorf("%s: the target has shape %s, but the prediction %s; use ops.Reshape, or ops.BroadcastTo if the target is to be repeated",
		loss, device.ShapeString(target.Shape()), device.ShapeString(x.Shape()))
}
