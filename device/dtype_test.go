package device_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

const (
	f32, f16, b16, f64 = device.Float32, device.Float16, device.BFloat16, device.Float64
	null, invalid      = device.ErrParamNull, device.ErrParamInvalid
)

// vast is a dimension that an int holds, but not its square: 2^40, or 2^20 where an int has 32 bits.
const vast = 1 << (strconv.IntSize * 5 / 8)

func TestPromote(t *testing.T) {
	// Rows and columns in this order; 0 where the two do not mix.
	order := []device.DType{f32, f16, b16, f64, 0, 9}
	table := [][]device.DType{
		{f32, f32, f32, 0, 0, 0},
		{f32, f16, f32, 0, 0, 0},
		{f32, f32, b16, 0, 0, 0},
		{0, 0, 0, f64, 0, 0},
		{0, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, 0, 0},
	}
	for i, a := range order {
		for j, b := range order {
			got, ok := device.Promote(a, b)
			require.Equal(t, table[i][j], got, "Promote(%v, %v)", a, b)
			require.Equal(t, got != 0, ok, "Promote(%v, %v)", a, b)
			require.Equal(t, ok, device.Converts(a, b), "Converts(%v, %v)", a, b)
		}
	}
}

func TestDTypeNames(t *testing.T) {
	for d, want := range map[device.DType]struct {
		name string
		size int
	}{
		f32: {"float32", 4}, f16: {"float16", 2}, b16: {"bfloat16", 2}, f64: {"float64", 8},
		0: {"dtype(0)", 0}, 5: {"dtype(5)", 0}, 255: {"dtype(255)", 0},
	} {
		require.Equal(t, want.name, d.String())
		require.Equal(t, want.size, d.Size(), d)
		require.Equal(t, want.size > 0, d.Valid(), d)
		parsed, err := device.ParseDType(want.name)
		if d.Valid() {
			require.NoError(t, err)
			require.Equal(t, d, parsed)
		} else {
			require.ErrorIs(t, err, invalid)
		}
	}
	_, err := device.ParseDType("")
	require.EqualError(t, err, `dtype: "" is not one of float32, float16, bfloat16, float64 (161002 ACLNN_ERR_PARAM_INVALID)`)
}

func TestCompute(t *testing.T) {
	for d, want := range map[device.DType]device.DType{f32: f32, f16: f32, b16: f32, f64: f64} {
		require.Equal(t, want, d.Compute(), d)
	}
}

// Every bfloat16 has its value, and what lies between two of them goes to the
// nearer one, or to the even one from the middle.
func TestBFloat16(t *testing.T) {
	value := func(h uint16) float64 { // infinity counts as the next power of two
		v := float64(device.BFloat16Value(h))
		if math.IsInf(v, 0) {
			return math.Copysign(0x1p128, v)
		}
		return v
	}
	require.Equal(t, float32(1), device.BFloat16Value(0x3f80))
	require.Equal(t, float32(-0x1p-133), device.BFloat16Value(0x8001))
	require.Equal(t, float32(0x1.fep127), device.BFloat16Value(0x7f7f))
	for h := range uint16(0xffff) {
		v := device.BFloat16Value(h)
		if v != v {
			require.True(t, math.IsNaN(float64(device.BFloat16Value(device.BFloat16Bits(v)))), "%#x", h)
			continue
		}
		require.Equal(t, h, device.BFloat16Bits(v))
		for _, low := range []uint32{1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			x := math.Float32frombits(uint32(h)<<16 | low)
			if x != x {
				require.True(t, math.IsNaN(float64(device.BFloat16Value(device.BFloat16Bits(x)))), "%v", x)
				continue
			}
			down, up := math.Abs(float64(x)-value(h)), math.Abs(float64(x)-value(h+1))
			want := h
			if up < down || up == down && h&1 == 1 {
				want++
			}
			if got := device.BFloat16Bits(x); got != want {
				require.Failf(t, "rounded wrongly", "%v: %#x, want %#x", x, got, want)
			}
		}
	}
}

func TestReductionNames(t *testing.T) {
	for r, name := range map[device.Reduction]string{device.None: "none", device.Mean: "mean", device.Sum: "sum"} {
		require.Equal(t, name, r.String())
	}
	require.Equal(t, "reduction(3)", device.Reduction(3).String())
	require.Equal(t, "reduction(-1)", device.Reduction(-1).String())
}
