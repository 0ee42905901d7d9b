package modelfile

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

const (
	version = 1 // of the rules in the package comment

	// prefix is how every header begins. It is what tells a model file from any other,
	// and puts the checksum at a fixed place, so it stays in all versions.
	prefix = `{"__metadata__":{"pullback":"{\"sha256\":\"`

	sumSize   = 64 // hexadecimal digits of a SHA-256
	sumStart  = 8 + len(prefix)
	sumEnd    = sumStart + sumSize
	maxHeader = 16 << 20 // bytes; the format itself allows 100 million
	maxRank   = 64
	maxEntry  = 2048 // bytes of JSON about a tensor of rank 64
)

// File is what a model file holds.
type File struct {
	Metadata json.RawMessage   // the caller's document: any JSON value
	Tensors  map[string]Tensor // by name; "__metadata__" is not one
}

// Tensor is an array of numbers.
type Tensor struct {
	DType string // "F64", "I64", "F32", "F16" or "BF16"
	Shape []int  // at most 64 dimensions; none for a scalar
	Data  []byte // row-major, little-endian
}

const dtypes = "F64, I64, F32, F16 or BF16"

// elementSize returns the bytes an element takes, 0 if there is no such dtype.
func elementSize(dtype string) int {
	switch dtype {
	case "F64", "I64":
		return 8
	case "F32":
		return 4
	case "F16", "BF16":
		return 2
	}
	return 0
}

// dataSize returns the bytes that a tensor of a known dtype takes, -1 if a dimension is
// negative or there are too many of them, or too many elements to count.
func dataSize(dtype string, shape []int) int {
	if len(shape) > maxRank {
		return -1
	}
	size := elementSize(dtype)
	for _, d := range shape {
		if d < 0 || d > 0 && size > math.MaxInt/d {
			return -1
		}
		size *= d
	}
	return size
}

// shapeText is a shape for an error message, cut if it is long.
func shapeText(shape []int) string {
	const limit = 8
	var dims []string
	for _, d := range shape[:min(len(shape), limit)] {
		dims = append(dims, strconv.Itoa(d))
	}
	if len(shape) > limit {
		dims = append(dims, "…")
	}
	return "[" + strings.Join(dims, ",") + "]"
}
