package device_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// typ is short for a device.Type.
func typ(d device.DType, shape ...int) device.Type {
	if shape == nil {
		shape = []int{}
	}
	return device.Type{DType: d, Shape: shape}
}

// opRow is a good call of an operation.
type opRow struct {
	op     device.Op
	args   []string // the names of the inputs
	inputs []device.Type
	result device.Type
}

// ops is every operation with inputs of float32 that it takes.
func ops(t *testing.T) []opRow {
	x, y, scalar := typ(f32, 2, 3), typ(f32, 3), typ(f32)
	self, both := []string{"self"}, []string{"self", "other"}
	gradSelf, gradOutput := []string{"gradOutput", "self"}, []string{"gradOutput", "output"}
	loss, lossGrad := []string{"self", "target"}, []string{"gradOutput", "self", "target"}
	one, two, three := []device.Type{x}, []device.Type{x, y}, []device.Type{scalar, x, y}
	optimizer := func(op device.Optimizer, state ...string) opRow {
		row := opRow{op, append([]string{"param", "grad", "lr", "step"}, state...), []device.Type{x, x, scalar, scalar}, x}
		for range state {
			row.inputs = append(row.inputs, x)
		}
		return row
	}
	return []opRow{
		{device.Neg{}, self, one, x}, {device.Exp{}, self, one, x}, {device.Log{}, self, one, x}, {device.Sqrt{}, self, one, x},
		{device.Square{}, self, one, x}, {device.Abs{}, self, one, x}, {device.Sign{}, self, one, x}, {device.Tanh{}, self, one, x},
		{device.Sigmoid{}, self, one, x}, {device.ReLU{}, self, one, x}, {device.GELU{}, self, one, x}, {device.Softplus{}, self, one, x},
		{device.LeakyReLU{NegativeSlope: 0.1}, self, one, x}, {device.Copy{}, self, one, x},

		{device.Add{}, both, two, x}, {device.Sub{}, both, two, x}, {device.Mul{}, both, two, x}, {device.Div{}, both, two, x},
		{device.Maximum{}, both, two, x}, {device.ReLUBackward{}, gradOutput, two, x}, {device.GELUBackward{}, gradSelf, two, x},
		{device.LeakyReLUBackward{NegativeSlope: 0.1}, gradSelf, two, x}, {device.TanhBackward{}, gradOutput, two, x},
		{device.SigmoidBackward{}, gradOutput, two, x}, {device.MaximumBackward{}, []string{"gradOutput", "self", "other"}, three, x},
		{device.Dropout{P: 0.5}, []string{"self", "key"}, []device.Type{x, typ(f32, 2)}, x},
		{device.Cast{To: f16}, self, one, typ(f16, 2, 3)},

		{device.SoftMarginLoss{}, loss, two, x}, {device.SoftMarginLoss{Reduction: device.Mean}, loss, two, scalar},
		{device.BCEWithLogits{}, loss, two, x}, {device.BCEWithLogits{Reduction: device.Sum}, loss, two, scalar},
		{device.SoftMarginLossBackward{}, lossGrad, three, x}, {device.SoftMarginLossBackward{Reduction: device.Sum}, lossGrad, three, x},
		{device.BCEWithLogitsBackward{Reduction: device.Mean}, lossGrad, three, x},

		{device.Reshape{To: dims(t, 3, 1, 2)}, self, one, typ(f32, 3, 1, 2)},
		{device.Transpose{Permutation: dims(t, 1, 0)}, self, one, typ(f32, 3, 2)},
		{device.BroadcastTo{To: dims(t, 4, 2, 3)}, self, one, typ(f32, 4, 2, 3)},
		{device.ReduceSum{Axes: 0b10}, self, one, typ(f32, 2)},
		{device.ReduceMean{Axes: 0b01, KeepDims: true}, self, one, typ(f32, 1, 3)},

		{device.MatMul{}, both, []device.Type{x, typ(f32, 3, 5)}, typ(f32, 2, 5)},
		{device.MatMul{TransposeSelf: true, TransposeOther: true}, both, []device.Type{typ(f32, 3, 2), typ(f32, 5, 3)}, typ(f32, 2, 5)},
		{device.Linear{}, []string{"input", "weight", "bias"}, []device.Type{x, typ(f32, 3, 5), typ(f32, 5)}, typ(f32, 2, 5)},

		optimizer(device.SGD{}),
		optimizer(device.SGD{Momentum: 0.9}, "momentum"),
		optimizer(device.Adam{}, "expAvg", "expAvgSq"),
		optimizer(device.Adam{AMSGrad: true}, "expAvg", "expAvgSq", "maxExpAvgSq"),
		optimizer(device.RMSprop{}, "squareAvg"),
		optimizer(device.RMSprop{Centered: true}, "squareAvg", "gradAvg"),
		optimizer(device.RMSprop{Momentum: 0.9}, "squareAvg", "momentum"),
		optimizer(device.RMSprop{Centered: true, Momentum: 0.9}, "squareAvg", "gradAvg", "momentum"),
		optimizer(device.Adagrad{}, "sum"),
	}
}

func TestInfer(t *testing.T) {
	for _, o := range ops(t) {
		name := fmt.Sprintf("%T", o.op)
		require.Equal(t, "device."+o.op.Name(), name)
		require.True(t, reflect.TypeOf(o.op).Comparable(), name)
		require.Len(t, o.args, len(o.inputs), name)
		got, err := o.op.Infer(o.inputs)
		require.NoError(t, err, name)
		require.True(t, got.Equal(o.result), "%s: %v, want %v", name, got, o.result)
		if optimizer, ok := o.op.(device.Optimizer); ok {
			require.Equal(t, append([]string{}, o.args[4:]...), append([]string{}, optimizer.State()...), name)
			want := []int{0, 3} // param and step
			for i := range o.args[4:] {
				want = append(want, 4+i)
			}
			require.Equal(t, want, optimizer.Updates(), name)
		}
	}
}

func TestOpString(t *testing.T) {
	for _, test := range []struct {
		op   device.Op
		want string
	}{
		{device.Exp{}, "Exp"},
		{device.MaximumBackward{}, "MaximumBackward"},
		{device.LeakyReLU{NegativeSlope: 0.1}, "LeakyReLU{NegativeSlope:0.1}"},
		{device.MatMul{TransposeOther: true}, "MatMul{TransposeSelf:false TransposeOther:true}"},
		{device.SoftMarginLoss{Reduction: device.Mean}, "SoftMarginLoss{Reduction:mean}"},
		{device.ReduceSum{Axes: 0b101}, "ReduceSum{Axes:[0,2] KeepDims:false}"},
		{device.Reshape{To: dims(t, 2, 3)}, "Reshape{To:[2,3]}"},
		{device.Cast{To: device.BFloat16}, "Cast{To:bfloat16}"},
		{device.Adagrad{LRDecay: 0.5, Epsilon: 1e-10}, "Adagrad{LRDecay:0.5 WeightDecay:0 Epsilon:1e-10}"},
	} {
		require.Equal(t, test.want, device.OpString(test.op))
	}
}

func TestArgName(t *testing.T) {
	for _, o := range ops(t) {
		for i, arg := range o.args {
			require.Equal(t, arg, device.ArgName(o.op, i), o.op.Name())
		}
		require.Equal(t, "input 9", device.ArgName(o.op, 9))
	}
	require.Equal(t, "input 0", device.ArgName(storeAs{}, 0))
}

// The rules that all operations have in common.
func TestInferRefusals(t *testing.T) {
	const nullCode, invalidCode = " (161001 ACLNN_ERR_PARAM_NULLPTR)", " (161002 ACLNN_ERR_PARAM_INVALID)"
	rank9 := typ(f32, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	for _, o := range ops(t) {
		n, name := len(o.inputs), o.op.Name()
		refused := func(want string, inputs ...device.Type) {
			t.Helper()
			_, err := o.op.Infer(inputs)
			require.EqualError(t, err, name+": "+want)
		}
		refused(fmt.Sprintf("%d inputs where %d are needed", n-1, n)+nullCode, o.inputs[1:]...)
		refused(fmt.Sprintf("%d inputs where %d are needed", n+1, n)+nullCode, append(slices.Clone(o.inputs), o.inputs[0])...)
		refused(fmt.Sprintf("0 inputs where %d are needed", n) + nullCode)

		for i, arg := range o.args {
			with := func(x device.Type) []device.Type {
				inputs := slices.Clone(o.inputs)
				inputs[i] = x
				return inputs
			}
			refused(arg+": the tensor is missing"+nullCode, with(device.Type{})...)
			if arg == "key" {
				continue // of one type only, see TestInferSentences
			}
			noDType := with(device.Type{DType: 9, Shape: o.inputs[i].Shape})
			refused(arg+": dtype(9) is not one of float32, float16, bfloat16, float64"+invalidCode, noDType...)
			refused(arg+": rank 9 is more than the 8 dimensions that are supported"+invalidCode, with(rank9)...)
			refused(arg+": dimension 1 of [2,-3] is negative"+invalidCode, with(typ(f32, 2, -3))...)
			refused(fmt.Sprintf("%s: [%d,%d] has more elements than can be counted%s", arg, vast, vast, invalidCode), with(typ(f32, vast, vast))...)
			if n > 1 && o.args[1] != "key" {
				at, wide, narrow := i, f64, f32
				if i == 0 { // the first sets the tone, so the second is out of tune
					at, wide, narrow = 1, f32, f64
				}
				refused(fmt.Sprintf("%s: %v does not mix with %v; float64 goes only with float64, so cast one of them%s",
					o.args[at], wide, narrow, invalidCode), with(typ(f64, o.inputs[i].Shape...))...)
			}
		}
	}
}

// The sentences of the rules that are an operation's own.
func TestInferSentences(t *testing.T) {
	x, v, scalar := typ(f32, 2, 3), typ(f32, 5), typ(f32)
	huge := typ(f32, vast, 0)
	for _, test := range []struct {
		op     device.Op
		inputs []device.Type
		want   string
	}{
		{device.Add{}, []device.Type{x, v}, "Add: other: shape [5] does not broadcast with [2,3]"},
		{device.Add{}, []device.Type{typ(f32, vast, 1), typ(f32, 1, vast)},
			fmt.Sprintf("Add: the broadcast of the inputs: [%d,%d] has more elements than can be counted", vast, vast)},
		{device.MaximumBackward{}, []device.Type{scalar, x, v}, "MaximumBackward: other: shape [5] does not broadcast with [2,3]"},

		{device.SoftMarginLoss{Reduction: 3}, []device.Type{x, x}, "SoftMarginLoss: reduction: 3 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{device.SoftMarginLoss{Reduction: -1}, []device.Type{x, v}, "SoftMarginLoss: reduction: -1 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{device.SoftMarginLoss{Reduction: device.Mean}, []device.Type{x, v}, "SoftMarginLoss: target: shape [5] does not broadcast with [2,3]"},
		{device.SoftMarginLossBackward{Reduction: 3}, []device.Type{v, x, x}, "SoftMarginLossBackward: reduction: 3 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{device.SoftMarginLossBackward{}, []device.Type{v, x, x}, "SoftMarginLossBackward: self: shape [2,3] does not broadcast with [5]"},
		{device.BCEWithLogits{Reduction: 7}, []device.Type{x, x}, "BCEWithLogits: reduction: 7 is not one of 0 (none), 1 (mean), 2 (sum)"},
		{device.BCEWithLogitsBackward{Reduction: -2}, []device.Type{x, x, x}, "BCEWithLogitsBackward: reduction: -2 is not one of 0 (none), 1 (mean), 2 (sum)"},

		{device.Dropout{P: 1}, []device.Type{x, typ(f32, 2)}, "Dropout: P: the dropped share is 1, but must be in [0, 1)"},
		{device.Dropout{P: -0.5}, []device.Type{x, typ(f32, 2)}, "Dropout: P: the dropped share is -0.5, but must be in [0, 1)"},
		{device.Dropout{P: math.NaN()}, []device.Type{x, typ(f32, 2)}, "Dropout: P: the dropped share is NaN, but must be in [0, 1)"},
		{device.Dropout{}, []device.Type{x, typ(f16, 2)}, "Dropout: key: float16[2] where float32[2] is needed"},
		{device.Dropout{}, []device.Type{x, typ(f32, 3)}, "Dropout: key: float32[3] where float32[2] is needed"},
		{device.Dropout{}, []device.Type{x, scalar}, "Dropout: key: float32[] where float32[2] is needed"},

		{device.Cast{}, []device.Type{x}, "Cast: To: dtype(0) is not one of float32, float16, bfloat16, float64"},

		{device.Reshape{To: dims(t, 7)}, []device.Type{x}, "Reshape: shape: [7] holds 7 elements, but [2,3] has 6"},
		{device.Reshape{To: dims(t)}, []device.Type{x}, "Reshape: shape: [] holds 1 elements, but [2,3] has 6"},
		{device.Reshape{To: dims(t, -2, -3)}, []device.Type{x}, "Reshape: shape: dimension 0 of [-2,-3] is negative"},
		{device.Reshape{To: dims(t, vast, vast)}, []device.Type{typ(f32, 0)}, fmt.Sprintf("Reshape: shape: [%d,%d] has more elements than can be counted", vast, vast)},
		{device.Transpose{Permutation: dims(t, 0)}, []device.Type{x}, "Transpose: permutation: [0] is not a permutation of the 2 axes of [2,3]"},
		{device.Transpose{Permutation: dims(t, 1, 1)}, []device.Type{x}, "Transpose: permutation: [1,1] is not a permutation of the 2 axes of [2,3]"},
		{device.Transpose{Permutation: dims(t, 0, 2)}, []device.Type{x}, "Transpose: permutation: [0,2] is not a permutation of the 2 axes of [2,3]"},
		{device.Transpose{Permutation: dims(t, -1, 0)}, []device.Type{x}, "Transpose: permutation: [-1,0] is not a permutation of the 2 axes of [2,3]"},
		{device.Transpose{Permutation: dims(t, 0, 1, 0)}, []device.Type{x}, "Transpose: permutation: [0,1,0] is not a permutation of the 2 axes of [2,3]"},
		{device.BroadcastTo{To: dims(t, 3, 3)}, []device.Type{x}, "BroadcastTo: shape: [2,3] does not broadcast to [3,3]"},
		{device.BroadcastTo{To: dims(t, 3)}, []device.Type{x}, "BroadcastTo: shape: [2,3] does not broadcast to [3]"},
		{device.BroadcastTo{To: dims(t, 1, 3)}, []device.Type{x}, "BroadcastTo: shape: [2,3] does not broadcast to [1,3]"},
		{device.BroadcastTo{To: dims(t, 2, -3)}, []device.Type{x}, "BroadcastTo: shape: dimension 1 of [2,-3] is negative"},
		{device.ReduceSum{Axes: 0b101}, []device.Type{x}, "ReduceSum: axes: [0,2] reaches beyond the 2 axes of [2,3]"},
		{device.ReduceMean{Axes: 0b1}, []device.Type{scalar}, "ReduceMean: axes: [0] reaches beyond the 0 axes of []"},

		{device.MatMul{}, []device.Type{v, x}, "MatMul: self: shape [5] is not a matrix; rank 2 is needed"},
		{device.MatMul{}, []device.Type{x, typ(f32, 1, 3, 5)}, "MatMul: other: shape [1,3,5] is not a matrix; rank 2 is needed"},
		{device.MatMul{}, []device.Type{x, x}, "MatMul: other: [2,3] by [2,3]: the inner dimensions 3 and 2 differ"},
		{device.MatMul{TransposeSelf: true, TransposeOther: true}, []device.Type{x, x}, "MatMul: other: [3,2] by [3,2]: the inner dimensions 2 and 3 differ"},
		{device.MatMul{TransposeOther: true}, []device.Type{huge, huge}, fmt.Sprintf("MatMul: the product: [%d,%d] has more elements than can be counted", vast, vast)},
		{device.Linear{}, []device.Type{x, x, v}, "Linear: weight: [2,3] by [2,3]: the inner dimensions 3 and 2 differ"},
		{device.Linear{}, []device.Type{x, typ(f32, 3, 4), v}, "Linear: bias: shape [5] is not [4]"},
		{device.Linear{}, []device.Type{x, typ(f32, 3, 4), typ(f32, 1, 4)}, "Linear: bias: shape [1,4] is not [4]"},

		{device.SGD{}, []device.Type{x, v, scalar, scalar}, "SGD: grad: shape [5] is not [2,3]"},
		{device.SGD{}, []device.Type{x, x, v, scalar}, "SGD: lr: shape [5] is not []"},
		{device.SGD{}, []device.Type{x, x, scalar, typ(f32, 1)}, "SGD: step: shape [1] is not []"},
		{device.SGD{Momentum: 0.9}, []device.Type{x, x, scalar, scalar, scalar}, "SGD: momentum: shape [] is not [2,3]"},
		{device.Adam{}, []device.Type{x, x, scalar, scalar, x, v}, "Adam: expAvgSq: shape [5] is not [2,3]"},
	} {
		_, err := test.op.Infer(test.inputs)
		require.EqualError(t, err, test.want+" (161002 ACLNN_ERR_PARAM_INVALID)")
	}
}

// Results have the dtype in which the inputs meet.
func TestInferPromotes(t *testing.T) {
	for _, test := range []struct {
		op     device.Op
		inputs []device.Type
		want   device.DType
	}{
		{device.Neg{}, []device.Type{typ(f64)}, f64},
		{device.Mul{}, []device.Type{typ(f16), typ(f16)}, f16},
		{device.Mul{}, []device.Type{typ(f16), typ(b16)}, f32},
		{device.MaximumBackward{}, []device.Type{typ(b16), typ(b16), typ(f16)}, f32},
		{device.SoftMarginLoss{Reduction: device.Sum}, []device.Type{typ(b16), typ(b16)}, b16},
		{device.Linear{}, []device.Type{typ(f16, 1, 1), typ(f16, 1, 1), typ(f32, 1)}, f32},
		{device.Dropout{}, []device.Type{typ(f64), typ(f32, 2)}, f64},
		{device.Cast{To: f64}, []device.Type{typ(b16)}, f64},
		{device.SGD{}, []device.Type{typ(b16), typ(f32), typ(f32), typ(f32)}, b16}, // the parameter's, not the widest
	} {
		got, err := test.op.Infer(test.inputs)
		require.NoError(t, err, test.op.Name())
		require.Equal(t, test.want, got.DType, test.op.Name())
	}
}
