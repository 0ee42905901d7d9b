package device

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MaxRank is the largest number of dimensions a tensor may have, as in CANN.
const MaxRank = 8

// Type is a tensor's dtype and shape. The zero Type stands for a missing
// argument; a scalar has a dtype and an empty shape.
type Type struct {
	DType DType
	Shape []int
}

// String returns the type as "float32[2,3]", and "missing" for the zero Type.
func (t Type) String() string {
	if t.missing() {
		return "missing"
	}
	return t.DType.String() + ShapeString(t.Shape)
}

// Check returns an error unless a tensor can have the type: a valid dtype, at most
// [MaxRank] dimensions, none of them negative, and fewer than 2^53 elements, or 2^28
// where an int has 32 bits.
func (t Type) Check() error {
	if !t.DType.Valid() {
		return invalidf("", "dtype", "%s", noDType(t.DType.String()))
	}
	if reason := checkShape(t.Shape); reason != "" {
		return invalidf("", "shape", "%s", reason)
	}
	return nil
}

func (t Type) missing() bool { return t.DType == 0 && t.Shape == nil }

// Equal reports whether t and u have the same dtype and shape.
func (t Type) Equal(u Type) bool { return t.DType == u.DType && slices.Equal(t.Shape, u.Shape) }

// Elements returns the number of elements: the product of the dimensions, 1 for a scalar.
func (t Type) Elements() int { return Elements(t.Shape) }

// Bytes returns the size of the contiguous tensor in bytes.
func (t Type) Bytes() int64 { return int64(t.Elements()) * int64(t.DType.Size()) }

// Elements returns the product of the dimensions, 1 for an empty shape.
func Elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// ShapeString returns the shape as "[2,3]".
func ShapeString(shape []int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range shape {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, d)
	}
	b.WriteByte(']')
	return b.String()
}

// maxElements is the largest number of elements of a tensor. A float64 counts so many
// exactly, and the bytes of all operands of a call, padded and with 8 for each element, do not
// overflow an int64. A 32-bit int counts the bytes of one tensor.
const maxElements = min(1<<53-1, math.MaxInt/8)

// checkShape returns a reason to refuse the shape: more than [MaxRank]
// dimensions, a negative one, or more than [maxElements].
func checkShape(shape []int) string {
	if len(shape) > MaxRank {
		return fmt.Sprintf("rank %d is more than the %d dimensions that are supported", len(shape), MaxRank)
	}
	for i, d := range shape {
		if d < 0 {
			return fmt.Sprintf("dimension %d of %s is negative", i, ShapeString(shape))
		}
	}
	if slices.Contains(shape, 0) {
		return ""
	}
	n := 1
	for _, d := range shape {
		if n > maxElements/d {
			return fmt.Sprintf("%s has more elements than can be counted", ShapeString(shape))
		}
		n *= d
	}
	return ""
}

// Broadcast returns the shape in which a and b meet, by NumPy's rule: aligned at
// the right, dimensions must be equal or one of them 1. A dimension of 1 against
// 0 gives 0. It returns false where they do not meet.
func Broadcast(a, b []int) ([]int, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape := slices.Clone(a)
	for i, d := range b {
		j := len(a) - len(b) + i
		switch {
		case a[j] == d || d == 1:
		case a[j] == 1:
			shape[j] = d
		default:
			return nil, false
		}
	}
	return shape, true
}

// AxisSet is a set of axes 0 to 7, comparable so that descriptors are.
type AxisSet uint8

// Axes returns the set of the given axes. Axes outside 0 to [MaxRank]-1 are an error.
func Axes(axes ...int) (AxisSet, error) {
	var s AxisSet
	for _, a := range axes {
		if a < 0 || a >= MaxRank {
			return 0, invalidf("", "axes", "axis %d is outside 0 to %d", a, MaxRank-1)
		}
		s |= 1 << a
	}
	return s, nil
}

// AllAxes returns the set of all axes of a tensor of the given rank, at most [MaxRank].
func AllAxes(rank int) AxisSet { return AxisSet(1<<rank - 1) }

// Contains reports whether the axis is in the set.
func (s AxisSet) Contains(axis int) bool { return axis >= 0 && axis < MaxRank && s>>axis&1 == 1 }

// String returns the set as "[0,2]".
func (s AxisSet) String() string {
	var axes []int
	for a := range MaxRank {
		if s.Contains(a) {
			axes = append(axes, a)
		}
	}
	return ShapeString(axes)
}

// Dims is a short list of integers (a shape or a permutation) as a comparable
// value, so that descriptors which hold one are comparable too.
type Dims struct {
	n    int
	dims [MaxRank]int
}

// MakeDims returns the list as Dims. More than [MaxRank] entries are an error.
func MakeDims(list []int) (Dims, error) {
	d := Dims{n: len(list)}
	if len(list) > MaxRank {
		return Dims{}, invalidf("", "shape", "%s has rank %d, more than the %d dimensions that are supported",
			ShapeString(list), len(list), MaxRank)
	}
	copy(d.dims[:], list)
	return d, nil
}

// Slice returns the list.
func (d Dims) Slice() []int { return slices.Clone(d.dims[:d.n]) }

// String returns the list as "[2,3]".
func (d Dims) String() string { return ShapeString(d.dims[:d.n]) }
