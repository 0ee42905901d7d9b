package device

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// View is a strided tensor in device memory: the same facts an aclTensor
// carries. Element (i, j, …) lies at Offset + i·Strides[0] + j·Strides[1] + …
// elements from the start of the buffer. A View without a Buffer is a missing
// argument.
type View struct {
	Buffer  Buffer
	DType   DType
	Shape   []int
	Strides []int // in elements, not negative; 0 repeats one element along the axis
	Offset  int   // in elements
}

// Contiguous returns the view of a row-major tensor that starts offset elements into the buffer.
func Contiguous(b Buffer, offset int, t Type) View {
	return View{Buffer: b, DType: t.DType, Shape: t.Shape, Strides: RowMajor(t.Shape), Offset: offset}
}

// RowMajor returns the strides of a contiguous tensor of the given shape.
func RowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		if d := max(shape[i], 1); n <= math.MaxInt/d { // strides of an empty tensor mean nothing, but must not be negative
			n *= d
		}
	}
	return strides
}

// Type returns the view's dtype and shape, the zero Type for a missing argument.
func (v View) Type() Type {
	if v.Buffer == nil {
		return Type{}
	}
	return Type{DType: v.DType, Shape: v.Shape}
}

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (v View) IsContiguous() bool {
	if slices.Contains(v.Shape, 0) {
		return true
	}
	n := 1
	for i := len(v.Shape) - 1; i >= 0; i-- {
		if v.Shape[i] != 1 && v.Strides[i] != n {
			return false
		}
		n *= v.Shape[i]
	}
	return true
}

// Same reports whether v and u name the same elements in the same order.
func (v View) Same(u View) bool {
	return v.Buffer == u.Buffer && v.DType == u.DType && v.Offset == u.Offset &&
		slices.Equal(v.Shape, u.Shape) && slices.Equal(v.Strides, u.Strides)
}

// BroadcastTo returns the view repeated to the given shape, with stride 0 along
// the repeated axes. The shapes must broadcast, see [Broadcast].
func (v View) BroadcastTo(shape []int) View {
	strides := make([]int, len(shape))
	lead := len(shape) - len(v.Shape)
	for i, d := range v.Shape {
		if d == shape[lead+i] {
			strides[lead+i] = v.Strides[i]
		}
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// Transpose returns the view with its axes in the order that permutation gives.
func (v View) Transpose(permutation []int) View {
	shape, strides := make([]int, len(permutation)), make([]int, len(permutation))
	for i, p := range permutation {
		shape[i], strides[i] = v.Shape[p], v.Strides[p]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// Reshape returns the elements in row-major order under another shape of the
// same number of elements, and false where no choice of strides can do that.
func (v View) Reshape(shape []int) (View, bool) {
	if Elements(shape) <= 1 || v.IsContiguous() {
		v.Shape, v.Strides = shape, RowMajor(shape)
		return v, true
	}
	// Walk both shapes from the right, matching runs of axes that hold the same
	// number of elements. A run of the old shape can be cut anew only if its
	// axes lie one after the other in memory.
	strides := make([]int, len(shape))
	j := len(shape) - 1
	for i := len(v.Shape) - 1; i >= 0; {
		run, stride := v.Shape[i], v.Strides[i]
		for i--; i >= 0 && (v.Shape[i] == 1 || v.Strides[i] == run*stride); i-- {
			run *= v.Shape[i]
		}
		step := stride
		for ; j >= 0 && (run > 1 || shape[j] == 1); j-- {
			if run%shape[j] != 0 {
				return View{}, false
			}
			strides[j] = step
			step *= shape[j]
			run /= shape[j]
		}
		if run != 1 {
			return View{}, false
		}
	}
	v.Shape, v.Strides = shape, strides
	return v, true
}

// check returns a reason to refuse the view: a bad dtype or shape, strides that do
// not match it, or elements outside the buffer.
func (v View) check() string {
	if !v.DType.Valid() {
		return noDType(v.DType.String())
	}
	if reason := checkShape(v.Shape); reason != "" {
		return reason
	}
	if len(v.Strides) != len(v.Shape) {
		return fmt.Sprintf("%d strides for the %d dimensions of %s", len(v.Strides), len(v.Shape), ShapeString(v.Shape))
	}
	if v.Offset < 0 {
		return fmt.Sprintf("offset %d is negative", v.Offset)
	}
	if i := slices.IndexFunc(v.Strides, func(s int) bool { return s < 0 }); i >= 0 {
		return fmt.Sprintf("stride %d of axis %d is negative", v.Strides[i], i)
	}
	if slices.Contains(v.Shape, 0) {
		return ""
	}
	last, overflow := uint64(v.Offset), uint64(0)
	for i, d := range v.Shape {
		hi, lo := bits.Mul64(uint64(d-1), uint64(v.Strides[i]))
		var carry uint64
		last, carry = bits.Add64(last, lo, 0)
		overflow |= hi | carry
	}
	if capacity := uint64(v.Buffer.Size()) / uint64(v.DType.Size()); overflow != 0 || last >= capacity {
		return fmt.Sprintf("shape %s with strides %s and offset %d reaches beyond the %d elements of the buffer",
			ShapeString(v.Shape), ShapeString(v.Strides), v.Offset, capacity)
	}
	return ""
}

// overlapsItself reports whether two indices may name the same element. It is
// sure when it says no; it may say yes for interleaved layouts that no slicing,
// transposing or reshaping produces.
func (v View) overlapsItself() bool {
	if slices.Contains(v.Shape, 0) {
		return false
	}
	axes := make([]int, 0, len(v.Shape))
	for i, d := range v.Shape {
		if d > 1 {
			axes = append(axes, i)
		}
	}
	slices.SortFunc(axes, func(a, b int) int { return v.Strides[a] - v.Strides[b] })
	reach := 0
	for _, a := range axes {
		if v.Strides[a] <= reach {
			return true
		}
		reach += (v.Shape[a] - 1) * v.Strides[a]
	}
	return false
}
