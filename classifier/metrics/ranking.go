package metrics

import (
	"math"
	"slices"
	"sort"
)

// Ranking is what scores and labels say at every threshold at once. It is made by one
// sort; after that, each of its methods is one pass over the distinct scores.
type Ranking struct {
	cuts                 []cut // by decreasing threshold
	positives, negatives int
}

// cut is what is predicted positive at a threshold, which is one of the scores.
type cut struct {
	threshold float64
	tp, fp    int
}

// Rank sorts scores with labels -1 and +1, one of each a row, in time O(n log n).
func Rank(scores, labels []float64) (*Ranking, error) {
	if err := check("score", scores, labels); err != nil {
		return nil, err
	}
	// Sorting the classes apart and merging them is several times as fast as sorting
	// rows by a comparison function.
	sorted := make([]float64, len(scores))
	p, n := 0, len(scores)
	for i, score := range scores {
		if labels[i] > 0 {
			sorted[p] = score
			p++
		} else {
			n--
			sorted[n] = score
		}
	}
	positive, negative := sorted[:p], sorted[p:]
	slices.Sort(positive)
	slices.Sort(negative)

	r := &Ranking{cuts: make([]cut, 0, len(scores)), positives: len(positive), negatives: len(negative)}
	i, j := len(positive), len(negative)
	for i+j > 0 {
		c := cut{threshold: math.Inf(-1)}
		if i > 0 {
			c.threshold = positive[i-1]
		}
		if j > 0 {
			c.threshold = max(c.threshold, negative[j-1])
		}
		for i > 0 && positive[i-1] == c.threshold {
			i--
		}
		for j > 0 && negative[j-1] == c.threshold {
			j--
		}
		c.tp, c.fp = len(positive)-i, len(negative)-j
		r.cuts = append(r.cuts, c)
	}
	return r, nil
}

// At returns the confusion matrix of predicting positive where the score is at least
// the threshold, in time O(log n).
func (r *Ranking) At(threshold float64) Confusion {
	i := sort.Search(len(r.cuts), func(i int) bool { return !(r.cuts[i].threshold >= threshold) })
	if i == 0 {
		return r.confusion(cut{})
	}
	return r.confusion(r.cuts[i-1])
}

func (r *Ranking) confusion(c cut) Confusion {
	return Confusion{TP: c.tp, FP: c.fp, TN: r.negatives - c.fp, FN: r.positives - c.tp}
}

// AUC is the area under the ROC curve: the probability that a row of the positive class
// scores higher than one of the negative class, with ties counted half (the Mann-Whitney
// statistic; Hanley and McNeil, 1982). It is NaN if the labels lack a class, which
// scikit-learn refuses before version 1.6.
func (r *Ranking) AUC() float64 {
	var twice int64 // the area times two, in pairs of rows: no rounding
	var last cut
	for _, c := range r.cuts {
		twice += int64(c.fp-last.fp) * int64(c.tp+last.tp)
		last = c
	}
	return float64(twice) / 2 / (float64(r.positives) * float64(r.negatives))
}

// AveragePrecision sums up the precision-recall curve,
//
//	Σᵢ (Rᵢ - Rᵢ₋₁)·Pᵢ
//
// over decreasing distinct scores, where Pᵢ and Rᵢ are precision and recall at the i-th and
// R₀ is 0: the average_precision_score of scikit-learn. It is often called the area under
// the precision-recall curve, but nothing is interpolated, since a line between two points of
// that curve is too optimistic (Davis and Goadrich, 2006). It is 0 without positive rows.
func (r *Ranking) AveragePrecision() float64 {
	if r.positives == 0 {
		return 0
	}
	var sum float64
	var last cut
	for _, c := range r.cuts {
		sum += float64(c.tp-last.tp) * float64(c.tp) / float64(c.tp+c.fp)
		last = c
	}
	return sum / float64(r.positives)
}

// ROCPoint is a point of the receiver operating characteristic.
type ROCPoint struct {
	Threshold float64
	FPR       float64 // false positive rate, 1 - specificity; NaN without negative rows
	TPR       float64 // true positive rate, recall; NaN without positive rows
}

// ROC returns the receiver operating characteristic: false and true positive rate at each
// distinct score, from the highest to the lowest, after the point (0, 0) at a threshold
// of +Inf, where nothing is predicted positive. It is scikit-learn's roc_curve
// with drop_intermediate=False.
func (r *Ranking) ROC() []ROCPoint {
	positives, negatives := float64(r.positives), float64(r.negatives)
	points := make([]ROCPoint, 1, len(r.cuts)+1)
	points[0] = ROCPoint{Threshold: math.Inf(1), FPR: 0 / negatives, TPR: 0 / positives}
	for _, c := range r.cuts {
		points = append(points, ROCPoint{Threshold: c.threshold, FPR: float64(c.fp) / negatives, TPR: float64(c.tp) / positives})
	}
	return points
}

// PRPoint is a point of the precision-recall curve.
type PRPoint struct {
	Threshold float64
	Precision float64
	Recall    float64 // 1 without positive rows
}

// PrecisionRecall returns precision and recall at each distinct score, from the highest to
// the lowest, after a point of precision 1 and recall 0 at a threshold of +Inf. These
// are the points of scikit-learn's precision_recall_curve in reverse, in which, other than
// in [Confusion.Recall], recall is 1 at every score if there are no positive rows to miss.
func (r *Ranking) PrecisionRecall() []PRPoint {
	points := make([]PRPoint, 1, len(r.cuts)+1)
	points[0] = PRPoint{Threshold: math.Inf(1), Precision: 1, Recall: 0}
	for _, c := range r.cuts {
		recall := 1.
		if r.positives > 0 {
			recall = share(c.tp, r.positives)
		}
		points = append(points, PRPoint{Threshold: c.threshold, Precision: share(c.tp, c.tp+c.fp), Recall: recall})
	}
	return points
}

// BestF1 returns the threshold that maximises F1, and the F1 there. The threshold is one
// of the scores: the highest of those that are equally good. Without positive rows F1 is 0 at
// every threshold, so that none is best, and the threshold is NaN.
func (r *Ranking) BestF1() (threshold, f1 float64) {
	threshold = math.NaN()
	for _, c := range r.cuts {
		// Quotients of integers that are equal are equal after rounding too.
		if v := r.confusion(c).F1(); v > f1 {
			threshold, f1 = c.threshold, v
		}
	}
	return threshold, f1
}

// BestYouden returns the threshold that maximises Youden's J, recall + specificity - 1
// (Youden, 1950), and the J there. The threshold is one of the scores: the highest of
// those that are equally good. Both are NaN if the labels lack a class.
func (r *Ranking) BestYouden() (threshold, j float64) {
	if r.positives == 0 || r.negatives == 0 {
		return math.NaN(), math.NaN()
	}
	threshold, best := math.NaN(), int64(math.MinInt64)
	for _, c := range r.cuts {
		// J times positives times negatives, which unlike J is not rounded.
		if v := int64(c.tp)*int64(r.negatives) - int64(c.fp)*int64(r.positives); v > best {
			threshold, best = c.threshold, v
		}
	}
	return threshold, float64(best) / (float64(r.positives) * float64(r.negatives))
}
