package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// builderCase is a call of a builder, what it should compute, and where.
type builderCase struct {
	name    string // the builder, then what is special about the call
	inputs  []array
	build   func(in []*graph.Node) *graph.Node
	want    reference
	checked []int // inputs that the result depends on, nil for all
}

// builder returns the name of the function under test, empty for a composition.
func (c builderCase) builder() string { return strings.SplitN(c.name, " ", 2)[0] }

var reductions = []device.Reduction{device.None, device.Mean, device.Sum}

// cases has a row for every exported builder of the package, and the loss's.
func cases() []builderCase {
	var list []builderCase
	for _, part := range [][]builderCase{arithmeticCases(), unaryCases(), reduceCases(), layoutCases(), productCases(), lossCases(), compositionCases()} {
		list = append(list, part...)
	}
	return list
}

func arithmeticCases() (list []builderCase) {
	for _, op := range []struct {
		name  string
		build func(a, b *graph.Node) *graph.Node
		want  func(a, b float64) float64
	}{
		{"Add", ops.Add, func(a, b float64) float64 { return a + b }},
		{"Sub", ops.Sub, func(a, b float64) float64 { return a - b }},
		{"Mul", ops.Mul, func(a, b float64) float64 { return a * b }},
		{"Div", ops.Div, func(a, b float64) float64 { return a / b }},
		{"Maximum", ops.Maximum, func(a, b float64) float64 { return max(a, b) }},
	} {
		for _, s := range [][2][]int{
			{{2, 3}, {2, 3}}, {{}, {}}, {{}, {2, 3}}, {{2, 3}, {}}, {{1}, {2, 3}}, {{3, 1}, {1, 4}}, {{3}, {2, 3}}, {{2, 3}, {3}},
			{{2, 1, 3}, {4, 1}}, {{1, 1}, {2}}, {{2, 3}, {1, 1, 1, 1}}, {{0, 2}, {2}}, {{2, 1}, {1, 0}},
		} {
			in := []array{lattice(0, s[0]...), lattice(1, s[1]...)}
			if op.name == "Div" {
				in[1] = positive(1, s[1]...)
			}
			list = append(list, builderCase{
				name: op.name + " " + shapes(in...), inputs: in, want: binary(op.want),
				build: func(in []*graph.Node) *graph.Node { return op.build(in[0], in[1]) },
			})
		}
		list = append(list, builderCase{
			name: op.name + " a value with itself", inputs: []array{positive(0, 3)}, want: unary(func(x float64) float64 { return op.want(x, x) }),
			build: func(in []*graph.Node) *graph.Node { return op.build(in[0], in[0]) },
		})
	}
	return list
}

func unaryCases() (list []builderCase) {
	leaky := func(slope float64) func(x *graph.Node) *graph.Node {
		return func(x *graph.Node) *graph.Node { return ops.LeakyReLU(x, slope) }
	}
	dropout := func(p float64, seed uint64) (func(x *graph.Node) *graph.Node, reference) {
		return func(x *graph.Node) *graph.Node { return ops.Dropout(x, p, seed) }, func(in []array) array {
			bits := rand.NewPCG(seed, 0).Uint64() // at step 0
			key := [2]float32{float32(bits >> 40), float32(bits >> 16 & 0xffffff)}
			out := zeros(in[0].shape...)
			for i, x := range in[0].data {
				if device.DropoutRandom(key[0], key[1], i) >= p {
					out.data[i] = x / (1 - p)
				}
			}
			return out
		}
	}
	dropSome, wantSome := dropout(0.4, 7)
	dropNone, wantNone := dropout(0, 7)
	for _, op := range []struct {
		name  string
		build func(x *graph.Node) *graph.Node
		want  reference
		x     func(phase int, shape ...int) array
	}{
		{"Neg", ops.Neg, unary(func(x float64) float64 { return -x }), lattice},
		{"Abs", ops.Abs, unary(math.Abs), lattice},
		{"Sign", ops.Sign, unary(sign), lattice},
		{"Square", ops.Square, unary(func(x float64) float64 { return x * x }), lattice},
		{"Sqrt", ops.Sqrt, unary(math.Sqrt), positive},
		{"Exp", ops.Exp, unary(math.Exp), lattice},
		{"Log", ops.Log, unary(math.Log), positive},
		{"ReLU", ops.ReLU, unary(func(x float64) float64 { return math.Max(x, 0) }), lattice},
		{"LeakyReLU slope 0.1", leaky(0.1), unary(func(x float64) float64 { return math.Max(x, 0.1*x) }), lattice},
		{"LeakyReLU slope 3", leaky(3), unary(func(x float64) float64 { return math.Min(x, 3*x) }), lattice},
		{"Tanh", ops.Tanh, unary(math.Tanh), lattice},
		{"Sigmoid", ops.Sigmoid, unary(sigmoid), lattice},
		{"GELU", ops.GELU, unary(gelu), lattice},
		{"Softplus", ops.Softplus, unary(softplus), lattice},
		{"Cast to its own dtype", func(x *graph.Node) *graph.Node { return ops.Cast(x, x.DType()) }, identity, lattice},
		{"Dropout some", dropSome, wantSome, lattice},
		{"Dropout none", dropNone, wantNone, lattice},
	} {
		for _, shape := range [][]int{{}, {3, 5}} {
			x := op.x(2, shape...)
			list = append(list, builderCase{
				name: op.name + " " + shapes(x), inputs: []array{x}, want: op.want,
				build: func(in []*graph.Node) *graph.Node { return op.build(in[0]) },
			})
		}
	}
	return list
}

func reduceCases() (list []builderCase) {
	for _, op := range []struct {
		name           string
		build          func(x *graph.Node, axes ...int) *graph.Node
		mean, keepDims bool
	}{
		{"Sum", ops.Sum, false, false}, {"SumKeepDims", ops.SumKeepDims, false, true},
		{"Mean", ops.Mean, true, false}, {"MeanKeepDims", ops.MeanKeepDims, true, true},
	} {
		for _, c := range []struct {
			shape, axes, resolved []int
		}{
			{[]int{2, 3, 4}, nil, []int{0, 1, 2}}, {[]int{2, 3, 4}, []int{0}, []int{0}}, {[]int{2, 3, 4}, []int{1}, []int{1}},
			{[]int{2, 3, 4}, []int{2}, []int{2}}, {[]int{2, 3, 4}, []int{0, 1}, []int{0, 1}}, {[]int{2, 3, 4}, []int{2, 0}, []int{0, 2}},
			{[]int{2, 3, 4}, []int{1, 2}, []int{1, 2}}, {[]int{2, 3, 4}, []int{-1}, []int{2}}, {[]int{2, 3, 4}, []int{-3, -2}, []int{0, 1}},
			{[]int{2, 3, 4}, []int{0, 1, 2}, []int{0, 1, 2}}, {[]int{3, 1}, []int{1}, []int{1}}, {[]int{5}, []int{0}, []int{0}}, {[]int{}, nil, nil},
		} {
			x := lattice(0, c.shape...)
			list = append(list, builderCase{
				name: fmt.Sprintf("%s %s over %v", op.name, shapes(x), c.axes), inputs: []array{x},
				build: func(in []*graph.Node) *graph.Node { return op.build(in[0], c.axes...) },
				want:  reduced(identity, op.mean, op.keepDims, c.resolved...),
			})
		}
	}
	for _, c := range []struct{ from, to, axes []int }{
		{[]int{2, 3}, []int{2, 3}, nil}, {[]int{2, 3}, []int{3}, []int{0}}, {[]int{2, 3}, []int{2, 1}, []int{1}}, {[]int{2, 3}, []int{1, 1}, []int{0, 1}},
		{[]int{2, 3}, []int{}, []int{0, 1}}, {[]int{2, 1, 3}, []int{1, 3}, []int{0}}, {[]int{2, 4, 3}, []int{4, 1}, []int{0, 2}},
	} {
		gradient, x := lattice(0, c.from...), zeros(c.to...)
		list = append(list, builderCase{
			name: "SumTo " + shapes(gradient, x), inputs: []array{gradient, x}, checked: []int{0},
			build: func(in []*graph.Node) *graph.Node { return ops.SumTo(in[0], in[1]) },
			want: func(in []array) array {
				return array{c.to, reduced(identity, false, true, c.axes...)(in).data}
			},
		})
	}
	return list
}

func layoutCases() (list []builderCase) {
	add := func(builder string, x array, args []int, build func(x *graph.Node, args ...int) *graph.Node, want reference) {
		list = append(list, builderCase{
			name: fmt.Sprintf("%s %s %v", builder, shapes(x), args), inputs: []array{x}, want: want,
			build: func(in []*graph.Node) *graph.Node { return build(in[0], args...) },
		})
	}
	for _, c := range []struct{ from, to, resolved []int }{
		{[]int{2, 3}, []int{2, 3}, []int{2, 3}}, {[]int{2, 3}, []int{3, 2}, []int{3, 2}}, {[]int{2, 3}, []int{-1}, []int{6}},
		{[]int{2, 3}, []int{3, -1}, []int{3, 2}}, {[]int{2, 3}, []int{-1, 1, 6}, []int{1, 1, 6}}, {[]int{2, 3}, []int{1, 2, 1, 3, 1}, []int{1, 2, 1, 3, 1}},
		{[]int{1}, []int{}, []int{}}, {[]int{}, []int{1, 1}, []int{1, 1}}, {[]int{}, []int{-1}, []int{1}},
	} {
		add("Reshape", lattice(0, c.from...), c.to, ops.Reshape, reshaped(c.resolved...))
	}
	for _, p := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		add("Transpose", lattice(0, 2, 3, 4), p, ops.Transpose, transposed(p...))
	}
	add("Transpose", lattice(0, 2, 3, 4), nil, ops.Transpose, transposed(2, 1, 0))
	add("Transpose", lattice(0, 3), nil, ops.Transpose, identity)
	add("Transpose", lattice(0), nil, ops.Transpose, identity)
	for _, c := range [][2][]int{
		{{2, 3}, {2, 3}}, {{3}, {2, 3}}, {{2, 1}, {2, 3}}, {{}, {2, 3}}, {{1, 3}, {2, 2, 3}}, {{1}, {1, 1, 2}}, {{2, 1, 3}, {2, 4, 3}},
	} {
		add("BroadcastTo", lattice(0, c[0]...), c[1], ops.BroadcastTo, broadcast(c[1]...))
	}
	return list
}

func productCases() (list []builderCase) {
	for _, d := range [][3]int{{2, 3, 4}, {1, 1, 1}, {3, 1, 2}, {1, 5, 1}, {4, 4, 4}} {
		m, k, n := d[0], d[1], d[2]
		for flags := range 4 {
			transposeA, transposeB := flags&1 != 0, flags&2 != 0
			a, b := lattice(0, m, k), lattice(1, k, n)
			if transposeA {
				a = lattice(0, k, m)
			}
			if transposeB {
				b = lattice(1, n, k)
			}
			list = append(list, builderCase{
				name: fmt.Sprintf("MatMulTransposed %s %v %v", shapes(a, b), transposeA, transposeB), inputs: []array{a, b},
				build: func(in []*graph.Node) *graph.Node {
					return ops.MatMulTransposed(in[0], in[1], transposeA, transposeB)
				},
				want: matmul(transposeA, transposeB),
			})
		}
		a, b, c := lattice(0, m, k), lattice(1, k, n), lattice(2, n)
		list = append(list, builderCase{
			name: "MatMul " + shapes(a, b), inputs: []array{a, b}, want: matmul(false, false),
			build: func(in []*graph.Node) *graph.Node { return ops.MatMul(in[0], in[1]) },
		}, builderCase{
			name: "Linear " + shapes(a, b, c), inputs: []array{a, b, c}, want: matmul(false, false),
			build: func(in []*graph.Node) *graph.Node { return ops.Linear(in[0], in[1], in[2]) },
		})
	}
	return append(list, builderCase{
		name: "MatMul of a matrix with itself", inputs: []array{lattice(0, 3, 3)},
		want:  func(in []array) array { return matmul(false, true)([]array{in[0], in[0]}) },
		build: func(in []*graph.Node) *graph.Node { return ops.MatMulTransposed(in[0], in[0], false, true) },
	}, builderCase{
		name: "Linear without inner dimension", inputs: []array{zeros(2, 0), zeros(0, 3), lattice(0, 3)}, want: matmul(false, false),
		build: func(in []*graph.Node) *graph.Node { return ops.Linear(in[0], in[1], in[2]) },
	})
}

func lossCases() (list []builderCase) {
	softMargin := func(x, t float64) float64 { return softplus(-t * x) }
	for _, loss := range []struct {
		name   string
		build  func(x, target *graph.Node, r device.Reduction) *graph.Node
		want   func(x, t float64) float64
		target func(shape ...int) array
	}{
		{"BCEWithLogits", ops.BCEWithLogits, func(x, t float64) float64 {
			return -t*math.Log(sigmoid(x)) - (1-t)*math.Log(1-sigmoid(x))
		}, func(shape ...int) array {
			a := labels(shape...)
			for i := range a.data {
				a.data[i] = 0.5 + 0.25*a.data[i]
			}
			return a
		}},
		{"Hinge", ops.Hinge, func(x, t float64) float64 { return math.Max(0, 1-t*x) }, labels},
		{"SquaredHinge", ops.SquaredHinge, func(x, t float64) float64 { return math.Pow(math.Max(0, 1-t*x), 2) }, labels},
		{"softmarginloss.Forward", softmarginloss.Forward, softMargin, labels},
		{"softmarginloss.Forward real targets", softmarginloss.Forward, softMargin, func(shape ...int) array { return lattice(3, shape...) }},
	} {
		for _, r := range reductions {
			for _, shape := range [][]int{{}, {3, 2}} {
				x, target := lattice(1, shape...), loss.target(shape...)
				list = append(list, builderCase{
					name: fmt.Sprintf("%s %v %s", loss.name, r, shapes(x)), inputs: []array{x, target},
					build: func(in []*graph.Node) *graph.Node { return loss.build(in[0], in[1], r) },
					want:  reducedLoss(binary(loss.want), r),
				})
			}
		}
	}
	for _, r := range reductions {
		for _, shape := range [][2][]int{{{3, 2}, {3, 2}}, {{}, {3, 2}}, {{3, 1}, {3, 2}}, {{2, 3, 2}, {3, 2}}, {{}, {}}} {
			in := []array{lattice(2, shape[0]...), lattice(0, shape[1]...), lattice(1, shape[1]...)}
			list = append(list, builderCase{
				name: fmt.Sprintf("softmarginloss.Backward %v %s", r, shapes(in...)), inputs: in,
				build: func(in []*graph.Node) *graph.Node { return softmarginloss.Backward(in[0], in[1], in[2], r) },
				want: func(in []array) array {
					out := elementwise(func(v []float64) float64 { return -v[2] * sigmoid(-v[2]*v[1]) * v[0] })(in)
					for i := range out.data {
						out.data[i] *= norm(r, len(out.data))
					}
					return out
				},
			})
		}
		x := lattice(0, 2, 3)
		list = append(list, builderCase{
			name: fmt.Sprintf("Reduce %v", r), inputs: []array{x}, want: reducedLoss(identity, r),
			build: func(in []*graph.Node) *graph.Node { return ops.Reduce(in[0], r) },
		}, builderCase{
			name: fmt.Sprintf("ScaleForMean %v", r), inputs: []array{x, zeros(4, 2)}, checked: []int{0},
			build: func(in []*graph.Node) *graph.Node { return ops.ScaleForMean(in[0], in[1], r) },
			want:  unary(func(x float64) float64 { return x * norm(r, 8) }),
		})
	}
	return list
}

// compositionCases have values that are used several times, and gradients that pass through many operations.
func compositionCases() []builderCase {
	return []builderCase{
		{
			name: " x·eˣ + x", inputs: []array{lattice(0, 4)}, want: unary(func(x float64) float64 { return x*math.Exp(x) + x }),
			build: func(in []*graph.Node) *graph.Node { return ops.Add(ops.Mul(in[0], ops.Exp(in[0])), in[0]) },
		}, {
			name: " softmax", inputs: []array{lattice(0, 2, 3)},
			build: func(in []*graph.Node) *graph.Node {
				e := ops.Exp(in[0])
				return ops.Div(e, ops.SumKeepDims(e, 1))
			},
			want: func(in []array) array {
				e := unary(math.Exp)(in)
				return binary(func(a, b float64) float64 { return a / b })([]array{e, reduced(identity, false, true, 1)([]array{e})})
			},
		}, {
			name: " standard deviation of columns", inputs: []array{lattice(0, 4, 3)},
			build: func(in []*graph.Node) *graph.Node {
				return ops.Sqrt(ops.Mean(ops.Square(ops.Sub(in[0], ops.MeanKeepDims(in[0], 0))), 0))
			},
			want: func(in []array) array {
				centred := binary(func(a, b float64) float64 { return a - b })([]array{in[0], reduced(identity, true, true, 0)(in)})
				return unary(math.Sqrt)([]array{reduced(unary(func(x float64) float64 { return x * x }), true, false, 0)([]array{centred})})
			},
		}, {
			name: " two layers and a loss", inputs: []array{lattice(0, 4, 3), lattice(1, 3, 5), lattice(2, 5), lattice(3, 5, 1), labels(4, 1)},
			build: func(in []*graph.Node) *graph.Node {
				hidden := ops.Tanh(ops.Linear(in[0], in[1], in[2]))
				return softmarginloss.Forward(ops.MatMul(hidden, in[3]), in[4], device.Mean)
			},
			want: func(in []array) array {
				hidden := unary(math.Tanh)([]array{matmul(false, false)(in[:3])})
				scores := matmul(false, false)([]array{hidden, in[3]})
				return reducedLoss(binary(func(x, t float64) float64 { return softplus(-t * x) }), device.Mean)([]array{scores, in[4]})
			},
		}, {
			name: " one weight for two layers", inputs: []array{lattice(0, 2, 3), lattice(1, 3, 3)},
			build: func(in []*graph.Node) *graph.Node {
				return ops.GELU(ops.MatMulTransposed(ops.Sigmoid(ops.MatMul(in[0], in[1])), in[1], false, true))
			},
			want: func(in []array) array {
				hidden := unary(sigmoid)([]array{matmul(false, false)(in)})
				return unary(gelu)([]array{matmul(false, true)([]array{hidden, in[1]})})
			},
		}, {
			name: " a transposed, reshaped and broadcast view", inputs: []array{lattice(0, 2, 3), lattice(1, 4, 6)},
			build: func(in []*graph.Node) *graph.Node {
				return ops.Mul(ops.BroadcastTo(ops.Reshape(ops.Transpose(in[0]), 6), 4, 6), in[1])
			},
			want: func(in []array) array {
				row := reshaped(6)([]array{transposed(1, 0)(in)})
				return binary(func(a, b float64) float64 { return a * b })([]array{row, in[1]})
			},
		},
	}
}
