package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
)

// decode and encode are the conversions of one element.
func decode(d device.DType, h uint16) float64 {
	mem := []uint16{h}
	var x [1]float64
	halfConvertersOf(d, mem).read(x[:], 0, 1)
	return x[0]
}

func encode(d device.DType, x float64) uint16 {
	var mem [1]uint16
	halfConvertersOf(d, mem[:]).write([]float64{x}, 0, 1)
	return mem[0]
}

type halfConverters struct{ read, write func([]float64, int, int) }

func halfConvertersOf(d device.DType, mem []uint16) halfConverters {
	var c halfConverters
	if d == device.Float16 {
		c.read, c.write = float16Converters[float64](mem)
	} else {
		c.read, c.write = bfloat16Converters[float64](mem)
	}
	return c
}

// value is what the bits of a half stand for by the definition of the format: a sign, an
// exponent and a significand of the given number of bits.
func value(h uint16, significandBits int) float64 {
	sign := 1 - 2*float64(h>>15)
	exponentBits := 15 - significandBits
	bias := 1<<(exponentBits-1) - 1
	exponent := int(h>>significandBits) & (1<<exponentBits - 1)
	fraction := float64(h&(1<<significandBits-1)) / float64(int(1)<<significandBits)
	switch {
	case exponent == 1<<exponentBits-1 && fraction != 0:
		return math.NaN()
	case exponent == 1<<exponentBits-1:
		return math.Inf(int(sign))
	case exponent == 0:
		return math.Copysign(math.Ldexp(fraction, 1-bias), sign)
	}
	return sign * math.Ldexp(1+fraction, exponent-bias)
}

// All 65536 halves of both kinds have the value of their format and come back as
// they were; and of all numbers between two neighbours, the nearest is stored, the even one
// of two that are equally near.
func TestHalves(t *testing.T) {
	for dtype, significandBits := range map[device.DType]int{device.Float16: 10, device.BFloat16: 7} {
		for i := range 1 << 16 {
			h := uint16(i)
			x := decode(dtype, h)
			want := value(h, significandBits)
			if math.IsNaN(want) {
				require.True(t, math.IsNaN(x), "%s %04x", dtype, h)
				require.True(t, math.IsNaN(decode(dtype, encode(dtype, x))), "%s %04x", dtype, h)
				continue
			}
			require.Equal(t, math.Float64bits(want), math.Float64bits(x), "%s %04x", dtype, h)
			require.Equal(t, h, encode(dtype, x), "%s %04x", dtype, h)

			// The next half away from 0. Infinity stands where the next finite one would.
			next := decode(dtype, h+1)
			switch {
			case math.IsInf(x, 0):
				continue
			case math.IsInf(next, 0):
				next = x * (1 + 1/(math.Ldexp(2, significandBits)-1))
			}
			middle := float32(x + (next-x)/2) // exact
			even := h + h&1
			require.Equal(t, even, encode(dtype, float64(middle)), "%s halfway above %04x", dtype, h)
			away := float32(math.Copysign(math.Inf(1), x))
			require.Equal(t, h+1, encode(dtype, float64(math.Nextafter32(middle, away))), "%s above the middle of %04x", dtype, h)
			require.Equal(t, h, encode(dtype, float64(math.Nextafter32(middle, 0))), "%s below the middle of %04x", dtype, h)
		}
		for _, x := range []float64{math.MaxFloat32, 1e300, math.Inf(1)} {
			require.True(t, math.IsInf(decode(dtype, encode(dtype, -x)), -1), "%s of %v", dtype, -x)
		}
	}
}

// NaN stays NaN whatever its payload, also where the payload is cut off or rounded.
func TestNaNStaysNaN(t *testing.T) {
	for _, bits := range []uint32{0x7fc00000, 0x7f800001, 0x7fffffff, 0xffffffff, 0xff800001, 0x7f80ffff} {
		x := math.Float32frombits(bits)
		require.True(t, math.IsNaN(float64(device.BFloat16Value(device.BFloat16Bits(x)))), "%08x", bits)
		require.True(t, math.IsNaN(float64(float16.Frombits(encodeFloat16(x)).Float32())), "%08x", bits)
	}
}
