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

// Measure compares scores with labels -1 and +1, one of each a row. Without
// rows, or with a score that is NaN, metrics are NaN.
func Measure(scores, labels []float64) Metrics {
	var loss, right float64
	for i, score := range scores {
		margin := labels[i] * score
		loss += max(-margin, 0) + math.Log1p(math.Exp(-math.Abs(margin)))
		if (score > 0) == (labels[i] > 0) {
			right++
		}
	}
	n := float64(len(scores))
	m := Metrics{Loss: loss / n, Accuracy: right / n, AUC: AUC(scores, labels)}
	if math.IsNaN(m.Loss) {
		m.Accuracy = math.NaN()
	}
	return m
}

// AUC returns the area under the ROC curve: the probability that a row of the
// positive class scores higher than one of the negative class, with ties
// counted half (the Mann-Whitney statistic; Hanley and McNeil, 1982). It is NaN if a
// class is absent or a score is NaN.
func AUC(scores, labels []float64) float64 {
	order := make([]int, len(scores))
	for i, s := range scores {
		if math.IsNaN(s) {
			return math.NaN()
		}
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
