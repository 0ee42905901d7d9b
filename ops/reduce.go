package ops

import (
	"fmt"
	"slices"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Sum returns the sum of x over the given axes, all if none is given, and drops
// them from the shape. Negative axes count from the last. Without elements it is 0.
func Sum(x *graph.Node, axes ...int) *graph.Node { return reduce(x, axes, false, sum) }

// SumKeepDims is [Sum] with the summed axes kept as dimensions of 1.
func SumKeepDims(x *graph.Node, axes ...int) *graph.Node { return reduce(x, axes, true, sum) }

// Mean returns the mean of x over the given axes, all if none is given, and drops
// them from the shape. Negative axes count from the last. Without elements it is NaN.
func Mean(x *graph.Node, axes ...int) *graph.Node { return reduce(x, axes, false, mean) }

// MeanKeepDims is [Mean] with the averaged axes kept as dimensions of 1.
func MeanKeepDims(x *graph.Node, axes ...int) *graph.Node { return reduce(x, axes, true, mean) }

// reduce resolves the axes and applies the reduction.
func reduce(x *graph.Node, axes []int, keepDims bool, apply func(*graph.Node, device.AxisSet, bool) *graph.Node) *graph.Node {
	if !x.Valid() {
		return apply(x, 0, keepDims)
	}
	rank := len(x.Shape())
	set := device.AllAxes(rank)
	if len(axes) > 0 {
		resolved := make([]int, len(axes))
		for i, a := range axes {
			if resolved[i] = a; a < 0 {
				resolved[i] = a + rank
			}
			if resolved[i] < 0 || resolved[i] >= rank || slices.Contains(resolved[:i], resolved[i]) {
				return x.Graph().Fail(fmt.Errorf("axes %v: each must be given once and lie in %d to %d for shape %s",
					axes, -rank, rank-1, device.ShapeString(x.Shape())))
			}
		}
		set, _ = device.Axes(resolved...) // they are in range
	}
	return apply(x, set, keepDims)
}

func sum(x *graph.Node, axes device.AxisSet, keepDims bool) *graph.Node {
	return graph.Apply(device.ReduceSum{Axes: axes, KeepDims: keepDims}, func(n, g *graph.Node) nodes {
		return nodes{spread(g, n.Input(0), axes)}
	}, x)
}

func mean(x *graph.Node, axes device.AxisSet, keepDims bool) *graph.Node {
	return graph.Apply(device.ReduceMean{Axes: axes, KeepDims: keepDims}, func(n, g *graph.Node) nodes {
		x := n.Input(0)
		count := float64(x.Type().Elements()) / float64(max(n.Type().Elements(), 1))
		return nodes{spread(divide(g, count), x, axes)}
	}, x)
}

// spread repeats the gradient of a reduction over the axes of x that were reduced.
func spread(g, x *graph.Node, axes device.AxisSet) *graph.Node {
	return BroadcastTo(Reshape(g, device.ReducedShape(x.Shape(), axes, true)...), x.Shape()...)
}

// SumTo returns the gradient summed over the axes along which x was broadcast,
// and cast to x's dtype: what a gradient rule owes an operand that took part in a
// broadcast or a promotion.
func SumTo(gradient, x *graph.Node) *graph.Node {
	if !gradient.Valid() || !x.Valid() {
		return gradient
	}
	from, to := gradient.Shape(), x.Shape()
	if !slices.Equal(from, to) {
		lead := len(from) - len(to)
		var axes []int
		for i, d := range from {
			if i < lead || to[i-lead] == 1 && d != 1 {
				axes = append(axes, i)
			}
		}
		gradient = Reshape(Sum(gradient, axes...), to...)
	}
	return Cast(gradient, x.DType())
}
