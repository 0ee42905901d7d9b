package metrics

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Binning says how [Calibrate] parts the probabilities.
type Binning int

const (
	Uniform  Binning = iota // bins of equal width
	Quantile                // bins of about as many rows each
)

// Calibration compares probabilities with outcomes, bin by bin, in increasing order of
// the probabilities. Bins without rows are left out.
type Calibration []CalibrationBin

// CalibrationBin is a bin of rows with similar probabilities.
type CalibrationBin struct {
	Predicted float64 // mean probability of the rows
	Observed  float64 // share of the rows that are positive
	Rows      int
}

// Calibrate puts the rows into bins by their probabilities, as calibration_curve of
// scikit-learn does. A bin holds the probabilities above its lower edge up to and
// including its upper one, and the first bin its lower one too. Uniform edges part the range
// from 0 to 1; quantile edges part the sorted probabilities, linearly interpolated.
func Calibrate(probabilities, labels []float64, bins int, binning Binning) (Calibration, error) {
	if err := checkProbabilities(probabilities, labels); err != nil {
		return nil, err
	}
	if bins < 1 {
		return nil, fmt.Errorf("metrics: %d bins of probabilities; at least 1 is needed", bins)
	}
	inner := make([]float64, 0, bins-1) // edges but for the first and the last
	switch binning {
	case Uniform:
		for i := 1; i < bins; i++ {
			inner = append(inner, fraction(i, bins))
		}
	case Quantile:
		sorted := slices.Sorted(slices.Values(probabilities))
		for i := 1; i < bins; i++ {
			inner = append(inner, percentile(sorted, fraction(i, bins)*100))
		}
	default:
		return nil, fmt.Errorf("metrics: there is no binning %d; use metrics.Uniform or metrics.Quantile", binning)
	}
	all := make(Calibration, bins)
	for i, p := range probabilities {
		bin := &all[sort.SearchFloat64s(inner, p)]
		bin.Rows++
		bin.Predicted += p
		if labels[i] > 0 {
			bin.Observed++
		}
	}
	filled := all[:0]
	for _, bin := range all {
		if bin.Rows > 0 {
			bin.Predicted /= float64(bin.Rows)
			bin.Observed /= float64(bin.Rows)
			filled = append(filled, bin)
		}
	}
	return filled, nil
}

// fraction is i/n in the roundings of NumPy's linspace, which decide where a probability
// goes that is an edge.
func fraction(i, n int) float64 { return float64(i) * (1 / float64(n)) }

// percentile is the q-th percentile by linear interpolation, in the roundings of NumPy's.
func percentile(sorted []float64, q float64) float64 {
	at := q / 100 * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	a, b, t := sorted[i], sorted[min(i+1, len(sorted)-1)], at-math.Floor(at)
	// The conversions keep products from being fused with sums.
	if t >= 0.5 {
		return b - float64((b-a)*(1-t))
	}
	return a + float64((b-a)*t)
}

// Error is the expected calibration error: the mean over rows of the distance between
// predicted and observed in the row's bin (Naeini, Cooper and Hauskrecht, 2015).
func (c Calibration) Error() float64 {
	var sum, rows float64
	for _, bin := range c {
		sum += float64(bin.Rows) * math.Abs(bin.Observed-bin.Predicted)
		rows += float64(bin.Rows)
	}
	return sum / rows
}
