package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier/metrics"
)

// reference is testdata/sklearn.json, which make_sklearn.py beside it has written.
type reference struct {
	Cases []struct {
		decisions
		Scores, Labels, Probabilities []float64
		Threshold, Brier              float64
		AUC                           any           // a number, or the name of an exception
		AveragePrecision              float64       `json:"average_precision"`
		LogLoss                       float64       `json:"log_loss"`
		ROC                           [3][]*float64 // FPR, TPR, thresholds but for the first
		PrecisionRecall               [3][]*float64 `json:"precision_recall"` // by increasing threshold, one fewer of these
		Uniform5                      [2][]float64  `json:"uniform_5"`        // observed, predicted
		Uniform10                     [2][]float64  `json:"uniform_10"`
		Quantile4                     [2][]float64  `json:"quantile_4"`
		Quantile7                     [2][]float64  `json:"quantile_7"`
	}
	Confusions  []decisions
	Calibration []struct {
		Name                                       string
		Probabilities, Labels, Observed, Predicted []float64
		Bins                                       int
		Strategy                                   string
	}
}

// decisions are the measures of a confusion matrix, nil where they are NaN.
type decisions struct {
	Name                        string
	Confusion                   [4]int // TN, FP, FN, TP
	Accuracy, Precision, Recall *float64
	Specificity, F1, MCC        *float64
	BalancedAccuracy            *float64 `json:"balanced_accuracy"`
}

func (d decisions) check(t *testing.T, c metrics.Confusion) {
	t.Helper()
	require.Equal(t, metrics.Confusion{TN: d.Confusion[0], FP: d.Confusion[1], FN: d.Confusion[2], TP: d.Confusion[3]}, c, d.Name)
	near(t, number(d.Accuracy), c.Accuracy(), d.Name+": accuracy")
	near(t, number(d.BalancedAccuracy), c.BalancedAccuracy(), d.Name+": balanced accuracy")
	near(t, number(d.Precision), c.Precision(), d.Name+": precision")
	near(t, number(d.Recall), c.Recall(), d.Name+": recall")
	near(t, number(d.Specificity), c.Specificity(), d.Name+": specificity")
	near(t, number(d.F1), c.F1(), d.Name+": F1")
	near(t, number(d.MCC), c.MCC(), d.Name+": MCC")
}

func readReference(t *testing.T) (r reference) {
	t.Helper()
	data, err := os.ReadFile("testdata/sklearn.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r))
	require.NotEmpty(t, r.Cases)
	require.NotEmpty(t, r.Confusions)
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

			c.check(t, s.Confusion)
			for i, measure := range []float64{s.Accuracy, s.BalancedAccuracy, s.Precision, s.Recall, s.Specificity, s.F1, s.MCC} {
				near(t, number([]*float64{c.Accuracy, c.BalancedAccuracy, c.Precision, c.Recall, c.Specificity, c.F1, c.MCC}[i]), measure, "of the summary")
			}
			if s.Positives > 0 && s.Negatives > 0 {
				near(t, c.AUC.(float64), s.AUC, "AUC")
			} else {
				require.Equal(t, "ValueError", c.AUC)
				near(t, nan, s.AUC, "AUC")
			}
			near(t, c.AveragePrecision, s.AveragePrecision, "average precision")
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
				near(t, number(c.PrecisionRecall[1][at]), p.Recall, "recall of the curve")
				if i > 0 {
					require.Equal(t, number(c.PrecisionRecall[2][at]), p.Threshold)
				}
			}
		})
	}
}

// Every confusion matrix of few rows, down to none.
func TestConfusionAgreesWithScikitLearn(t *testing.T) {
	for _, d := range readReference(t).Confusions {
		d.check(t, metrics.Confusion{TN: d.Confusion[0], FP: d.Confusion[1], FN: d.Confusion[2], TP: d.Confusion[3]})
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
