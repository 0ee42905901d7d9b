package classifier

import (
	"encoding/json"
	"math"
)

// number is a float64 that JSON can hold even if it is not finite: as null, which is read as NaN.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if !finite(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func (n *number) UnmarshalJSON(data []byte) error {
	*n = number(math.NaN())
	return json.Unmarshal(data, (*float64)(n)) // null leaves it as it is
}
