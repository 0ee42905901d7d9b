package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/x448/float16"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
)

// hostTensor is what the session needs to know of a *tensor.Dense: its elements
// as bytes, and where they lie. It is the only place that reads a Dense.
type hostTensor struct {
	dtype   device.DType
	shape   []int
	strides []int // in elements
	data    []byte
}

// float16Type is the dtype of a tensor that holds []float16.Float16.
var float16Type = tensor.New(tensor.WithBacking([]float16.Float16{0})).Dtype()

// NewTensor returns a host tensor of zeros that a value of type t can be read
// into: float32, float64 and float16 have elements of that type, bfloat16,
// which has no Go type, has float32. Of a tensor without elements gorgonia's Data
// panics; Float32s and its like give an empty slice.
func NewTensor(t device.Type) *tensor.Dense {
	var backing any
	switch n := t.Elements(); t.DType {
	case device.Float64:
		backing = make([]float64, n)
	case device.Float16:
		backing = make([]float16.Float16, n)
	default:
		backing = make([]float32, n)
	}
	return tensor.New(tensor.WithShape(t.Shape...), tensor.WithBacking(backing))
}

// hostTensorOf looks into t. It allocates nothing.
func hostTensorOf(t *tensor.Dense) (hostTensor, error) {
	if t == nil {
		return hostTensor{}, errors.New("the tensor is nil")
	}
	var dtype device.DType
	if t.Dtype().Type == nil {
		return hostTensor{}, errors.New("the tensor is empty; make one with NewTensor or tensor.New")
	}
	switch t.Dtype() {
	case tensor.Float32:
		dtype = device.Float32
	case tensor.Float64:
		dtype = device.Float64
	case float16Type:
		dtype = device.Float16
	default:
		return hostTensor{}, fmt.Errorf("a tensor of %v cannot be used; convert it to float32, float64 or float16", t.Dtype())
	}
	if !t.IsNativelyAccessible() {
		return hostTensor{}, errors.New("the tensor's memory is not accessible to the host")
	}
	if t.IsMasked() && t.MemSize() > 0 { // an empty tensor claims to be masked
		return hostTensor{}, errors.New("the tensor has a mask, which would be ignored; fill the masked elements, or clear the mask")
	}
	h := hostTensor{dtype: dtype, shape: t.Shape(), strides: t.Strides(), data: t.Uint8s()}
	if len(h.shape) > device.MaxRank {
		return hostTensor{}, fmt.Errorf("shape %v has more than the %d dimensions that are supported", h.shape, device.MaxRank)
	}
	if len(h.strides) < len(h.shape) && t.Shape().TotalSize() == len(h.data)/dtype.Size() {
		h.strides = device.RowMajor(h.shape) // a column-major vector, for which a Dense has too few
	}
	reach := dtype.Size()
	for i, d := range h.shape {
		if d == 0 {
			return h, nil
		}
		if len(h.strides) != len(h.shape) || h.strides[i] < 0 {
			return hostTensor{}, fmt.Errorf("strides %v do not fit shape %v", h.strides, h.shape)
		}
		reach += (d - 1) * h.strides[i] * dtype.Size()
	}
	if reach > len(h.data) {
		return hostTensor{}, fmt.Errorf("shape %v with strides %v reaches beyond the tensor's memory", h.shape, h.strides)
	}
	return h, nil
}

func (h hostTensor) typ() device.Type {
	return device.Type{DType: h.dtype, Shape: append([]int{}, h.shape...)}
}

// contiguous reports whether the elements lie in row-major order without gaps.
func (h hostTensor) contiguous() bool {
	return device.View{Shape: h.shape, Strides: h.strides}.IsContiguous()
}

// rows calls f with the byte offset and the step in bytes of every innermost row of n elements.
func (h hostTensor) rows(f func(offset, step, n int)) {
	if device.Elements(h.shape) == 0 {
		return
	}
	size, rank := h.dtype.Size(), len(h.shape)
	if rank == 0 {
		f(0, size, 1)
		return
	}
	var index [device.MaxRank]int
	for {
		offset := 0
		for i, k := range index[:rank-1] {
			offset += k * h.strides[i] * size
		}
		f(offset, h.strides[rank-1]*size, h.shape[rank-1])
		axis := rank - 2
		for ; axis >= 0; axis-- {
			if index[axis]++; index[axis] < h.shape[axis] {
				break
			}
			index[axis] = 0
		}
		if axis < 0 {
			return
		}
	}
}

// pack copies the elements to dst in row-major order.
func (h hostTensor) pack(dst []byte) {
	if h.contiguous() {
		copy(dst, h.data)
		return
	}
	size := h.dtype.Size()
	h.rows(func(offset, step, n int) {
		for ; n > 0; n-- {
			copy(dst[:size], h.data[offset:])
			dst, offset = dst[size:], offset+step
		}
	})
}

// unpack sets the elements from src, which holds them in row-major order in the
// given dtype: the tensor's own, or bfloat16 for a float32 tensor.
func (h hostTensor) unpack(src []byte, dtype device.DType) {
	if dtype == h.dtype && h.contiguous() {
		copy(h.data, src)
		return
	}
	size := dtype.Size()
	h.rows(func(offset, step, n int) {
		for ; n > 0; n-- {
			if dtype == device.BFloat16 {
				binary.NativeEndian.PutUint32(h.data[offset:], math.Float32bits(device.BFloat16Value(binary.NativeEndian.Uint16(src))))
			} else {
				copy(h.data[offset:], src[:size])
			}
			src, offset = src[size:], offset+step
		}
	})
}

// fits returns an error unless a value of type t can be read into the tensor, see [NewTensor].
func (h hostTensor) fits(t device.Type) error {
	want := t.DType
	if want == device.BFloat16 {
		want = device.Float32
	}
	if h.dtype != want || !(device.Type{Shape: h.shape}).Equal(device.Type{Shape: t.Shape}) {
		return fmt.Errorf("a tensor of %s%s cannot hold the value %s", h.dtype, device.ShapeString(h.shape), t)
	}
	return nil
}

// encode stores the values in dst, rounded to the dtype.
func encode(dst []byte, dtype device.DType, values []float64) {
	for i, v := range values {
		switch dtype {
		case device.Float64:
			binary.NativeEndian.PutUint64(dst[8*i:], math.Float64bits(v))
		case device.Float32:
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
		case device.Float16:
			binary.NativeEndian.PutUint16(dst[2*i:], float16.Fromfloat32(float32(v)).Bits())
		case device.BFloat16:
			binary.NativeEndian.PutUint16(dst[2*i:], device.BFloat16Bits(float32(v)))
		}
	}
}

// scalarValue returns the single element of data.
func scalarValue(data []byte, dtype device.DType) float64 {
	switch dtype {
	case device.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(data))
	case device.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(data)))
	case device.Float16:
		return float64(float16.Frombits(binary.NativeEndian.Uint16(data)).Float32())
	}
	return float64(device.BFloat16Value(binary.NativeEndian.Uint16(data)))
}
