package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier/metrics"
)

// reference is testdata/sklearn.json, which make_sklearn.py beside it has written.
type reference struct {
	Cases []struct {
		Name                          string
		Scores, Labels, Probabilities []float64
		Threshold                     float64
		Confusion                     [4]int // TN, FP, FN, TP
		Accuracy, Precision, Recall   float64
		Specificity, F1, MCC, Brier   float64
		AUC                           any           // a number, or the name of an exception
		BalancedAccuracy              float64       `json:"balanced_accuracy"`
		AveragePrecision              float64       `json:"average_precision"`
		LogLoss                       float64       `json:"log_loss"`
		ROC                           [3][]*float64 // FPR, TPR, thresholds but for the first
		PrecisionRecall               [3][]*float64 `json:"precision_recall"` // by increasing threshold, one fewer of these
		Uniform5                      [2][]float64  `json:"uniform_5"`        // observed, predicted
		Uniform10                     [2][]float64  `json:"uniform_10"`
		Quantile4                     [2][]float64  `json:"quantile_4"`
		Quantile7                     [2][]float64  `json:"quantile_7"`
	}
	Calibration []struct {
		Name                                       string
		Probabilities, Labels, Observed, Predicted []float64
		Bins                                       int
		Strategy                                   string
	}
}

func readReference(t *testing.T) (r reference) {
	t.Helper()
	data, err := os.ReadFile("testdata/sklearn.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r))
	require.NotEmpty(t, r.Cases)
	require.NotEmpty(t, r.Calibration)
	return r
}

// number is what a pointer of the reference stands for, where nil is NaN.
func number(p *float64) float64 {
	if p == nil {
		return nan
	}
	return *p
}

func TestAgreesWithScikitLearn(t *testing.T) {
	for _, c := range readReference(t).Cases {
		t.Run(c.Name, func(t *testing.T) {
			s, err := metrics.Summarize(c.Scores, c.Labels, c.Threshold)
			require.NoError(t, err)

			positive := strings.Contains(c.Name, "only positive") || c.Name == "one row"
			negative := strings.Contains(c.Name, "only negative")
			both := !positive && !negative
			require.Equal(t, s.Positives > 0 && s.Negatives > 0, both)
			// or returns what scikit-learn does if the labels have the classes that it
			// needs, and NaN, which is where this package differs, otherwise.
			or := func(defined bool, want float64) float64 {
				if !defined {
					return nan
				}
				return want
			}
			require.Equal(t, metrics.Confusion{TN: c.Confusion[0], FP: c.Confusion[1], FN: c.Confusion[2], TP: c.Confusion[3]}, s.Confusion)
			near(t, c.Accuracy, s.Accuracy, "accuracy")
			near(t, or(both, c.BalancedAccuracy), s.BalancedAccuracy, "balanced accuracy")
			near(t, c.Precision, s.Precision, "precision")
			near(t, or(!negative, c.Recall), s.Recall, "recall")
			near(t, or(!positive, c.Specificity), s.Specificity, "specificity")
			near(t, or(!negative, c.F1), s.F1, "F1")
			near(t, or(both, c.MCC), s.MCC, "MCC")
			if both {
				near(t, c.AUC.(float64), s.AUC, "AUC")
			} else {
				require.Equal(t, "ValueError", c.AUC)
				near(t, nan, s.AUC, "AUC")
			}
			near(t, or(!negative, c.AveragePrecision), s.AveragePrecision, "average precision")
			near(t, c.LogLoss, s.LogLoss, "log loss")
			near(t, c.Brier, s.Brier, "Brier score")

			probabilities := metrics.Probabilities(c.Scores)
			for i, p := range probabilities {
				near(t, c.Probabilities[i], p, "probability")
			}
			for _, b := range []struct {
				bins    int
				binning metrics.Binning
				want    [2][]float64
			}{
				{5, metrics.Uniform, c.Uniform5}, {10, metrics.Uniform, c.Uniform10},
				{4, metrics.Quantile, c.Quantile4}, {7, metrics.Quantile, c.Quantile7},
			} {
				calibrated(t, probabilities, c.Labels, b.bins, b.binning, b.want[0], b.want[1])
			}

			ranking, err := metrics.Rank(c.Scores, c.Labels)
			require.NoError(t, err)
			roc := ranking.ROC()
			require.Len(t, roc, len(c.ROC[0]))
			require.Equal(t, inf, roc[0].Threshold)
			for i, p := range roc {
				near(t, number(c.ROC[0][i]), p.FPR, "false positive rate")
				near(t, number(c.ROC[1][i]), p.TPR, "true positive rate")
				if i > 0 {
					require.Equal(t, number(c.ROC[2][i-1]), p.Threshold)
				}
			}
			pr := ranking.PrecisionRecall()
			require.Len(t, pr, len(c.PrecisionRecall[0]))
			require.Equal(t, inf, pr[0].Threshold)
			for i, p := range pr {
				at := len(pr) - 1 - i
				near(t, number(c.PrecisionRecall[0][at]), p.Precision, "precision of the curve")
				near(t, or(!negative, number(c.PrecisionRecall[1][at])), p.Recall, "recall of the curve")
				if i > 0 {
					require.Equal(t, number(c.PrecisionRecall[2][at]), p.Threshold)
				}
			}
		})
	}
}

// Probabilities that are edges of bins show on which side an edge is.
func TestCalibrateAgreesWithScikitLearn(t *testing.T) {
	for _, c := range readReference(t).Calibration {
		t.Run(c.Name, func(t *testing.T) {
			binning, ok := map[string]metrics.Binning{"uniform": metrics.Uniform, "quantile": metrics.Quantile}[c.Strategy]
			require.True(t, ok)
			calibrated(t, c.Probabilities, c.Labels, c.Bins, binning, c.Observed, c.Predicted)
		})
	}
}

func calibrated(t *testing.T, probabilities, labels []float64, bins int, binning metrics.Binning, observed, predicted []float64) {
	t.Helper()
	got, err := metrics.Calibrate(probabilities, labels, bins, binning)
	require.NoError(t, err)
	require.Len(t, got, len(observed))
	var rows int
	var off float64
	for i, bin := range got {
		near(t, observed[i], bin.Observed, "observed")
		near(t, predicted[i], bin.Predicted, "predicted")
		rows += bin.Rows
		off += math.Abs(observed[i]-predicted[i]) * float64(bin.Rows) / float64(len(labels))
	}
	require.Equal(t, len(labels), rows)
	require.InDelta(t, off, got.Error(), 1e-12)
}
