// Package nullable has a number for JSON, which knows neither NaN nor infinities.
package nullable

import (
	"encoding/json"
	"math"
)

// Float is a float64 that is null in JSON if it is not finite. Null is read as NaN.
type Float float64

func (f Float) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

func (f *Float) UnmarshalJSON(data []byte) error {
	*f = Float(math.NaN())
	return json.Unmarshal(data, (*float64)(f)) // null leaves it as it is
}
