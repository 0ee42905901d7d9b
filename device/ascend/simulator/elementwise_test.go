//go:build linux

package simulator

import (
	"math"
	"math/rand/v2"
)

// elementwise lists the element-wise operators: args has x for an input, r for one that is overwritten, s for
// a number, 0 or 1 for a boolean and o for the output; f is of the inputs and the numbers.
var elementwise = []struct {
	op, args string
	numbers  []float64
	positive bool
	f        func(x, s []float64) float64
}{
	{"aclnnAbs", "xo", nil, false, func(x, _ []float64) float64 { return math.Abs(x[0]) }},
	{"aclnnErfc", "xo", nil, false, func(x, _ []float64) float64 { return math.Erfc(x[0]) }},
	{"aclnnExp", "xo", nil, false, func(x, _ []float64) float64 { return math.Exp(x[0]) }},
	{"aclnnInplaceExp", "r", nil, false, func(x, _ []float64) float64 { return math.Exp(x[0]) }},
	{"aclnnLog", "xo", nil, true, func(x, _ []float64) float64 { return math.Log(x[0]) }},
	{"aclnnInplaceLog", "r", nil, true, func(x, _ []float64) float64 { return math.Log(x[0]) }},
	{"aclnnLog1p", "xo", nil, true, func(x, _ []float64) float64 { return math.Log1p(x[0]) }},
	{"aclnnInplaceLog1p", "r", nil, true, func(x, _ []float64) float64 { return math.Log1p(x[0]) }},
	{"aclnnNeg", "xo", nil, false, func(x, _ []float64) float64 { return -x[0] }},
	{"aclnnInplaceNeg", "r", nil, false, func(x, _ []float64) float64 { return -x[0] }},
	{"aclnnRelu", "xo", nil, false, func(x, _ []float64) float64 { return math.Max(x[0], 0) }},
	{"aclnnInplaceRelu", "r", nil, false, func(x, _ []float64) float64 { return math.Max(x[0], 0) }},
	{"aclnnSigmoid", "xo", nil, false, func(x, _ []float64) float64 { return 1 / (1 + math.Exp(-x[0])) }},
	{"aclnnInplaceSigmoid", "r", nil, false, func(x, _ []float64) float64 { return 1 / (1 + math.Exp(-x[0])) }},
	{"aclnnSign", "xo", nil, false, func(x, _ []float64) float64 { return sign(x[0]) }},
	{"aclnnSqrt", "xo", nil, true, func(x, _ []float64) float64 { return math.Sqrt(x[0]) }},
	{"aclnnInplaceSqrt", "r", nil, true, func(x, _ []float64) float64 { return math.Sqrt(x[0]) }},
	{"aclnnTanh", "xo", nil, false, func(x, _ []float64) float64 { return math.Tanh(x[0]) }},
	{"aclnnInplaceTanh", "r", nil, false, func(x, _ []float64) float64 { return math.Tanh(x[0]) }},
	{"aclnnGelu", "xo", nil, false, func(x, _ []float64) float64 {
		return x[0] / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x[0]+0.044715*math.Pow(x[0], 3))))
	}},
	{"aclnnAdd", "xxso", []float64{0.5}, false, func(x, s []float64) float64 { return x[0] + s[0]*x[1] }},
	{"aclnnInplaceAdd", "rxs", []float64{0.5}, false, func(x, s []float64) float64 { return x[0] + s[0]*x[1] }},
	{"aclnnAdds", "xsso", []float64{0.5, 3}, false, func(x, s []float64) float64 { return x[0] + s[0]*s[1] }},
	{"aclnnInplaceAdds", "rss", []float64{0.5, 3}, false, func(x, s []float64) float64 { return x[0] + s[0]*s[1] }},
	{"aclnnSub", "xxso", []float64{2}, false, func(x, s []float64) float64 { return x[0] - s[0]*x[1] }},
	{"aclnnInplaceSub", "rxs", []float64{2}, false, func(x, s []float64) float64 { return x[0] - s[0]*x[1] }},
	{"aclnnSubs", "xsso", []float64{0.5, 3}, false, func(x, s []float64) float64 { return x[0] - s[0]*s[1] }},
	{"aclnnInplaceSubs", "rss", []float64{0.5, 3}, false, func(x, s []float64) float64 { return x[0] - s[0]*s[1] }},
	{"aclnnMul", "xxo", nil, false, func(x, _ []float64) float64 { return x[0] * x[1] }},
	{"aclnnInplaceMul", "rx", nil, false, func(x, _ []float64) float64 { return x[0] * x[1] }},
	{"aclnnMuls", "xso", []float64{0.1}, false, func(x, s []float64) float64 { return x[0] * s[0] }},
	{"aclnnInplaceMuls", "rs", []float64{0.1}, false, func(x, s []float64) float64 { return x[0] * s[0] }},
	{"aclnnDiv", "xxo", nil, false, func(x, _ []float64) float64 { return x[0] / x[1] }},
	{"aclnnInplaceDiv", "rx", nil, false, func(x, _ []float64) float64 { return x[0] / x[1] }},
	{"aclnnDivs", "xso", []float64{3}, false, func(x, s []float64) float64 { return x[0] / s[0] }},
	{"aclnnInplaceDivs", "rs", []float64{3}, false, func(x, s []float64) float64 { return x[0] / s[0] }},
	{"aclnnDivMod", "xx0o", nil, false, func(x, _ []float64) float64 { return x[0] / x[1] }},
	{"aclnnDivMod", "xx1o", nil, true, func(x, _ []float64) float64 { return math.Trunc(x[0] / x[1]) }},
	{"aclnnDivMod", "xx2o", nil, true, func(x, _ []float64) float64 { return math.Floor(x[0] / x[1]) }},
	{"aclnnMaximum", "xxo", nil, false, func(x, _ []float64) float64 { return math.Max(x[0], x[1]) }},
	{"aclnnLeakyRelu", "xso", []float64{0.125}, false, func(x, s []float64) float64 { return math.Max(x[0], s[0]*x[0]) }},
	{"aclnnLeakyReluBackward", "xxs0o", []float64{0.125}, false, leakyBackward},
	{"aclnnLeakyReluBackward", "xxs1o", []float64{0.125}, false, leakyBackward},
	{"aclnnThreshold", "xsso", []float64{0.5, 9}, false, func(x, s []float64) float64 { return choose(x[0] > s[0], x[0], s[1]) }},
	{"aclnnThresholdBackward", "xxso", []float64{0.5}, false, func(x, s []float64) float64 { return choose(x[1] > s[0], x[0], 0) }},
	{"aclnnTanhBackward", "xxo", nil, false, func(x, _ []float64) float64 { return x[0] * (1 - x[1]*x[1]) }},
	{"aclnnSigmoidBackward", "xxo", nil, false, func(x, _ []float64) float64 { return x[0] * (1 - x[1]) * x[1] }},
	{"aclnnSoftplus", "xsso", []float64{2, 5}, false, func(x, s []float64) float64 {
		return choose(s[0]*x[0] > s[1], x[0], math.Log1p(math.Exp(s[0]*x[0]))/s[0])
	}},
	{"aclnnAddcmul", "xxxso", []float64{0.25}, false, func(x, s []float64) float64 { return x[0] + s[0]*x[1]*x[2] }},
	{"aclnnInplaceAddcmul", "rxxs", []float64{0.25}, false, func(x, s []float64) float64 { return x[0] + s[0]*x[1]*x[2] }},
	{"aclnnAddcdiv", "xxxso", []float64{0.25}, true, func(x, s []float64) float64 { return x[0] + s[0]*x[1]/x[2] }},
	{"aclnnInplaceAddcdiv", "rxxs", []float64{0.25}, true, func(x, s []float64) float64 { return x[0] + s[0]*x[1]/x[2] }},
}

func sign(x float64) float64 { return choose(x > 0, 1, choose(x < 0, -1, x)) }

func leakyBackward(x, s []float64) float64 { return choose(x[1] > 0, 1, s[0]) * x[0] }

func choose(condition bool, a, b float64) float64 {
	if condition {
		return a
	}
	return b
}

// elementwiseCalls runs each operator over data types, layouts and broadcasts.
func elementwiseCalls() []call {
	rng := rand.New(rand.NewPCG(1, 2))
	forms := []struct {
		name    string
		shapes  [][]int // of the inputs, cycled
		out     []int
		dtypes  []int // of the inputs, cycled
		to      int
		layouts []string // of inputs and output, cycled
	}{
		{"contiguous", [][]int{{2, 3}}, []int{2, 3}, []int{float}, float, layouts[:1]},
		{"strided", [][]int{{2, 3}}, []int{2, 3}, []int{float}, float, []string{"transposed", "spread", "contiguous", "spread"}},
		{"broadcast", [][]int{{2, 3}, {3}, {2, 1}}, []int{2, 3}, []int{float}, float, []string{"contiguous", "spread", "transposed"}},
		{"many blocks", [][]int{{3, 211}}, []int{3, 211}, []int{float}, float, []string{"contiguous", "transposed"}},
		{"float16", [][]int{{3, 2}}, []int{3, 2}, []int{half}, half, layouts},
		{"bfloat16", [][]int{{3, 2}}, []int{3, 2}, []int{bfloat}, bfloat, layouts},
		{"mixed", [][]int{{3, 2}}, []int{3, 2}, []int{float, half, bfloat}, half, layouts},
		{"no dimensions", [][]int{{}}, []int{}, []int{float}, float, layouts[:1]},
		{"eight dimensions", [][]int{{1, 2, 1, 2, 1, 1, 2, 1}}, []int{1, 2, 1, 2, 1, 1, 2, 1}, []int{half}, float, layouts},
		{"empty", [][]int{{2, 0}}, []int{2, 0}, []int{float}, float, layouts[:1]},
	}
	var calls []call
	for _, row := range elementwise {
		for _, form := range forms {
			c := call{name: row.op + " " + row.args + " " + form.name, op: row.op, workspace: -1, want: map[int][]float64{}}
			var inputs []tensor
			numbers, output := row.numbers, 0
			for i, kind := range row.args {
				k := len(inputs)
				layout := form.layouts[i%len(form.layouts)]
				switch kind {
				case 'x', 'r':
					shape := form.shapes[k%len(form.shapes)]
					v := contiguous(form.dtypes[k%len(form.dtypes)], shape, values(rng, count(shape), row.positive)...)
					if kind == 'r' {
						output = i
					}
					inputs = append(inputs, v.laidOut(layout))
					c.args = append(c.args, inputs[k])
				case 'o':
					output = i
					c.args = append(c.args, contiguous(form.to, form.out, make([]float64, count(form.out))...).laidOut(layout))
				case 's':
					c.args = append(c.args, number(numbers[0]))
					numbers = numbers[1:]
				default:
					c.args = append(c.args, int(kind-'0'))
				}
			}
			if form.name == "contiguous" {
				c.workspace = 0
			}
			want := make([]float64, count(form.out))
			var operands [][]float64
			for _, in := range inputs {
				operands = append(operands, in.broadcast(form.out))
			}
			rounded := make([]float64, len(row.numbers)) // numbers take the type of the arithmetic
			for i, s := range row.numbers {
				rounded[i] = float64(float32(s))
			}
			for i := range want {
				var x []float64
				for _, operand := range operands {
					x = append(x, operand[i])
				}
				want[i] = row.f(x, rounded)
			}
			c.want[output] = want
			calls = append(calls, c)
		}
	}

	// Where an operand is the output, and special values.
	inf, nan := math.Inf(1), math.NaN()
	x := contiguous(float, []int{4}, 1, 2, 3, 4)
	calls = append(calls,
		call{name: "out is self", op: "aclnnMul", args: []any{x, x, ref(0)}, want: map[int][]float64{0: {1, 4, 9, 16}}},
		call{name: "integers", op: "aclnnAdd", workspace: -1, args: []any{contiguous(int64_, []int{2}, 1<<40, -5), contiguous(int32_, []int{1}, 7), number(2), contiguous(int64_, []int{2}, 0, 0)},
			want: map[int][]float64{3: {1<<40 + 14, 9}}},
		call{name: "relu of nothing and NaN", op: "aclnnRelu", args: []any{contiguous(float, []int{3}, nan, inf, -inf), contiguous(float, []int{3}, 0, 0, 0)},
			want: map[int][]float64{1: {nan, inf, 0}}},
		call{name: "maximum of NaN", op: "aclnnMaximum", args: []any{contiguous(float, []int{3}, nan, 1, -inf), contiguous(float, []int{3}, 1, nan, 0), contiguous(float, []int{3}, 0, 0, 0)},
			want: map[int][]float64{2: {nan, nan, 0}}},
		call{name: "sigmoid far out", op: "aclnnSigmoid", args: []any{contiguous(float, []int{4}, -1000, 1000, -inf, nan), contiguous(float, []int{4}, 9, 9, 9, 9)},
			want: map[int][]float64{1: {0, 1, 0, nan}}},
		call{name: "overflow", op: "aclnnExp", workspace: -1, args: []any{contiguous(half, []int{3}, 12, -40, 11), contiguous(half, []int{3}, 0, 0, 0)},
			want: map[int][]float64{1: {math.Exp(12), 0, math.Exp(11)}}},
		call{name: "gelu far out", op: "aclnnGelu", args: []any{contiguous(float, []int{3}, -inf, inf, nan), contiguous(float, []int{3}, 9, 9, 9)},
			want: map[int][]float64{1: {0, inf, nan}}},
	)
	return calls
}
