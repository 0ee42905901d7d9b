package classifier

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
)

// Model is a trained classifier. Its methods may be called from several goroutines.
type Model struct {
	session  *graph.Session
	predict  *graph.Function
	features []string
	scaler   *dataset.Scaler
	mlp      nn.MLP
	dtype    device.DType
}

// maxRows is how many rows are scored in one run.
const maxRows = 1024

// Scores returns a score for each row of the table: above 0 for the positive
// class. The table must have the features of the training table, by name and in
// the same order; labels it need not have.
func (m *Model) Scores(t *dataset.Table) ([]float64, error) {
	if t == nil {
		return nil, errors.New("classifier: the table to score is nil")
	}
	if !slices.Equal(t.Features, m.features) {
		return nil, fmt.Errorf("classifier: the table has the features %q, but the model was trained on %q in this order", t.Features, m.features)
	}
	scaled, err := m.scaler.Apply(t)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, 0, t.Rows())
	for start := 0; start < t.Rows(); start += maxRows {
		n := min(maxRows, t.Rows()-start)
		columns := len(t.Features)
		out, err := m.predict.Run(m.padded(scaled.X[start*columns:(start+n)*columns], n))
		if err != nil {
			return nil, err
		}
		if m.hostDType() == tensor.Float64 {
			scores = append(scores, out[0].Float64s()[:n]...)
			continue
		}
		for _, score := range out[0].Float32s()[:n] {
			scores = append(scores, float64(score))
		}
	}
	return scores, nil
}

// padded returns n rows as a tensor, followed by rows of zeros up to the next power
// of two: few shapes mean few compiled programs.
func (m *Model) padded(rows []float64, n int) *tensor.Dense {
	shape := tensor.WithShape(1<<bits.Len(uint(n-1)), len(rows)/n)
	t := tensor.New(shape, tensor.Of(m.hostDType()))
	if m.hostDType() == tensor.Float64 {
		copy(t.Float64s(), rows)
		return t
	}
	values := t.Float32s()
	for i, v := range rows {
		values[i] = float32(v)
	}
	return t
}

// Evaluate scores the table and compares with its labels.
func (m *Model) Evaluate(t *dataset.Table) (Metrics, error) {
	if err := t.Check(); err != nil {
		return Metrics{}, err
	}
	scores, err := m.Scores(t)
	if err != nil {
		return Metrics{}, err
	}
	return Measure(scores, t.Y), nil
}

// Close frees the model's memory on the device.
func (m *Model) Close() error { return m.session.Close() }
