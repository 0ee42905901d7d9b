package graph

import (
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
)

// SetChecking turns the search for values that are not numbers on or off. While
// it is on, what every operation wrote is read back, and a run ends with an error at the
// first that wrote a NaN or an infinity, or at an input, parameter, state or per-step value that holds one. The error
// names the operation and the line that built it. Updates made before it have
// happened. Runs take much longer.
func (f *Function) SetChecking(on bool) {
	f.session.mu.Lock()
	defer f.session.mu.Unlock()
	f.check = on
}

// checkSources looks at what a run reads besides its inputs: parameters, state and per-step values.
func (p *program) checkSources(s *Session) error {
	for i, n := range p.perStep {
		if err := checkFinite(p.schedule[p.perStepAt[i]:], n.typ); err != nil {
			return fmt.Errorf("%s: the %s for step %d: %w", n.Position(), n.kind, s.step, err)
		}
	}
	for _, n := range p.graph.nodes {
		if n.kind != parameter && n.kind != state || s.parameters[n.name] == nil {
			continue
		}
		data := s.stage(n.typ.Bytes())
		if err := s.stream.Download(data, s.parameters[n.name].buffer, 0); err != nil {
			return err
		}
		if err := checkFinite(data, n.typ); err != nil {
			return fmt.Errorf("%s: %s %q, before step %d: %w", n.Position(), n.kind, n.name, s.step, err)
		}
	}
	return nil
}

// check reads back what the launch wrote.
func (l *launch) check(s *Session) error {
	for i, c := range l.calls {
		written := []device.View{c.Output}
		if u, ok := c.Op.(device.Updater); ok {
			written = nil
			for _, input := range u.Updates() {
				written = append(written, c.Inputs[input])
			}
		}
		for _, v := range written {
			t := v.Type()
			data := s.stage(t.Bytes())
			if err := s.stream.Download(data, v.Buffer, int64(v.Offset)*int64(t.DType.Size())); err != nil {
				return err
			}
			if err := checkFinite(data, t); err != nil {
				return fmt.Errorf("%s: %s wrote %s, of which %w", l.nodes[i].Position(), l.nodes[i].Name(), t, err)
			}
		}
	}
	return nil
}

// checkFinite returns an error that says where the first element is that is not finite.
func checkFinite(data []byte, t device.Type) error {
	size := t.DType.Size()
	for i := range t.Elements() {
		if x := scalarValue(data[i*size:], t.DType); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("element %d is %v", i, x)
		}
	}
	return nil
}
