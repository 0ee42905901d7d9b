package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
)

// program is a compiled graph: memory laid out, every operation planned.
type program struct {
	graph    *Graph
	inputs   []device.View
	outputs  []device.View
	launches []launch
	updates  bool
	checking bool // every operation is planned by itself, so that what it wrote can be looked at

	perStep   []*Node
	schedule  []byte    // the perStep values as they are uploaded
	values    []float64 // room for the largest of them
	perStepAt []int64   // their byte offsets

	arena, constants, scheduled device.Buffer
}

// launch is one planned operation, or several that the device runs as one.
type launch struct {
	nodes    []*Node
	calls    []device.Call
	executor device.Executor
	count    int64
	total    time.Duration
}

var errTooLarge = &device.Error{Code: device.ErrOutOfMemory, Reason: "the values of the function take more memory than can be counted"}

// compile lays out the graph's memory and plans its operations on the session's device.
func compile(s *Session, g *Graph, inputs []*Node, checking bool) (p *program, err error) {
	p = &program{graph: g, checking: checking}
	known, compiled := len(s.names), false
	defer func() {
		if !compiled { // because of an error, from which others follow, or a panic in an initialiser
			_ = errors.Join(s.stream.Synchronize(), p.close(), s.forget(known)) // uploads may be under way
		}
	}()
	order := g.evaluationOrder()
	l := layOut(g, order, inputs, !s.noReuse)

	views := l.views
	if l.arena.overflow {
		return p, errTooLarge
	}
	if p.arena, err = s.alloc(l.arena.top); err != nil {
		if n := l.largest(); n != nil {
			err = fmt.Errorf("%s: %s, the largest of the function's values, is %s: %w", n.Position(), n.Name(), n.typ, err)
		}
		return p, err
	}
	if err = p.placeConstants(s, order, views); err != nil {
		return p, err
	}
	if err = p.placePerStep(s, order, views); err != nil {
		return p, err
	}
	for _, n := range order {
		if n.kind != parameter && n.kind != state {
			continue
		}
		param, err := s.parameter(n)
		if err != nil {
			return p, err
		}
		views[n.id].Buffer = param.buffer
	}
	for _, n := range append(inputs[:len(inputs):len(inputs)], order...) {
		v := &views[n.id]
		switch owner := l.owner[n.id]; {
		case owner != n:
			v.Buffer = views[owner.id].Buffer
			v.Offset += views[owner.id].Offset
		case n.kind == operation || n.kind == input:
			v.Buffer, v.Offset = p.arena, int(l.regions[n.id].offset)/n.typ.DType.Size()
		}
	}

	workspace, err := p.plan(s, order, l)
	if err != nil {
		return p, err
	}
	for _, n := range inputs {
		p.inputs = append(p.inputs, views[n.id])
	}
	for _, n := range g.outputs {
		p.outputs = append(p.outputs, views[n.id])
	}
	if err := s.grow(workspace); err != nil {
		return p, err
	}
	if err := s.stream.Synchronize(); err != nil { // an upload may have failed
		return p, err
	}
	for _, name := range s.names[known:] {
		delete(s.restored, name)
	}
	compiled = true
	return p, nil
}

// plan plans the operations in order, and returns the bytes of workspace they need.
func (p *program) plan(s *Session, order []*Node, l *memoryLayout) (workspace int64, err error) {
	var nodes []*Node
	var calls []device.Call
	for _, n := range order {
		if n.op == nil || n.kind == operation && l.owner[n.id] != n {
			continue
		}
		operands := make([]device.View, len(n.inputs))
		for i, in := range n.inputs {
			operands[i] = l.views[in.id]
		}
		nodes = append(nodes, n)
		calls = append(calls, device.Call{Op: n.op, Inputs: operands, Output: l.views[n.id]})
		p.updates = p.updates || n.kind == update
	}
	fuser, _ := s.device.(device.Fuser)
	for i := 0; i < len(calls); {
		n, exe := 0, device.Executor(nil)
		if fuser != nil && !p.checking {
			n, exe, err = fuser.PlanFused(calls[i:])
		}
		if n == 0 && err == nil {
			n = 1
			exe, err = s.device.Plan(calls[i].Op, calls[i].Inputs, calls[i].Output)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", nodes[i].Position(), err)
		}
		p.launches = append(p.launches, launch{nodes: nodes[i : i+n], calls: calls[i : i+n], executor: exe})
		workspace = max(workspace, exe.WorkspaceSize())
		i += n
	}
	return workspace, nil
}

// evaluationOrder returns the live nodes but the inputs in an order in which
// they can run: as made, with updates last. So that outputs, and what updates read, are values
// from before the updates and lie contiguously, it first copies those that may not be.
func (g *Graph) evaluationOrder() []*Node {
	for _, n := range slices.Clone(g.nodes) {
		if n.kind != update {
			continue
		}
		overwritten := n.op.(device.Updater).Updates()
		for i, in := range n.inputs {
			if g.updatedBy[root(in)] != nil && !slices.Contains(overwritten, i) {
				n.inputs[i] = g.copied(in)
			}
		}
	}
	for i, out := range g.outputs {
		if root(out) != out || g.updatedBy[out] != nil {
			g.outputs[i] = g.copied(out)
		}
	}
	live := g.live()
	var order, updates []*Node
	for _, n := range g.nodes {
		switch {
		case !live[n.id] || n.kind == input:
		case n.kind == update:
			updates = append(updates, n)
		default:
			order = append(order, n)
		}
	}
	return append(order, updates...)
}

// copied returns a node that copies n.
func (g *Graph) copied(n *Node) *Node {
	return g.add(Node{kind: operation, op: device.Copy{}, typ: n.typ, inputs: []*Node{n}, position: n.position})
}

// root returns the node whose memory n may be a view of.
func root(n *Node) *Node {
	for n.kind == operation {
		if _, ok := n.op.(device.ViewOp); !ok {
			break
		}
		n = n.inputs[0]
	}
	return n
}

// placeConstants uploads the constants to a buffer of their own.
func (p *program) placeConstants(s *Session, order []*Node, views []device.View) (err error) {
	var size int64
	for _, n := range order {
		if n.kind == constant {
			views[n.id].Offset = int(size) / n.typ.DType.Size()
			size += regionSize(n.typ.Bytes())
		}
	}
	if size == 0 {
		return nil
	}
	if p.constants, err = s.alloc(size); err != nil {
		return err
	}
	for _, n := range order {
		if n.kind == constant {
			v := &views[n.id]
			v.Buffer = p.constants
			if err := upload(s.stream, *v, n.source.data); err != nil {
				return err
			}
		}
	}
	return nil
}

// placePerStep reserves a buffer for the values that are computed before every run.
func (p *program) placePerStep(s *Session, order []*Node, views []device.View) (err error) {
	var room arena
	for _, n := range order {
		if n.kind == perStep {
			at := room.take(n.typ.Bytes()).offset
			p.perStep = append(p.perStep, n)
			p.perStepAt = append(p.perStepAt, at)
			views[n.id].Offset = int(at) / n.typ.DType.Size()
		}
	}
	if room.overflow {
		return errTooLarge
	}
	if room.top == 0 {
		return nil
	}
	if p.scheduled, err = s.alloc(room.top); err != nil {
		return err
	}
	p.schedule = make([]byte, room.top)
	for _, n := range p.perStep {
		p.values = make([]float64, max(len(p.values), n.typ.Elements()))
		views[n.id].Buffer = p.scheduled
	}
	return nil
}

// run uploads the inputs, launches everything and leaves the outputs on the device.
func (p *program) run(s *Session, inputs []*tensor.Dense, profile bool) error {
	for i, t := range inputs {
		h, err := hostTensorOf(t)
		if err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		data := h.data
		if !h.contiguous() {
			data = s.stage(int64(len(h.data)))
			h.pack(data)
		}
		if err := upload(s.stream, p.inputs[i], data); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		if p.checking {
			if err := checkFinite(data[:p.inputs[i].Type().Bytes()], p.inputs[i].Type()); err != nil {
				return fmt.Errorf("input %d: %w", i, err)
			}
		}
	}
	for i, n := range p.perStep {
		values := p.values[:n.typ.Elements()]
		clear(values)
		if err := n.source.fill(s.step, values); err != nil {
			return fmt.Errorf("%s: step %d: %w", n.Position(), s.step, err)
		}
		encode(p.schedule[p.perStepAt[i]:], n.typ.DType, values)
	}
	if len(p.schedule) > 0 {
		if err := s.stream.Upload(p.scheduled, 0, p.schedule); err != nil {
			return err
		}
	}
	if p.checking {
		if err := p.checkSources(s); err != nil {
			return err
		}
	}
	for i := range p.launches {
		l := &p.launches[i]
		start := time.Time{}
		if profile {
			start = time.Now()
		}
		err := l.executor.Launch(s.workspace, s.stream)
		if profile && err == nil {
			err = s.stream.Synchronize()
			l.total += time.Since(start)
			l.count++
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.nodes[0].Position(), err)
		}
		if p.checking {
			if err := l.check(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// finished counts a run whose outputs have been read.
func (p *program) finished(s *Session) {
	if p.updates && s.step < math.MaxInt64 {
		s.step++
	}
}

// read fills t, which fits, with output i.
func (p *program) read(s *Session, i int, t *tensor.Dense) error {
	h, err := hostTensorOf(t)
	if err != nil {
		return err
	}
	return s.download(h, p.outputs[i])
}

// upload copies data to the contiguous view v.
func upload(stream device.Stream, v device.View, data []byte) error {
	t := v.Type()
	return stream.Upload(v.Buffer, int64(v.Offset)*int64(t.DType.Size()), data[:t.Bytes()])
}

// close frees what the program holds.
func (p *program) close() error {
	var errs []error
	for _, l := range p.launches {
		errs = append(errs, l.executor.Close())
	}
	for _, b := range []device.Buffer{p.scheduled, p.constants, p.arena} {
		if b != nil {
			errs = append(errs, b.Free())
		}
	}
	return errors.Join(errs...)
}
