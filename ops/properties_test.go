package ops_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/tensor"
	"pgregory.net/rapid"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// Laws that hold for every operation, whatever it computes.

// drawArray draws the values of a tensor.
func drawArray(t *rapid.T, label string, shape ...int) array {
	n := device.Elements(shape)
	return array{shape, rapid.SliceOfN(rapid.Float64Range(-4, 4), n, n).Draw(t, label)}
}

// TestGradientsAreLinear: of a sum of two gradients of the result, an input's gradient is
// the sum of those of each; and of four times one, four times as much, to the bit.
func TestGradientsAreLinear(t *testing.T) {
	s := newSession(t)
	functions := map[string]*graph.Function{}
	byBuilder := map[string][]builderCase{}
	for _, c := range cases() {
		if len(c.want(c.inputs).data) == 0 {
			continue
		}
		byBuilder[c.builder()] = append(byBuilder[c.builder()], c)
		functions[c.name] = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			last := len(in) - 1
			return graph.Gradients(ops.Sum(ops.Mul(c.build(in[:last]), in[last])), c.checkedOf(in[:last])...)
		})
	}
	for builder, list := range byBuilder {
		t.Run(builder, rapid.MakeCheck(func(t *rapid.T) {
			c := list[rapid.IntRange(0, len(list)-1).Draw(t, "case")]
			gradients := func(gradOutput array) []*tensor.Dense {
				out, err := functions[c.name].Run(dense(append(c.inputs[:len(c.inputs):len(c.inputs)], gradOutput))...)
				require.NoError(t, err, c.name)
				return out
			}
			shape := c.want(c.inputs).shape
			u, v := drawArray(t, "u", shape...), drawArray(t, "v", shape...)
			both, four := zeros(shape...), zeros(shape...)
			for i := range u.data {
				if math.Abs(u.data[i]) < 1e-100 {
					u.data[i] = 0 // four times what is rounded near the smallest numbers is rounded less
				}
				both.data[i], four.data[i] = u.data[i]+v.data[i], 4*u.data[i]
			}
			ofU, ofV, ofBoth, ofFour := gradients(u), gradients(v), gradients(both), gradients(four)
			for i := range ofU {
				for j, g := range ofU[i].Float64s() {
					if ofFour[i].Float64s()[j] != 4*g {
						t.Fatalf("%s: input %d, element %d: 4u gives %v, u gives %v", c.name, i, j, ofFour[i].Float64s()[j], g)
					}
					if sum := g + ofV[i].Float64s()[j]; math.Abs(ofBoth[i].Float64s()[j]-sum) > 1e-12 {
						t.Fatalf("%s: input %d, element %d: u+v gives %v, u and v together %v", c.name, i, j, ofBoth[i].Float64s()[j], sum)
					}
				}
			}
		}))
	}
}

// TestSumIsMeanTimesN: of values and of gradients.
func TestSumIsMeanTimesN(t *testing.T) {
	dev := openDevice(t)
	for name, build := range map[string]func(x, target *graph.Node, r device.Reduction) *graph.Node{
		"Reduce":                 func(x, _ *graph.Node, r device.Reduction) *graph.Node { return ops.Reduce(x, r) },
		"BCEWithLogits":          ops.BCEWithLogits,
		"Hinge":                  ops.Hinge,
		"SquaredHinge":           ops.SquaredHinge,
		"softmarginloss.Forward": softmarginloss.Forward,
		"softmarginloss.Backward": func(x, target *graph.Node, r device.Reduction) *graph.Node {
			return ops.Sum(softmarginloss.Backward(ops.Square(x), x, target, r))
		},
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			shape := rapid.SliceOfN(rapid.IntRange(1, 40), 0, 2).Draw(t, "shape")
			n := float64(device.Elements(shape))
			x, target := drawArray(t, "x", shape...), drawArray(t, "target", shape...)
			s, err := graph.NewSession(dev)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			out, err := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
				var list []*graph.Node
				for _, r := range []device.Reduction{device.Sum, device.Mean} {
					y := build(in[0], in[1], r)
					list = append(append(list, y), graph.Gradients(y, in[0])...)
				}
				return list
			}).Run(x.dense(), target.dense())
			require.NoError(t, err)
			for i := range 2 {
				for j, sum := range out[i].Float64s() {
					if mean := out[i+2].Float64s()[j]; math.Abs(sum-n*mean) > 1e-12*max(1, math.Abs(sum)) {
						t.Fatalf("output %d, element %d: the sum is %v, the mean of %v elements %v", i, j, sum, n, mean)
					}
				}
			}
		}))
	}
}

// TestPermutedRows: where every row is computed by itself, rows in another order give the same
// results and gradients in that order, to the bit.
func TestPermutedRows(t *testing.T) {
	dev := openDevice(t)
	models := map[string]func(x, w, b *graph.Node) *graph.Node{
		"element by element": func(x, _, b *graph.Node) *graph.Node {
			y := ops.Add(ops.GELU(ops.Mul(x, x)), ops.Tanh(ops.Softplus(x)))
			return ops.Mul(ops.Sigmoid(y), ops.Mean(b))
		},
		"Linear":      ops.Linear,
		"Linear+ReLU": func(x, w, b *graph.Node) *graph.Node { return ops.ReLU(ops.Linear(x, w, b)) },
		"MatMul":      func(x, w, _ *graph.Node) *graph.Node { return ops.MatMul(x, w) },
		"losses": func(x, w, _ *graph.Node) *graph.Node {
			target := ops.Sign(x)
			return ops.Add(softmarginloss.Forward(x, target, device.None), ops.BCEWithLogits(x, ops.Square(x), device.None))
		},
		"reduction of a row": func(x, _, _ *graph.Node) *graph.Node { return ops.Sub(x, ops.MeanKeepDims(ops.Exp(x), 1)) },
		"network": func(x, w, b *graph.Node) *graph.Node {
			h := ops.ReLU(ops.Linear(x, w, b))
			return softmarginloss.Forward(ops.MatMulTransposed(h, w, false, true), x, device.None)
		},
	}
	for name, model := range models {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			rows, columns, units := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 20).Draw(t, "columns"), rapid.IntRange(1, 20).Draw(t, "units")
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			dtype := rapid.SampledFrom([]device.DType{device.Float32, device.Float64, device.Float16}).Draw(t, "dtype")
			order := rng.Perm(rows)
			random := func(shape ...int) array {
				a := zeros(shape...)
				for i := range a.data {
					a.data[i] = rng.NormFloat64()
				}
				return a
			}
			permuted := func(a array) array {
				p := zeros(a.shape...)
				n := len(a.data) / rows
				for i, from := range order {
					copy(p.data[i*n:][:n], a.data[from*n:][:n])
				}
				return p
			}
			s, err := graph.NewSession(dev)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			x, u := random(rows, columns), random(rows, 1)
			w, b := random(columns, units), random(units)
			f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
				cast := make([]*graph.Node, len(in))
				for i, n := range in {
					cast[i] = ops.Cast(n, dtype)
				}
				y := model(cast[0], cast[1], cast[2])
				gradient := graph.Gradients(ops.Sum(ops.Mul(y, cast[3])), cast[0])[0]
				return []*graph.Node{ops.Cast(y, device.Float64), ops.Cast(gradient, device.Float64)}
			})
			first, err := f.Run(dense([]array{x, w, b, u})...)
			require.NoError(t, err)
			second, err := f.Run(dense([]array{permuted(x), w, b, permuted(u)})...)
			require.NoError(t, err)
			for i := range first {
				want := permuted(array{first[i].Shape(), first[i].Float64s()})
				if !slices.Equal(want.data, second[i].Float64s()) {
					t.Fatalf("output %d: %v, want %v", i, second[i].Float64s(), want.data)
				}
			}
		}))
	}
}

// TestTransposedOperands: an operand that is seen through strides gives the same results and
// gradients as one that lies contiguously, to the bit.
func TestTransposedOperands(t *testing.T) {
	s := newSession(t)
	for _, dtype := range []device.DType{device.Float64, device.Float32, device.Float16, device.BFloat16} {
		for _, c := range cases() {
			model := func(transpose bool) graph.Model {
				return func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
					operands := make([]*graph.Node, len(in))
					for i, n := range in {
						operands[i] = ops.Cast(n, dtype)
						if transpose {
							operands[i] = ops.Transpose(operands[i])
						}
					}
					y := c.build(operands)
					outputs := append([]*graph.Node{y}, graph.Gradients(ops.Sum(ops.Square(y)), c.checkedOf(operands)...)...)
					for i, n := range outputs {
						outputs[i] = ops.Cast(n, device.Float64)
					}
					return outputs
				}
			}
			turned := make([]array, len(c.inputs))
			for i, a := range c.inputs {
				permutation := make([]int, len(a.shape))
				for j := range permutation {
					permutation[j] = len(permutation) - 1 - j
				}
				turned[i] = transposed(permutation...)([]array{a})
			}
			require.Equal(t, run(t, s, model(false), c.inputs...), run(t, s, model(true), turned...), "%s in %v", c.name, dtype)
		}
	}
}

// elementwiseBuilders are the builders that compute each element by itself.
func elementwiseBuilders() (unary map[string]func(x *graph.Node) *graph.Node, binary map[string]func(x, y *graph.Node) *graph.Node) {
	unary = map[string]func(x *graph.Node) *graph.Node{
		"Neg": ops.Neg, "Abs": ops.Abs, "Sign": ops.Sign, "Square": ops.Square, "Sqrt": ops.Sqrt, "Exp": ops.Exp, "Log": ops.Log, "ReLU": ops.ReLU,
		"LeakyReLU": func(x *graph.Node) *graph.Node { return ops.LeakyReLU(x, 0.1) }, "Tanh": ops.Tanh, "Sigmoid": ops.Sigmoid,
		"GELU": ops.GELU, "Softplus": ops.Softplus, "Dropout": func(x *graph.Node) *graph.Node { return ops.Dropout(x, 0.4, 1) },
	}
	binary = map[string]func(x, y *graph.Node) *graph.Node{
		"Add": ops.Add, "Sub": ops.Sub, "Mul": ops.Mul, "Div": ops.Div, "Maximum": ops.Maximum,
		"BCEWithLogits":          func(x, y *graph.Node) *graph.Node { return ops.BCEWithLogits(x, y, device.None) },
		"softmarginloss.Forward": func(x, y *graph.Node) *graph.Node { return softmarginloss.Forward(x, y, device.None) },
	}
	for _, op := range []device.Op{
		device.ReLUBackward{}, device.LeakyReLUBackward{NegativeSlope: 0.1}, device.TanhBackward{}, device.SigmoidBackward{}, device.GELUBackward{},
	} {
		binary[op.Name()] = func(x, y *graph.Node) *graph.Node { return graph.Apply(op, nil, x, y) }
	}
	return unary, binary
}

// TestHalfIsRoundedSingle: an operation on a half type gives what it gives for the same
// numbers as float32, rounded: for every number there is, and for many pairs of them.
func TestHalfIsRoundedSingle(t *testing.T) {
	s := newSession(t)
	unary, binary := elementwiseBuilders()
	for _, half := range []device.DType{device.Float16, device.BFloat16} {
		value := device.BFloat16Value
		if half == device.Float16 {
			value = func(bits uint16) float32 { return float16.Frombits(bits).Float32() }
		}
		const all = 1 << 16
		every, x, y := make([]float32, all), make([]float32, all), make([]float32, all)
		rng := rand.New(rand.NewPCG(1, uint64(half)))
		for i := range all {
			every[i] = value(uint16(i))
			x[i], y[i] = value(uint16(rng.Uint32())), value(uint16(rng.Uint32()))
			if i%2 == 0 { // of ordinary size, where infinities do not hide everything
				x[i], y[i] = value(device16(half, rng.NormFloat64())), value(device16(half, rng.NormFloat64()))
			}
		}
		compare := func(name string, build func(in []*graph.Node) *graph.Node, inputs ...[]float32) {
			var tensors []*tensor.Dense
			for _, in := range inputs {
				tensors = append(tensors, tensor.New(tensor.WithShape(len(in)), tensor.WithBacking(in)))
			}
			out, err := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
				narrow := make([]*graph.Node, len(in))
				for i, n := range in {
					narrow[i] = ops.Cast(n, half)
				}
				return []*graph.Node{ops.Cast(build(narrow), device.Float32), ops.Cast(ops.Cast(build(in), half), device.Float32)}
			}).Run(tensors...)
			require.NoError(t, err)
			got, want := out[0].Float32s(), out[1].Float32s()
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
					var of []float32
					for _, in := range inputs {
						of = append(of, in[i])
					}
					t.Errorf("%s of %v: %v in %v, but %v rounded from float32", name, of, got[i], half, want[i])
					return
				}
			}
		}
		for name, build := range unary {
			compare(name, func(in []*graph.Node) *graph.Node { return build(in[0]) }, every)
		}
		for name, build := range binary {
			compare(name, func(in []*graph.Node) *graph.Node { return build(in[0], in[1]) }, x, y)
		}
	}
}

// device16 returns the bits of v rounded to a half type.
func device16(half device.DType, v float64) uint16 {
	if half == device.Float16 {
		return float16.Fromfloat32(float32(v)).Bits()
	}
	return device.BFloat16Bits(float32(v))
}

// TestEdgesOfTheNumbers gives every builder infinities, NaN, zeros of both signs, the largest
// and the smallest numbers. Values are those of IEEE 754, and derivatives come to an end.
func TestEdgesOfTheNumbers(t *testing.T) {
	edges := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e-308, 710, -746}
	watchdog := time.AfterFunc(time.Minute, func() { panic("an operation does not end") })
	defer watchdog.Stop()
	s := newSession(t)
	for _, c := range cases() {
		for shift := range len(edges) {
			inputs := make([]array, len(c.inputs))
			for i, a := range c.inputs {
				inputs[i] = zeros(a.shape...)
				for j := range a.data {
					inputs[i].data[j] = edges[(j+shift*(i+1)+i*i)%len(edges)]
				}
			}
			out := run(t, s, func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
				y := c.build(in)
				first := graph.Gradients(ops.Sum(y), c.checkedOf(in)...)
				return append([]*graph.Node{y}, first...)
			}, inputs...)
			if c.builder() == "BCEWithLogits" {
				continue // its reference takes logarithms of 0, which the operation does without
			}
			require.Empty(t, closeTo(out[0], c.want(inputs), 1e-12), "%s of %v", c.name, inputs)
		}
	}
}
