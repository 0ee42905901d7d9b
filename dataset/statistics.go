package dataset

import (
	"math"
	"slices"
)

// MeanAndDeviation returns the mean and the population standard deviation of values, by which columns are
// standardised; NaN for none.
func MeanAndDeviation(values []float64) (mean, deviation float64) {
	if len(values) == 0 {
		return nan, nan
	}
	// Two passes, since the textbook shortcut of subtracting the squared mean
	// from the mean square cancels badly. The mean is taken of differences from
	// the first value, so that a constant column has exactly its value for a mean.
	n := float64(len(values))
	for _, x := range values {
		mean += x - values[0]
	}
	mean = values[0] + mean/n
	largest := 0.0
	for _, x := range values {
		largest = max(largest, math.Abs(x-mean))
	}
	if largest == 0 {
		return mean, 0
	}
	// Divided by the largest, no square leaves the range of float64.
	sum := 0.0
	for _, x := range values {
		d := (x - mean) / largest
		sum += d * d
	}
	return mean, largest * math.Sqrt(sum/n)
}

// median returns the median of values, which it reorders: the middle one, or the mean of the
// middle two.
func median(values []float64) float64 {
	k := len(values) / 2
	selectKth(values, k)
	if len(values)%2 == 1 {
		return values[k]
	}
	low, high := slices.Max(values[:k]), values[k]
	if m := (low + high) / 2; finite(m) {
		return m
	}
	return low/2 + high/2
}

// selectKth reorders values so that the one of rank k (from 0) is at k, with none
// greater before it and none less after it (Hoare's quickselect, on three parts so
// that equal values cost nothing). Orders that defeat it are sorted.
func selectKth(values []float64, k int) {
	for budget := 32; len(values) > 12; budget-- {
		if budget == 0 {
			break
		}
		a, b, c := values[0], values[len(values)/2], values[len(values)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		less, i, greater := 0, 0, len(values)
		for i < greater {
			switch v := values[i]; {
			case v < pivot:
				values[i], values[less] = values[less], v
				less++
				i++
			case v > pivot:
				greater--
				values[i], values[greater] = values[greater], v
			default:
				i++
			}
		}
		switch {
		case k < less:
			values = values[:less]
		case k >= greater:
			values, k = values[greater:], k-greater
		default:
			return
		}
	}
	slices.Sort(values)
}
