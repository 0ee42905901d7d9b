package classifier

import (
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
)

// Model is a trained classifier. Its methods may be called from several goroutines.
type Model struct {
	session        *graph.Session
	predict        *graph.Function
	scaler         *dataset.Scaler
	mlp            nn.MLP
	dtype          device.DType
	stepsPerSecond float64
}

// predictRows is how many rows are scored in one run.
const predictRows = 1024

// Scores returns a score for each row of the table, which must have the
// features of the training table in the same order: above 0 for the positive class.
func (m *Model) Scores(t *dataset.Table) ([]float64, error) {
	scaled, err := m.scaler.Apply(t)
	if err != nil {
		return nil, err
	}
	batches, err := dataset.NewBatches(scaled, predictRows, 0, m.hostDType())
	if err != nil {
		return nil, err
	}
	scores := make([]float64, 0, t.Rows())
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
