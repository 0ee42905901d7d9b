//go:build linux

package simulator

import (
	"fmt"
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
	args []any // tensor, ref, view, scalar, ints, int, bool, float32 or nil
	code int   // of phase one; what follows is for code 0

	want      map[int][]float64 // results by argument, in row-major order
	workspace int               // in bytes, or -1 if that is of no interest
}

// ref is the same tensor as another argument.
type ref int

// view is another tensor in the memory of an argument before it.
type view struct {
	of             int
	shape, strides []int
	offset         int
}

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
		case view:
			word = fmt.Sprintf("v:%d:%s:%s:%d", arg.of, list(arg.shape), list(arg.strides), arg.offset)
		case scalar:
			word = fmt.Sprintf("s:%d:%s", arg.dtype, encode(arg.dtype, arg.value))
		case ints:
			word = "a:" + list(arg)
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
		lossCalls(), optimizerCalls(), randomCalls(), overlapCalls(), refusedCalls()} {
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
		require.Equal(t, plain, lines, "results depend on the build")
	})
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
