package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if !Available() {
		fmt.Println("simd: no test, because the processor has no AVX2, FMA or F16C")
		return
	}
	os.Exit(m.Run())
}

// kernel is a row of the table of element-wise kernels on float32.
type kernel struct {
	name   string
	inputs int
	run    func(dst []float32, in [][]float32)

	// want returns the exact result, and the number in whose units in the last place errors
	// count: the result itself unless terms cancel.
	want func(x []float64) (value, scale float64)

	ulp     float64                // the largest error allowed; ½ if the result is the exact one, rounded
	more    func(x []float64) bool // inputs for which it may be half as much again
	open    func(x []float64) bool // inputs for which the result is open
	special []float64              // tried in all combinations
}

// exact is the error of a result that is the exact one, rounded.
const exact = 0.5

var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	special = both(0, 0x1p-149, 1e-40, 0x1p-126, 1e-20, 0x1p-24, 0.25, 0.5, 0.75, 1, 2, 3, 17, 20, 50, 87, 88.75, 100, 104, 115, 1e4, 1e20, 1e38, math.MaxFloat32, inf)
)

// both returns NaN and the numbers with both signs.
func both(numbers ...float64) []float64 {
	all := []float64{nan}
	for _, x := range numbers {
		all = append(all, x, math.Copysign(x, -1))
	}
	return all
}

func unary(name string, run func(dst, a []float32), ulp float64, want func(x float64) float64) kernel {
	return kernel{
		name: name, inputs: 1, ulp: ulp, special: special,
		run: func(dst []float32, in [][]float32) { run(dst, in[0]) },
		want: func(x []float64) (value, scale float64) {
			y := want(x[0])
			return y, y
		},
	}
}

func binary(name string, run func(dst, a, b []float32), ulp float64, want func(x, y float64) float64) kernel {
	return kernel{
		name: name, inputs: 2, ulp: ulp, special: special,
		run: func(dst []float32, in [][]float32) { run(dst, in[0], in[1]) },
		want: func(x []float64) (value, scale float64) {
			y := want(x[0], x[1])
			return y, y
		},
	}
}

// within leaves the result open where the last input is a number of which the modulus lies outside.
func within(low, high float64, k kernel) kernel {
	k.open = func(x []float64) bool {
		last := math.Abs(x[len(x)-1])
		return last < low || last > high
	}
	return k
}

func kernels() []kernel {
	const slope = 0.01
	leaky := func(condition, x float64) float64 {
		if condition > 0 {
			return x
		}
		return slope * x
	}
	list := []kernel{
		unary("Neg", Neg, exact, func(x float64) float64 { return -x }),
		unary("Abs", Abs, exact, math.Abs),
		unary("Sign", Sign, exact, func(x float64) float64 {
			if x == 0 || x != x {
				return x
			}
			return math.Copysign(1, x)
		}),
		unary("Square", Square, exact, func(x float64) float64 { return x * x }),
		unary("Sqrt", Sqrt, exact, math.Sqrt),
		unary("ReLU", ReLU, exact, func(x float64) float64 { return max(x, 0) }),
		unary("LeakyReLU", func(dst, a []float32) { LeakyReLU(dst, a, slope) }, exact, func(x float64) float64 { return leaky(x, x) }),
		unary("Exp", Exp, 1, math.Exp),
		unary("Log", Log, 1, math.Log),
		unary("Tanh", Tanh, 1.5, math.Tanh),
		unary("Sigmoid", Sigmoid, 2, sigmoid),
		unary("Softplus", Softplus, 2, softplus),
		unary("GELU", GELU, 4, gelu),

		binary("Add", Add, exact, func(x, y float64) float64 { return x + y }),
		binary("Sub", Sub, exact, func(x, y float64) float64 { return x - y }),
		binary("Mul", Mul, exact, func(x, y float64) float64 { return x * y }),
		binary("Div", Div, exact, func(x, y float64) float64 { return x / y }),
		binary("Maximum", Maximum, exact, func(x, y float64) float64 { return max(x, y) }),
		binary("ReLUBackward", ReLUBackward, exact, func(g, x float64) float64 {
			if x > 0 {
				return g
			}
			return 0
		}),
		binary("LeakyReLUBackward", func(dst, a, b []float32) { LeakyReLUBackward(dst, a, b, slope) }, exact, func(g, x float64) float64 { return leaky(x, g) }),
		within(0, 1, binary("TanhBackward", TanhBackward, 1.5, func(g, y float64) float64 { return g * ((1 - y) * (1 + y)) })),
		within(0, 1, binary("SigmoidBackward", SigmoidBackward, 2, func(g, y float64) float64 { return g * y * (1 - y) })),
		{
			name: "GELUBackward", inputs: 2, ulp: 4, special: special,
			run: func(dst []float32, in [][]float32) { GELUBackward(dst, in[0], in[1]) },
			want: func(x []float64) (value, scale float64) {
				cdf, slope := normalCDF(x[1]), x[1]*math.Exp(-x[1]*x[1]/2)/math.Sqrt(2*math.Pi)
				return x[0] * (cdf + slope), math.Abs(x[0]) * (cdf + math.Abs(slope))
			},
			open: func(x []float64) bool { return math.IsInf(x[1], 0) || math.Abs(x[0]) > 1 && x[1] < -12 },
		},
		{
			name: "MaximumBackward", inputs: 3, ulp: exact, special: special[:27],
			run: func(dst []float32, in [][]float32) { MaximumBackward(dst, in[0], in[1], in[2]) },
			want: func(x []float64) (value, scale float64) {
				switch {
				case x[1] > x[2]:
					value = x[0]
				case x[1] == x[2]:
					value = x[0] / 2
				}
				return value, value
			},
		},
		{
			name: "BCEWithLogits", inputs: 2, ulp: 3, special: special,
			run: func(dst []float32, in [][]float32) { BCEWithLogits(dst, in[0], in[1]) },
			want: func(x []float64) (value, scale float64) {
				l := math.Log1p(math.Exp(-math.Abs(x[0])))
				linear := max(x[0], 0) - x[0]*x[1]
				return linear + l, math.Abs(linear) + l
			},
		},
		{
			name: "BCEWithLogitsBackward", inputs: 3, ulp: 4, special: special[:27],
			run: func(dst []float32, in [][]float32) { BCEWithLogitsBackward(dst, in[0], in[1], in[2], 0.3) },
			want: func(x []float64) (value, scale float64) {
				s := sigmoid(x[1])
				const norm = float64(float32(0.3))
				return (s - x[2]) * x[0] * norm, (s + math.Abs(x[2])) * math.Abs(x[0]) * norm
			},
			open: func(x []float64) bool {
				g := math.Abs(x[0])
				return g > 1 && math.Abs(sigmoid(x[1])-x[2]) < 0x1p-20 || 0 < g && g < 0x1p-124 && math.Abs(x[2]) > 1
			},
		},
		{
			name: "BCEWithLogitsBackwardScalar", inputs: 2, ulp: 3.5, special: special,
			run: func(dst []float32, in [][]float32) { BCEWithLogitsBackwardScalar(dst, in[0], in[1], 0.3) },
			want: func(x []float64) (value, scale float64) {
				s := sigmoid(x[0])
				const factor = float64(float32(0.3))
				return (s - x[1]) * factor, (s + math.Abs(x[1])) * factor
			},
		},
	}
	for _, set := range softMarginSets() {
		list = append(list, softMarginKernels(set.name, &set.float32)...)
		decoded := gradientKernel(1, func(dst, self, target []float32) { set.decoded.Backward(dst, self, target, 1) })
		decoded.name, decoded.ulp = "SoftMarginLossBackwardDecoded"+set.name, 8
		list = append(list, decoded)
	}
	return list
}

func softMarginKernels(set string, of *SoftMarginLoss[float32]) []kernel {
	list := []kernel{
		{
			name: "SoftMarginLoss" + set, inputs: 2, ulp: 2, special: special,
			run: func(dst []float32, in [][]float32) { of.Loss(dst, in[0], in[1]) },
			want: func(x []float64) (value, scale float64) {
				m := x[0] * x[1]
				loss := softplus(-m)
				return loss, loss + marginRounding(m, x[1])*sigmoid(-m)
			},
		},
	}
	for _, norm := range []float32{1, 0.25, 0.3} { // for both of the kernels
		list = append(list, kernel{
			name: fmt.Sprintf("SoftMarginLossBackwardVector%s(%v)", set, norm), inputs: 3, ulp: 2, special: special,
			run: func(dst []float32, in [][]float32) { of.BackwardVector(dst, in[0], in[1], in[2], norm) },
			want: func(x []float64) (value, scale float64) {
				return backward(x[1], x[2], x[0]*float64(norm))
			},
			more: func(x []float64) bool { return math.Abs(x[2]) != 1 },
			open: func(x []float64) bool { return openBackward(x[1], x[2], float64(norm)*x[0]) },
		})
	}
	// Factors for both of the ways that Backward goes.
	for _, factor := range []float32{1, 0x1p-7, -1.0 / 3, 0, 1e-6, 0x1p-32, 1e-20, 1e-38, 1000, 1e9, 1e15, float32(inf), float32(nan)} {
		k := gradientKernel(factor, func(dst, self, target []float32) { of.Backward(dst, self, target, factor) })
		k.name = fmt.Sprintf("SoftMarginLossBackward%s(%v)", set, factor)
		list = append(list, k)
		sums := make([]float64, 1<<8)
		k = gradientKernel(factor, func(dst, self, target []float32) { of.SumsBackward(dst, self, target, factor, sums) })
		k.name = fmt.Sprintf("SoftMarginLossSumsBackward%s(%v)", set, factor)
		list = append(list, k)
	}
	return list
}

// gradientKernel is one that computes the gradient of the loss for a factor.
func gradientKernel(factor float32, run func(dst, self, target []float32)) kernel {
	return kernel{
		inputs: 2, ulp: 2, special: special,
		run:  func(dst []float32, in [][]float32) { run(dst, in[0], in[1]) },
		want: func(x []float64) (value, scale float64) { return backward(x[0], x[1], float64(factor)) },
		more: func(x []float64) bool { return math.Abs(x[1]) != 1 }, // as its product with the factor is rounded
		// Where the product of factor and target is infinite the kernels take a limit, or none.
		open: func(x []float64) bool {
			return math.Abs(x[1]*float64(factor)) > math.MaxFloat32 && ordinary(factor) || openBackward(x[0], x[1], float64(factor))
		},
	}
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

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// gelu is x·Φ(x), and its limit -0 at -Inf.
func gelu(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Copysign(0, -1)
	}
	return x * normalCDF(x)
}

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

// check runs the kernel and returns its largest error and where it is.
func (k kernel) check(t *testing.T, in [][]float32) (worst float64, at []float64) {
	dst := make([]float32, len(in[0]))
	k.run(dst, in)
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
		allowed := k.ulp
		if k.more != nil && k.more(x) {
			allowed += k.ulp / 2
		}
		require.LessOrEqual(t, u, allowed, "%s at %v: got %v, want %v", k.name, x, got, want)
		if k.ulp == exact && want == 0 && got == 0 {
			require.Equal(t, math.Signbit(want), math.Signbit(float64(got)), "%s at %v: sign of zero", k.name, x)
		}
		if u > worst {
			worst, at = u, slices.Clone(x)
		}
	}
	return worst, at
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

func TestAccuracy(t *testing.T) {
	for _, k := range kernels() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, []float64(nil)
			in := make([][]float32, k.inputs)
			for range 5 {
				for i := range in {
					in[i] = make([]float32, 4096)
					for j := range in[i] {
						in[i][j] = anyFloat(r)
					}
				}
				if u, x := k.check(t, in); u > worst {
					worst, at = u, x
				}
			}
			t.Logf("%.3f ulp at %v", worst, at)
		})
	}
}

// Every exponent, with mantissas that are close together.
func TestAccuracyOfFunctions(t *testing.T) {
	const step = 16381
	for _, k := range kernels() {
		if k.inputs > 1 || k.ulp == exact {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			worst, at := 0.0, []float64(nil)
			x := make([]float32, 1<<16)
			for first := 0; first < 1<<32; first += step * len(x) {
				for i := range x {
					x[i] = math.Float32frombits(uint32(first + step*i))
				}
				if u, y := k.check(t, [][]float32{x}); u > worst {
					worst, at = u, y
				}
			}
			t.Logf("%.3f ulp at %v", worst, at)
		})
	}
}

func TestSpecialValues(t *testing.T) {
	for _, k := range kernels() {
		n := 1
		for range k.inputs {
			n *= len(k.special)
		}
		in := make([][]float32, k.inputs)
		for i, m := 0, 1; i < k.inputs; i, m = i+1, m*len(k.special) {
			in[i] = make([]float32, n)
			for j := range in[i] {
				in[i][j] = float32(k.special[j/m%len(k.special)])
			}
		}
		k.check(t, in)
	}
}
