package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
)

// half is a format of 16 bits with p bits of significand and normal numbers from 2^emin on.
type half struct {
	name   string
	decode func(uint16) float32
	p      int
	emin   int
	emax   int

	toFloat32   func(dst []float32, src []uint16)
	fromFloat32 func(dst []uint16, src []float32)
}

var halves = []half{
	{"Float16", func(h uint16) float32 { return float16.Frombits(h).Float32() }, 11, -14, 15, Float16ToFloat32, Float32ToFloat16},
	{"BFloat16", func(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }, 8, -126, 127, BFloat16ToFloat32, Float32ToBFloat16},
}

// round returns the number of the format that is nearest to x, the even one of two.
func (h half) round(x float64) float64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x
	}
	unit := math.Ldexp(1, max(math.Ilogb(x), h.emin)-h.p+1)
	r := math.RoundToEven(x/unit) * unit
	if math.Abs(r) >= math.Ldexp(1, h.emax+1) {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return math.Copysign(r, x)
}

// all returns the bits of all numbers of 16 bits.
func all() []uint16 {
	bits := make([]uint16, 1<<16)
	for i := range bits {
		bits[i] = uint16(i)
	}
	return bits
}

// same compares as a NaN equals any other, and 0 does not equal -0.
func same(x, y float64) bool {
	return x != x && y != y || x == y && math.Signbit(x) == math.Signbit(y)
}

func TestConversions(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			bits := all()
			numbers := make([]float32, len(bits))
			h.toFloat32(numbers, bits)
			for i, x := range numbers {
				require.True(t, same(float64(h.decode(bits[i])), float64(x)), "%#x: %v", i, x)
			}

			// The numbers themselves, the middles between neighbours, and what is next to these.
			var src []float32
			for i, x := range numbers[:len(numbers)-1] {
				middle := float32((float64(x) + float64(numbers[i+1])) / 2)
				for _, y := range []float32{x, middle} {
					src = append(src, y, math.Nextafter32(y, float32(inf)), math.Nextafter32(y, -float32(inf)))
				}
			}
			for _, nan := range []uint32{0x7f800001, 0x7fffffff, 0xff800001, 0xffffffff, 0x7fc00000, 0x7f80ffff} {
				src = append(src, math.Float32frombits(nan))
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 1 << 20 {
				src = append(src, math.Float32frombits(r.Uint32()))
			}
			dst := make([]uint16, len(src))
			h.fromFloat32(dst, src)
			for i, x := range src {
				got, want := float64(h.decode(dst[i])), h.round(float64(x))
				require.True(t, same(want, got), "%v (%#x): got %v, want %v", x, math.Float32bits(x), got, want)
			}
		})
	}
}

// All logits of 16 bits with targets ±1. The results are what a float32 within 2 ulp of the exact
// one rounds to.
func TestSoftMarginLossOfHalves(t *testing.T) {
	const factor = 0x1p-7
	for _, f := range []struct {
		name           string
		half           half
		one            uint16
		loss           func(dst, self, target []uint16)
		sum            func(self, target []uint16) float64
		backward       func(dst, self, target []uint16, factor float32)
		backwardVector func(dst, gradOutput, self, target []uint16, norm float32)
		sumBackward    func(dst, self, target []uint16, factor float32) float64
	}{
		{"Float16", halves[0], 0x3c00, SoftMarginLossFloat16, SoftMarginLossSumFloat16, SoftMarginLossBackwardFloat16, SoftMarginLossBackwardVectorFloat16, SoftMarginLossSumBackwardFloat16},
		{"BFloat16", halves[1], 0x3f80, SoftMarginLossBFloat16, SoftMarginLossSumBFloat16, SoftMarginLossBackwardBFloat16, SoftMarginLossBackwardVectorBFloat16, SoftMarginLossSumBackwardBFloat16},
	} {
		t.Run(f.name, func(t *testing.T) {
			self := append(all(), all()...)
			target := append(slices.Repeat([]uint16{f.one}, 1<<16), slices.Repeat([]uint16{f.one | 0x8000}, 1<<16)...)
			loss := func(x, t float64) float64 { return softplus(-t * x) }
			gradient := func(factor float64) func(x, t float64) float64 {
				return func(x, t float64) float64 { return -t * sigmoid(-t*x) * factor }
			}
			dst := make([]uint16, len(self))
			for _, c := range []struct {
				name string
				run  func()
				want func(x, t float64) float64
			}{
				{"loss", func() { f.loss(dst, self, target) }, loss},
				{"gradient", func() { f.backward(dst, self, target, factor) }, gradient(factor)},
				{"tiny gradient", func() { f.backward(dst, self, target, 1e-12) }, gradient(float64(float32(1e-12)))},
				{"gradient of a vector", func() { f.backwardVector(dst, target, self, target, factor) }, func(x, t float64) float64 { return t * gradient(factor)(x, t) }},
				{"both", func() { f.sumBackward(dst, self, target, factor) }, gradient(factor)},
			} {
				c.run()
				for i, bits := range dst {
					x, y := float64(f.half.decode(self[i])), float64(f.half.decode(target[i]))
					exact, got := c.want(x, y), float64(f.half.decode(bits))
					if exact != exact {
						require.True(t, got != got, "%s of %v and %v: got %v, want NaN", c.name, x, y, got)
						continue
					}
					error := 2 * math.Ldexp(1, max(math.Ilogb(exact), -126)-23)
					if exact == 0 || math.IsInf(exact, 0) {
						error = 0
					}
					low, high := f.half.round(exact-error), f.half.round(exact+error)
					require.True(t, low <= got && got <= high, "%s of %v and %v: got %v, want %v", c.name, x, y, got, exact)
				}
			}

			// Sums, of numbers only.
			var s, y []uint16
			want := 0.0
			for i, bits := range self {
				if x := float64(f.half.decode(bits)); math.Abs(x) < 1000 {
					s, y = append(s, bits), append(y, target[i])
					want += loss(x, float64(f.half.decode(target[i])))
				}
			}
			require.InEpsilon(t, want, f.sum(s, y), 1e-7)
			require.InEpsilon(t, want, f.sumBackward(make([]uint16, len(s)), s, y, factor), 1e-7)
		})
	}
}

// NaN that comes in through the factor stays NaN, whatever its payload.
func TestSoftMarginLossBackwardOfHalvesByNaN(t *testing.T) {
	for _, bits := range []uint32{0x7fc00000, 0x7fffffff, 0xffffffff} {
		factor := math.Float32frombits(bits)
		for _, f := range []func(dst, self, target []uint16, factor float32){
			SoftMarginLossBackwardBFloat16,
			func(dst, self, target []uint16, factor float32) {
				SoftMarginLossSumBackwardBFloat16(dst, self, target, factor)
			},
			func(dst, self, target []uint16, factor float32) {
				SoftMarginLossBackwardVectorBFloat16(dst, target, self, target, factor)
			},
		} {
			dst := make([]uint16, 100)
			ones := slices.Repeat([]uint16{0x3f80}, len(dst))
			f(dst, ones, ones, factor)
			for i, h := range dst {
				require.True(t, h&0x7fff > 0x7f80, fmt.Sprintf("element %d is %#x for a factor of %#x", i, h, bits))
			}
		}
	}
}
