package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// call is one call of an operator, and what is known of its result.
type call struct {
	name string
	op   string
	args []any // tensor, ref, scalar, ints, int, bool, float32 or nil
	code int   // of phase one; what follows is for code 0

	want      map[int][]float64 // results by argument, in row-major order
	workspace int               // in bytes, or -1 if that is of no interest
}

// ref is the same tensor as another argument.
type ref int

// scalar is an aclScalar, of double or of the type given.
type scalar struct {
	value float64
	dtype int
}

func number(v float64) scalar { return scalar{v, double} }

// ints is an aclIntArray.
type ints []int

func (c call) line() string {
	words := []string{c.op}
	for _, arg := range c.args {
		var word string
		switch arg := arg.(type) {
		case nil:
			word = "null"
		case tensor:
			word = arg.String()
		case ref:
			word = "=" + strconv.Itoa(int(arg))
		case scalar:
			word = fmt.Sprintf("s:%d:%s", arg.dtype, encode(arg.dtype, arg.value))
		case ints:
			word = "a:" + strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(arg)), "[]"), " ", ",")
		case int:
			word = "i:" + strconv.Itoa(arg)
		case bool:
			word = "i:0"
			if arg {
				word = "i:1"
			}
		case float32:
			word = "f:" + encode(float, float64(arg))
		default:
			panic(fmt.Sprintf("%s: argument %T", c.name, arg))
		}
		words = append(words, word)
	}
	return strings.Join(words, " ") + "\n"
}

// check compares a line of the driver's output with what the call wants.
func (c call) check(t *testing.T, line string) {
	t.Helper()
	result, message, _ := strings.Cut(line, "|")
	words := strings.Fields(result)
	if c.code != 0 {
		require.Equal(t, strconv.Itoa(c.code), words[0], "%s: %s", c.name, message)
		require.Contains(t, message, c.op+": ", c.name)
		return
	}
	require.Equal(t, "0,0,0", words[0], "%s: %s", c.name, message)
	if c.workspace >= 0 {
		require.Equal(t, strconv.Itoa(c.workspace), words[1], "%s: workspace", c.name)
	}
	words = words[2:]
	for i, arg := range c.args {
		operand, ok := arg.(tensor)
		if !ok {
			continue
		}
		word := ""
		if len(operand.storage) > 0 {
			word, words = words[0], words[1:]
		}
		got, err := decode(operand.dtype, word)
		require.NoError(t, err)
		want, written := c.want[i]
		expected := make(map[int]float64)
		for k, at := range operand.positions() {
			if written {
				expected[at] = want[k]
			}
		}
		for at, v := range got {
			if w, ok := expected[at]; ok {
				require.Truef(t, agrees(operand.dtype, v, w), "%s: argument %d, storage %d: got %v, want %v", c.name, i, at, v, w)
			} else if before := operand.storage[at]; v != before && !(v != v && before != before) {
				t.Fatalf("%s: argument %d, storage %d: was %v and is %v", c.name, i, at, before, v)
			}
		}
	}
}

// Every operator computes what float64 arithmetic says, in every build the same, and leaves nothing behind.
func TestOperators(t *testing.T) {
	var calls []call
	for _, more := range [][]call{elementwiseCalls(), comparisonCalls(), moveCalls(), roundingCalls(), reductionCalls(), matmulCalls(),
		lossCalls(), optimizerCalls(), randomCalls(), refusedCalls()} {
		calls = append(calls, more...)
	}
	var input strings.Builder
	tested := map[string]bool{}
	for _, c := range calls {
		input.WriteString(c.line())
		tested[c.op] = tested[c.op] || c.code == 0
	}
	require.Len(t, tested, 75, "operators")
	for op, is := range tested {
		require.True(t, is, "%s is only refused", op)
	}

	var plain []string
	eachVariant(t, func(t *testing.T, v *variant) {
		out, errs, err := v.start(t, v.program(t, "operators.c"), input.String())
		require.NoError(t, err, errs)
		require.Empty(t, errs)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		require.Len(t, lines, len(calls))
		if plain == nil {
			plain = lines
			for i, c := range calls {
				c.check(t, lines[i])
			}
		}
		require.Equal(t, plain, withoutAddresses(lines, plain), "results depend on the build")
	})
}

// withoutAddresses takes other's line wherever only the address in a message differs.
func withoutAddresses(lines, other []string) []string {
	for i := range lines {
		a, _, _ := strings.Cut(lines[i], "|")
		if b, _, _ := strings.Cut(other[i], "|"); a == b {
			lines[i] = other[i]
		}
	}
	return lines
}

// values returns n multiples of 1/16 in [-4, 4] or, if positive, in (0, 4], which every type holds exactly.
func values(rng *rand.Rand, n int, positive bool) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rng.IntN(129)-64) / 16
		if positive {
			v[i] = float64(rng.IntN(64)+1) / 16
		}
	}
	return v
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

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

func comparisonCalls() []call {
	a, b := contiguous(float, []int{2, 2}, 1, 2, 3, math.NaN()), contiguous(half, []int{2}, 1, 3)
	out := func(dtype int) tensor { return contiguous(dtype, []int{2, 2}, 0, 1, 0, 1) }
	x := contiguous(bfloat, []int{2, 2}, 1, 2, 3, 4)
	return []call{
		{op: "aclnnGtTensor", name: "gt", workspace: -1, args: []any{a, b, out(boolean)}, want: map[int][]float64{2: {0, 0, 1, 0}}},
		{op: "aclnnEqTensor", name: "eq", workspace: -1, args: []any{a, b, out(boolean)}, want: map[int][]float64{2: {1, 0, 0, 0}}},
		{op: "aclnnEqTensor", name: "eq to float", workspace: -1, args: []any{a, b, out(float)}, want: map[int][]float64{2: {1, 0, 0, 0}}},
		{op: "aclnnGtScalar", name: "gt number", workspace: -1, args: []any{a, number(1.5), out(boolean).laidOut("spread")}, want: map[int][]float64{2: {0, 1, 1, 0}}},
		{op: "aclnnEqScalar", name: "eq number", workspace: -1, args: []any{a, scalar{2, int32_}, out(boolean)}, want: map[int][]float64{2: {0, 1, 0, 0}}},
		{op: "aclnnSWhere", name: "where", workspace: -1, args: []any{out(boolean), x, b, out(float)}, want: map[int][]float64{3: {1, 2, 1, 4}}},
		{op: "aclnnSWhere", name: "where, broadcast", workspace: -1, args: []any{contiguous(boolean, []int{2, 1}, 1, 0), x.laidOut("transposed"), b, out(bfloat).laidOut("spread")},
			want: map[int][]float64{3: {1, 2, 1, 3}}},
	}
}

func moveCalls() []call {
	x := contiguous(float, []int{2, 3}, 0, -1.75, 2.5, 3e9, -3e9, math.NaN())
	zero := func(dtype int, shape ...int) tensor {
		return contiguous(dtype, shape, make([]float64, count(shape))...)
	}
	big := contiguous(int64_, []int{2}, 1<<62, -(1 << 62))
	cube := contiguous(half, []int{2, 3, 2}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	return []call{
		{op: "aclnnCast", name: "to int32", workspace: -1, args: []any{x, int32_, zero(int32_, 2, 3)}, want: map[int][]float64{2: {0, -1, 2, math.MaxInt32, math.MinInt32, 0}}},
		{op: "aclnnCast", name: "to bool", workspace: -1, args: []any{x, boolean, zero(boolean, 2, 3)}, want: map[int][]float64{2: {0, 1, 1, 1, 1, 1}}},
		{op: "aclnnCast", name: "to double", workspace: -1, args: []any{x.laidOut("transposed"), double, zero(double, 2, 3)}, want: map[int][]float64{2: {0, -1.75, 2.5, 3e9, -3e9, math.NaN()}}},
		{op: "aclnnCast", name: "from bool", workspace: -1, args: []any{contiguous(boolean, []int{3}, 1, 0, 5), float, zero(float, 3)}, want: map[int][]float64{2: {1, 0, 1}}},
		{op: "aclnnCast", name: "bits of int64", args: []any{big, int64_, zero(int64_, 2)}, want: map[int][]float64{2: {1 << 62, -(1 << 62)}}},
		{op: "aclnnInplaceCopy", name: "copy", workspace: -1, args: []any{zero(half, 2, 3).laidOut("spread"), contiguous(float, []int{3}, 1, 2, 3)}, want: map[int][]float64{0: {1, 2, 3, 1, 2, 3}}},
		{op: "aclnnInplaceCopy", name: "copy of equal types", workspace: -1, args: []any{zero(half, 2, 3, 2).laidOut("transposed"), cube}, want: map[int][]float64{0: cube.storage}},
		{op: "aclnnInplaceCopy", name: "copy to itself", args: []any{cube, ref(0)}, want: map[int][]float64{0: cube.storage}},
		{op: "aclnnPermute", name: "permute", workspace: -1, args: []any{cube, ints{2, 0, -2}, zero(half, 2, 2, 3)}, want: map[int][]float64{2: {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}}},
		{op: "aclnnInplaceFillScalar", name: "fill", workspace: -1, args: []any{zero(half, 2, 3).laidOut("spread"), number(0.1)}, want: map[int][]float64{0: {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}}},
		{op: "aclnnInplaceFillScalar", name: "fill with an integer", workspace: -1, args: []any{zero(int64_, 2), scalar{9, int64_}}, want: map[int][]float64{0: {9, 9}}},
		{op: "aclnnInplaceZero", name: "zero", workspace: -1, args: []any{x.laidOut("spread")}, want: map[int][]float64{0: make([]float64, 6)}},
	}
}

// roundingCalls casts every midpoint between neighbouring float16 and bfloat16 numbers, and its own neighbours.
func roundingCalls() []call {
	var calls []call
	for _, dtype := range []int{half, bfloat} {
		value, infinite, step := halfValue, uint16(0x7c00), 1
		if dtype == bfloat {
			value = func(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }
			infinite, step = 0x7f80, 3
		}
		var from, to []float64
		add := func(x, want float64) {
			from, to = append(from, x, -x), append(to, want, -want)
		}
		for bits := 0; bits < int(infinite); bits += step {
			low, high := value(uint16(bits)), value(uint16(bits+1))
			middle := low + (high-low)/2
			if bits+1 == int(infinite) {
				below := value(uint16(bits - 1))
				middle = low + (low-below)/2
			}
			even := choose(bits%2 == 0, low, high)
			add(middle, even)
			add(float64(math.Nextafter32(float32(middle), 0)), low)
			add(float64(math.Nextafter32(float32(middle), math.MaxFloat32)), high)
		}
		self := contiguous(float, []int{len(from)}, from...)
		out := contiguous(dtype, []int{len(from)}, make([]float64, len(from))...)
		calls = append(calls, call{op: "aclnnCast", name: "rounding", workspace: -1, args: []any{self, dtype, out}, want: map[int][]float64{2: to}})
	}
	return calls
}

func reductionCalls() []call {
	rng := rand.New(rand.NewPCG(3, 4))
	nan := math.NaN()
	var calls []call
	add := func(op string, self tensor, dims []int, keep bool, noop bool, to int) {
		// Each result is the sum over the elements whose other indices agree.
		reduced := map[int]bool{}
		for _, d := range dims {
			reduced[(d+len(self.shape))%max(len(self.shape), 1)] = true
		}
		if len(dims) == 0 && !noop {
			for i := range self.shape {
				reduced[i] = true
			}
		}
		left, n := []int{}, 1
		strides := make([]int, len(self.shape)) // of the result for each index of self
		stride := 1
		for i := len(self.shape) - 1; i >= 0; i-- {
			if reduced[i] {
				n *= self.shape[i]
			} else {
				strides[i] = stride
				stride *= self.shape[i]
			}
		}
		for i, d := range self.shape {
			if !reduced[i] {
				left = append(left, d)
			} else if keep {
				left = append(left, 1)
			}
		}
		sums := make([]float64, count(left))
		index := tensor{shape: self.shape, strides: strides}
		for i, at := range index.positions() {
			sums[at] += self.values()[i]
		}
		if op != "aclnnReduceSum" {
			for i := range sums {
				sums[i] /= float64(n)
			}
		}
		args := []any{self, ints(dims), keep, to, contiguous(to, left, make([]float64, len(sums))...)}
		if op == "aclnnMeanV2" {
			args[3] = noop
		}
		calls = append(calls, call{name: fmt.Sprint(op, self.shape, dims, keep, noop), op: op, workspace: -1, args: args, want: map[int][]float64{4: sums}})
	}
	for i, dims := range [][]int{{}, {0}, {1}, {2}, {-1}, {0, 2}, {2, 1}, {0, 1, 2}} {
		for _, op := range []string{"aclnnReduceSum", "aclnnMean", "aclnnMeanV2"} {
			self := contiguous([]int{float, half, bfloat}[i%3], []int{3, 4, 5}, values(rng, 60, false)...)
			add(op, self.laidOut(layouts[i%3]), dims, i%2 == 0, op == "aclnnMeanV2" && i == 0, float)
		}
	}
	add("aclnnReduceSum", contiguous(float, []int{2, 700}, values(rng, 1400, false)...), []int{1}, false, false, half)
	add("aclnnReduceSum", contiguous(int64_, []int{3}, 1<<40, 2, 3), []int{0}, true, false, int64_)
	add("aclnnReduceSum", contiguous(float, []int{}, 5), []int{}, false, false, float)
	add("aclnnMean", contiguous(float, []int{}, 5), []int{}, true, false, float)
	add("aclnnReduceSum", contiguous(float, []int{2, 0}), []int{1}, false, false, float)
	add("aclnnMean", contiguous(float, []int{2, 0}), []int{1}, false, false, float)
	add("aclnnReduceSum", contiguous(float, []int{0, 2}), []int{1}, true, false, float)
	// In float32 the ones would be lost one by one.
	add("aclnnReduceSum", contiguous(float, []int{1001}, append([]float64{1 << 25}, repeat(1, 1000)...)...), []int{}, false, false, float)
	return append(calls,
		call{name: "max", op: "aclnnMax", workspace: -1, args: []any{contiguous(half, []int{2, 2}, 1, -3, 2, 0).laidOut("spread"), contiguous(float, []int{}, 0)}, want: map[int][]float64{1: {2}}},
		call{name: "max of NaN", op: "aclnnMax", args: []any{contiguous(float, []int{3}, 1, nan, 2), contiguous(float, []int{}, 0)}, want: map[int][]float64{1: {nan}}},
	)
}

func repeat(v float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = v
	}
	return values
}

func matmulCalls() []call {
	rng := rand.New(rand.NewPCG(5, 6))
	var calls []call
	matrix := func(dtype int, shape ...int) tensor {
		return contiguous(dtype, shape, values(rng, count(shape), false)...)
	}
	for i, row := range []struct {
		op     string
		a, b   []int
		out    []int
		batchA []int // a's batch for each of out's, and b's
		batchB []int
	}{
		{"aclnnMm", []int{2, 3}, []int{3, 4}, []int{2, 4}, []int{0}, []int{0}},
		{"aclnnMm", []int{9, 300}, []int{300, 260}, []int{9, 260}, []int{0}, []int{0}},
		{"aclnnMm", []int{1, 5}, []int{5, 1}, []int{1, 1}, []int{0}, []int{0}},
		{"aclnnMm", []int{2, 0}, []int{0, 3}, []int{2, 3}, []int{0}, []int{0}},
		{"aclnnMm", []int{0, 2}, []int{2, 3}, []int{0, 3}, []int{}, []int{}},
		{"aclnnMatmul", []int{3, 2}, []int{2, 3}, []int{3, 3}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{4}, []int{4}, []int{}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{4}, []int{4, 3}, []int{3}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{3, 4}, []int{4}, []int{3}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{2, 3, 4}, []int{4, 2}, []int{2, 3, 2}, []int{0, 1}, []int{0, 0}},
		{"aclnnMatmul", []int{4}, []int{2, 4, 3}, []int{2, 3}, []int{0, 0}, []int{0, 1}},
		{"aclnnMatmul", []int{2, 3, 4}, []int{4}, []int{2, 3}, []int{0, 1}, []int{0, 0}},
		{"aclnnMatmul", []int{2, 1, 3, 4}, []int{3, 4, 2}, []int{2, 3, 3, 2}, []int{0, 0, 0, 1, 1, 1}, []int{0, 1, 2, 0, 1, 2}},
	} {
		for form := range 3 {
			dtypes := [][3]int{{float, float, float}, {half, half, half}, {bfloat, half, float}}[form]
			a, b := matrix(dtypes[0], row.a...), matrix(dtypes[1], row.b...)
			va, vb := a.values(), b.values()
			k := row.a[len(row.a)-1]
			m, n := 1, 1
			if len(row.a) > 1 {
				m = row.a[len(row.a)-2]
			}
			if len(row.b) > 1 {
				n = row.b[len(row.b)-1]
			}
			var want []float64
			for t := range row.batchA {
				for r := range m {
					for c := range n {
						sum := 0.0
						for p := range k {
							sum += va[row.batchA[t]*m*k+r*k+p] * vb[row.batchB[t]*k*n+p*n+c]
						}
						want = append(want, sum)
					}
				}
			}
			out := contiguous(dtypes[2], row.out, make([]float64, len(want))...)
			calls = append(calls, call{name: fmt.Sprint(row.op, row.a, row.b, form), op: row.op, workspace: -1,
				args: []any{a.laidOut(layouts[(i+form)%3]), b.laidOut(layouts[(i+2*form)%3]), out.laidOut(layouts[form]), 0}, want: map[int][]float64{2: want}})
		}
	}
	for i, bias := range [][]int{{4, 3}, {3}, {4, 1}, {}} {
		for _, beta := range []float64{0.5, 0} {
			self, a, b := matrix(float, bias...), matrix(half, 4, 2), matrix(float, 2, 3)
			if beta == 0 {
				for k := range self.storage {
					self.storage[k] = math.NaN() // which must not matter
				}
			}
			added, va, vb := self.broadcast([]int{4, 3}), a.values(), b.values()
			want := make([]float64, 12)
			for k := range want {
				r, c := k/3, k%3
				want[k] = 2 * (va[2*r]*vb[c] + va[2*r+1]*vb[3+c])
				if beta != 0 {
					want[k] += beta * added[k]
				}
			}
			calls = append(calls, call{name: fmt.Sprint("addmm", bias, beta), op: "aclnnAddmm", workspace: -1,
				args: []any{self.laidOut(layouts[i%3]), a.laidOut("transposed"), b, number(beta), number(2), contiguous(float, []int{4, 3}, make([]float64, 12)...).laidOut("spread"), 0},
				want: map[int][]float64{5: want}})
			if len(bias) == 2 && bias[1] == 3 {
				calls = append(calls, call{name: fmt.Sprint("in-place addmm", beta), op: "aclnnInplaceAddmm", workspace: -1,
					args: []any{self, a, b, number(beta), number(2), 0}, want: map[int][]float64{0: want}})
			}
		}
	}
	return calls
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sigmoid(x float64) float64 { return math.Exp(-softplus(-x)) }

// reduce returns the losses, their mean or their sum.
func reduce(losses []float64, reduction int) []float64 {
	if reduction == 0 {
		return losses
	}
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	if reduction == 1 {
		sum /= float64(len(losses))
	}
	return []float64{sum}
}

func lossCalls() []call {
	rng := rand.New(rand.NewPCG(7, 8))
	var calls []call
	for _, r := range []int{0, 1, 2, 3, -4} {
		for form, shapes := range [][][]int{{{2, 3}, {2, 3}, {2, 3}}, {{4, 1}, {3}, {4, 3}}, {{}, {}, {}}, {{90, 7}, {7}, {1, 90, 7}}, {{0}, {0}, {0}}} {
			shape := shapes[2]
			if form == 3 {
				shape = []int{90, 7}
			}
			dtypes := [][]int{{float, float, float}, {half, float, half}, {bfloat, bfloat, bfloat}}[(form+r+4)%3]
			self := contiguous(dtypes[0], shapes[0], values(rng, count(shapes[0]), false)...).laidOut(layouts[form%3])
			target := contiguous(dtypes[1], shapes[1], values(rng, count(shapes[1]), false)...).laidOut(layouts[(form+1)%3])
			for i := range target.storage {
				target.storage[i] = choose(target.storage[i] < 0, -1, 1)
			}
			xs, ys := self.broadcast(shape), target.broadcast(shape)
			losses := make([]float64, len(xs))
			for i := range losses {
				losses[i] = softplus(-xs[i] * ys[i])
			}
			left := shape
			if r != 0 {
				left = []int{}
			}
			out := contiguous(dtypes[2], left, repeat(canary, count(left))...)
			want := reduce(losses, r)
			if count(shape) == 0 && (r < 0 || r > 2) {
				want = []float64{canary}
			}
			calls = append(calls, call{name: fmt.Sprint("soft margin loss ", r, form), op: "aclnnSoftMarginLoss", workspace: -1, args: []any{self, target, r, out}, want: map[int][]float64{3: want}})

			if r < 0 || r > 2 {
				continue
			}
			whole := shapes[2]
			grad := contiguous(dtypes[1], [][]int{whole, {}}[r%2], values(rng, count([][]int{whole, {}}[r%2]), false)...)
			gs := grad.broadcast(whole)
			xs, ys = self.broadcast(whole), target.broadcast(whole)
			slopes := make([]float64, len(gs))
			for i := range slopes {
				slopes[i] = -ys[i] * sigmoid(-xs[i]*ys[i]) * gs[i]
				if r == 1 {
					slopes[i] /= float64(len(gs))
				}
			}
			if form == 3 && r%2 == 1 {
				whole, slopes = shape, slopes[:len(slopes)]
			}
			out = contiguous(dtypes[2], whole, make([]float64, len(slopes))...).laidOut(layouts[form%3])
			calls = append(calls, call{name: fmt.Sprint("its gradient ", r, form), op: "aclnnSoftMarginLossBackward", workspace: -1, args: []any{grad, self, target, r, out}, want: map[int][]float64{4: slopes}})
		}
		if r < 0 || r > 2 {
			continue
		}
		for form := range 4 {
			shape := []int{5, 3}
			self := contiguous(float, shape, values(rng, 15, false)...).laidOut(layouts[form%3])
			target := contiguous(half, shape, make([]float64, 15)...)
			for i := range target.storage {
				target.storage[i] = float64(rng.IntN(5)) / 4
			}
			weight, positive := repeat(1, 15), repeat(1, 15)
			args := []any{self, target, nil, nil}
			if form%2 == 1 {
				w := contiguous(float, []int{5, 1}, values(rng, 5, true)...)
				args[2], weight = w, w.broadcast(shape)
			}
			if form >= 2 {
				p := contiguous(bfloat, []int{3}, values(rng, 3, true)...)
				args[3], positive = p, p.broadcast(shape)
			}
			xs, ys := self.values(), target.values()
			grad := contiguous(float, shape, values(rng, 15, false)...)
			losses, slopes := make([]float64, 15), make([]float64, 15)
			for i := range losses {
				p, q := positive[i]*ys[i], 1-ys[i]
				losses[i] = weight[i] * (p*softplus(-xs[i]) + q*softplus(xs[i]))
				slopes[i] = grad.storage[i] * weight[i] * (q*sigmoid(xs[i]) - p*sigmoid(-xs[i]))
				if r == 1 {
					slopes[i] /= 15
				}
			}
			left := shape
			if r != 0 {
				left = []int{}
			}
			out := contiguous(float, left, make([]float64, count(left))...)
			all := contiguous(half, shape, make([]float64, 15)...)
			calls = append(calls,
				call{name: fmt.Sprint("cross entropy ", r, form), op: "aclnnBinaryCrossEntropyWithLogits", workspace: -1, args: append(args[:4:4], r, out), want: map[int][]float64{5: reduce(losses, r)}},
				call{name: fmt.Sprint("its gradient ", r, form), op: "aclnnBinaryCrossEntropyWithLogitsBackward", workspace: -1, args: append(append([]any{grad}, args...), r, all), want: map[int][]float64{6: slopes}})
		}
	}
	// The loss and its gradient are finite and accurate at every margin.
	margins := []float64{-1e30, -1000, -100, -89, -88, -20, -1e-3, 0, 1e-3, 20, 88, 89, 100, 1000, 1e30}
	for i := range margins {
		margins[i] = float64(float32(margins[i]))
	}
	n := len(margins)
	losses, slopes := make([]float64, n), make([]float64, n)
	for i, m := range margins {
		losses[i], slopes[i] = softplus(-m), -sigmoid(-m)
	}
	self, one := contiguous(float, []int{n}, margins...), contiguous(float, []int{}, 1)
	return append(calls,
		call{name: "far margins", op: "aclnnSoftMarginLoss", workspace: -1, args: []any{self, one, 0, contiguous(float, []int{n}, make([]float64, n)...)}, want: map[int][]float64{3: losses}},
		call{name: "their gradients", op: "aclnnSoftMarginLossBackward", workspace: -1, args: []any{one, self, one, 0, contiguous(float, []int{n}, make([]float64, n)...)}, want: map[int][]float64{4: slopes}})
}

func optimizerCalls() []call {
	rng := rand.New(rand.NewPCG(9, 10))
	f32 := func(v float64) float64 { return float64(float32(v)) }
	lr, beta1, beta2, decay, eps := f32(0.1), f32(0.9), f32(0.999), f32(0.01), f32(1e-8)
	var calls []call
	for form := range 8 {
		amsgrad, maximize, t := form&1 != 0, form&2 != 0, float64(1+form)
		shape := []int{3, 100}
		n := count(shape)
		param, m, g := values(rng, n, false), values(rng, n, false), values(rng, n, false)
		v, largest := values(rng, n, true), values(rng, n, true)
		wantP, wantM, wantV, wantL := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range param {
			gi := choose(maximize, -g[i], g[i])
			wantM[i] = beta1*m[i] + (1-beta1)*gi
			wantV[i] = beta2*v[i] + (1-beta2)*gi*gi
			wantL[i] = math.Max(largest[i], wantV[i])
			second := choose(amsgrad, wantL[i], wantV[i])
			wantP[i] = param[i] - lr*decay*param[i] - lr*wantM[i]/(1-math.Pow(beta1, t))/(math.Sqrt(second/(1-math.Pow(beta2, t)))+eps)
		}
		dtype := []int{float, half}[form/4]
		tensors := []tensor{contiguous(dtype, shape, param...), contiguous(float, shape, m...), contiguous(float, shape, v...), contiguous(float, shape, largest...), contiguous(dtype, shape, g...)}
		for i := range tensors {
			tensors[i] = tensors[i].laidOut(layouts[(form+i)%3])
		}
		step := contiguous([]int{float, int64_}[form&1], [][]int{{}, {1}, {1, 1, 1}}[form%3], t)
		want := map[int][]float64{0: wantP, 1: wantM, 2: wantV}
		c := call{name: fmt.Sprint("AdamW V2 ", form), op: "aclnnApplyAdamWV2", workspace: -1, want: want,
			args: []any{tensors[0], tensors[1], tensors[2], nil, tensors[4], step, float32(lr), float32(beta1), float32(beta2), float32(decay), float32(eps), amsgrad, maximize}}
		if amsgrad {
			c.args[3] = tensors[3]
			c.want = map[int][]float64{0: wantP, 1: wantM, 2: wantV, 3: wantL}
		}
		calls = append(calls, c)

		// The older form has its coefficients in tensors, and powers of the step before, which here is the first.
		one := func(v float64) tensor { return contiguous(float, []int{1}, v) }
		for i := range param {
			second := choose(amsgrad, wantL[i], wantV[i])
			wantP[i] = param[i] - lr*decay*param[i] - lr*wantM[i]/(1-beta1)/(math.Sqrt(second/(1-beta2))+eps)
		}
		older := call{name: fmt.Sprint("AdamW ", form), op: "aclnnApplyAdamW", workspace: -1, want: map[int][]float64{0: wantP, 1: wantM, 2: wantV},
			args: []any{tensors[0], tensors[1], tensors[2], one(1), one(1), one(lr), one(decay), one(beta1), one(beta2), one(eps), tensors[4], nil, amsgrad, maximize}}
		if amsgrad {
			older.args[11] = tensors[3]
		}
		c.want[0] = append([]float64(nil), c.want[0]...)
		for i := range param {
			second := choose(amsgrad, wantL[i], wantV[i])
			c.want[0][i] = param[i] - lr*decay*param[i] - lr*wantM[i]/(1-math.Pow(beta1, t))/(math.Sqrt(second/(1-math.Pow(beta2, t)))+eps)
		}
		calls = append(calls, older)
	}
	return calls
}

// randomCalls has the known answer of Philox4x32-10 for key 0 and counter 0: 6627e8d5 e169c58d. The rest of
// what randomness promises is in TestRandom.
func randomCalls() []call {
	zero := contiguous(int64_, []int{1}, 0)
	u, angle := float64(0x6627e8d5+1)/(1<<32), float64(0xe169c58d)/(1<<32)*2*math.Pi
	normal := math.Sqrt(-2*math.Log(u)) * math.Cos(angle)
	return []call{
		{name: "random", op: "aclnnInplaceRandom", workspace: -1, args: []any{zero, 0, 1 << 16, 0, 0}, want: map[int][]float64{0: {0xc58d}}},
		{name: "random from", op: "aclnnInplaceRandom", workspace: -1, args: []any{zero, -1000, -1000 + 1<<16, 0, 0}, want: map[int][]float64{0: {0xc58d - 1000}}},
		{name: "normal", op: "aclnnInplaceNormal", workspace: -1, args: []any{contiguous(float, []int{1}, 0), float32(2), float32(0.5), 0, 0}, want: map[int][]float64{0: {2 + 0.5*normal}}},
	}
}

// refusedCalls has what phase one refuses, beside what TestStatus has.
func refusedCalls() []call {
	const null, invalid = 161001, 161002
	x := contiguous(float, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	wide := contiguous(double, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	brain := contiguous(bfloat, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	whole := contiguous(int32_, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	truth := contiguous(boolean, []int{2, 3}, 1, 0, 1, 0, 1, 0)
	deep := contiguous(float, []int{1, 1, 1, 1, 1, 1, 1, 1, 2}, 1, 2)
	pair, empty, one := contiguous(float, []int{2}, 1, 2), contiguous(float, []int{0}), contiguous(float, []int{}, 1)
	square := contiguous(float, []int{2, 2}, 1, 2, 3, 4)
	n := number(1)
	f := float32(0.5)
	return []call{
		{name: "no self", op: "aclnnExp", args: []any{nil, x}, code: null},
		{name: "no out", op: "aclnnExp", args: []any{x, nil}, code: null},
		{name: "NULL before data type", op: "aclnnExp", args: []any{wide, nil}, code: null},
		{name: "double", op: "aclnnExp", args: []any{wide, wide}, code: invalid},
		{name: "double out", op: "aclnnExp", args: []any{x, wide}, code: invalid},
		{name: "integers", op: "aclnnExp", args: []any{whole, x}, code: invalid},
		{name: "nine dimensions", op: "aclnnExp", args: []any{deep, deep}, code: invalid},
		{name: "another shape", op: "aclnnExp", args: []any{x, pair}, code: invalid},
		{name: "no alpha", op: "aclnnAdd", args: []any{x, x, nil, x}, code: null},
		{name: "no other", op: "aclnnAdd", args: []any{x, nil, n, x}, code: null},
		{name: "no broadcast", op: "aclnnAdd", args: []any{x, pair, n, x}, code: invalid},
		{name: "float into integers", op: "aclnnAdd", args: []any{x, whole, n, whole}, code: invalid},
		{name: "self too small in place", op: "aclnnInplaceMul", args: []any{one, x}, code: invalid},
		{name: "no number", op: "aclnnInplaceMuls", args: []any{x, nil}, code: null},
		{name: "mode 3", op: "aclnnDivMod", args: []any{x, x, 3, x}, code: invalid},
		{name: "integers", op: "aclnnDiv", args: []any{whole, whole, x}, code: invalid},
		{name: "double", op: "aclnnGtTensor", args: []any{wide, wide, truth}, code: invalid},
		{name: "no number", op: "aclnnGtScalar", args: []any{x, nil, truth}, code: null},
		{name: "a condition of numbers", op: "aclnnSWhere", args: []any{x, x, x, x}, code: invalid},
		{name: "float into bool", op: "aclnnSWhere", args: []any{truth, x, x, truth}, code: invalid},
		{name: "a result with a negative slope", op: "aclnnLeakyReluBackward", args: []any{x, x, number(-1), true, x}, code: invalid},
		{name: "no threshold", op: "aclnnSoftplus", args: []any{x, n, nil, x}, code: null},
		{name: "no dims", op: "aclnnReduceSum", args: []any{x, nil, false, float, one}, code: null},
		{name: "another type", op: "aclnnReduceSum", args: []any{x, ints{}, false, half, one}, code: invalid},
		{name: "a dimension too many", op: "aclnnReduceSum", args: []any{x, ints{2}, false, float, pair}, code: invalid},
		{name: "a dimension twice", op: "aclnnReduceSum", args: []any{x, ints{1, -1}, false, float, pair}, code: invalid},
		{name: "dimensions not kept", op: "aclnnReduceSum", args: []any{x, ints{1}, true, float, pair}, code: invalid},
		{name: "no dim", op: "aclnnMean", args: []any{x, nil, false, float, one}, code: null},
		{name: "integers", op: "aclnnMean", args: []any{whole, ints{}, false, int32_, one}, code: invalid},
		{name: "no dim", op: "aclnnMeanV2", args: []any{x, nil, false, false, one}, code: null},
		{name: "nothing", op: "aclnnMax", args: []any{empty, one}, code: invalid},
		{name: "another shape", op: "aclnnMax", args: []any{x, pair}, code: invalid},
		{name: "no src", op: "aclnnInplaceCopy", args: []any{x, nil}, code: null},
		{name: "src too large", op: "aclnnInplaceCopy", args: []any{one, x}, code: invalid},
		{name: "another type", op: "aclnnCast", args: []any{x, half, x}, code: invalid},
		{name: "another shape", op: "aclnnCast", args: []any{x, float, pair}, code: invalid},
		{name: "no dims", op: "aclnnPermute", args: []any{x, nil, x}, code: null},
		{name: "a dimension twice", op: "aclnnPermute", args: []any{x, ints{1, 1}, x}, code: invalid},
		{name: "another shape", op: "aclnnPermute", args: []any{x, ints{1, 0}, x}, code: invalid},
		{name: "no value", op: "aclnnInplaceFillScalar", args: []any{x, nil}, code: null},
		{name: "nine dimensions", op: "aclnnInplaceZero", args: []any{deep}, code: invalid},
		{name: "inner dimensions", op: "aclnnMm", args: []any{x, x, x, 0}, code: invalid},
		{name: "a vector", op: "aclnnMm", args: []any{x, pair, x, 0}, code: invalid},
		{name: "another shape", op: "aclnnMm", args: []any{square, x, square, 0}, code: invalid},
		{name: "cubeMathType", op: "aclnnMm", args: []any{square, x, x, 5}, code: invalid},
		{name: "cubeMathType of bfloat16", op: "aclnnMm", args: []any{square, brain, x, 2}, code: invalid},
		{name: "no dimensions", op: "aclnnMatmul", args: []any{one, x, x, 0}, code: invalid},
		{name: "no mat2", op: "aclnnMatmul", args: []any{x, nil, x, 0}, code: null},
		{name: "no beta", op: "aclnnAddmm", args: []any{x, square, x, nil, n, x, 0}, code: null},
		{name: "bias", op: "aclnnAddmm", args: []any{pair, square, x, n, n, x, 0}, code: invalid},
		{name: "inner dimensions", op: "aclnnInplaceAddmm", args: []any{x, x, x, n, n, 0}, code: invalid},
		{name: "std", op: "aclnnInplaceNormal", args: []any{x, f, float32(-1), 0, 0}, code: invalid},
		{name: "no range", op: "aclnnInplaceRandom", args: []any{x, 3, 3, 0, 0}, code: invalid},
		{name: "no grad", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, nil, one, f, f, f, f, f, false, false}, code: null},
		{name: "no maximum", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, x, one, f, f, f, f, f, true, false}, code: null},
		{name: "two steps", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, x, pair, f, f, f, f, f, false, false}, code: invalid},
		{name: "step of int32", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, x, contiguous(int32_, []int{1}, 1), f, f, f, f, f, false, false}, code: invalid},
		{name: "another shape", op: "aclnnApplyAdamWV2", args: []any{x, square, x, nil, x, one, f, f, f, f, f, false, false}, code: invalid},
		{name: "two rates", op: "aclnnApplyAdamW", args: []any{x, x, x, one, one, pair, one, one, one, one, x, nil, false, false}, code: invalid},
		{name: "reduction 3", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, x, nil, nil, 3, one}, code: invalid},
		{name: "target's shape", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, one, nil, nil, 0, x}, code: invalid},
		{name: "weight's shape", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, x, pair, nil, 0, x}, code: invalid},
		{name: "out's shape", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, x, nil, nil, 1, x}, code: invalid},
		{name: "no gradOutput", op: "aclnnBinaryCrossEntropyWithLogitsBackward", args: []any{nil, x, x, nil, nil, 0, x}, code: null},
		{name: "out's shape", op: "aclnnBinaryCrossEntropyWithLogitsBackward", args: []any{x, x, x, nil, nil, 0, pair}, code: invalid},
	}
}

// Random numbers are the same for the same seed and offset, others for others, and have the right moments.
func TestRandom(t *testing.T) {
	v := variants[0]
	const n = 4096
	run := func(lines ...call) [][]float64 {
		var input strings.Builder
		for _, c := range lines {
			input.WriteString(c.line())
		}
		out, errs, err := v.start(t, v.program(t, "operators.c"), input.String())
		require.NoError(t, err, errs)
		var results [][]float64
		for line := range strings.Lines(out) {
			words := strings.Fields(line)
			require.Equal(t, "0,0,0", words[0])
			got, err := decode(float, strings.TrimSuffix(words[2], "|"))
			require.NoError(t, err)
			results = append(results, got)
		}
		return results
	}
	zeros := contiguous(float, []int{n}, make([]float64, n)...)
	normal := func(seed, offset int) call {
		return call{op: "aclnnInplaceNormal", args: []any{zeros, float32(3), float32(2), seed, offset}}
	}
	got := run(normal(1, 0), normal(1, 0), normal(2, 0), normal(1, 1), call{op: "aclnnInplaceRandom", args: []any{zeros, -5, 5, 7, 0}})
	require.Equal(t, got[0], got[1])
	require.NotEqual(t, got[0], got[2])
	require.NotEqual(t, got[0], got[3])
	mean, variance := 0.0, 0.0
	for _, x := range got[0] {
		mean += x / n
		variance += (x - 3) * (x - 3) / n
	}
	require.InDelta(t, 3, mean, 5*2/math.Sqrt(n))
	require.InDelta(t, 4, variance, 5*4*math.Sqrt(2.0/n))
	seen := map[float64]int{}
	for _, x := range got[4] {
		seen[x]++
	}
	require.Len(t, seen, 10)
	for x, times := range seen {
		require.Equal(t, math.Trunc(x), x)
		require.GreaterOrEqual(t, x, -5.0)
		require.Less(t, x, 5.0)
		require.InDelta(t, n/10.0, times, 6*math.Sqrt(n/10.0))
	}
}
