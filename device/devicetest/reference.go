package devicetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// each is the reference of an operation on elements: f of every index of the
// broadcast of the inputs.
func each(f func(op device.Op, x []float64) number) func(device.Op, []tensor) [][]number {
	return func(op device.Op, in []tensor) [][]number { return [][]number{eachOf(op, in, f)} }
}

func eachOf(op device.Op, in []tensor, f func(op device.Op, x []float64) number) []number {
	rank := 0
	for _, t := range in {
		rank = max(rank, len(t.shape))
	}
	shape, strides := make([]int, rank), make([][]int, len(in))
	for i := range shape {
		shape[i] = 1
	}
	for i, t := range in {
		lead := rank - len(t.shape)
		strides[i] = append(make([]int, lead), rowMajor(t.shape)...)
		for j, d := range t.shape {
			if d == 1 {
				strides[i][lead+j] = 0
			} else {
				shape[lead+j] = d
			}
		}
	}
	out := make([]number, 0, count(shape))
	x := make([]float64, len(in))
	eachIndex(shape, func(index []int) {
		for i, t := range in {
			x[i] = t.data[dot(index, strides[i])]
		}
		out = append(out, f(op, x))
	})
	return out
}

// sum returns the sum of the numbers, with Neumaier's correction of the
// rounding errors.
func sum(numbers []number) number {
	var total number
	c := 0.0
	for _, n := range numbers {
		s := total.value + n.value
		if math.Abs(total.value) >= math.Abs(n.value) {
			c += (total.value - s) + n.value
		} else {
			c += (n.value - s) + total.value
		}
		total.value = s
		total.scale += n.scale
	}
	if !math.IsInf(total.value, 0) {
		total.value += c
	}
	return total
}

// mean returns the sum divided by the number of numbers.
func mean(numbers []number) number {
	total, n := sum(numbers), float64(len(numbers))
	return number{total.value / n, total.scale / n}
}

// The functions that several formulas are made of, each in the form that is
// accurate in float64 for every x.

func sigmoid(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// normalCDF is Φ, the distribution function of the standard normal distribution.
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// normalDensity is φ, its density.
func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// Sources of values.

func normal(deviation float64) func(*rand.Rand, int) float64 {
	return func(r *rand.Rand, _ int) float64 { return deviation * r.NormFloat64() }
}

func uniform(lo, hi float64) func(*rand.Rand, int) float64 {
	return func(r *rand.Rand, _ int) float64 { return lo + (hi-lo)*r.Float64() }
}

// anyFinite draws float32 numbers of every exponent and sign.
func anyFinite(r *rand.Rand, _ int) float64 {
	for {
		if x := float64(math.Float32frombits(r.Uint32())); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
	}
}

func oneOf(values ...float64) func(*rand.Rand, int) float64 {
	return func(r *rand.Rand, _ int) float64 { return values[r.IntN(len(values))] }
}

// mixed draws from one of the sources, each as likely as the others.
func mixed(sources ...func(*rand.Rand, int) float64) func(*rand.Rand, int) float64 {
	return func(r *rand.Rand, step int) float64 { return sources[r.IntN(len(sources))](r, step) }
}

var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	negZero = math.Copysign(0, -1)
)

// both returns the numbers and their negatives.
func both(numbers ...float64) []float64 {
	for _, x := range slices.Clone(numbers) {
		numbers = append(numbers, -x)
	}
	return numbers
}

// special holds the values at which functions and formats break: zeros,
// subnormal numbers, the largest ones, halves of a unit next to 1, the ends of
// e^x, infinities and NaN.
var special = slices.Concat([]float64{0, negZero, nan},
	both(5e-324, 0x1p-149, 1e-40, 0x1p-126, 0x1p-24, 0x1p-14, 0x1p-11, 0.5, 0.75, 1, 1+0x1p-7, 2, 88, 88.75, 100, 104, 1e4,
		65504, 65520, 1e38, math.MaxFloat32, math.MaxFloat64, inf))

// few is special without the near-duplicates, for operations with three inputs.
var few = slices.Concat([]float64{0, negZero, nan}, both(1e-40, 0x1p-24, 0.5, 1, 1e4, 1e38, inf))
