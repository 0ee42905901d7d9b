package dataset

import (
	"fmt"
	"math"
)

// Scaler standardises features: it maps each value x of column j to
//
//	(x - Mean[j]) / Scale[j]
//
// which gives the columns it was fitted on mean 0 and standard deviation 1.
// Gradient descent takes even steps on such columns, whatever units they were
// measured in.
type Scaler struct {
	Mean  []float64 // mean of each column
	Scale []float64 // standard deviation of each column, 1 if the column is constant
}

// FitScaler computes the mean and the population standard deviation (divisor n,
// not n-1) of each column of t, which should hold the training rows only: a
// scaler that has seen the test rows tells the model about them. A constant
// column gets scale 1, so that applying the scaler makes it 0. Labels are not
// looked at. It fails if the table has no rows or features, or if a mean or deviation is
// not finite, as happens with values near the end of the range of float64.
func FitScaler(t *Table) (*Scaler, error) {
	if err := t.checkFeatures(); err != nil {
		return nil, err
	}
	columns := len(t.Features)
	s := &Scaler{Mean: make([]float64, columns), Scale: make([]float64, columns)}
	n := float64(t.Rows())

	// Two passes, since the textbook shortcut of subtracting the squared mean
	// from the mean square cancels badly. The mean is taken of differences from
	// the first row, so that a constant column has exactly its value for a mean
	// and a deviation of exactly 0, which a plain sum would miss by a rounding.
	for i := range t.Rows() {
		for j, x := range t.Row(i) {
			s.Mean[j] += x - t.X[j]
		}
	}
	for j := range s.Mean {
		s.Mean[j] = t.X[j] + s.Mean[j]/n
	}
	// Deviations are divided by the largest before they are squared, so that no square
	// leaves the range of float64.
	largest := make([]float64, columns)
	for i := range t.Rows() {
		for j, x := range t.Row(i) {
			largest[j] = max(largest[j], math.Abs(x-s.Mean[j]))
		}
	}
	for i := range t.Rows() {
		for j, x := range t.Row(i) {
			if largest[j] > 0 {
				d := (x - s.Mean[j]) / largest[j]
				s.Scale[j] += d * d
			}
		}
	}
	for j, sum := range s.Scale {
		s.Scale[j] = largest[j] * math.Sqrt(sum/n)
		if s.Scale[j] == 0 {
			s.Scale[j] = 1
		}
		if reach := s.Mean[j] + s.Scale[j]; math.IsNaN(reach) || math.IsInf(reach, 0) {
			return nil, fmt.Errorf("dataset: feature %q of table %q has mean %v and deviation %v, but both must be finite; rescale it",
				t.Features[j], t.Source, s.Mean[j], s.Scale[j])
		}
	}
	return s, nil
}

// Apply returns a table of the standardised rows of t, which shares Features and
// Y with t. It fails if t has not as many columns as the scaler, or if a result
// is not finite, as happens to values near the end of the range of float64.
func (s *Scaler) Apply(t *Table) (*Table, error) {
	if err := t.checkFeatures(); err != nil {
		return nil, err
	}
	if len(s.Mean) != len(t.Features) || len(s.Scale) != len(t.Features) {
		return nil, fmt.Errorf("dataset: table %q has %s, but the scaler has %s and %s",
			t.Source, count(len(t.Features), "column"), count(len(s.Mean), "mean"), count(len(s.Scale), "scale"))
	}
	out := *t
	out.X = make([]float64, len(t.X))
	for i := range t.Rows() {
		dst := out.Row(i)
		for j, x := range t.Row(i) {
			z := (x - s.Mean[j]) / s.Scale[j]
			if math.IsNaN(z) || math.IsInf(z, 0) {
				return nil, fmt.Errorf("dataset: feature %q of table %q: %v standardised with mean %v and scale %v is not finite",
					t.Features[j], t.Source, x, s.Mean[j], s.Scale[j])
			}
			dst[j] = z
		}
	}
	return &out, nil
}
