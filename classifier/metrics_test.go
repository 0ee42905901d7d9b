package classifier_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
)

func TestMeasure(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		scores, labels      []float64
		loss, accuracy, auc float64
	}{
		// The pairs (positive, negative) in order: 8 of 9 are ranked right.
		"one pair wrong": {
			scores: []float64{3, 2, -1, 1, -2, -3}, labels: []float64{1, 1, 1, -1, -1, -1},
			loss:     softplus(-3, -2, 1, 1, -2, -3) / 6,
			accuracy: 4. / 6, auc: 8. / 9,
		},
		// Ties count half: of the pairs (2,1), (2,2), (1,1), (1,2), one is right and two are ties.
		"ties":            {scores: []float64{2, 1, 1, 2}, labels: []float64{1, 1, -1, -1}, loss: softplus(-2, -1, 1, 2) / 4, accuracy: 0.5, auc: 0.5},
		"all equal":       {scores: []float64{0, 0, 0}, labels: []float64{1, -1, -1}, loss: math.Ln2, accuracy: 2. / 3, auc: 0.5},
		"perfect":         {scores: []float64{-1e4, 1e4}, labels: []float64{-1, 1}, loss: 0, accuracy: 1, auc: 1},
		"all wrong":       {scores: []float64{1e4, -1e4}, labels: []float64{-1, 1}, loss: 1e4, accuracy: 0, auc: 0},
		"infinite":        {scores: []float64{math.Inf(-1), math.Inf(1)}, labels: []float64{-1, 1}, loss: 0, accuracy: 1, auc: 1},
		"class absent":    {scores: []float64{1, 2}, labels: []float64{1, 1}, loss: softplus(-1, -2) / 2, accuracy: 1, auc: nan},
		"no rows":         {loss: nan, accuracy: nan, auc: nan},
		"labels 0 and 1":  {scores: []float64{1, 2}, labels: []float64{0, 1}, loss: nan, accuracy: nan, auc: nan},
		"a label too few": {scores: []float64{1, 2}, labels: []float64{1}, loss: nan, accuracy: nan, auc: nan},
		"a score is NaN":  {scores: []float64{nan, 1}, labels: []float64{-1, 1}, loss: nan, accuracy: nan, auc: nan},
	} {
		m := classifier.Measure(c.scores, c.labels)
		equal(t, c.loss, m.Loss, name+": loss")
		equal(t, c.accuracy, m.Accuracy, name+": accuracy")
		equal(t, c.auc, m.AUC, name+": AUC")
	}
}

func equal(t *testing.T, want, got float64, what string) {
	t.Helper()
	if math.IsNaN(want) {
		require.True(t, math.IsNaN(got), "%s: %v", what, got)
		return
	}
	require.InDelta(t, want, got, 1e-8, what)
}

// softplus returns the sum of ln(1 + eˣ).
func softplus(xs ...float64) (sum float64) {
	for _, x := range xs {
		sum += math.Log(1 + math.Exp(x))
	}
	return sum
}
