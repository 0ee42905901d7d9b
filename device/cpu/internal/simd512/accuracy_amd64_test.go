package simd512

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device/cpu/internal/simd"
)

func TestMain(m *testing.M) {
	if !Available() {
		fmt.Println("simd512: no test, because the processor has no AVX-512 F, BW, DQ and VL, or no BMI2")
		return
	}
	os.Exit(m.Run())
}

// kernel is a row of the table of element-wise kernels on float32. Inputs are the gradient, if
// it takes a slice of them, the logits and the targets.
type kernel struct {
	name   string
	inputs int
	run    func(dst []float32, in [][]float32)
	avx2   func(dst []float32, in [][]float32) // the same in package simd

	// want returns the exact result, and the number in whose units in the last place errors
	// count: the result itself unless the rounding of the margin adds to the error.
	want func(x []float64) (value, scale float64)

	ulp  float64                // the largest error allowed
	open func(x []float64) bool // inputs for which the result is open
}

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// specials returns NaN and numbers of all kinds with both signs, to be tried in all combinations.
func specials() (all []float32) {
	all = append(all, float32(nan))
	for _, x := range []float32{0, 0x1p-149, 1e-40, 0x1p-126, 1e-20, 0x1p-24, 0.25, 0.75, 1, 2, 3, 17, 20, 50, 87, 88.75, 100, 104, 115, 1e4, 1e20, 1e38, math.MaxFloat32, float32(inf)} {
		all = append(all, x, -x)
	}
	all[2] = float32(math.Copysign(0, -1))
	return all
}

func kernels() []kernel {
	const norm = float32(0.3)
	list := []kernel{
		{
			name: "SoftMarginLoss", inputs: 2, ulp: 2,
			run:  func(dst []float32, in [][]float32) { SoftMarginLoss(dst, in[0], in[1]) },
			avx2: func(dst []float32, in [][]float32) { simd.SoftMarginLoss(dst, in[0], in[1]) },
			want: func(x []float64) (value, scale float64) {
				m := x[0] * x[1]
				return loss(m), loss(m) + marginRounding(m, x[1])*sigmoid(-m)
			},
		},
		{
			name: "SoftMarginLossBackwardVector", inputs: 3, ulp: 3,
			run:  func(dst []float32, in [][]float32) { SoftMarginLossBackwardVector(dst, in[0], in[1], in[2], norm) },
			avx2: func(dst []float32, in [][]float32) { simd.SoftMarginLossBackwardVector(dst, in[0], in[1], in[2], norm) },
			want: func(x []float64) (value, scale float64) { return backward(x[1], x[2], x[0]*float64(norm)) },
			open: func(x []float64) bool { return openBackward(x[1], x[2], float64(norm)*x[0]) },
		},
	}
	// Factors for both of the ways that SoftMarginLossBackward goes.
	for _, factor := range []float32{1, 0x1p-7, -1.0 / 3, 0, 1e-6, 0x1p-32, 1e-20, 1e-38, 1000, 1e9, 1e15, float32(inf), float32(nan)} {
		k := kernel{
			inputs: 2, ulp: 2,
			want: func(x []float64) (value, scale float64) { return backward(x[0], x[1], float64(factor)) },
			open: func(x []float64) bool { return openBackward(x[0], x[1], float64(factor)) },
		}
		if f := math.Abs(float64(factor)); 0 < f && f < 0x1p-32 || f > 0x1p12 {
			k.ulp = 3 // the product with the target is rounded as well
		}
		k.name = fmt.Sprintf("SoftMarginLossBackward(%v)", factor)
		k.run = func(dst []float32, in [][]float32) { SoftMarginLossBackward(dst, in[0], in[1], factor) }
		k.avx2 = func(dst []float32, in [][]float32) { simd.SoftMarginLossBackward(dst, in[0], in[1], factor) }
		list = append(list, k)
		k.name = fmt.Sprintf("SoftMarginLossSumBackward(%v)", factor)
		k.run = func(dst []float32, in [][]float32) { SoftMarginLossSumBackward(dst, in[0], in[1], factor) }
		k.avx2 = func(dst []float32, in [][]float32) { simd.SoftMarginLossSumBackward(dst, in[0], in[1], factor) }
		open := k.open
		// Where the margin is infinite because the target is, the kernel takes a limit, or none.
		k.open = func(x []float64) bool { return math.IsInf(x[1], 0) || open(x) }
		list = append(list, k)
	}
	return list
}

// backward is the gradient of the loss, and what its errors are measured by: with targets other than ±1
// the rounding of the margin counts.
func backward(self, target, factor float64) (value, scale float64) {
	m := self * target
	gradient := -target * sigmoid(-m) * factor
	return gradient, math.Abs(gradient) * (1 + marginRounding(m, target)*sigmoid(m))
}

// marginRounding returns half the units in the last place by which the rounding of the margin moves e^m.
func marginRounding(m, target float64) float64 {
	if math.Abs(target) == 1 || math.IsInf(m, 0) {
		return 0
	}
	return math.Abs(m)
}

// openBackward reports whether the kernels leave the gradient open: where a target above 1 makes it
// large again after it was a subnormal number, where it is tiny itself, and where a factor is huge
// and the sigmoid subnormal.
func openBackward(self, target, factor float64) bool {
	s := sigmoid(-self * target)
	if math.Abs(target) > 1 && s*math.Abs(factor) < 0x1p-126 {
		return true
	}
	if f := math.Abs(factor * target); 0 < f && f < 0x1p-86 {
		return true
	}
	return s < 0x1p-126 && math.Abs(factor) > 0x1p100
}

func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func loss(m float64) float64 { return max(-m, 0) + math.Log1p(math.Exp(-math.Abs(m))) }

// ulps returns the distance of got from want in units in the last place of scale. NaN
// is 0 from NaN; a number that rounds to ±Inf counts as ±2^128.
func ulps(got float32, want, scale float64) float64 {
	if got != got || want != want {
		if got != got && want != want {
			return 0
		}
		return inf
	}
	position := func(x float64) float64 {
		if math.Abs(x) >= 0x1.ffffffp127 {
			return math.Copysign(0x1p128, x)
		}
		return x
	}
	distance := math.Abs(position(float64(got)) - position(want))
	if distance == 0 {
		return 0
	}
	exponent := -126
	if scale != 0 {
		exponent = min(max(math.Ilogb(scale), -126), 127)
	}
	return math.Ldexp(distance, 23-exponent)
}

// worst is the largest error so far, and where it is.
type worst struct {
	ulp float64
	at  []float64
}

// check runs the kernel and updates its largest error. The kernel of package simd is as close to
// the exact result, so the two are as close to each other as the sum of their errors.
func (k kernel) check(t *testing.T, in [][]float32, w *worst) {
	dst, avx2 := make([]float32, len(in[0])), make([]float32, len(in[0]))
	k.run(dst, in)
	k.avx2(avx2, in)
	x := make([]float64, len(in))
	for i, got := range dst {
		for j := range in {
			x[j] = float64(in[j][i])
		}
		if k.open != nil && k.open(x) {
			continue
		}
		want, scale := k.want(x)
		u := ulps(got, want, scale)
		if u > k.ulp {
			require.Fail(t, "inaccurate", "%s at %v: got %v, want %v (%v in package simd): %v ulp", k.name, x, got, want, avx2[i], u)
		}
		if other := ulps(got, float64(avx2[i]), scale); other > 2*k.ulp {
			require.Fail(t, "unlike package simd", "%s at %v: got %v, not %v", k.name, x, got, avx2[i])
		}
		if u > w.ulp {
			*w = worst{u, slices.Clone(x)}
		}
	}
}

// anyFloat returns a number with random bits, one of the order of 1, or one of ±1.
func anyFloat(r *rand.Rand) float32 {
	switch r.IntN(4) {
	case 0:
		return math.Float32frombits(r.Uint32())
	case 1:
		return float32(r.NormFloat64() * 30)
	case 2:
		return float32(2*r.IntN(2) - 1)
	}
	return float32(r.NormFloat64())
}

// TestAccuracy tries random numbers, all combinations of special ones, and for targets ±1
// logits of every exponent as well as an even spread of them within ±200.
func TestAccuracy(t *testing.T) {
	special := specials()
	for _, k := range kernels() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var w worst
			in := make([][]float32, k.inputs)
			for range 10 {
				for i := range in {
					in[i] = make([]float32, 4096)
					for j := range in[i] {
						in[i][j] = anyFloat(r)
					}
				}
				k.check(t, in, &w)
			}

			n := 1
			for range in {
				n *= len(special)
			}
			for i, m := 0, 1; i < k.inputs; i, m = i+1, m*len(special) {
				in[i] = make([]float32, n)
				for j := range in[i] {
					in[i][j] = special[j/m%len(special)]
				}
			}
			k.check(t, in, &w)

			for i := range in {
				in[i] = slices.Repeat([]float32{1}, 1<<16)
			}
			self, target := in[k.inputs-2], in[k.inputs-1]
			for round := range 8 {
				for i := range self {
					target[i] = float32(1 - i%2*2)
					if round%2 == 0 {
						self[i] = math.Float32frombits(uint32(i<<16 | r.IntN(1<<16)))
					} else {
						self[i] = float32(r.Float64()*400 - 200)
					}
				}
				k.check(t, in, &w)
			}
			t.Logf("%.3f ulp at %v", w.ulp, w.at)
		})
	}
}

// Past the caches or not, the bits are the same, wherever dst lies.
func TestBackwardPast(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	memory := make([]float32, 5000)
	for _, n := range []int{0, 1, 15, 16, 63, 64, 65, 128, 1000, 4096} {
		for offset := range 17 {
			self, target, want := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range self {
				self[i], target[i] = float32(20*r.NormFloat64()), float32(2*r.IntN(2)-1)
			}
			for _, factor := range []float32{1, -0.25, 1e-20} {
				SoftMarginLossBackward(want, self, target, factor)
				dst := memory[offset:][:n]
				clear(memory)
				SoftMarginLossBackwardPast(dst, self, target, factor)
				require.Equal(t, want, append([]float32{}, dst...))
				for i, x := range memory {
					require.True(t, x == 0 || i >= offset && i < offset+n, "element %d was written", i-offset)
				}
			}
		}
	}
}
