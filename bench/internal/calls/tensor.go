// Package calls makes single calls of device operations on tensors that lie in host
// memory: upload, plan, launch, download. It serves whoever compares a device with
// numbers, and watches that a launch changes nothing but its output.
package calls

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// Tensor is a strided tensor in host memory. A Tensor without a dtype is a missing argument.
type Tensor struct {
	DType   device.DType
	Shape   []int
	Strides []int // in elements
	Offset  int   // in elements
	Data    []byte
}

// New returns a contiguous tensor of the values, rounded to the dtype.
func New(d device.DType, shape []int, values []float64) Tensor {
	return Tensor{DType: d, Shape: shape, Strides: device.RowMajor(shape), Data: devicetest.Encode(values, d)}
}

// Missing reports whether the tensor is a missing argument.
func (t Tensor) Missing() bool { return t.DType == 0 }

// Type returns the tensor's dtype and shape.
func (t Tensor) Type() device.Type { return device.Type{DType: t.DType, Shape: t.Shape} }

// on returns the view of a buffer that holds the tensor's storage.
func (t Tensor) on(b device.Buffer) device.View {
	return device.View{Buffer: b, DType: t.DType, Shape: t.Shape, Strides: t.Strides, Offset: t.Offset}
}

// Need returns how many elements of storage the view takes up, and false where that
// cannot be counted or an int cannot hold the bytes.
func Need(shape, strides []int, offset int) (int, bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	if len(shape) != len(strides) || offset < 0 {
		return 0, false
	}
	last, bad := uint64(offset), uint64(0)
	for i, d := range shape {
		if d < 0 || strides[i] < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(uint64(d-1), uint64(strides[i]))
		sum, carry := bits.Add64(last, lo, 0)
		last, bad = sum, bad|hi|carry
	}
	if bad != 0 || last >= math.MaxInt/8 {
		return 0, false
	}
	return int(last) + 1, true
}

// Positions returns where the elements lie in the storage, in row-major order.
func (t Tensor) Positions() []int {
	list := make([]int, 0, device.Elements(t.Shape))
	index := make([]int, len(t.Shape))
	at := t.Offset
	for range device.Elements(t.Shape) {
		list = append(list, at)
		for a := len(t.Shape) - 1; a >= 0; a-- {
			index[a]++
			at += t.Strides[a]
			if index[a] < t.Shape[a] {
				break
			}
			at -= t.Shape[a] * t.Strides[a]
			index[a] = 0
		}
	}
	return list
}

// Values returns the elements in row-major order.
func (t Tensor) Values() []float64 {
	size := t.DType.Size()
	gathered := make([]byte, 0, device.Elements(t.Shape)*size)
	for _, p := range t.Positions() {
		gathered = append(gathered, t.Data[p*size:(p+1)*size]...)
	}
	return devicetest.Decode(gathered, t.DType)
}

// Crop returns n indices of an axis from lo on, of the same storage.
func (t Tensor) Crop(axis, lo, n int) Tensor {
	t.Shape = slices.Clone(t.Shape)
	t.Shape[axis] = n
	t.Offset += lo * t.Strides[axis]
	return t
}

// Packed returns the elements as a contiguous tensor with storage of its own.
func (t Tensor) Packed() Tensor { return New(t.DType, t.Shape, t.Values()) }

// Reference returns the tensor as the reference takes it.
func (t Tensor) Reference() reference.Tensor {
	return reference.Tensor{Shape: t.Shape, Data: t.Values()}
}
