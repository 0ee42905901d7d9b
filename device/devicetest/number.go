package devicetest

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
)

// format describes a binary floating-point format: p bits of significand, and
// the exponents of the smallest and largest normal numbers.
type format struct{ p, emin, emax int }

var formats = [...]format{
	device.Float16:  {11, -14, 15},
	device.BFloat16: {8, -126, 127},
	device.Float32:  {24, -126, 127},
	device.Float64:  {53, -1022, 1023},
}

// unit returns the distance between the numbers of the format around x, which
// is finite: the unit in the last place of x.
func (f format) unit(x float64) float64 {
	e := f.emin
	if x != 0 {
		e = min(max(math.Ilogb(x), f.emin), f.emax)
	}
	return math.Ldexp(1, e-f.p+1)
}

// largest returns the largest finite number of the format.
func (f format) largest() float64 { return math.Ldexp(2-math.Ldexp(1, 1-f.p), f.emax) }

// Unit returns the unit in the last place of x at the dtype: the distance
// between its numbers around x. Below the normal numbers it is the smallest
// subnormal; of an infinity or beyond the dtype's range it is that of its
// largest number, and NaN of NaN.
func Unit(x float64, d device.DType) float64 {
	f := formats[d]
	switch {
	case math.IsNaN(x):
		return math.NaN()
	case math.IsInf(x, 0):
		return f.unit(f.largest())
	}
	return f.unit(x)
}

// ULP returns the distance of got from want, the exact value, in units in the
// last place of want at the dtype. An infinity, and a value that rounds to one,
// counts as the first power of two beyond the dtype's range, so that the
// largest finite number is 1 from it. NaN is 0 from NaN and infinitely far from
// everything else.
func ULP(got, want float64, d device.DType) float64 {
	if math.IsNaN(got) || math.IsNaN(want) {
		if math.IsNaN(got) && math.IsNaN(want) {
			return 0
		}
		return math.Inf(1)
	}
	f := formats[d]
	unit := Unit(want, d)
	position := func(x float64) float64 { // in units, where 2^1024 is a number too
		if math.IsInf(Round(x, d), 0) {
			return math.Copysign(math.Ldexp(math.Ldexp(1, f.emax)/unit, 1), x)
		}
		return x / unit
	}
	return math.Abs(position(got) - position(want))
}

// Round returns x rounded to the nearest number of the dtype, to the even one of two.
func Round(x float64, d device.DType) float64 {
	switch d {
	case device.Float64:
		return x
	case device.Float32:
		return float64(float32(x))
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	f := formats[d]
	rounded := math.RoundToEven(x/f.unit(x)) * f.unit(x)
	if math.Abs(rounded) > f.largest() {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return rounded
}

// stored returns x as an operation leaves it in an output of dtype d: rounded
// to float32 and from there to d, or not at all for float64.
func stored(x float64, d device.DType) float64 {
	if d == device.Float64 {
		return x
	}
	return Round(Round(x, device.Float32), d)
}

// Encode returns the values, each rounded to the dtype, as they lie in a device's memory.
func Encode(values []float64, d device.DType) []byte {
	b := make([]byte, len(values)*d.Size())
	for i, v := range values {
		put(b, i, v, d)
	}
	return b
}

// Decode returns the numbers of dtype d that lie in b.
func Decode(b []byte, d device.DType) []float64 {
	values := make([]float64, len(b)/d.Size())
	for i := range values {
		values[i] = get(b, i, d)
	}
	return values
}

// put stores v, rounded, as element i of b.
func put(b []byte, i int, v float64, d device.DType) {
	v = Round(v, d)
	b = b[i*d.Size():]
	switch d {
	case device.Float16:
		binary.NativeEndian.PutUint16(b, float16.Fromfloat32(float32(v)).Bits())
	case device.BFloat16:
		binary.NativeEndian.PutUint16(b, uint16(math.Float32bits(float32(v))>>16))
	case device.Float32:
		binary.NativeEndian.PutUint32(b, math.Float32bits(float32(v)))
	case device.Float64:
		binary.NativeEndian.PutUint64(b, math.Float64bits(v))
	default:
		panic(fmt.Sprintf("devicetest: %v", d))
	}
}

// get returns element i of b.
func get(b []byte, i int, d device.DType) float64 {
	b = b[i*d.Size():]
	switch d {
	case device.Float16:
		return float64(float16.Frombits(binary.NativeEndian.Uint16(b)).Float32())
	case device.BFloat16:
		return float64(math.Float32frombits(uint32(binary.NativeEndian.Uint16(b)) << 16))
	case device.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	case device.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	}
	panic(fmt.Sprintf("devicetest: %v", d))
}

// number is what a reference says about one element of the output.
type number struct {
	value float64 // the exact value
	scale float64 // the magnitude of the terms it was made from, whose ulp is the measure
}

// exactly is a number without cancellation: its ulp is its own.
func exactly(value float64) number { return number{value, math.Abs(value)} }

// unspecified is a number that the documentation leaves open: any value is accepted.
var unspecified = number{scale: -1}

// accepts reports whether got, read from an output of dtype d, is what a float32
// within ulp of n is stored as, or for float64 whether it is within ulp itself.
// What n rounds to is always accepted, and nothing else if ulp is 0.5.
func (n number) accepts(got, ulp float64, d device.DType) bool {
	if n == unspecified {
		return true
	}
	if math.IsNaN(n.value) || math.IsNaN(got) {
		return math.IsNaN(n.value) && math.IsNaN(got)
	}
	if got == stored(n.value, d) {
		return true
	}
	if ulp == 0.5 || math.IsInf(n.value, 0) {
		return false
	}
	scale := max(n.scale, math.Abs(n.value))
	if d == device.Float64 {
		const reference = 4 // ulp that the reference, computed in float64 as well, may be off
		return math.Abs(got-n.value) <= (ulp+reference)*Unit(scale, d)
	}
	slack := ulp * Unit(scale, device.Float32)
	low, high := float32(n.value-slack), float32(n.value+slack)
	const beyond = 0x1p128 // what an infinity counts as
	if max(float64(low), -beyond) < n.value-slack {
		low = math.Nextafter32(low, float32(inf))
	}
	if min(float64(high), beyond) > n.value+slack {
		high = math.Nextafter32(high, float32(-inf))
	}
	return Round(float64(low), d) <= got && got <= Round(float64(high), d)
}
