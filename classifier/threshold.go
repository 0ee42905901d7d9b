package classifier

import (
	"fmt"
	"math"

	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// Threshold returns the score from which on a row is predicted positive. It is 0, a
// probability of one half, unless it was set or chosen.
func (m *Model) Threshold() float64 {
	if m.missing() {
		return 0
	}
	return math.Float64frombits(m.threshold.Load())
}

// SetThreshold sets the threshold, a finite score. For a probability p it is log(p/(1-p)).
func (m *Model) SetThreshold(score float64) error {
	if err := m.check(); err != nil {
		return err
	}
	if !finite(score) {
		return fmt.Errorf("classifier: a threshold of %v; it must be a finite number, such as 0 for a probability of one half", score)
	}
	m.threshold.Store(math.Float64bits(score))
	return nil
}

// ThresholdRule is what a threshold is to maximise.
type ThresholdRule int

const (
	MaxF1     ThresholdRule = iota // the F1 score, see [metrics.Ranking.BestF1]
	MaxYouden                      // Youden's J, see [metrics.Ranking.BestYouden]
)

// ChooseThreshold sets the threshold that is best for the rows by the rule: halfway between the score from which on rows
// are to be positive and the next lower one, if there is one, so that no row is decided by the last bits of its score. The
// rows should not be those that the model is tested with afterwards: validation rows are right.
func (m *Model) ChooseThreshold(f *dataset.Frame, rule ThresholdRule) error {
	x, err := m.encode(f, true)
	if err != nil {
		return err
	}
	scores, err := m.score(x.X)
	if err != nil {
		return err
	}
	ranking, err := metrics.Rank(scores, x.Y)
	if err != nil {
		return err
	}
	var threshold float64
	switch rule {
	case MaxF1:
		threshold, _ = ranking.BestF1()
	case MaxYouden:
		threshold, _ = ranking.BestYouden()
	default:
		return fmt.Errorf("classifier: there is no threshold rule %d; use classifier.MaxF1 or classifier.MaxYouden", rule)
	}
	if math.IsNaN(threshold) {
		return fmt.Errorf("classifier: no threshold can be chosen by the rows of %q, which lack a class", f.Source())
	}
	return m.SetThreshold(halfway(scores, threshold))
}

// halfway returns the mean of a score and the next lower one, or the score itself if that is none or infinite.
func halfway(scores []float64, score float64) float64 {
	below := math.Inf(-1)
	for _, s := range scores {
		if s < score {
			below = max(below, s)
		}
	}
	if middle := below/2 + score/2; finite(middle) && middle > below {
		return middle
	}
	return score
}
