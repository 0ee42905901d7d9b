package simd512

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// half is a format of 16 bits with p bits of significand and normal numbers from 2^emin to 2^(emax+1).
type half struct {
	format
	p, emin, emax int
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
	return r
}

// All logits of 16 bits with targets ±1: results are what a float32 within 3 ulp of the exact one rounds to.
func TestSoftMarginLossOfHalves(t *testing.T) {
	for _, c := range []struct {
		name string
		half half
		one  uint16
		of   functions[uint16]
	}{
		{"Float16", half{formatFloat16, 11, -14, 15}, 0x3c00, functionsF16},
		{"BFloat16", half{formatBFloat16, 8, -126, 127}, 0x3f80, functionsBF16},
	} {
		t.Run(c.name, func(t *testing.T) {
			var self []uint16
			for range 2 {
				for bits := range 1 << 16 {
					self = append(self, uint16(bits))
				}
			}
			target := append(slices.Repeat([]uint16{c.one}, 1<<16), slices.Repeat([]uint16{c.one | 0x8000}, 1<<16)...)
			dst := make([]uint16, len(self))
			number := func(s []uint16, i int) float64 { return c.half.get(memoryOf(s), i) }
			check := func(name string, factor float64, want func(x, t float64) float64) {
				for i := range dst {
					x, y := number(self, i), number(target, i)
					if openBackward(x, y, factor) {
						continue
					}
					exact, got := want(x, y), number(dst, i)
					if exact != exact {
						require.True(t, got != got, "%s of %v and %v: got %v, want NaN", name, x, y, got)
						continue
					}
					error := 0.0
					if exact != 0 && !math.IsInf(exact, 0) {
						error = 3 * math.Ldexp(1, max(math.Ilogb(exact), -126)-23)
					}
					if low, high := c.half.round(exact-error), c.half.round(exact+error); !(low <= got && got <= high) {
						require.Fail(t, "inaccurate", "%s of %v and %v: got %v, want %v", name, x, y, got, exact)
					}
				}
			}
			c.of.loss(dst, self, target)
			check("loss", 1, func(x, t float64) float64 { return loss(t * x) })
			for _, f := range []float32{factor, -1.0 / 3, 1e-12, 1e5, float32(inf), 0} {
				gradient := func(x, t float64) float64 { return -t * sigmoid(-t*x) * float64(f) }
				c.of.backward(dst, self, target, f)
				check("gradient", float64(f), gradient)
				c.of.backwardVector(dst, target, self, target, f)
				check("gradient of a vector", float64(f), func(x, t float64) float64 { return t * gradient(x, t) })
				c.of.sumBackward(dst, self, target, f)
				check("gradient with the sum", float64(f), gradient)
			}

			// Sums, of numbers only.
			var s, y []uint16
			want := 0.0
			for i := range self {
				if x := number(self, i); math.Abs(x) < 1000 {
					s, y = append(s, self[i]), append(y, target[i])
					want += loss(x * number(target, i))
				}
			}
			require.InEpsilon(t, want, c.of.sum(s, y), 1e-7)
			require.InEpsilon(t, want, c.of.sumBackward(make([]uint16, len(s)), s, y, factor), 1e-7)
		})
	}
}

// NaN that comes in through the factor stays NaN, whatever its payload.
func TestSoftMarginLossBackwardOfHalvesByNaN(t *testing.T) {
	for _, bits := range []uint32{0x7fc00000, 0x7fffffff, 0xffffffff} {
		f := math.Float32frombits(bits)
		dst, ones := make([]uint16, 100), slices.Repeat([]uint16{0x3f80}, 100)
		check := func() {
			for i, h := range dst {
				require.Greater(t, h&0x7fff, uint16(0x7f80), "element %d is %#x for a factor of %#x", i, h, bits)
			}
			clear(dst)
		}
		SoftMarginLossBackwardBFloat16(dst, ones, ones, f)
		check()
		SoftMarginLossBackwardVectorBFloat16(dst, ones, ones, ones, f)
		check()
		SoftMarginLossSumBackwardBFloat16(dst, ones, ones, f)
		check()
	}
}

// TestHalvesAgree compares the halves that package simd has stored with those of this package: at
// most one step apart.
func TestHalvesAgree(t *testing.T) {
	for _, c := range []struct {
		name       string
		this, that functions[uint16]
	}{
		{"Float16", functionsF16, avx2FunctionsF16},
		{"BFloat16", functionsBF16, avx2FunctionsBF16},
	} {
		self, target := make([]uint16, 1<<16), make([]uint16, 1<<16)
		for i := range self {
			self[i], target[i] = uint16(i), 0x3c00|uint16(i<<15)
		}
		this, that := make([]uint16, len(self)), make([]uint16, len(self))
		compare := func(name string) {
			for i := range this {
				if step := int(this[i]) - int(that[i]); step < -1 || step > 1 {
					isNaN := func(h uint16) bool { return h&0x7fff > 0x7c00 && c.name == "Float16" || h&0x7fff > 0x7f80 }
					require.True(t, isNaN(this[i]) && isNaN(that[i]) || this[i]<<1 == 0 && that[i]<<1 == 0, "%s%s of %#x: %#x here, %#x there", name, c.name, self[i], this[i], that[i])
				}
			}
		}
		c.this.loss(this, self, target)
		c.that.loss(that, self, target)
		compare("loss")
		c.this.backward(this, self, target, factor)
		c.that.backward(that, self, target, factor)
		compare("gradient")
		c.this.sumBackward(this, self, target, factor)
		c.that.sumBackward(that, self, target, factor)
		compare("gradient with the sum")
	}
}
