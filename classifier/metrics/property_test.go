package metrics_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pullback-go/pullback/classifier/metrics"
)

// Every measure of the ranking is computed a second time from its definition, in pairs
// of rows or with a count of all rows at each threshold.
func TestRankingByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, labels := rows(t)
		ranking, err := metrics.Rank(scores, labels)
		require.NoError(t, err)

		var wins, pairs float64
		for i, a := range scores {
			for j, b := range scores {
				if labels[i] > 0 && labels[j] < 0 {
					pairs++
					if a > b {
						wins++
					} else if a == b {
						wins += 0.5
					}
				}
			}
		}
		near(t, wins/pairs, ranking.AUC(), "AUC")

		// A precision for each positive row, at its score: the steps of recall, one by one.
		var precisions, positives float64
		for i, threshold := range scores {
			if labels[i] > 0 {
				precisions += count(scores, labels, threshold).Precision()
				positives++
			}
		}
		near(t, precisions/positives, ranking.AveragePrecision(), "average precision")

		descending := slices.Clone(scores)
		slices.Sort(descending)
		slices.Reverse(descending)
		descending = slices.Compact(descending)
		roc, pr := ranking.ROC(), ranking.PrecisionRecall()
		require.Len(t, roc, len(descending)+1)
		require.Len(t, pr, len(descending)+1)
		require.Equal(t, metrics.ROCPoint{Threshold: inf}, roc[0])
		require.Equal(t, metrics.PRPoint{Threshold: inf, Precision: 1}, pr[0])
		bestF1, bestYouden := -1., -2.
		var atF1, atYouden, area float64
		for i, threshold := range descending {
			c := count(scores, labels, threshold)
			require.Equal(t, c, ranking.At(threshold))
			require.True(t, roc[i+1].Threshold == threshold && pr[i+1].Threshold == threshold)
			near(t, c.Recall(), roc[i+1].TPR, "true positive rate")
			near(t, 1-c.Specificity(), roc[i+1].FPR, "false positive rate")
			near(t, c.Recall(), pr[i+1].Recall, "recall")
			near(t, c.Precision(), pr[i+1].Precision, "precision")
			area += (roc[i+1].FPR - roc[i].FPR) * (roc[i+1].TPR + roc[i].TPR) / 2
			// Better by more than rounding: of equals, the first and highest threshold stays.
			if v := c.F1(); v > bestF1+1e-9 {
				bestF1, atF1 = v, threshold
			}
			if v := c.Recall() + c.Specificity() - 1; v > bestYouden+1e-9 {
				bestYouden, atYouden = v, threshold
			}
		}
		near(t, area, ranking.AUC(), "trapezoids under the ROC curve")
		threshold, f1 := ranking.BestF1()
		require.Equal(t, atF1, threshold)
		near(t, bestF1, f1, "best F1")
		threshold, j := ranking.BestYouden()
		require.Equal(t, atYouden, threshold)
		require.InDelta(t, bestYouden, j, 1e-12)

		between := rapid.Float64().Draw(t, "threshold")
		require.Equal(t, count(scores, labels, between), ranking.At(between))
		confusion, err := metrics.Confuse(scores, labels, between)
		require.NoError(t, err)
		require.Equal(t, count(scores, labels, between), confusion)
	})
}

// count is the confusion matrix in the simplest way there is.
func count(scores, labels []float64, threshold float64) (c metrics.Confusion) {
	for i := range scores {
		if labels[i] == 1 && scores[i] >= threshold {
			c.TP++
		}
		if labels[i] == -1 && scores[i] >= threshold {
			c.FP++
		}
		if labels[i] == -1 && scores[i] < threshold {
			c.TN++
		}
		if labels[i] == 1 && scores[i] < threshold {
			c.FN++
		}
	}
	return c
}

// MCC is Pearson's correlation of predictions with labels; F1 is a harmonic mean; and so on.
func TestConfusionByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, labels := rows(t)
		threshold := rapid.Float64Range(-2, 2).Draw(t, "threshold")
		c := count(scores, labels, threshold)

		n := float64(len(labels))
		var sx, sy, sxx, syy, sxy, right float64
		for i, y := range labels {
			x := -1.
			if scores[i] >= threshold {
				x = 1
			}
			if x == y {
				right++
			}
			sx, sy, sxx, syy, sxy = sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
		}
		near(t, right/n, c.Accuracy(), "accuracy")
		correlation := (sxy - sx*sy/n) / math.Sqrt((sxx-sx*sx/n)*(syy-sy*sy/n))
		if sxx == sx*sx/n {
			correlation = 0 // the predictions are all the same
		}
		require.InDelta(t, correlation, c.MCC(), 1e-9)

		harmonic := 2 / (1/c.Precision() + 1/c.Recall())
		require.InDelta(t, harmonic, c.F1(), 1e-12)
		require.InDelta(t, (c.Recall()+c.Specificity())/2, c.BalancedAccuracy(), 1e-12)

		// With the classes and the predictions exchanged, specificity is recall.
		require.Equal(t, metrics.Confusion{TP: c.TN, TN: c.TP, FP: c.FN, FN: c.FP}.Recall(), c.Specificity())
	})
}

// Measures do not depend on the order of the rows, nor those of ranking on the scale of
// the scores; exchanging the classes turns the ROC curve over.
func TestInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores, labels := rows(t)
		before, err := metrics.Rank(scores, labels)
		require.NoError(t, err)

		order := rapid.Permutation(indices(len(scores))).Draw(t, "order")
		shuffled, shuffledLabels := make([]float64, len(scores)), make([]float64, len(scores))
		negated, opposite := make([]float64, len(scores)), make([]float64, len(scores))
		scaled := make([]float64, len(scores))
		for i, j := range order {
			shuffled[i], shuffledLabels[i] = scores[j], labels[j]
		}
		for i := range scores {
			negated[i], opposite[i], scaled[i] = -scores[i], -labels[i], scores[i]/4
		}
		after, err := metrics.Rank(shuffled, shuffledLabels)
		require.NoError(t, err)
		require.Equal(t, before, after)

		turned, err := metrics.Rank(negated, opposite)
		require.NoError(t, err)
		near(t, before.AUC(), turned.AUC(), "AUC of the other class")
		if !slices.Contains(scores, -math.SmallestNonzeroFloat64) { // a quarter of it is 0
			small, err := metrics.Rank(scaled, labels)
			require.NoError(t, err)
			require.Equal(t, before.AUC(), small.AUC())
			require.Equal(t, before.AveragePrecision(), small.AveragePrecision())
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
