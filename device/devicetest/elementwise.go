package devicetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// elementwiseCalls returns calls with n inputs of one shape each: every rank,
// every kind of block and tail; for several inputs, shapes that broadcast; and,
// for the first operation, a large one for devices that split their work.
func elementwiseCalls(n int, ops ...device.Op) []call {
	tuples := [][][]int{}
	for _, shape := range [][]int{{}, {0}, {1}, {7}, {64}, {3, 0, 2}, {2, 3, 4}, {1, 6, 1, 8}, {1, 2, 1, 3, 1, 2, 1, 2}, {1037}} {
		tuples = append(tuples, slices.Repeat([][]int{shape}, n))
	}
	switch n {
	case 2:
		tuples = append(tuples,
			[][]int{{}, {5}}, [][]int{{5}, {}}, [][]int{{1}, {0}}, [][]int{{3}, {2, 3}}, [][]int{{2, 3}, {3}},
			[][]int{{4, 1}, {1, 5}}, [][]int{{2, 1, 4}, {3, 1}}, [][]int{{70, 1}, {80}}, [][]int{{40, 70}, {40, 1}})
	case 3:
		tuples = append(tuples,
			[][]int{{}, {6}, {6}}, [][]int{{6}, {}, {6}}, [][]int{{6}, {6}, {}}, [][]int{{1}, {0}, {}}, [][]int{{2, 3}, {3}, {}},
			[][]int{{4, 1}, {1, 5}, {5}}, [][]int{{2, 1, 4}, {3, 1}, {1}}, [][]int{{}, {70, 1}, {80}}, [][]int{{}, {300, 7}, {300, 1}})
	}
	var calls []call
	for i, op := range ops {
		for _, shapes := range tuples {
			probe := slices.ContainsFunc([][]int{{2, 3, 4}, {1, 6, 1, 8}}, func(s []int) bool { return slices.Equal(s, shapes[0]) })
			calls = append(calls, call{op, shapes, probe})
		}
		if slices.Contains(onMatrices, op) {
			calls = append(calls, call{op, slices.Repeat([][]int{matrix}, n), true})
		}
		if i == 0 {
			calls = append(calls, call{op, slices.Repeat([][]int{{363, 367}}, n), false})
		}
	}
	return calls
}

// matrix is the shape of a probe that is large enough for devices to gather many rows at a time, where
// they lie across memory. As it takes longer than other probes, only operations that stand for many have it.
var (
	matrix     = []int{40, 72}
	onMatrices = []device.Op{device.Add{}, device.SoftMarginLossBackward{Reduction: device.Sum}, device.Cast{To: device.Float16}}
)

// unaryCase is the row of an operation on one input that f computes, within ulp.
func unaryCase(op device.Op, ulp float64, draw func(*rand.Rand, int) float64, f func(x float64) number) opCase {
	return opCase{
		calls:    elementwiseCalls(1, op),
		operands: []operand{{draw: draw, special: special}},
		want:     each(func(_ device.Op, x []float64) number { return f(x[0]) }),
		ulp:      ulp,
	}
}

// binaryCase is the row of an operation on two inputs.
func binaryCase(op device.Op, a, b operand, ulp float64, f func(a, b float64) number) opCase {
	return opCase{
		calls:    elementwiseCalls(2, op),
		operands: []operand{a, b},
		want:     each(func(_ device.Op, x []float64) number { return f(x[0], x[1]) }),
		ulp:      ulp,
	}
}

// plain lifts a function without cancellation to numbers.
func plain(f func(x float64) float64) func(float64) number {
	return func(x float64) number { return exactly(f(x)) }
}

func plain2(f func(a, b float64) float64) func(a, b float64) number {
	return func(a, b float64) number { return exactly(f(a, b)) }
}

func withSignedZero(c opCase) opCase { c.signedZero = true; return c }

func elementwiseCases() []opCase {
	moderate := mixed(normal(1), normal(20))
	wide := mixed(normal(1), normal(100), anyFinite)
	free := operand{draw: wide, special: special}
	gradient := operand{draw: normal(2), special: few}
	// What Tanh and Sigmoid can have given.
	tanh := operand{draw: uniform(-1, 1), special: append(both(0, 1e-40, 0x1p-24, 0.5, 0.9990234375, 1), nan)}
	probability := operand{draw: uniform(0, 1), special: []float64{0, 1e-40, 0x1p-24, 0.5, 0.9990234375, 1, nan}}

	return []opCase{
		withSignedZero(unaryCase(device.Neg{}, 0.5, wide, plain(func(x float64) float64 { return -x }))),
		unaryCase(device.Exp{}, 2, mixed(moderate, uniform(-110, 90)), plain(math.Exp)),
		unaryCase(device.Log{}, 2, mixed(uniform(0, 10), uniform(0.9, 1.1), anyFinite), plain(math.Log)),
		withSignedZero(unaryCase(device.Sqrt{}, 0.5, mixed(uniform(0, 10), anyFinite), plain(math.Sqrt))),
		unaryCase(device.Square{}, 0.5, wide, plain(func(x float64) float64 { return x * x })),
		withSignedZero(unaryCase(device.Abs{}, 0.5, wide, plain(math.Abs))),
		unaryCase(device.Sign{}, 0.5, wide, plain(func(x float64) float64 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return x
		})),
		unaryCase(device.Tanh{}, 2, mixed(moderate, normal(0.01), anyFinite), plain(math.Tanh)),
		unaryCase(device.Sigmoid{}, 2, mixed(moderate, uniform(-110, 20), anyFinite), plain(sigmoid)),
		unaryCase(device.ReLU{}, 0.5, wide, plain(func(x float64) float64 {
			if x < 0 {
				return 0
			}
			return x
		})),
		geluCase(mixed(moderate, uniform(-15, 2))),
		unaryCase(device.Softplus{}, 2, mixed(moderate, uniform(-110, 20), anyFinite), plain(softplus)),
		{
			calls:    elementwiseCalls(1, device.LeakyReLU{NegativeSlope: 0.01}, device.LeakyReLU{NegativeSlope: -2}),
			operands: []operand{free},
			want: each(func(op device.Op, x []float64) number {
				if x[0] > 0 {
					return exactly(x[0])
				}
				return exactly(op.(device.LeakyReLU).NegativeSlope * x[0])
			}),
			ulp: 1.5, // the slope and the product are rounded
		},

		binaryCase(device.Add{}, free, free, 0.5, plain2(func(a, b float64) float64 { return a + b })),
		binaryCase(device.Sub{}, free, free, 0.5, plain2(func(a, b float64) float64 { return a - b })),
		binaryCase(device.Mul{}, free, free, 0.5, plain2(func(a, b float64) float64 { return a * b })),
		binaryCase(device.Div{}, free, free, 0.5, plain2(func(a, b float64) float64 { return a / b })),
		binaryCase(device.Maximum{}, free, free, 0.5, plain2(func(a, b float64) float64 {
			switch {
			case math.IsNaN(a) || math.IsNaN(b):
				return nan
			case a > b:
				return a
			}
			return b
		})),
		binaryCase(device.ReLUBackward{}, gradient, free, 0.5, plain2(func(gradOutput, output float64) float64 {
			if output > 0 {
				return gradOutput
			}
			return 0
		})),
		// 1 - output² cancels towards 1, if output² was rounded.
		binaryCase(device.TanhBackward{}, gradient, tanh, 3, func(gradOutput, output float64) number {
			return number{gradOutput * ((1 - output) * (1 + output)), math.Abs(gradOutput)}
		}),
		binaryCase(device.SigmoidBackward{}, gradient, probability, 3, plain2(func(gradOutput, output float64) float64 {
			return gradOutput * output * (1 - output)
		})),
		geluBackwardCase(gradient, mixed(moderate, uniform(-15, 2))),
		{
			calls:    elementwiseCalls(2, device.LeakyReLUBackward{NegativeSlope: 0.01}, device.LeakyReLUBackward{NegativeSlope: -2}),
			operands: []operand{gradient, free},
			want: each(func(op device.Op, x []float64) number {
				if x[1] > 0 {
					return exactly(x[0])
				}
				return exactly(op.(device.LeakyReLUBackward).NegativeSlope * x[0])
			}),
			ulp: 1.5,
		},
		{
			calls:    elementwiseCalls(3, device.MaximumBackward{}),
			operands: []operand{gradient, {draw: oneOf(-1, 0, 1, 2), special: few}, {draw: oneOf(-1, 0, 1, 2), special: few}},
			want: each(func(_ device.Op, x []float64) number {
				switch {
				case x[1] > x[2]:
					return exactly(x[0])
				case x[1] == x[2]:
					return exactly(x[0] / 2)
				}
				return exactly(0)
			}),
			ulp: 0.5,
		},
		dropoutCase(wide),
		withSignedZero(opCase{
			calls: elementwiseCalls(1, device.Cast{To: device.Float32}, device.Cast{To: device.Float16},
				device.Cast{To: device.BFloat16}, device.Cast{To: device.Float64}),
			operands: []operand{free},
			want:     each(func(_ device.Op, x []float64) number { return exactly(x[0]) }),
			ulp:      0.5,
		}),
	}
}

// The rounding of x moves Φ(x) and φ(x) by about x² units in the last place
// where they fall off, which a device need not make good.

func geluCase(draw func(*rand.Rand, int) float64) opCase {
	c := unaryCase(device.GELU{}, 4, draw, func(x float64) number {
		value := x * normalCDF(x)
		scale := math.Abs(value)
		if x < 0 && value != 0 {
			scale *= max(1, x*x)
		}
		return number{value, scale}
	})
	c.open = func(x []float64) bool { return math.IsInf(x[0], -1) } // -Inf·0
	return c
}

func geluBackwardCase(gradient operand, draw func(*rand.Rand, int) float64) opCase {
	c := binaryCase(device.GELUBackward{}, gradient, operand{draw: draw, special: special}, 4, func(gradOutput, self float64) number {
		cdf, density := normalCDF(self), normalDensity(self)
		value := gradOutput * (cdf + self*density)
		scale := cdf
		if density != 0 {
			scale = max(cdf, 1e-300) + math.Abs(self)*density*max(1, self*self)
		}
		if self < 0 && cdf != 0 {
			scale *= max(1, self*self)
		}
		return number{value, math.Abs(gradOutput) * scale}
	})
	// ±Inf·0 at an infinity; an infinite gradient times a factor that float32 cannot tell from 0.
	c.open = func(x []float64) bool { return math.IsInf(x[1], 0) || math.IsInf(x[0], 0) && x[1] < -10 }
	return c
}

func dropoutCase(draw func(*rand.Rand, int) float64) opCase {
	var calls []call
	for _, c := range elementwiseCalls(1, device.Dropout{P: 0.3}, device.Dropout{P: 0.5}, device.Dropout{}) {
		calls = append(calls, call{c.op, [][]int{c.shapes[0], {2}}, c.probe})
	}
	return opCase{
		calls: calls,
		operands: []operand{
			{draw: mixed(draw, draw, draw, oneOf(0, inf, nan))},
			{
				draw:  mixed(oneOf(0, 1, 1<<24-1), func(r *rand.Rand, _ int) float64 { return float64(r.IntN(1 << 24)) }),
				dtype: func(device.DType) device.DType { return device.Float32 },
			},
		},
		want: func(op device.Op, in []tensor) [][]number {
			p := op.(device.Dropout).P
			key := splitMix64(in[1].data[0]+0x1p24*in[1].data[1])*0xd1342543de82ef95 + 1
			sequence := splitMix64(key.next())
			out := make([]number, len(in[0].data))
			for i, x := range in[0].data {
				if random := float64(sequence.next()>>40) / (1 << 24); random >= p {
					out[i] = exactly(x / (1 - p))
				}
			}
			return [][]number{out}
		},
		ulp: 1.5, // 1/(1-P) and the product are rounded
	}
}

// splitMix64 is the generator of Steele, Lea and Flood (2014), by the state before the next number.
type splitMix64 uint64

func (s *splitMix64) next() uint64 {
	z := uint64(*s)
	*s += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
