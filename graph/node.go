package graph

import (
	"fmt"

	"github.com/pullback-go/pullback/device"
)

// Node is a value in a graph: an input, a parameter, a constant, or the result
// of an operation on other nodes. The methods of a nil or inert Node return zero values.
type Node struct {
	graph     *Graph
	id        int // its place in graph.nodes; the inputs' are smaller
	kind      kind
	typ       device.Type
	op        device.Op // of kind operation and update
	gradients GradientFunc
	inputs    []*Node
	name      string // of kind input, parameter and state
	position  position
	source    source
}

// kind says where a node's value comes from.
type kind uint8

const (
	inert     kind = iota // made after an error
	input                 // the caller, at every run
	parameter             // the session, trained
	state                 // the session, not trained
	constant              // the graph
	perStep               // a function of the step counter, at every run
	operation             // a device operation on other nodes
	update                // a device operation that overwrites parameters and state
)

// String returns how messages call a node of the kind.
func (k kind) String() string {
	return [...]string{"inert node", "input", "parameter", "state", "constant", "per-step value", "operation", "update"}[k]
}

// source is what the nodes without inputs are filled from.
type source struct {
	init Initializer                              // parameter and state
	data []byte                                   // constant
	fill func(step int64, values []float64) error // perStep
}

// GradientFunc is the rule for how a gradient flows back through an operation:
// given the node n and the gradient of the final result for n, of n's type, it
// returns the gradients for n's inputs, in their order and of their types, nil for
// an input whose gradient is zero everywhere. The rule makes nodes like any
// other code, so that its result can be differentiated again.
type GradientFunc func(n, gradOutput *Node) []*Node

// ZeroGradient is the rule of an operation whose derivative is zero wherever it has
// one, such as a step function.
func ZeroGradient(n, _ *Node) []*Node { return make([]*Node, len(n.inputs)) }

// Apply makes the node op(inputs…). An operation without a gradients function cannot
// be differentiated: [Gradients] fails when it meets one between y and x; see also
// [ZeroGradient]. A call that op's Infer refuses, a
// nil input, or inputs of different graphs are recorded in the graph as its error.
func Apply(op device.Op, gradients GradientFunc, inputs ...*Node) *Node {
	g := graphOf(inputs)
	n := g.apply(operation, op, inputs)
	n.gradients = gradients
	return n
}

// Graph returns the graph the node belongs to.
func (n *Node) Graph() *Graph { return graphOf([]*Node{n}) }

// Type returns the node's dtype and shape, the zero Type for an inert node.
func (n *Node) Type() device.Type {
	if n == nil {
		return device.Type{}
	}
	return n.typ
}

// DType returns the dtype of the elements.
func (n *Node) DType() device.DType { return n.Type().DType }

// Shape returns the dimensions. The caller must not change them.
func (n *Node) Shape() []int { return n.Type().Shape }

// Valid reports whether the node has a value: it is false for nil, and for nodes
// made after the graph's first error.
func (n *Node) Valid() bool { return n != nil && n.kind != inert }

// Op returns the device operation that computes the node, nil for inputs, parameters and constants.
func (n *Node) Op() device.Op {
	if n == nil {
		return nil
	}
	return n.op
}

// Input returns the operation's operand i, from 0; nil if there is none.
func (n *Node) Input(i int) *Node {
	if n == nil || i < 0 || i >= len(n.inputs) {
		return nil
	}
	return n.inputs[i]
}

// Name returns the name of a parameter or input, or of the operation.
func (n *Node) Name() string {
	switch {
	case !n.Valid():
		return "inert"
	case n.op != nil:
		return n.op.Name()
	case n.name != "":
		return n.name
	case n.kind == perStep:
		return "per step"
	}
	return "constant"
}

// Position returns the file and line of the user's call that made the node. A
// node of a gradient has the position of the node it differentiates.
func (n *Node) Position() string {
	if n == nil {
		return ""
	}
	return n.position.String()
}

// String returns the node's name, type and position.
func (n *Node) String() string {
	if !n.Valid() {
		return "inert node"
	}
	return fmt.Sprintf("%s %s at %s", n.Name(), n.typ, n.Position())
}

// DependsOn reports whether n is x, or is computed from it.
func (n *Node) DependsOn(x *Node) bool {
	if !n.Valid() || !x.Valid() || n.graph != x.graph {
		return false
	}
	return x.id <= n.id && n.graph.ancestors(n)[x.id]
}
