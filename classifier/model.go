package classifier

import (
	"errors"
	"fmt"
	"sync/atomic"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Model is a trained classifier, made by [Fit] or [Load]. Its methods may be called from
// several goroutines. Those of a nil model return an error, or nothing where they have none to return.
type Model struct {
	network network
	loss    Loss
	encoder *dataset.Encoder

	device  device.Device
	session *graph.Session
	predict *graph.Function

	threshold atomic.Uint64 // bits of a float64
	settings  []Setting
	history   []Epoch
	training  *training // what going on takes; nil if it is not known
	step      *step     // of training; nil for a model that was loaded
	batchSize int       // of the step
}

// newModel returns a model with a session of its own.
func newModel(dev device.Device, n network, loss Loss, encoder *dataset.Encoder) (*Model, error) {
	m := &Model{network: n, loss: loss, encoder: encoder, device: dev}
	var err error
	if m.session, err = graph.NewSession(dev); err != nil {
		return nil, err
	}
	m.predict = m.session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{m.network.logits(in[0], false)}
	})
	return m, nil
}

// missing reports whether this is no model: nil, or not made by Fit or Load.
func (m *Model) missing() bool { return m == nil || m.session == nil }

// check returns an error if this is no model.
func (m *Model) check() error {
	if m.missing() {
		return errors.New("classifier: the model is nil; look at the error of Load or Fit")
	}
	return nil
}

// Close frees the model's memory on the device.
func (m *Model) Close() error {
	if m.missing() {
		return nil
	}
	return m.session.Close()
}

// Encoder returns how the columns become features. It must not be changed.
func (m *Model) Encoder() *dataset.Encoder {
	if m.missing() {
		return nil
	}
	return m.encoder
}

// Labels returns what the classes are called.
func (m *Model) Labels() (negative, positive string) {
	if m.missing() {
		return "", ""
	}
	return m.encoder.Label.Negative, m.encoder.Label.Positive
}

// Settings returns the options that the model was trained with, as text.
func (m *Model) Settings() []Setting {
	if m.missing() {
		return nil
	}
	return m.settings
}

// History returns how training went, an element an epoch.
func (m *Model) History() []Epoch {
	if m.missing() {
		return nil
	}
	return m.history
}

// Weights returns the weight of each feature, in the order of the encoder's, and
// the bias of a linear model: the score is their sum over the standardised features. It
// fails if the model has hidden layers.
func (m *Model) Weights() (weights []float64, bias float64, err error) {
	if err := m.check(); err != nil {
		return nil, 0, err
	}
	if len(m.network.mlp.Sizes) > 2 {
		return nil, 0, errors.New("classifier: the model has hidden layers, so no feature has a weight of its own; use Importance")
	}
	values, err := m.values()
	if err != nil {
		return nil, 0, err
	}
	return float64s(values[0]), float64s(values[1])[0], nil
}

// values returns the network's parameters, in order.
func (m *Model) values() ([]*tensor.Dense, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var all []*tensor.Dense
	for _, p := range m.network.parameters() {
		t, err := m.session.Value(p.name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// parameters returns the values of the network's parameters by name.
func (m *Model) parameters() (map[string]*tensor.Dense, error) {
	values, err := m.values()
	if err != nil {
		return nil, err
	}
	named := make(map[string]*tensor.Dense, len(values))
	for i, p := range m.network.parameters() {
		named[p.name] = values[i]
	}
	return named, nil
}

// set puts values in the place of the session's.
func (m *Model) set(values map[string]*tensor.Dense) error {
	for name, value := range values {
		if err := m.session.SetValue(name, value); err != nil {
			return err
		}
	}
	return nil
}

// float64s returns the elements of a tensor of float32 or float64.
func float64s(t *tensor.Dense) []float64 {
	if t.Dtype() == tensor.Float64 {
		return t.Float64s()
	}
	values := make([]float64, t.Shape().TotalSize())
	for i, v := range t.Float32s() {
		values[i] = float64(v)
	}
	return values
}

// compile makes sure that the session has the parameters, and that the device can compute scores.
func (m *Model) compile() error {
	_, err := m.score(make([]float32, m.network.mlp.Sizes[0]))
	return err
}

// encode returns the rows as features, with labels if they are needed.
func (m *Model) encode(f *dataset.Frame, labels bool) (*dataset.Matrix, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	x, err := m.encoder.Transform(f)
	if err != nil || !labels {
		return x, err
	}
	if x.Y == nil {
		return nil, fmt.Errorf("classifier: %q has no labels, which are needed here; read it with a label column", f.Source())
	}
	return x, nil
}

// given returns an error if an argument is nil, with what to pass instead.
func given(argument any, what, instead string) error {
	if argument == nil {
		return fmt.Errorf("classifier: the %s is nil; pass %s", what, instead)
	}
	return nil
}
