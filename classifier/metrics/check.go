package metrics

import (
	"errors"
	"fmt"
	"math"
)

// check returns an error unless there are rows and each has a value that is not NaN and
// a label of -1 or +1. The noun says what the values are.
func check(noun string, values, labels []float64) error {
	switch {
	case len(values) != len(labels):
		return fmt.Errorf("metrics: %d values and %d labels; one of each a row is needed", len(values), len(labels))
	case len(values) == 0:
		return errors.New("metrics: there are no rows to measure; at least one is needed")
	}
	for i, v := range values {
		if math.IsNaN(v) {
			return fmt.Errorf("metrics: the %s of row %d (from 0) is NaN, which cannot be compared; look for NaN in its features or in the model's weights", noun, i)
		}
		if y := labels[i]; y != -1 && y != 1 {
			return fmt.Errorf("metrics: the label of row %d (from 0) is %v; it must be -1 or +1", i, y)
		}
	}
	return nil
}

// checkProbabilities is check for values that must lie between 0 and 1.
func checkProbabilities(probabilities, labels []float64) error {
	if err := check("probability", probabilities, labels); err != nil {
		return err
	}
	for i, p := range probabilities {
		if p < 0 || p > 1 {
			return fmt.Errorf("metrics: the probability of row %d (from 0) is %v; it must be from 0 to 1, so pass logits through metrics.Probabilities first", i, p)
		}
	}
	return nil
}
