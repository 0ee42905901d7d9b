package optim

import (
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// ClipNorm returns the gradients, all multiplied by min(1, maximum/(norm + 1e-6)),
// where norm is the Euclidean norm of all their elements together (Pascanu, Mikolov
// and Bengio, 2013, arXiv:1211.5063), as PyTorch's clip_grad_norm_ does. The norm
// is computed in float64 for float64 gradients, in float32 for others. Gradients
// that are not finite are not hidden: one NaN makes all elements NaN, and an
// infinite element becomes NaN and the finite ones 0. Where the sum of the squares overflows
// (float32 from about 1.8·10¹⁹ on), the gradients become 0. The maximum must be finite
// and above 0.
func ClipNorm(gradients []*graph.Node, maximum float64) []*graph.Node {
	if !clippable("ClipNorm", gradients, maximum) {
		return gradients
	}
	var square *graph.Node
	for _, g := range gradients {
		wide := g
		if g.DType() != device.Float64 {
			wide = ops.Cast(g, device.Float32) // the square of a float16 overflows early
		}
		s := ops.Sum(ops.Square(wide))
		if square == nil {
			square = s
		} else {
			square = ops.Add(square, s)
		}
	}
	if !square.Valid() {
		return gradients
	}
	scalar := func(v float64) *graph.Node { return square.Graph().Constant(square.DType(), v) }
	norm := ops.Add(ops.Sqrt(square), scalar(1e-6))
	scale := ops.Div(scalar(maximum), ops.Maximum(norm, scalar(maximum)))
	clipped := make([]*graph.Node, len(gradients))
	for i, g := range gradients {
		clipped[i] = ops.Cast(ops.Mul(g, scale), g.DType())
	}
	return clipped
}

// ClipValue returns the gradients with each element moved into [-maximum, maximum],
// as PyTorch's clip_grad_value_ does. NaN stays NaN. The maximum must be finite and
// above 0.
func ClipValue(gradients []*graph.Node, maximum float64) []*graph.Node {
	if !clippable("ClipValue", gradients, maximum) {
		return gradients
	}
	clipped := make([]*graph.Node, len(gradients))
	for i, g := range gradients {
		lowest := g.Graph().Constant(g.DType(), -maximum)
		clipped[i] = ops.Neg(ops.Maximum(ops.Neg(ops.Maximum(g, lowest)), lowest)) // min(x, m) = -max(-x, -m)
	}
	return clipped
}

// clippable reports whether there are gradients to clip, and records what is wrong
// with the arguments.
func clippable(name string, gradients []*graph.Node, maximum float64) bool {
	if len(gradients) == 0 {
		return false
	}
	g := graphOf(gradients)
	if !(maximum > 0) || math.IsInf(maximum, 1) {
		g.Fail(fmt.Errorf("%s: the maximum is %v, but must be finite and above 0", name, maximum))
	}
	for i, n := range gradients {
		if n == nil {
			g.Fail(fmt.Errorf("%s: gradient %d is nil", name, i))
		}
	}
	return g.Err() == nil
}
