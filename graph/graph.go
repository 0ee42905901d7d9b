package graph

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
)

// Graph holds the nodes of one computation in the order in which they were
// made, which is an order of evaluation, and the first error of building it.
// A [Function] makes one for each combination of input types. A Graph may be
// used by one goroutine at a time.
type Graph struct {
	nodes     []*Node
	outputs   []*Node
	err       error
	named     map[string]*Node // parameters and state
	updatedBy map[*Node]*Node
	within    position // of the node whose gradient is being built
}

// Initializer fills a parameter's values, row-major, before its first use. It must
// not call the session.
type Initializer func(values []float64)

func newGraph() *Graph {
	return &Graph{named: map[string]*Node{}, updatedBy: map[*Node]*Node{}}
}

// Err returns the first error of building the graph.
func (g *Graph) Err() error { return g.err }

// Fail records err as the graph's error, with the caller's file and line, unless
// there is one already, and returns an inert node. It is for functions that
// build nodes and find a mistake of their caller.
func (g *Graph) Fail(err error) *Node {
	if err == nil {
		err = errors.New("Fail was called without an error")
	}
	if g.err == nil {
		at := g.within
		if at == nil {
			at = here()
		}
		g.err = fmt.Errorf("%v: %w", at, err)
	}
	return &Node{graph: g}
}

// add appends a node, unless the graph has an error.
func (g *Graph) add(n Node) *Node {
	if g.err != nil {
		return &Node{graph: g}
	}
	n.graph, n.id = g, len(g.nodes)
	if n.position == nil {
		n.position = g.within
	}
	if n.position == nil {
		n.position = here()
	}
	g.nodes = append(g.nodes, &n)
	return &n
}

// apply makes a node of an operation after inferring its type.
func (g *Graph) apply(k kind, op device.Op, inputs []*Node) *Node {
	if g.err != nil {
		return &Node{graph: g}
	}
	if op == nil {
		return g.Fail(errors.New("the operation is nil"))
	}
	types := make([]device.Type, len(inputs))
	for i, n := range inputs {
		switch {
		case n == nil || n.graph == nil:
			types[i] = device.Type{} // which the operation's Infer refuses, with the operand's name
		case n.graph != g:
			if g.err = n.graph.err; g.err != nil {
				return &Node{graph: g}
			}
			return g.Fail(fmt.Errorf("%s: input %d belongs to another graph; nodes can be used only within the function call that made them", op.Name(), i))
		}
		types[i] = n.Type()
	}
	t, err := op.Infer(types)
	if err != nil {
		return g.Fail(err)
	}
	for i, n := range inputs {
		if n == nil || n.graph == nil { // and an operation of the user's own does not look at its type
			return g.Fail(fmt.Errorf("%s: input %d is nil", op.Name(), i))
		}
	}
	if err := t.Check(); err != nil { // of an operation of the user's own
		return g.Fail(fmt.Errorf("%s: its Infer gave a type that no tensor has: %w", op.Name(), err))
	}
	return g.add(Node{kind: k, op: op, typ: t, inputs: append([]*Node(nil), inputs...)})
}

// graphOf returns the graph of the nodes: the first one without an error. Nodes
// that are all nil get a graph of their own, which keeps the error that follows.
func graphOf(nodes []*Node) *Graph {
	var g *Graph
	for _, n := range nodes {
		if n != nil && n.graph != nil && (g == nil || g.err != nil) {
			g = n.graph
		}
	}
	if g == nil {
		g = newGraph()
	}
	return g
}

// Parameter returns the node of the session's trained parameter with the given
// name, and declares it: when the session first compiles a graph that holds
// it, init fills its values; a nil init leaves zeros. The same name always
// means the same values, in every function of the session; declaring it with
// another type is an error.
func (g *Graph) Parameter(name string, t device.Type, init Initializer) *Node {
	return g.declare(parameter, name, t, init)
}

// State is a [Graph.Parameter] that is not trained, such as an optimizer's moments.
func (g *Graph) State(name string, t device.Type, init Initializer) *Node {
	return g.declare(state, name, t, init)
}

func (g *Graph) declare(k kind, name string, t device.Type, init Initializer) *Node {
	if n := g.named[name]; n != nil {
		if n.kind != k {
			return g.Fail(fmt.Errorf("%s %q was declared as a %s at %s; give one of them another name", k, name, n.kind, n.Position()))
		}
		if !n.typ.Equal(t) {
			return g.Fail(fmt.Errorf("%s %q is declared as %s, but at %s it was declared as %s; give one of them another name", k, name, t, n.Position(), n.typ))
		}
		return n
	}
	if name == "" {
		return g.Fail(errors.New("a parameter has no name; it is known to the session by its name"))
	}
	if err := t.Check(); err != nil {
		return g.Fail(fmt.Errorf("parameter %q: %w", name, err))
	}
	t.Shape = slices.Clone(t.Shape)
	n := g.add(Node{kind: k, name: name, typ: t, source: source{init: init}})
	if n.Valid() {
		g.named[name] = n
	}
	return n
}

// Parameters returns the trained parameters declared so far, in order.
func (g *Graph) Parameters() []*Node {
	var params []*Node
	for _, n := range g.nodes {
		if n.kind == parameter {
			params = append(params, n)
		}
	}
	return params
}

// Constant returns a scalar, rounded to the dtype.
func (g *Graph) Constant(dtype device.DType, value float64) *Node {
	if !dtype.Valid() {
		return g.Fail(fmt.Errorf("constant %v: %s is not a dtype", value, dtype))
	}
	data := make([]byte, dtype.Size())
	encode(data, dtype, []float64{value})
	return g.add(Node{kind: constant, name: fmt.Sprint(value), typ: device.Type{DType: dtype, Shape: []int{}}, source: source{data: data}})
}

// Tensor returns a constant with the elements of t, of any strides, as they are now.
func (g *Graph) Tensor(t *tensor.Dense) *Node {
	h, err := hostTensorOf(t)
	if err != nil {
		return g.Fail(fmt.Errorf("constant tensor: %w", err))
	}
	data := make([]byte, h.typ().Bytes())
	h.pack(data)
	return g.add(Node{kind: constant, typ: h.typ(), source: source{data: data}})
}

// PerStep returns a node whose values the host computes before every run from
// the number of steps the session has completed: a learning rate, a seed.
// fill gets the values row-major, zero at first. It must depend on nothing but
// step, and not call the session. An error that it returns ends the run before anything is computed.
func (g *Graph) PerStep(t device.Type, fill func(step int64, values []float64) error) *Node {
	if fill == nil {
		return g.Fail(errors.New("PerStep: the function that fills the values is nil"))
	}
	if err := t.Check(); err != nil {
		return g.Fail(fmt.Errorf("PerStep: %w", err))
	}
	t.Shape = slices.Clone(t.Shape)
	return g.add(Node{kind: perStep, typ: t, source: source{fill: fill}})
}

// Update appends an operation that overwrites parameters or state: an
// optimizer's step, with the inputs that [device.Optimizer] says. Updates run after everything else, and a program may update
// a parameter only once.
func (g *Graph) Update(op device.Updater, inputs ...*Node) {
	if op == nil {
		g.Fail(errors.New("Update: the operation is nil"))
		return
	}
	n := g.apply(update, op, inputs)
	if !n.Valid() {
		return
	}
	overwritten := op.Updates()
	if len(overwritten) == 0 || slices.Min(overwritten) < 0 || slices.Max(overwritten) >= len(inputs) {
		g.Fail(fmt.Errorf("%s: its Updates gave %v, but must name at least one of the %d inputs, counted from 0", op.Name(), overwritten, len(inputs)))
		return
	}
	for _, i := range overwritten {
		in := inputs[i]
		if in.kind != parameter && in.kind != state {
			g.Fail(fmt.Errorf("%s: input %d, %s, is not a parameter or state, so it cannot be updated", op.Name(), i, in.Name()))
			return
		}
		if other := g.updatedBy[in]; other != nil {
			g.Fail(fmt.Errorf("%s: %q is already updated at %s; a program may update a parameter only once", op.Name(), in.name, other.Position()))
			return
		}
		g.updatedBy[in] = n
	}
}

// ancestors marks the nodes that are y or that y is computed from.
func (g *Graph) ancestors(y *Node) []bool {
	marked := make([]bool, y.id+1)
	marked[y.id] = true
	for i := y.id; i >= 0; i-- {
		if marked[i] {
			for _, in := range g.nodes[i].inputs {
				marked[in.id] = true
			}
		}
	}
	return marked
}

// dependents marks the nodes that are one of xs or are computed from one.
func (g *Graph) dependents(xs ...*Node) []bool {
	marked := make([]bool, len(g.nodes))
	for _, x := range xs {
		marked[x.id] = true
	}
	for _, n := range g.nodes {
		for _, in := range n.inputs {
			marked[n.id] = marked[n.id] || marked[in.id]
		}
	}
	return marked
}

// live marks the updates, and the nodes that the outputs and the updates are computed from.
func (g *Graph) live() []bool {
	marked := make([]bool, len(g.nodes))
	for _, n := range g.outputs {
		marked[n.id] = true
	}
	for _, n := range g.nodes {
		if n.kind == update {
			marked[n.id] = true
			for _, in := range n.inputs { // a copy that an update reads is made after it
				marked[in.id] = true
			}
		}
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if marked[i] {
			for _, in := range g.nodes[i].inputs {
				marked[in.id] = true
			}
		}
	}
	return marked
}
