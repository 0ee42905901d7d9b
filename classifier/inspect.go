package classifier

import (
	"errors"
	"io"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// WriteDOT writes the graph of a training step on one full batch in Graphviz's DOT
// language; of a model that was loaded, that of a prediction. A step in float16 is two programs, since the host looks at
// the gradients before they are used; the graph is that of the first, which computes them.
func (m *Model) WriteDOT(w io.Writer) error {
	if err := errors.Join(m.check(), given(w, "writer", "a file or a buffer")); err != nil {
		return err
	}
	f, types := m.predict, []device.Type{m.network.rows(1)}
	if m.step != nil {
		f, types = m.step.functions()[0], m.step.inputs(m.batchSize)
	}
	g, err := f.Trace(types...)
	if err != nil {
		return err
	}
	return g.WriteDOT(w)
}

// profiledSteps is how many training steps Profile makes at most.
const profiledSteps = 50

// Profile measures how long each operation of a training step takes, over some tens of steps on
// batches of the rows. They are made in a session of their own, so that the model stays as it is. It
// fails if the model was loaded, since how to train it was not.
func (m *Model) Profile(f *dataset.Frame) (rows []graph.Profile, err error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.step == nil {
		return nil, errors.New("classifier: a model that was loaded has no training step to profile; use the model that Fit returns")
	}
	x, err := m.encode(f, true)
	if err != nil {
		return nil, err
	}
	batches, err := x.Batches(m.batchSize, 0, m.network.hostDType())
	if err != nil {
		return nil, err
	}
	session, err := graph.NewSession(m.device)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	step := newStep(session, m.step.recipe)
	functions := step.functions()
	full := max(x.Rows()/m.batchSize, 1) // batches of one size make one program
	for i := range profiledSteps {
		if i == 1 { // the first step also compiles
			for _, f := range functions {
				f.SetProfiling(true)
			}
		}
		if _, _, err := step.run(batches.At(i % full)); err != nil {
			return nil, err
		}
	}
	for _, f := range functions {
		rows = append(rows, f.Profile()...)
	}
	return rows, nil
}
