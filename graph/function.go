package graph

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
)

// Model builds a computation: it makes nodes from the inputs' and returns those to
// read back, perhaps none. It is called once for each combination of input
// types, and must build the same thing each time it is called with the same ones. A run-time
// error in it, such as an index beyond its inputs, is an error of the run; other panics pass through.
// A program is kept for each combination, so inputs whose shape varies freely are
// better padded to a few sizes.
type Model func(g *Graph, inputs []*Node) []*Node

// Function is a model in a session. It is compiled for the types of its inputs
// when it first meets them, and keeps the program for the next time.
type Function struct {
	session  *Session
	model    Model
	programs []*program
	profile  bool
	check    bool
	tracing  atomic.Int32 // calls of the model at work
}

// Function returns the model as a function on host tensors. Nothing is built before its first run.
func (s *Session) Function(model Model) *Function {
	f := &Function{session: s, model: model}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.functions = append(s.functions, f)
	return f
}

// Run runs the function on the inputs, which may have any strides and the
// dtypes float32, float64 and float16, and returns the outputs as new tensors, see
// [NewTensor]. An error leaves parameters as they were, unless the device fails
// after the first update.
func (f *Function) Run(inputs ...*tensor.Dense) ([]*tensor.Dense, error) {
	s := f.session
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := f.program(inputs)
	if err != nil {
		return nil, err
	}
	outputs := make([]*tensor.Dense, len(p.outputs))
	for i, n := range p.graph.outputs {
		outputs[i] = NewTensor(n.typ)
	}
	if err := f.run(p, outputs, inputs); err != nil {
		return nil, err
	}
	return outputs, nil
}

// RunInto is [Function.Run] with the outputs read into the given tensors, of
// any strides. Once the function is compiled for the inputs' types, it allocates nothing.
func (f *Function) RunInto(outputs []*tensor.Dense, inputs ...*tensor.Dense) error {
	s := f.session
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := f.program(inputs)
	if err != nil {
		return err
	}
	if len(outputs) != len(p.outputs) {
		return fmt.Errorf("graph: %d tensors for the function's %d outputs", len(outputs), len(p.outputs))
	}
	return f.run(p, outputs, inputs)
}

// RunScalar is [Function.Run] for a function whose only output has one element,
// such as a training step that returns its loss. Once the function is compiled
// for the inputs' types, it allocates nothing.
func (f *Function) RunScalar(inputs ...*tensor.Dense) (float64, error) {
	s := f.session
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := f.program(inputs)
	if err != nil {
		return 0, err
	}
	if len(p.outputs) != 1 || p.graph.outputs[0].typ.Elements() != 1 {
		return 0, fmt.Errorf("graph: RunScalar needs a function with one output of one element, but this one has %d outputs%s",
			len(p.outputs), p.graph.outputTypes())
	}
	if err := p.run(s, inputs, f.profile); err != nil {
		return 0, fmt.Errorf("graph: %w", err)
	}
	v := p.outputs[0]
	size := int64(v.DType.Size())
	value := s.stage(size)
	if err := s.stream.Download(value, v.Buffer, int64(v.Offset)*size); err != nil {
		return 0, fmt.Errorf("graph: %w", err)
	}
	p.finished(s)
	return scalarValue(value, v.DType), nil
}

// run launches the program and reads its outputs, once they are known to fit.
func (f *Function) run(p *program, outputs, inputs []*tensor.Dense) error {
	for i, t := range outputs {
		h, err := hostTensorOf(t)
		if err == nil {
			err = h.fits(p.graph.outputs[i].typ)
		}
		if err != nil {
			return fmt.Errorf("graph: output %d: %w", i, err)
		}
	}
	err := p.run(f.session, inputs, f.profile)
	for i, t := range outputs {
		if err == nil {
			err = p.read(f.session, i, t)
		}
	}
	if err == nil && len(outputs) == 0 {
		err = f.session.stream.Synchronize()
	}
	if err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	p.finished(f.session)
	return nil
}

// program finds or compiles the program for the inputs' types. The session is
// locked, but not while the model builds its graph: it is the user's code, and may call the session.
func (f *Function) program(inputs []*tensor.Dense) (*program, error) {
	if f.session.closed {
		return nil, errClosed
	}
	p, err := f.find(inputs)
	if err == nil && p == nil {
		p, err = f.compile(inputs)
	}
	if err == errClosed {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return p, nil
}

// find returns the program for the inputs' types, nil if there is none yet.
func (f *Function) find(inputs []*tensor.Dense) (*program, error) {
next:
	for _, p := range f.programs {
		if len(p.inputs) != len(inputs) || p.checking != f.check {
			continue
		}
		for i, t := range inputs {
			h, err := hostTensorOf(t)
			if err != nil {
				return nil, fmt.Errorf("input %d: %w", i, err)
			}
			if h.dtype != p.inputs[i].DType || !slices.Equal(h.shape, p.inputs[i].Shape) {
				continue next
			}
		}
		return p, nil
	}
	return nil, nil
}

func (f *Function) compile(inputs []*tensor.Dense) (*program, error) {
	types := make([]device.Type, len(inputs))
	for i, t := range inputs {
		h, err := hostTensorOf(t)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		types[i] = h.typ()
	}
	g, nodes, err := f.traceUnlocked(types)
	if err != nil {
		return nil, err
	}
	if f.session.closed {
		return nil, errClosed
	}
	if p, err := f.find(inputs); err != nil || p != nil { // another goroutine was faster
		return p, err
	}
	p, err := compile(f.session, g, nodes, f.check)
	if err != nil {
		return nil, err
	}
	f.programs = append(f.programs, p)
	return p, nil
}

// traceUnlocked is trace with the session unlocked meanwhile.
func (f *Function) traceUnlocked(types []device.Type) (*Graph, []*Node, error) {
	f.session.mu.Unlock()
	defer f.session.mu.Lock()
	return f.trace(types)
}

// Trace builds the function's graph for inputs of the given types without compiling or running it.
func (f *Function) Trace(inputs ...device.Type) (*Graph, error) {
	g, _, err := f.trace(inputs)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return g, nil
}

func (f *Function) trace(types []device.Type) (*Graph, []*Node, error) {
	if f.model == nil {
		return nil, nil, errors.New("the function's model is nil")
	}
	g := newGraph()
	inputs := make([]*Node, len(types))
	for i, t := range types {
		if err := t.Check(); err != nil {
			return nil, nil, fmt.Errorf("input %d: %w", i, err)
		}
		t.Shape = slices.Clone(t.Shape)
		inputs[i] = g.add(Node{kind: input, name: fmt.Sprintf("input %d", i), typ: t})
	}
	if f.tracing.Add(1) > maxNested && nested() > maxNested {
		f.tracing.Add(-1)
		return nil, nil, errors.New("the model runs its own function, which never ends; build what they share in a function that both call")
	}
	defer f.tracing.Add(-1)
	outputs := g.build(f.model, slices.Clone(inputs))
	if g.err != nil {
		return nil, nil, g.err
	}
	for i, n := range outputs {
		switch {
		case n == nil || n.graph == nil:
			return nil, nil, fmt.Errorf("output %d of the function is nil", i)
		case n.graph != g && n.graph.err != nil:
			return nil, nil, n.graph.err
		case n.graph != g:
			return nil, nil, fmt.Errorf("output %d of the function, made at %s, belongs to another graph; nodes can be used only within the function call that made them",
				i, n.Position())
		}
	}
	g.outputs = slices.Clone(outputs)
	if len(outputs) == 0 && !slices.ContainsFunc(g.nodes, func(n *Node) bool { return n.kind == update }) {
		return nil, nil, errors.New("the function has no outputs and updates nothing")
	}
	return g, inputs, nil
}

// maxNested is how deep models may run functions whose models run functions, which is how one is told
// that runs itself.
const maxNested = 16

// nested returns how many models are at work in this goroutine.
func nested() (n int) {
	var pcs [1024]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function == module+"graph.(*Graph).build" {
			n++
		}
	}
	return n
}

// build calls the model. What goes wrong in it at run time, such as an index beyond its inputs, is the graph's error.
func (g *Graph) build(model Model, inputs []*Node) []*Node {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			g.Fail(fmt.Errorf("the model, called with %d inputs, panicked: %w", len(inputs), r))
		default:
			panic(r)
		}
	}()
	return model(g, inputs)
}

func (g *Graph) outputTypes() string {
	s := ""
	for i, n := range g.outputs {
		s += string(":,"[min(i, 1)]) + " " + n.typ.String()
	}
	return s
}
