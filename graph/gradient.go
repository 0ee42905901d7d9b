package graph

import (
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/device"
)

// Gradients appends the nodes that compute the derivative of y, which must have
// one element, for each of xs, and returns them in order, each of its x's type.
// Where a value is used several times, the gradients of its uses are added. A
// derivative that is zero because no gradient flows (a step function lies
// between) is a node of zeros. An x that y is not computed from is an error, as
// it is nearly always a mistake; see [Node.DependsOn].
//
// This is reverse-mode differentiation: one pass from y back to xs, see
// Griewank and Walther, Evaluating Derivatives, 2008.
func Gradients(y *Node, xs ...*Node) []*Node {
	g := graphOf(append([]*Node{y}, xs...))
	result := make([]*Node, len(xs))
	for i := range result {
		result[i] = &Node{graph: g}
	}
	if g.err != nil {
		return result
	}
	if y == nil {
		g.Fail(errors.New("Gradients: the value to differentiate is nil"))
		return result
	}
	if y.typ.Elements() != 1 {
		g.Fail(fmt.Errorf("Gradients: %s has shape %s, but only a value of one element can be differentiated; reduce it with Sum or Mean",
			y.Name(), device.ShapeString(y.typ.Shape)))
		return result
	}
	used := g.ancestors(y)
	for i, x := range xs {
		if x == nil {
			g.Fail(fmt.Errorf("Gradients: x %d is nil", i))
			return result
		}
		if x.Valid() && x.graph != g {
			g.Fail(fmt.Errorf("Gradients: x %d, %s, belongs to another graph; nodes can be used only within the function call that made them", i, x.Name()))
			return result
		}
		if !x.Valid() || x.id > y.id || !used[x.id] {
			g.Fail(fmt.Errorf("Gradients: %s is not computed from x %d, %s, so there is no gradient for it", y.Name(), i, x.Name()))
			return result
		}
	}
	defer func() { g.within = nil }()
	onPath := g.dependents(xs...)
	gradients := make([]*Node, y.id+1)
	gradients[y.id] = g.filled(y.typ, 1)
	for id := y.id; id >= 0; id-- {
		n := g.nodes[id]
		if gradients[id] == nil || !onPath[id] || n.op == nil {
			continue
		}
		if n.gradients == nil {
			g.Fail(fmt.Errorf("Gradients: %s at %s has no gradient rule; give graph.Apply one, graph.ZeroGradient if the derivative is zero", n.Name(), n.Position()))
			return result
		}
		g.within = n.position
		flow := n.gradients(n, gradients[id])
		if g.err != nil {
			return result
		}
		if len(flow) != len(n.inputs) {
			g.Fail(fmt.Errorf("%s: its gradient rule gave %d gradients for %d inputs", n.Name(), len(flow), len(n.inputs)))
			return result
		}
		for i, in := range n.inputs {
			switch gradient := flow[i]; {
			case gradient == nil || !onPath[in.id]:
			case !gradient.typ.Equal(in.typ):
				g.Fail(fmt.Errorf("%s: its gradient rule gave %s for input %d, which is %s", n.Name(), gradient.typ, i, in.typ))
				return result
			case gradients[in.id] == nil:
				gradients[in.id] = gradient
			default:
				gradients[in.id] = Apply(device.Add{}, sameGradients, gradients[in.id], gradient)
			}
		}
	}
	g.within = nil
	for i, x := range xs {
		if result[i] = gradients[x.id]; result[i] == nil {
			result[i] = g.filled(x.typ, 0)
		}
	}
	return result
}

// sameGradients is the rule of an addition of equal types.
func sameGradients(_, gradOutput *Node) []*Node { return []*Node{gradOutput, gradOutput} }

// filled returns a constant with the same value everywhere.
func (g *Graph) filled(t device.Type, value float64) *Node {
	n := g.Constant(t.DType, value)
	if len(t.Shape) == 0 {
		return n
	}
	to, err := device.MakeDims(t.Shape)
	if err != nil {
		return g.Fail(err)
	}
	return Apply(device.BroadcastTo{To: to}, nil, n)
}
