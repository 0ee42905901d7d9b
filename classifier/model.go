package classifier

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
)

// Model is a trained classifier. Its methods may be called from several goroutines.
type Model struct {
	session        *graph.Session
	predict        *graph.Function
	features       []string
	scaler         *dataset.Scaler
	mlp            nn.MLP
	dtype          device.DType
	stepsPerSecond float64
}

// predictRows is how many rows are scored in one run.
const predictRows = 1024

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
	rows := *t
	rows.Y = slices.Repeat([]float64{1}, len(t.X)/len(t.Features)) // labels are checked, and then not used
	scaled, err := m.scaler.Apply(&rows)
	if err != nil {
		return nil, err
	}
	batches, err := dataset.NewBatches(scaled, predictRows, 0, m.hostDType())
	if err != nil {
		return nil, err
	}
	scores := make([]float64, 0, rows.Rows())
	for i := range batches.Len() {
		x, _ := batches.At(i)
		out, err := m.predict.Run(x)
		if err != nil {
			return nil, err
		}
		if m.dtype == device.Float64 {
			scores = append(scores, out[0].Float64s()...)
			continue
		}
		for _, score := range out[0].Float32s() {
			scores = append(scores, float64(score))
		}
	}
	return scores, nil
}

// Evaluate scores the table and compares with its labels.
func (m *Model) Evaluate(t *dataset.Table) (Metrics, error) {
	scores, err := m.Scores(t)
	if err != nil {
		return Metrics{}, err
	}
	return Measure(scores, t.Y), nil
}

// StepsPerSecond returns the speed of the training run.
func (m *Model) StepsPerSecond() float64 { return m.stepsPerSecond }

// Close frees the model's memory on the device.
func (m *Model) Close() error { return m.session.Close() }
