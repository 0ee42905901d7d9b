package simd

import (
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

// All logits of 16 bits with targets ±1. The results are what a float32 within 8 ulp of the exact
// one rounds to: 2^-10 units in the last place of float16, 2^-13 of bfloat16.
func TestSoftMarginLossOfHalves(t *testing.T) {
	const one, oneBFloat16 = 0x3c00, 0x3f80
	for _, set := range softMarginSets() {
		t.Run("Float16"+set.name, func(t *testing.T) { testSoftMarginLossOfHalves(t, halves[0], one, &set.float16, &set.decoded) })
		t.Run("BFloat16"+set.name, func(t *testing.T) { testSoftMarginLossOfHalves(t, halves[1], oneBFloat16, &set.bfloat16, &set.decoded) })
	}
}

func testSoftMarginLossOfHalves(t *testing.T, h half, one uint16, of *SoftMarginLoss[uint16], decoded *SoftMarginLoss[float32]) {
	self := append(all(), all()...)
	target := append(slices.Repeat([]uint16{one}, 1<<16), slices.Repeat([]uint16{one | 0x8000}, 1<<16)...)
	dst, sums := make([]uint16, len(self)), make([]float64, len(self)/Part)
	loss := func(x, t float64) float64 { return softplus(-t * x) }
	check := func(name string, factor float64, want func(x, t float64) float64) {
		for i, bits := range dst {
			x, y := float64(h.decode(self[i])), float64(h.decode(target[i]))
			if openBackward(x, y, factor) {
				continue
			}
			exact, got := want(x, y), float64(h.decode(bits))
			if exact != exact {
				require.True(t, got != got, "%s of %v and %v: got %v, want NaN", name, x, y, got)
				continue
			}
			error := 0.0
			if exact != 0 && !math.IsInf(exact, 0) {
				error = 8 * math.Ldexp(1, max(math.Ilogb(exact), -126)-23)
			}
			if low, high := h.round(exact-error), h.round(exact+error); !(low <= got && got <= high) {
				require.Fail(t, "inaccurate", "%s of %v and %v: got %v, want %v", name, x, y, got, exact)
			}
		}
	}
	x, y, z, rounded := make([]float32, len(self)), make([]float32, len(self)), make([]float32, len(self)), make([]uint16, len(self))
	h.toFloat32(x, self)
	h.toFloat32(y, target)
	checkDecoded := func(name string, run func(dst []float32)) { // gives the same bits
		run(z)
		h.fromFloat32(rounded, z)
		for i, bits := range dst {
			if !same(float64(h.decode(bits)), float64(h.decode(rounded[i]))) {
				require.Fail(t, "not the same", "%s of %v and %v: %#x, decoded %#x", name, x[i], y[i], bits, rounded[i])
			}
		}
	}
	of.Loss(dst, self, target)
	check("loss", 1, loss)
	checkDecoded("loss", func(dst []float32) { decoded.Loss(dst, x, y) })
	for _, f := range []float32{0x1p-7, -1.0 / 3, 1e-12, 1e5, float32(inf), 0} {
		gradient := func(x, t float64) float64 { return -t * sigmoid(-t*x) * float64(f) }
		of.Backward(dst, self, target, f)
		check("gradient", float64(f), gradient)
		checkDecoded("gradient", func(dst []float32) { decoded.Backward(dst, x, y, f) })
		of.BackwardVector(dst, target, self, target, f)
		check("gradient of a vector", float64(f), func(x, t float64) float64 { return t * gradient(x, t) })
		checkDecoded("gradient of a vector", func(dst []float32) { decoded.BackwardVector(dst, y, x, y, f) })
		of.SumsBackward(dst, self, target, f, sums)
		check("gradient with the sums", float64(f), gradient)
		checkDecoded("gradient with the sums", func(dst []float32) { decoded.SumsBackward(dst, x, y, f, sums) })
	}

	// Sums, of numbers only.
	var s, u []uint16
	want := 0.0
	for i, bits := range self {
		if x := float64(h.decode(bits)); math.Abs(x) < 1000 {
			s, u = append(s, bits), append(u, target[i])
			want += loss(x, float64(h.decode(target[i])))
		}
	}
	require.InEpsilon(t, want, total(sums, len(s), func(sums []float64) { of.Sums(s, u, sums) }), 1e-7)
	require.InEpsilon(t, want, total(sums, len(s), func(sums []float64) { of.SumsBackward(dst[:len(s)], s, u, 0x1p-7, sums) }), 1e-7)
}

// NaN that comes in through the factor stays NaN, whatever its payload.
func TestSoftMarginLossBackwardOfHalvesByNaN(t *testing.T) {
	dst, ones, sums := make([]uint16, 100), slices.Repeat([]uint16{0x3f80}, 100), make([]float64, 1)
	for _, set := range softMarginSets() {
		of := &set.bfloat16
		for _, bits := range []uint32{0x7fc00000, 0x7fffffff, 0xffffffff} {
			factor := math.Float32frombits(bits)
			for _, f := range []func(){
				func() { of.Backward(dst, ones, ones, factor) },
				func() { of.SumsBackward(dst, ones, ones, factor, sums) },
				func() { of.BackwardVector(dst, ones, ones, ones, factor) },
			} {
				clear(dst)
				f()
				for i, h := range dst {
					require.Greater(t, h&0x7fff, uint16(0x7f80), "element %d is %#x for a factor of %#x", i, h, bits)
				}
			}
		}
	}
}
