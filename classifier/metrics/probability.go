package metrics

import "math"

// Probabilities returns the probability of the positive class for each logit,
// 1/(1+exp(-score)).
func Probabilities(scores []float64) []float64 {
	p := make([]float64, len(scores))
	for i, score := range scores {
		p[i] = 1 / (1 + math.Exp(-score))
	}
	return p
}

// LogLoss is the mean of -ln of the probability given to each row's label, also called
// binary cross-entropy. As in scikit-learn since version 1.2, probabilities are first
// clipped to [ε, 1-ε] with ε = 2⁻⁵², that of float64, so that one wrong and certain row
// costs 36.04 and not infinity. Labels that lack a class are no obstacle; scikit-learn refuses
// them unless it is told the names of both classes.
func LogLoss(probabilities, labels []float64) (float64, error) {
	if err := checkProbabilities(probabilities, labels); err != nil {
		return 0, err
	}
	const epsilon = 0x1p-52
	var sum float64
	for i, p := range probabilities {
		p = min(max(p, epsilon), 1-epsilon)
		if labels[i] > 0 {
			sum -= math.Log(p)
		} else {
			sum -= math.Log1p(-p)
		}
	}
	return sum / float64(len(probabilities)), nil
}

// Brier is the mean squared difference between the probability of the positive class and
// the outcome, 0 or 1 (Brier, 1950): 0 at best, 1 at worst.
func Brier(probabilities, labels []float64) (float64, error) {
	if err := checkProbabilities(probabilities, labels); err != nil {
		return 0, err
	}
	var sum float64
	for i, p := range probabilities {
		d := p
		if labels[i] > 0 {
			d = 1 - p
		}
		sum += d * d
	}
	return sum / float64(len(probabilities)), nil
}
