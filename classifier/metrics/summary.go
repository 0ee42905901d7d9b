package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/pullback-go/pullback/classifier/internal/nullable"
)

// Summary has every measure of one set of scores. Only AUC, MaxYouden and the two thresholds of
// maxima can be NaN, if the labels lack a class.
//
// In JSON, numbers that are not finite are null, and null is read as NaN.
type Summary struct {
	Rows, Positives, Negatives int

	Threshold float64 // at which the confusion matrix was taken
	Confusion Confusion

	Accuracy         float64
	BalancedAccuracy float64
	Precision        float64
	Recall           float64
	Specificity      float64
	F1               float64
	MCC              float64

	AUC              float64 // area under the ROC curve
	AveragePrecision float64 // area under the precision-recall curve, see [Ranking.AveragePrecision]
	LogLoss          float64
	Brier            float64
	CalibrationError float64 // expected calibration error over [CalibrationBins] uniform bins

	F1Threshold     float64 // the threshold of MaxF1; NaN without positive rows
	MaxF1           float64 // see [Ranking.BestF1]
	YoudenThreshold float64 // the threshold of MaxYouden
	MaxYouden       float64 // see [Ranking.BestYouden]
}

// CalibrationBins is the number of uniform bins of [Summary].CalibrationError.
const CalibrationBins = 10

// Summarize computes all measures of scores that are logits, with labels -1 and +1, one
// of each a row. The threshold is a logit too: 0 stands for a probability of one half.
func Summarize(scores, labels []float64, threshold float64) (*Summary, error) {
	if math.IsNaN(threshold) {
		return nil, errors.New("metrics: the threshold is NaN; it must be a number, such as 0 for a probability of one half")
	}
	ranking, err := Rank(scores, labels)
	if err != nil {
		return nil, err
	}
	c := ranking.At(threshold)
	s := &Summary{
		Rows: len(scores), Positives: ranking.positives, Negatives: ranking.negatives,
		Threshold: threshold, Confusion: c,
		Accuracy: c.Accuracy(), BalancedAccuracy: c.BalancedAccuracy(), Precision: c.Precision(), Recall: c.Recall(),
		Specificity: c.Specificity(), F1: c.F1(), MCC: c.MCC(),
		AUC: ranking.AUC(), AveragePrecision: ranking.AveragePrecision(),
	}
	s.F1Threshold, s.MaxF1 = ranking.BestF1()
	s.YoudenThreshold, s.MaxYouden = ranking.BestYouden()

	probabilities := Probabilities(scores)
	if s.LogLoss, err = LogLoss(probabilities, labels); err != nil {
		return nil, err
	}
	if s.Brier, err = Brier(probabilities, labels); err != nil {
		return nil, err
	}
	calibration, err := Calibrate(probabilities, labels, CalibrationBins, Uniform)
	if err != nil {
		return nil, err
	}
	s.CalibrationError = calibration.Error()
	return s, nil
}

// MarshalJSON writes an object with a key for each field, in their order.
func (s Summary) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, f := range s.fields() {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		separator := ','
		if i == 0 {
			separator = '{'
		}
		fmt.Fprintf(&b, "%c%q:%s", separator, f.key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes. Numbers that are missing become NaN.
func (s *Summary) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*s = Summary{}
	for _, f := range s.fields() {
		value, ok := values[f.key]
		if !ok {
			value = json.RawMessage("null")
		}
		if err := json.Unmarshal(value, f.value); err != nil {
			return fmt.Errorf("metrics: %q of a summary: %w", f.key, err)
		}
	}
	return nil
}

type field struct {
	key   string
	value any // a pointer to the field
}

func (s *Summary) fields() []field {
	return []field{
		{"rows", &s.Rows}, {"positives", &s.Positives}, {"negatives", &s.Negatives},
		{"threshold", (*nullable.Float)(&s.Threshold)}, {"confusion", &s.Confusion},
		{"accuracy", (*nullable.Float)(&s.Accuracy)}, {"balanced_accuracy", (*nullable.Float)(&s.BalancedAccuracy)},
		{"precision", (*nullable.Float)(&s.Precision)}, {"recall", (*nullable.Float)(&s.Recall)},
		{"specificity", (*nullable.Float)(&s.Specificity)}, {"f1", (*nullable.Float)(&s.F1)}, {"mcc", (*nullable.Float)(&s.MCC)},
		{"auc", (*nullable.Float)(&s.AUC)}, {"average_precision", (*nullable.Float)(&s.AveragePrecision)},
		{"log_loss", (*nullable.Float)(&s.LogLoss)}, {"brier", (*nullable.Float)(&s.Brier)},
		{"calibration_error", (*nullable.Float)(&s.CalibrationError)},
		{"f1_threshold", (*nullable.Float)(&s.F1Threshold)}, {"max_f1", (*nullable.Float)(&s.MaxF1)},
		{"youden_threshold", (*nullable.Float)(&s.YoudenThreshold)}, {"max_youden", (*nullable.Float)(&s.MaxYouden)},
	}
}
