package device

import (
	"fmt"
	"strings"
)

// DType is the type of a tensor's elements. The zero value is no dtype.
type DType uint8

const (
	Float32  DType = iota + 1 // IEEE 754 binary32
	Float16                   // IEEE 754 binary16
	BFloat16                  // the upper 16 bits of a binary32
	Float64                   // IEEE 754 binary64, for gradient checks; not on every device
)

var dtypeNames = [...]string{Float32: "float32", Float16: "float16", BFloat16: "bfloat16", Float64: "float64"}

// String returns the dtype's name, such as "float32".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return dtypeNames[d]
}

// Valid reports whether d is one of the four dtypes.
func (d DType) Valid() bool { return d >= Float32 && d <= Float64 }

// Size returns the bytes an element takes, 0 for an invalid dtype.
func (d DType) Size() int {
	switch d {
	case Float16, BFloat16:
		return 2
	case Float32:
		return 4
	case Float64:
		return 8
	}
	return 0
}

// Compute returns the dtype in which arithmetic on elements of dtype d is done:
// float64 for float64 and float32 for the others.
func (d DType) Compute() DType {
	if d == Float64 {
		return Float64
	}
	return Float32
}

// ParseDType returns the dtype with the given name.
func ParseDType(name string) (DType, error) {
	for d := Float32; d <= Float64; d++ {
		if dtypeNames[d] == name {
			return d, nil
		}
	}
	return 0, invalidf("", "dtype", "%s", noDType(fmt.Sprintf("%q", name)))
}

// noDType is the reason to refuse what is none of the four dtypes.
func noDType(what string) string {
	return what + " is not one of " + strings.Join(dtypeNames[Float32:], ", ")
}

// Promote returns the dtype in which a and b meet: the wider of the two, and
// float32 for float16 with bfloat16. It returns false where they do not mix:
// float64 goes with nothing but itself.
func Promote(a, b DType) (DType, bool) {
	switch {
	case !a.Valid() || !b.Valid():
		return 0, false
	case a == b:
		return a, true
	case a == Float64 || b == Float64:
		return 0, false
	}
	return Float32, true
}

// Converts reports whether a result of dtype from may be stored as dtype to,
// rounded once: the same dtype, or both of float32, float16 and bfloat16.
func Converts(from, to DType) bool {
	_, ok := Promote(from, to)
	return ok
}
