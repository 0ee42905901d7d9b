//go:build linux

package simulator

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Data types, numbered as aclDataType.
const (
	float   = 0
	half    = 1
	int32_  = 3
	int64_  = 9
	double  = 11
	boolean = 12
	bfloat  = 27
)

var widths = map[int]int{float: 4, half: 2, int32_: 4, int64_: 8, double: 8, boolean: 1, bfloat: 2}

// tensor is a strided tensor and what its storage holds.
type tensor struct {
	dtype   int
	shape   []int
	strides []int
	offset  int
	storage []float64
}

// canary fills what of an output's storage no element lies in.
const canary = 7

// contiguous returns a tensor of the values in row-major order.
func contiguous(dtype int, shape []int, values ...float64) tensor {
	t := tensor{dtype: dtype, shape: shape, strides: make([]int, len(shape)), storage: values}
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		t.strides[i] = stride
		stride *= shape[i]
	}
	return t
}

// layouts lists ways to lay out the same values.
var layouts = []string{"contiguous", "transposed", "spread"}

// laidOut returns the same values in another layout: transposed has the dimensions in the
// opposite order in memory, spread has gaps between elements and an offset.
func (t tensor) laidOut(layout string) tensor {
	values := t.values()
	to := tensor{dtype: t.dtype, shape: t.shape, strides: make([]int, len(t.shape))}
	stride := 1
	for k := range t.shape {
		i := len(t.shape) - 1 - k
		if layout == "transposed" {
			i = k
		}
		to.strides[i] = stride
		stride *= max(t.shape[i], 1)
		if layout == "spread" {
			to.strides[i] *= 2
			stride++
		}
	}
	if layout == "spread" {
		to.offset = 3
		stride = 2*stride + 3
	}
	to.storage = slices.Repeat([]float64{canary}, stride)
	for i, at := range to.positions() {
		to.storage[at] = values[i]
	}
	return to
}

// positions returns where the elements are in storage, in row-major order.
func (t tensor) positions() []int {
	at := []int{t.offset}
	for i, n := range t.shape {
		var next []int
		for _, p := range at {
			for k := range n {
				next = append(next, p+k*t.strides[i])
			}
		}
		at = next
	}
	return at
}

func (t tensor) values() []float64 {
	var values []float64
	for _, at := range t.positions() {
		values = append(values, t.storage[at])
	}
	return values
}

// broadcast returns the values of t as a tensor of shape would have them.
func (t tensor) broadcast(shape []int) []float64 {
	b := tensor{shape: shape, strides: make([]int, len(shape)), offset: t.offset, storage: t.storage}
	for i := range t.shape {
		if t.shape[i] != 1 {
			b.strides[len(shape)-len(t.shape)+i] = t.strides[i]
		}
	}
	return b.values()
}

// list returns numbers with commas between them.
func list(numbers []int) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, ",")
}

// String returns the tensor as the driver reads it.
func (t tensor) String() string {
	return fmt.Sprintf("t:%d:%s:%s:%d:%s", t.dtype, list(t.shape), list(t.strides), t.offset, encode(t.dtype, t.storage...))
}

// encode returns values as bytes of a data type, in hexadecimal. They must be exact in it.
func encode(dtype int, values ...float64) string {
	var b []byte
	for _, v := range values {
		switch dtype {
		case float:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		case bfloat:
			b = binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(v))>>16))
		case half:
			b = binary.LittleEndian.AppendUint16(b, halfBits(v))
		case double:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		case int32_:
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
		case int64_:
			b = binary.LittleEndian.AppendUint64(b, uint64(int64(v)))
		case boolean:
			b = append(b, byte(v))
		}
	}
	return hex.EncodeToString(b)
}

// halfBits finds the bits of a number that float16 has.
func halfBits(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	switch {
	case v != v:
		return 0x7e00
	case v == 0:
		return sign
	case math.IsInf(v, 0):
		return sign | 0x7c00
	}
	fraction, exponent := math.Frexp(math.Abs(v)) // in [0.5, 1)
	if exponent < -13 {
		return sign | uint16(math.Ldexp(math.Abs(v), 24))
	}
	return sign | uint16(exponent+14)<<10 | (uint16(fraction*2048) & 0x3ff)
}

func halfValue(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits&0x8000 != 0 {
		sign = math.Copysign(1, -1)
	}
	switch {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(fraction+1024, exponent-25)
}

// decode is encode's inverse.
func decode(dtype int, text string) ([]float64, error) {
	b, err := hex.DecodeString(text)
	var values []float64
	for w := widths[dtype]; len(b) >= w; b = b[w:] {
		var v float64
		switch dtype {
		case float:
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		case bfloat:
			v = float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
		case half:
			v = halfValue(binary.LittleEndian.Uint16(b))
		case double:
			v = math.Float64frombits(binary.LittleEndian.Uint64(b))
		case int32_:
			v = float64(int32(binary.LittleEndian.Uint32(b)))
		case int64_:
			v = float64(int64(binary.LittleEndian.Uint64(b)))
		case boolean:
			v = float64(b[0])
		}
		values = append(values, v)
	}
	return values, err
}

// agrees says whether got is want rounded to a data type, give or take what the two
// libraries of mathematical functions differ in: half a unit in the last place and a hundredth.
func agrees(dtype int, got, want float64) bool {
	if got == want || (got != got && want != want) {
		return true
	}
	bits, least, largest := 24, -149, float64(math.MaxFloat32)
	switch dtype {
	case half:
		bits, least, largest = 11, -24, 65504
	case bfloat:
		bits, least = 8, -133
		largest = math.Ldexp(255, 120)
	case int32_, int64_, boolean, double:
		return false
	}
	_, exponent := math.Frexp(want)
	ulp := math.Ldexp(1, max(exponent-bits, least))
	if math.IsInf(got, 0) {
		return math.Abs(want) > largest && math.Signbit(got) == math.Signbit(want)
	}
	return math.Abs(got-want) <= 0.51*ulp
}
