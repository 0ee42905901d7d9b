package classifier

import "math"

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// allFinite reports whether no value is infinite or NaN.
func allFinite[T float32 | float64](values []T) bool {
	for _, v := range values {
		if !finite(float64(v)) {
			return false
		}
	}
	return true
}
