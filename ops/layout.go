package ops

import (
	"fmt"
	"slices"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Reshape returns the elements of x in row-major order under another shape of as many
// elements. One dimension may be -1: it follows from the others.
func Reshape(x *graph.Node, shape ...int) *graph.Node {
	if x.Valid() {
		if slices.Equal(shape, x.Shape()) {
			return x
		}
		if i := slices.Index(shape, -1); i >= 0 {
			full := slices.Clone(shape)
			full[i] = 1
			rest := device.Elements(full)
			if rest <= 0 || x.Type().Elements()%rest != 0 {
				return x.Graph().Fail(fmt.Errorf("Reshape: %s does not divide the %d elements of %s; one dimension may be -1, the others must divide the number of elements",
					device.ShapeString(shape), x.Type().Elements(), device.ShapeString(x.Shape())))
			}
			full[i] = x.Type().Elements() / rest
			shape = full
		}
	}
	to, err := device.MakeDims(shape)
	if err != nil {
		return x.Graph().Fail(fmt.Errorf("Reshape: %w", err))
	}
	return graph.Apply(device.Reshape{To: to}, func(n, g *graph.Node) nodes {
		return nodes{Reshape(g, n.Input(0).Shape()...)}
	}, x)
}

// Transpose returns x with its axes in the given order: axis i of the result is
// axis permutation[i] of x. Without a permutation the axes are reversed.
func Transpose(x *graph.Node, permutation ...int) *graph.Node {
	permutation = slices.Clone(permutation) // the gradient rule keeps it
	if len(permutation) == 0 {
		for i := len(x.Shape()) - 1; i >= 0; i-- {
			permutation = append(permutation, i)
		}
	}
	p, err := device.MakeDims(permutation)
	if err != nil {
		return x.Graph().Fail(fmt.Errorf("Transpose: %w", err))
	}
	return graph.Apply(device.Transpose{Permutation: p}, func(_, g *graph.Node) nodes {
		inverse := make([]int, len(permutation))
		for i, axis := range permutation {
			inverse[axis] = i
		}
		return nodes{Transpose(g, inverse...)}
	}, x)
}

// BroadcastTo returns x repeated to the given shape by NumPy's rule.
func BroadcastTo(x *graph.Node, shape ...int) *graph.Node {
	if x.Valid() && slices.Equal(shape, x.Shape()) {
		return x
	}
	to, err := device.MakeDims(shape)
	if err != nil {
		return x.Graph().Fail(fmt.Errorf("BroadcastTo: %w", err))
	}
	return graph.Apply(device.BroadcastTo{To: to}, func(n, g *graph.Node) nodes { return nodes{SumTo(g, n.Input(0))} }, x)
}
