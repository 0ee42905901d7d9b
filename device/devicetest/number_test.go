package devicetest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
)

func TestULP(t *testing.T) {
	const (
		f16, b16, f32, f64 = device.Float16, device.BFloat16, device.Float32, device.Float64
		max32              = math.MaxFloat32
		max64              = math.MaxFloat64
	)
	for _, test := range []struct {
		got, want float64
		d         device.DType
		ulp       float64
	}{
		{1, 1, f32, 0},
		{1 + 0x1p-23, 1, f32, 1},
		{1 - 0x1p-24, 1, f32, 0.5}, // the unit is that of the exact value
		{1, 1 - 0x1p-24, f32, 1},
		{-1, 1, f32, 1 << 24},
		{0, negZero, f32, 0},
		{1 + 0x1p-10, 1, f16, 1},
		{1 + 0x1p-7, 1, b16, 1},
		{math.Nextafter(1, 2), 1, f64, 1},
		{1.5, 1.5 + 0x1p-25, f32, 0.25},
		// Subnormal numbers are equally far apart.
		{0, 0x1p-149, f32, 1},
		{0x1p-148, 0, f32, 2},
		{0, 0x1p-24, f16, 1},
		{0, 0x1p-133, b16, 1},
		{0, 5e-324, f64, 1},
		{0x1p-150, 0, f32, 0.5},
		{0x1p-126, 0x1p-126 - 0x1p-149, f32, 1},
		// Infinity is the next number after the largest.
		{inf, inf, f32, 0},
		{inf, max32, f32, 1},
		{max32, inf, f32, 1},
		{max32, 1e40, f32, 1},
		{inf, 1e40, f32, 0},
		{inf, -inf, f32, 1 << 25},
		{max64, inf, f64, 1},
		{inf, max64, f64, 1},
		{65504, inf, f16, 1},
		{inf, 65519, f16, (65536 - 65519) / 32.},
		{inf, 65520, f16, 0},
		{nan, nan, f32, 0},
		{nan, 1, f32, inf},
		{inf, nan, f32, inf},
	} {
		require.Equal(t, test.ulp, ULP(test.got, test.want, test.d), "ULP(%v, %v, %v)", test.got, test.want, test.d)
	}
}

// Every float32 whose upper half is any number and whose lower half is at the
// places where rounding to bfloat16 or float16 turns is rounded as the float16
// package does it, and as integer arithmetic does.
func TestRound(t *testing.T) {
	for high := range uint32(1 << 16) {
		for _, low := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x7fff, 0x8000, 0x8001, 0xffff} {
			bits := high<<16 | low
			x := math.Float32frombits(bits)
			if x != x {
				require.True(t, math.IsNaN(Round(float64(x), device.Float16)) && math.IsNaN(Round(float64(x), device.BFloat16)))
				continue
			}
			want := float64(float16.Fromfloat32(x).Float32())
			requireSame(t, want, Round(float64(x), device.Float16), "float16(%v)", x)
			up := (bits + 0x7fff + bits>>16&1) &^ 0xffff // the carry makes the next exponent, and in the end Inf
			want = float64(math.Float32frombits(up))
			requireSame(t, want, Round(float64(x), device.BFloat16), "bfloat16(%v)", x)
			requireSame(t, float64(x), Round(float64(x), device.Float32), "float32(%v)", x)
		}
	}
	// Not by way of float32: 1 + 2^-11 is halfway, and a little more rounds up.
	require.Equal(t, 1+0x1p-10, Round(1+0x1p-11+0x1p-40, device.Float16))
	require.Equal(t, 1., stored(1+0x1p-11+0x1p-40, device.Float16), "by way of float32")
	require.Equal(t, 0x1p-24, Round(0x1p-25+0x1p-60, device.Float16))
}

func requireSame(t *testing.T, want, got float64, format string, args ...any) {
	if math.Float64bits(want) != math.Float64bits(got) { // require is slow for a million calls
		require.Failf(t, "not the same number", format+": got %v, want %v", append(args, got, want)...)
	}
}

func TestEncodeDecode(t *testing.T) {
	for _, test := range []struct {
		d    device.DType
		x    float64
		bits uint64
	}{
		{device.Float16, 1, 0x3c00}, {device.Float16, -2, 0xc000}, {device.Float16, 65504, 0x7bff}, {device.Float16, 1e5, 0x7c00},
		{device.Float16, 0x1p-24, 1}, {device.Float16, negZero, 0x8000},
		{device.BFloat16, 1, 0x3f80}, {device.BFloat16, -inf, 0xff80}, {device.BFloat16, 1 + 0x1p-8, 0x3f80}, {device.BFloat16, 0x1p-133, 1},
		{device.Float32, 1, 0x3f800000}, {device.Float32, 0x1p-149, 1},
		{device.Float64, 1, 0x3ff0000000000000}, {device.Float64, negZero, 1 << 63},
	} {
		b := Encode([]float64{7, test.x}, test.d)
		require.Len(t, b, 2*test.d.Size())
		bits := uint64(0)
		for i := range test.d.Size() { // little-endian, as the machines are that tests run on
			bits |= uint64(b[test.d.Size()+i]) << (8 * i)
		}
		require.Equal(t, test.bits, bits, "%v as %v", test.x, test.d)
		require.Equal(t, []float64{7, Round(test.x, test.d)}, Decode(b, test.d))
	}
	for _, d := range dtypes {
		require.True(t, math.IsNaN(Decode(Encode([]float64{nan}, d), d)[0]), d)
	}
}

func TestAccepts(t *testing.T) {
	one := exactly(1)
	for _, test := range []struct {
		n        number
		got, ulp float64
		d        device.DType
		accepted bool
	}{
		{one, 1, 0.5, device.Float32, true},
		{one, 1 + 0x1p-23, 0.5, device.Float32, false},
		{one, 1 + 0x1p-23, 1, device.Float32, true},
		{one, 1 + 0x1p-22, 2, device.Float32, true},
		{one, 1 + 0x1p-21, 2, device.Float32, false},
		{one, 1 + 0x1p-10, 2, device.Float16, false},
		{exactly(1 + 0x1p-11), 1, 0.5, device.Float16, true},
		{exactly(1 + 0x1p-11), 1 + 0x1p-10, 0.5, device.Float16, false}, // halfway goes to the even one
		{exactly(1 + 0x1p-11), 1 + 0x1p-10, 2, device.Float16, true},    // unless the float32 was off
		{number{0x1p-20, 1}, 0x1p-20 + 0x1p-22, 2, device.Float32, true},
		{number{0x1p-20, 1}, 0x1p-19, 2, device.Float32, false},
		{exactly(inf), inf, 2, device.Float32, true},
		{exactly(inf), math.MaxFloat32, 2, device.Float32, false},
		{exactly(1e40), inf, 2, device.Float32, true},
		{exactly(math.MaxFloat32), inf, 2, device.Float32, true},
		{exactly(math.MaxFloat32), inf, 0.5, device.Float32, false},
		{exactly(nan), nan, 0.5, device.Float32, true},
		{exactly(nan), 0, 9, device.Float32, false},
		{one, nan, 9, device.Float32, false},
		{exactly(0x1p-150), 0, 2, device.Float32, true},
		{exactly(0), 0x1p-148, 2, device.Float32, true},
		{exactly(0), 0x1p-126, 2, device.Float32, false},
	} {
		require.Equal(t, test.accepted, test.n.accepts(test.got, test.ulp, test.d), "%+v, got %v, %v ulp, %v", test.n, test.got, test.ulp, test.d)
	}
}
