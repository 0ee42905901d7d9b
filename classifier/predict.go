package classifier

import (
	"errors"
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

	// Warnings has a sentence for each column with categories that the training rows did not have, in this row
	// or another that was read by then. So the last row's are all there is to tell.
	Warnings []string `json:"-"`
}

// Predict returns a prediction for each row, from the columns that [Model.Scores] needs.
func (m *Model) Predict(f *dataset.Frame) ([]Prediction, error) {
	x, err := m.encode(f, false)
	if err != nil {
		return nil, err
	}
	return m.predictions(x)
}

// PredictStream reads rows as [dataset.ReadFrame] does and yields a prediction for each as
// it goes, holding no more than a thousand rows of a CSV or LIBSVM file, however long it is. Labels are not
// looked at. Warnings are also about what [dataset.Encoder.Stream] skips. An error is yielded once, and ends the rows.
func (m *Model) PredictStream(r io.Reader, source string, opts dataset.Options) iter.Seq2[Prediction, error] {
	return func(yield func(Prediction, error) bool) {
		if err := errors.Join(m.check(), given(r, "reader", "an open file")); err != nil {
			yield(Prediction{}, err)
			return
		}
		opts.Unlabeled = true
		for x, err := range m.encoder.Stream(r, source, opts, m.network.rowsAtOnce()) {
			var predictions []Prediction
			if err == nil {
				predictions, err = m.predictions(x)
			}
			if err != nil {
				yield(Prediction{}, err)
				return
			}
			for _, p := range predictions {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// predictions returns those of encoded rows.
func (m *Model) predictions(x *dataset.Matrix) ([]Prediction, error) {
	scores, err := m.score(x.X)
	if err != nil {
		return nil, err
	}
	negative, positive := m.Labels()
	threshold := m.Threshold()
	out := make([]Prediction, len(scores))
	for i, p := range metrics.Probabilities(scores) {
		out[i] = Prediction{Score: scores[i], Probability: p, Label: negative, Warnings: x.Warnings}
		if scores[i] >= threshold {
			out[i].Positive, out[i].Label = true, positive
		}
	}
	return out, nil
}
