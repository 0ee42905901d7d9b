package classifier

import (
	"encoding/json"

	"github.com/pullback-go/pullback/classifier/internal/nullable"
	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// Evaluation is how well a model does on rows with labels.
type Evaluation struct {
	Loss float64 // mean of the loss that the model was trained with, without class weights and L2
	metrics.Summary
}

// Evaluate scores the rows and compares with their labels, at the model's threshold. The labels must be
// called as those of the training rows.
func (m *Model) Evaluate(f *dataset.Frame) (*Evaluation, error) {
	x, err := m.encode(f, true)
	if err != nil {
		return nil, err
	}
	scores, err := m.score(x.X)
	if err != nil {
		return nil, err
	}
	summary, err := metrics.Summarize(scores, x.Y, m.Threshold())
	if err != nil {
		return nil, err
	}
	return &Evaluation{Loss: m.loss.mean(scores, x.Y, 1, 1), Summary: *summary}, nil
}

// MarshalJSON writes an object with the loss and the summary's measures.
func (e Evaluation) MarshalJSON() ([]byte, error) {
	loss, err := json.Marshal(nullable.Float(e.Loss))
	if err != nil {
		return nil, err
	}
	summary, err := json.Marshal(e.Summary)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"loss":`), loss...), append([]byte{','}, summary[1:]...)...), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Evaluation) UnmarshalJSON(data []byte) error {
	var loss struct{ Loss nullable.Float }
	if err := json.Unmarshal(data, &loss); err != nil {
		return err
	}
	e.Loss = float64(loss.Loss)
	return json.Unmarshal(data, &e.Summary)
}
