package devicetest

import (
	"slices"

	"github.com/pullback-go/pullback/device"
)

// A layout places the elements of a shape in memory.
type layout struct {
	name string

	// place returns strides and offset, and false where the layout is not
	// different from the contiguous one for this shape.
	place func(shape []int) (strides []int, offset int, ok bool)

	// repeats is set where several indices may name one element: not for outputs.
	repeats bool
}

var contiguous = layout{name: "contiguous", place: func(shape []int) ([]int, int, bool) {
	return rowMajor(shape), 0, true
}}

// layouts holds every layout but the contiguous one. The first few do for outputs.
var layouts = []layout{
	{name: "offset", place: func(shape []int) ([]int, int, bool) {
		return rowMajor(shape), 3, true
	}},
	{name: "transposed", place: func(shape []int) ([]int, int, bool) {
		reversed := slices.Clone(shape)
		slices.Reverse(reversed)
		strides := rowMajor(reversed)
		slices.Reverse(strides)
		return strides, 0, len(shape) > 1
	}},
	{name: "first two axes exchanged", place: func(shape []int) ([]int, int, bool) {
		if len(shape) < 3 {
			return nil, 0, false
		}
		exchanged := slices.Clone(shape)
		exchanged[0], exchanged[1] = shape[1], shape[0]
		strides := rowMajor(exchanged)
		strides[0], strides[1] = strides[1], strides[0]
		return strides, 2, true
	}},
	{name: "every second column", place: func(shape []int) ([]int, int, bool) {
		if len(shape) == 0 {
			return nil, 0, false
		}
		wide := slices.Clone(shape)
		wide[len(wide)-1] *= 2
		strides := rowMajor(wide)
		strides[len(strides)-1] = 2
		return strides, 1, true
	}},
	{name: "columns of a wider matrix", place: func(shape []int) ([]int, int, bool) {
		if len(shape) < 2 {
			return nil, 0, false
		}
		wide := slices.Clone(shape)
		wide[len(wide)-1] += 3
		return rowMajor(wide), 1, true
	}},
	{name: "size-1 axes with any stride", place: func(shape []int) ([]int, int, bool) {
		strides := rowMajor(shape)
		for i, d := range shape {
			if d == 1 {
				strides[i] = 12345 + i
			}
		}
		return strides, 0, slices.Contains(shape, 1)
	}},
	{name: "one row repeated", repeats: true, place: func(shape []int) ([]int, int, bool) {
		strides := rowMajor(shape)
		if len(strides) > 0 {
			strides[0] = 0
		}
		return strides, 0, len(shape) > 0
	}},
	{name: "one column repeated", repeats: true, place: func(shape []int) ([]int, int, bool) {
		if len(shape) < 2 {
			return nil, 0, false
		}
		narrow := slices.Clone(shape)
		narrow[len(narrow)-1] = 1
		strides := rowMajor(narrow)
		strides[len(strides)-1] = 0
		return strides, 2, true
	}},
	{name: "one element repeated", repeats: true, place: func(shape []int) ([]int, int, bool) {
		return make([]int, len(shape)), 5, len(shape) > 0
	}},
	{name: "overlapping windows", repeats: true, place: func(shape []int) ([]int, int, bool) {
		strides := make([]int, len(shape))
		for i := range strides {
			strides[i] = 1
		}
		return strides, 0, len(shape) > 1
	}},
}

// rowMajor is written out here, not taken from package device, which is under test.
func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	for i := range shape {
		strides[i] = 1
		for _, d := range shape[i+1:] {
			strides[i] *= max(d, 1)
		}
	}
	return strides
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// eachIndex calls visit for every index of the shape in row-major order. The
// index is reused.
func eachIndex(shape []int, visit func(index []int)) {
	index := make([]int, len(shape))
	for range count(shape) {
		visit(index)
		for i := len(shape) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
}

// dot returns Σ index·strides.
func dot(index, strides []int) int {
	sum := 0
	for i := range index {
		sum += index[i] * strides[i]
	}
	return sum
}

// guard is how many elements of memory follow the last element of a tensor.
const guard = 9

// memory is a tensor on a device and what the host knows of the buffer it is in.
type memory struct {
	view      device.View
	layout    string
	bytes     []byte // the buffer's contents
	addresses []int  // of the tensor's elements in row-major order, in elements
}

// newMemory lays a tensor out in a buffer of its own, filled with the poison.
func (f *fixture) newMemory(dtype device.DType, shape []int, l layout, poison byte) *memory {
	strides, offset, ok := l.place(shape)
	if !ok {
		l = contiguous
		strides, offset, _ = l.place(shape)
	}
	m := &memory{layout: l.name, addresses: make([]int, 0, count(shape))}
	end := offset
	eachIndex(shape, func(index []int) {
		a := offset + dot(index, strides)
		m.addresses = append(m.addresses, a)
		end = max(end, a+1)
	})
	m.bytes = make([]byte, (end+guard)*dtype.Size())
	fill(m.bytes, poison)
	m.view = device.View{Buffer: f.alloc(len(m.bytes)), DType: dtype, Shape: shape, Strides: strides, Offset: offset}
	return m
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

// set stores a value for each element, asking for it once where layouts repeat.
func (m *memory) set(value func(i int) float64) {
	seen := make([]bool, len(m.bytes))
	for i, a := range m.addresses {
		if !seen[a] {
			seen[a] = true
			put(m.bytes, a, value(i), m.view.DType)
		}
	}
}

// values returns the elements in row-major order.
func (m *memory) values() []float64 {
	values := make([]float64, len(m.addresses))
	for i, a := range m.addresses {
		values[i] = get(m.bytes, a, m.view.DType)
	}
	return values
}

// elements returns the bytes of the elements in row-major order.
func (m *memory) elements() []byte {
	size := m.view.DType.Size()
	b := make([]byte, 0, len(m.addresses)*size)
	for _, a := range m.addresses {
		b = append(b, m.bytes[a*size:(a+1)*size]...)
	}
	return b
}

// stray returns the first byte that differs between the contents before and now
// although it belongs to no element, or -1.
func (m *memory) stray(before []byte) int {
	size := m.view.DType.Size()
	element := make([]bool, len(m.bytes))
	for _, a := range m.addresses {
		for i := range size {
			element[a*size+i] = true
		}
	}
	for i := range m.bytes {
		if !element[i] && m.bytes[i] != before[i] {
			return i
		}
	}
	return -1
}

// forOutput returns the layout, or another if its elements are not distinct.
func (l layout) forOutput() layout {
	if l.repeats {
		return layouts[1]
	}
	return l
}
