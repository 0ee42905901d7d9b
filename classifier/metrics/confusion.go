package metrics

import "math"

// Confusion is a confusion matrix: how many rows of each class were predicted to be
// of which.
//
// Its methods are 0 where they would be 0/0, as scikit-learn's functions are that warn of it.
type Confusion struct {
	TP int `json:"tp"` // positive rows predicted positive
	FP int `json:"fp"` // negative rows predicted positive
	TN int `json:"tn"` // negative rows predicted negative
	FN int `json:"fn"` // positive rows predicted negative
}

// Confuse counts the outcomes of predicting positive where the score is at least the
// threshold. For many thresholds on the same scores, [Ranking.At] is faster.
func Confuse(scores, labels []float64, threshold float64) (Confusion, error) {
	if err := check("score", scores, labels); err != nil {
		return Confusion{}, err
	}
	var c Confusion
	for i, score := range scores {
		switch predicted, positive := score >= threshold, labels[i] > 0; {
		case predicted && positive:
			c.TP++
		case predicted:
			c.FP++
		case positive:
			c.FN++
		default:
			c.TN++
		}
	}
	return c, nil
}

// Accuracy is the share of rows predicted right. It is NaN without rows.
func (c Confusion) Accuracy() float64 {
	return float64(c.TP+c.TN) / float64(c.TP+c.TN+c.FP+c.FN)
}

// BalancedAccuracy is the mean of recall and specificity: the accuracy that the same
// classifier would have were the classes equally frequent. A class that the labels lack
// is left out of the mean. It is NaN without rows.
func (c Confusion) BalancedAccuracy() float64 {
	switch {
	case c.TN+c.FP == 0:
		return float64(c.TP) / float64(c.TP+c.FN)
	case c.TP+c.FN == 0:
		return c.Specificity()
	}
	return (c.Recall() + c.Specificity()) / 2
}

// Precision is the share of rows predicted positive that are positive, TP/(TP+FP), and
// 0 if no row is predicted positive.
func (c Confusion) Precision() float64 { return share(c.TP, c.TP+c.FP) }

// Recall is the share of positive rows that are predicted positive, TP/(TP+FN), also
// called sensitivity or true positive rate. It is 0 without positive rows.
func (c Confusion) Recall() float64 { return share(c.TP, c.TP+c.FN) }

// Specificity is the share of negative rows that are predicted negative, TN/(TN+FP):
// the recall of the negative class. It is 0 without negative rows.
func (c Confusion) Specificity() float64 { return share(c.TN, c.TN+c.FP) }

// F1 is the harmonic mean of precision and recall, 2TP/(2TP+FP+FN), and 0 if no row is
// positive or predicted positive.
func (c Confusion) F1() float64 { return share(2*c.TP, 2*c.TP+c.FP+c.FN) }

// share returns n/of, and 0 for 0/0.
func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// MCC is Matthews' correlation coefficient,
//
//	(TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))
//
// the correlation of predictions with labels, from -1 to 1 (Matthews, 1975). It is 0 if all
// rows are predicted to be of one class, or the labels lack a class.
func (c Confusion) MCC() float64 {
	tp, fp, tn, fn := float64(c.TP), float64(c.FP), float64(c.TN), float64(c.FN)
	if c.TP+c.FN == 0 || c.TN+c.FP == 0 || c.TP+c.FP == 0 || c.TN+c.FN == 0 {
		return 0
	}
	// Two roots of two factors: exactly TP·TN when all rows are predicted right.
	return (tp*tn - fp*fn) / (math.Sqrt((tp+fp)*(tp+fn)) * math.Sqrt((tn+fp)*(tn+fn)))
}
