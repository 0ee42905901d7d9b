package classifier

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/pullback-go/pullback/classifier/internal/nullable"
	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// Evaluation is how well a model does on rows with labels.
type Evaluation struct {
	Loss float64 // mean of the loss that the model was trained with, without class weights and L2
	metrics.Summary

	Warnings []string // a sentence for each column with categories that the training rows did not have
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
	return &Evaluation{Loss: m.loss.mean(scores, x.Y, 1, 1), Summary: *summary, Warnings: x.Warnings}, nil
}

// own is what an evaluation has in JSON besides the summary's measures.
type own struct {
	Loss     nullable.Float `json:"loss"`
	Warnings []string       `json:"warnings,omitempty"`
}

// MarshalJSON writes an object with the loss, warnings if there are any, and the summary's measures.
func (e Evaluation) MarshalJSON() ([]byte, error) {
	first, err := json.Marshal(own{nullable.Float(e.Loss), e.Warnings})
	if err != nil {
		return nil, err
	}
	summary, err := json.Marshal(e.Summary)
	if err != nil {
		return nil, err
	}
	return slices.Concat(first[:len(first)-1], []byte{','}, summary[1:]), nil
}

// UnmarshalJSON reads what MarshalJSON writes. A loss that is missing becomes NaN.
func (e *Evaluation) UnmarshalJSON(data []byte) error {
	o := own{Loss: nullable.Float(math.NaN())}
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	e.Loss, e.Warnings = float64(o.Loss), o.Warnings
	return json.Unmarshal(data, &e.Summary)
}
