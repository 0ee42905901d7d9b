package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// jsonTensor is a tensor as files have it: an operand, or what is expected.
type jsonTensor struct {
	DType   string          `json:"dtype"`
	Shape   []int           `json:"shape"`
	Strides []int           `json:"strides,omitempty"`
	Offset  int             `json:"offset,omitempty"`
	Bits    json.RawMessage `json:"bits,omitempty"` // lists of hexadecimal numbers
	Float64 json.RawMessage `json:"float64,omitempty"`
	Scale   json.RawMessage `json:"scale,omitempty"`
}

// typed reads dtype, shape and layout.
func (j *jsonTensor) typed() (calls.Tensor, error) {
	d, err := device.ParseDType(j.DType)
	if err != nil {
		return calls.Tensor{}, fmt.Errorf("its dtype %.40q is not one of float32, float16, bfloat16, float64", j.DType)
	}
	t := calls.Tensor{DType: d, Shape: slices.Clone(j.Shape), Strides: slices.Clone(j.Strides), Offset: j.Offset}
	if t.Shape == nil {
		t.Shape = []int{}
	}
	if j.Strides == nil {
		t.Strides = device.RowMajor(t.Shape)
	}
	return t, nil
}

// sized reads what typed does, for a tensor that elements will be read from: its
// layout must be whole and of a size that can be handled. It returns the storage it takes up.
func (b *builder) sized(j *jsonTensor) (calls.Tensor, int, error) {
	t, err := j.typed()
	if err != nil {
		return t, 0, err
	}
	if err := t.Type().Check(); err != nil {
		return t, 0, fmt.Errorf("its shape cannot be used: %w", err)
	}
	need, ok := calls.Need(t.Shape, t.Strides, t.Offset)
	if !ok || need > maxElements || t.Type().Elements() > maxElements {
		return t, 0, fmt.Errorf("shape %s with strides %s and offset %d is not a layout of at most %d elements",
			device.ShapeString(t.Shape), device.ShapeString(t.Strides), t.Offset, maxElements)
	}
	return t, need, b.take(max(need, t.Type().Elements()))
}

// operand reads an input with its storage.
func (b *builder) operand(j *jsonTensor) (calls.Tensor, error) {
	if j == nil {
		return calls.Tensor{}, errors.New("it is missing")
	}
	t, need, err := b.sized(j)
	if err != nil {
		return t, err
	}
	if t.Data, err = parseBits(j.Bits, t.DType); err != nil {
		return t, err
	}
	if n := len(t.Data) / t.DType.Size(); n < need {
		return t, fmt.Errorf("it has %d numbers, but its layout reaches over %d", n, need)
	}
	return t, nil
}

// expected reads an output: its layout, its storage filled with a pattern, and what its elements must be,
// with a nil scale where the file gives none.
func (b *builder) expected(j *jsonTensor) (t calls.Tensor, want, scale []float64, err error) {
	t, need, err := b.sized(j)
	if err != nil {
		return t, nil, nil, err
	}
	if want, err = parseFloats(j.Float64); err != nil {
		return t, nil, nil, err
	}
	if given(j.Scale) {
		if scale, err = parseFloats(j.Scale); err != nil {
			return t, nil, nil, err
		}
	}
	if n := t.Type().Elements(); len(want) != n || scale != nil && len(scale) != n {
		return t, nil, nil, fmt.Errorf("it has %d values and %d scales for the %d elements of %s", len(want), len(scale), n, device.ShapeString(t.Shape))
	}
	t.Data = slices.Repeat([]byte{0xa5}, need*t.DType.Size())
	return t, want, scale, nil
}

func fromTensor(t calls.Tensor) *jsonTensor {
	j := &jsonTensor{DType: t.DType.String(), Shape: t.Shape, Bits: formatBits(t.Data, t.DType)}
	j.setLayout(t)
	return j
}

func (j *jsonTensor) setLayout(t calls.Tensor) {
	if !slices.Equal(t.Strides, device.RowMajor(t.Shape)) || t.Offset != 0 {
		j.Strides, j.Offset = t.Strides, t.Offset
	}
}

func fromNumbers(t calls.Tensor, want []reference.Number) *jsonTensor {
	j := &jsonTensor{DType: t.DType.String(), Shape: t.Shape}
	j.setLayout(t)
	values, scales := make([]float64, len(want)), make([]float64, len(want))
	for i, n := range want {
		values[i], scales[i] = n.Value, n.Scale
	}
	j.Float64, j.Scale = formatFloats(values), formatFloats(scales)
	return j
}

// ones is a storage of ones for a tensor given by its type and layout alone, however
// wrong these are: phase one judges them.
func (b *builder) ones(t calls.Tensor) ([]byte, error) {
	need := max(0, t.Offset)
	for i, d := range t.Shape {
		if i >= len(t.Strides) || d <= 0 || t.Strides[i] < 0 {
			continue
		}
		if d > maxElements || t.Strides[i] > maxElements {
			return nil, fmt.Errorf("axis %d of %d elements, %d apart, is more than the %d elements that can be handled", i, d, t.Strides[i], maxElements)
		}
		if need += (d - 1) * t.Strides[i]; need > maxElements {
			break
		}
	}
	if need >= maxElements {
		return nil, fmt.Errorf("its layout reaches over more than the %d elements that can be handled", maxElements)
	}
	if err := b.take(need + 1); err != nil {
		return nil, err
	}
	return bytes.Repeat(devicetest.Encode([]float64{1}, t.DType), need+1), nil
}
