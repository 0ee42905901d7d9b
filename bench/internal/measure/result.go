package measure

import "math"

// Result is what was measured of a point on a device.
type Result struct {
	Point
	Device  string
	Samples []float64 // ns of one operation, in rising order
	Traffic float64   // bytes that one operation must move at least; 0 for train_step
	Allocs  float64   // of Go's heap, an operation
	MaxULP  float64   // the largest error against the float64 reference
	Wrong   bool      // it is larger than verify would allow
}

// Median returns the time of an operation in ns.
func (r *Result) Median() float64 { return r.quantile(0.5) }

// Quartiles returns the times that a quarter of the samples are below and above.
func (r *Result) Quartiles() (low, high float64) { return r.quantile(0.25), r.quantile(0.75) }

// Spread returns half the distance of the quartiles as a share of the median, NaN of fewer than three samples.
func (r *Result) Spread() float64 {
	if len(r.Samples) < 3 {
		return math.NaN()
	}
	low, high := r.Quartiles()
	return (high - low) / 2 / r.Median()
}

// quantile interpolates between the samples.
func (r *Result) quantile(q float64) float64 {
	at := q * float64(len(r.Samples)-1)
	i := int(at)
	if i+1 >= len(r.Samples) {
		return r.Samples[len(r.Samples)-1]
	}
	return r.Samples[i] + (at-float64(i))*(r.Samples[i+1]-r.Samples[i])
}

// Equal reports whether the ranges between the quartiles meet. With fewer than three samples the range is taken to
// be 15 % to both sides.
func (r *Result) Equal(s *Result) bool {
	low, high := r.extent()
	otherLow, otherHigh := s.extent()
	return low <= otherHigh && otherLow <= high
}

func (r *Result) extent() (low, high float64) {
	if len(r.Samples) < 3 {
		return 0.85 * r.Median(), 1.15 * r.Median()
	}
	return r.Quartiles()
}
