package classifier

import (
	"io"
	"iter"

	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// Prediction is what a model says of a row.
type Prediction struct {
	Score       float64 // a logit
	Probability float64 // of the positive class, 1/(1+exp(-Score))
	Positive    bool    // Score is at least the threshold
	Label       string  // what the class is called
}

// Predict returns a prediction for each row, from the columns that [Model.Scores] needs.
func (m *Model) Predict(f *dataset.Frame) ([]Prediction, error) {
	scores, err := m.Scores(f)
	if err != nil {
		return nil, err
	}
	return m.predictions(scores), nil
}

// PredictStream reads rows as [dataset.ReadFrame] does and yields a prediction for each as
// it goes, holding no more than a thousand rows of a CSV or LIBSVM file, however long it is. Labels are not
// looked at. An error is yielded once, and ends the rows.
func (m *Model) PredictStream(r io.Reader, source string, opts dataset.Options) iter.Seq2[Prediction, error] {
	return func(yield func(Prediction, error) bool) {
		opts.Unlabeled = true
		for x, err := range m.encoder.Stream(r, source, opts, m.network.rowsAtOnce()) {
			var scores []float64
			if err == nil {
				scores, err = m.score(x.X)
			}
			if err != nil {
				yield(Prediction{}, err)
				return
			}
			for _, p := range m.predictions(scores) {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func (m *Model) predictions(scores []float64) []Prediction {
	negative, positive := m.Labels()
	threshold := m.Threshold()
	out := make([]Prediction, len(scores))
	for i, p := range metrics.Probabilities(scores) {
		out[i] = Prediction{Score: scores[i], Probability: p, Label: negative}
		if scores[i] >= threshold {
			out[i].Positive, out[i].Label = true, positive
		}
	}
	return out
}
