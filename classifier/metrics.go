package classifier

import (
	"cmp"
	"math"
	"slices"
)

// Metrics says how well scores agree with labels.
type Metrics struct {
	Loss     float64 // mean soft margin loss
	Accuracy float64 // share of rows whose score has the label's sign; a score of 0 counts as negative
	AUC      float64 // area under the ROC curve, see [AUC]
}

// Measure compares scores with labels -1 and +1, one of each a row. Metrics are
// NaN without rows, with a score that is NaN, with another label, and where there
// are not as many labels as scores.
func Measure(scores, labels []float64) Metrics {
	if !comparable(scores, labels) {
		return Metrics{Loss: math.NaN(), Accuracy: math.NaN(), AUC: math.NaN()}
	}
	var loss, right float64
	for i, score := range scores {
		margin := labels[i] * score
		loss += max(-margin, 0) + math.Log1p(math.Exp(-math.Abs(margin)))
		if (score > 0) == (labels[i] > 0) {
			right++
		}
	}
	n := float64(len(scores))
	return Metrics{Loss: loss / n, Accuracy: right / n, AUC: AUC(scores, labels)}
}

// comparable reports whether there is a score and a label of -1 or +1 for each row.
func comparable(scores, labels []float64) bool {
	if len(scores) != len(labels) {
		return false
	}
	for i, s := range scores {
		if math.IsNaN(s) || labels[i] != -1 && labels[i] != 1 {
			return false
		}
	}
	return true
}

// AUC returns the area under the ROC curve: the probability that a row of the
// positive class scores higher than one of the negative class, with ties
// counted half (the Mann-Whitney statistic; Hanley and McNeil, 1982). It is NaN if a
// class is absent, and where [Measure] says.
func AUC(scores, labels []float64) float64 {
	if !comparable(scores, labels) {
		return math.NaN()
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var positives, negatives, wins float64
	for i := 0; i < len(order); {
		var tiedPositives, tiedNegatives float64
		for tie := scores[order[i]]; i < len(order) && scores[order[i]] == tie; i++ {
			if labels[order[i]] > 0 {
				tiedPositives++
			} else {
				tiedNegatives++
			}
		}
		wins += tiedPositives * (negatives + tiedNegatives/2)
		positives += tiedPositives
		negatives += tiedNegatives
	}
	return wins / (positives * negatives)
}
