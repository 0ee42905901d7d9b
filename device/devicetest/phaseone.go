package devicetest

import (
	"bytes"
	"math"
	"math/bits"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// refusal is a call that phase one must refuse.
type refusal struct {
	name   string
	op     device.Op
	inputs []device.View
	output device.View
	code   device.Code
	arg    string // what the sentence must name
}

// checkPhaseOne makes bad calls and checks that each is refused with the right
// code and names its argument, that the checks are made in CANN's order, and that
// nothing is written.
func checkPhaseOne(f *fixture) {
	const capacity = 64 // elements of float32
	memory := make([]byte, capacity*4)
	fill(memory, outputPoison)
	buffer := f.alloc(len(memory))
	f.upload(buffer, memory)

	for _, r := range refusals(buffer, capacity, f.dtype()) {
		if r.op != nil && slices.Contains(f.o.Without, r.op.Name()) {
			continue
		}
		exe, err := f.dev.Plan(r.op, r.inputs, r.output)
		f.refused(err, r.code, r.arg, "%s", r.name)
		require.Nil(f.t, exe, "%s: an executor with an error", r.name)
		require.True(f.t, bytes.Equal(memory, f.download(buffer)), "%s: the refused call wrote to memory", r.name)
	}
}

// refusals are bad calls on a buffer of the given number of float32 elements,
// made with tensors of dtype d.
func refusals(buffer device.Buffer, capacity int, d device.DType) []refusal {
	capacity = capacity * 4 / d.Size()
	view := func(offset int, shape ...int) device.View {
		return device.View{Buffer: buffer, DType: d, Shape: shape, Strides: rowMajor(shape), Offset: offset}
	}
	strided := func(shape, strides []int) device.View {
		return device.View{Buffer: buffer, DType: d, Shape: shape, Strides: strides}
	}
	with := func(v device.View, d device.DType) device.View { v.DType = d; return v }
	views := func(list ...device.View) []device.View { return list }

	const (
		null, invalid = device.ErrParamNull, device.ErrParamInvalid
		root          = 1 << (bits.UintSize / 2) // its square is one more than a uint holds
		quarter       = 1 << (bits.UintSize - 2) // of the numbers that a uint holds
	)
	var (
		x, y, out = view(0, 2, 3), view(6, 2, 3), view(12, 2, 3)
		scalar    = view(20)
		bad       = device.View{}
		double    = with(view(3, 2, 3), device.Float64)
		five      = view(0, 5)
		rank9     = view(0, 1, 1, 1, 1, 1, 1, 1, 1, 1)
		backward  = device.SoftMarginLossBackward{Reduction: device.Mean}
		badReduce = device.SoftMarginLossBackward{Reduction: 3}
		sgd       = device.SGD{Momentum: 0.9}
		lr, step  = view(20), view(21)
		key       = with(view(24, 2), device.Float32)
	)
	if d == device.Float64 {
		double = with(double, device.Float32)
	}
	return []refusal{
		{"no operation", nil, views(x), out, null, "op"},
		{"no output", device.Exp{}, views(x), bad, null, "output"},
		{"no input", device.Exp{}, views(bad), out, null, "self"},
		{"no second input", device.Add{}, views(x, bad), out, null, "other"},
		{"no gradOutput", backward, views(bad, x, y), out, null, "gradOutput"},
		{"no self", backward, views(scalar, bad, y), out, null, "self"},
		{"no target", backward, views(scalar, x, bad), out, null, "target"},
		{"no state", sgd, views(x, y, lr, step, bad), x, null, "momentum"},
		{"too few inputs", device.Add{}, views(x), out, null, "1 inputs where 2"},
		{"too many inputs", device.Exp{}, views(x, y), out, null, "2 inputs where 1"},
		{"none of three inputs", backward, nil, out, null, "0 inputs where 3"},

		{"float64 mixed", device.Add{}, views(x, double), out, invalid, "other"},
		{"float64 mixed, the other way", device.Add{}, views(double, x), out, invalid, "other"},
		{"float64 output", device.Exp{}, views(x), double, invalid, "output"},
		{"no such dtype", device.Exp{}, views(with(x, 9)), out, invalid, "self"},
		{"zero dtype", device.Exp{}, views(with(x, 0)), out, invalid, "self"},
		{"no such output dtype", device.Exp{}, views(x), with(out, 9), invalid, "output"},
		{"zero output dtype", device.Exp{}, views(x), with(out, 0), invalid, "output"},

		{"rank 9", device.Exp{}, views(rank9), rank9, invalid, "self"},
		{"rank 9 second", device.Add{}, views(x, rank9), out, invalid, "other"},
		{"negative dimension", device.Exp{}, views(strided([]int{2, -3}, []int{3, 1})), out, invalid, "self"},
		{"dimensions whose product overflows", device.Exp{}, views(strided([]int{root, root / 4}, []int{0, 0})), out, invalid, "self"},
		{"dimensions whose product wraps round to 0", device.Exp{}, views(strided([]int{root, root}, []int{0, 0})), out, invalid, "self"},
		{"broadcast whose product overflows", device.Add{},
			views(strided([]int{root, 1}, []int{0, 0}), strided([]int{1, root}, []int{0, 0})), out, invalid, "broadcast"},

		{"reduction 3, loss", device.SoftMarginLoss{Reduction: 3}, views(x, y), scalar, invalid, "reduction"},
		{"reduction -1, loss", device.SoftMarginLoss{Reduction: -1}, views(x, y), scalar, invalid, "reduction"},
		{"reduction 3, gradient", badReduce, views(scalar, x, y), out, invalid, "reduction"},
		{"reduction -1, gradient", device.SoftMarginLossBackward{Reduction: -1}, views(scalar, x, y), out, invalid, "reduction"},
		{"reduction 3, BCE", device.BCEWithLogits{Reduction: 3}, views(x, y), scalar, invalid, "reduction"},
		{"reduction -1, BCE gradient", device.BCEWithLogitsBackward{Reduction: -1}, views(scalar, x, y), out, invalid, "reduction"},
		{"dropping everything", device.Dropout{P: 1}, views(x, key), out, invalid, "P"},
		{"dropping less than nothing", device.Dropout{P: -0.1}, views(x, key), out, invalid, "P"},
		{"dropping NaN", device.Dropout{P: math.NaN()}, views(x, key), out, invalid, "P"},
		{"dropout key of another shape", device.Dropout{P: 0.5}, views(x, x), out, invalid, "key"},
		{"cast to no dtype", device.Cast{}, views(x), out, invalid, "To"},
		{"axis that is not there", device.ReduceSum{Axes: 0b100}, views(x), out, invalid, "axes"},
		{"axis that is not there, mean", device.ReduceMean{Axes: 0b100}, views(x), out, invalid, "axes"},

		{"shapes that do not broadcast", device.Add{}, views(x, five), out, invalid, "other"},
		{"shapes that do not broadcast, loss", device.SoftMarginLoss{}, views(x, five), out, invalid, "target"},
		{"shapes that do not broadcast, gradient", backward, views(five, x, y), out, invalid, "self"},
		{"product of vectors", device.MatMul{}, views(five, five), out, invalid, "self"},
		{"inner dimensions that differ", device.MatMul{}, views(x, y), out, invalid, "other"},
		{"bias of another length", device.Linear{}, views(x, view(6, 3, 4), five), view(12, 2, 4), invalid, "bias"},
		{"another number of elements", device.Reshape{To: dims(7)}, views(x), view(12, 7), invalid, "shape"},
		{"axis twice", device.Transpose{Permutation: dims(1, 1)}, views(x), out, invalid, "permutation"},
		{"too few axes", device.Transpose{Permutation: dims(0)}, views(x), out, invalid, "permutation"},
		{"broadcast to another shape", device.BroadcastTo{To: dims(3, 3)}, views(x), view(12, 3, 3), invalid, "shape"},
		{"gradient of another shape", sgd, views(x, five, lr, step, y), x, invalid, "grad"},
		{"learning rate that is no scalar", sgd, views(x, y, view(20, 1), step, out), x, invalid, "lr"},

		{"output of another shape", device.Exp{}, views(x), view(12, 3, 2), invalid, "output"},
		{"output of another rank", device.Exp{}, views(x), view(12, 6), invalid, "output"},
		{"output that is not reduced", device.SoftMarginLoss{Reduction: device.Sum}, views(x, y), out, invalid, "output"},
		{"output that is smaller than the broadcast", backward, views(view(0, 4, 2, 3), x, y), out, invalid, "output"},

		{"negative stride", device.Exp{}, views(strided([]int{2, 3}, []int{3, -1})), out, invalid, "self"},
		{"negative offset", device.Exp{}, views(view(-1, 2, 3)), out, invalid, "self"},
		{"too few strides", device.Exp{}, views(strided([]int{2, 3}, []int{1})), out, invalid, "self"},
		{"one element beyond the buffer", device.Exp{}, views(view(capacity-5, 2, 3)), out, invalid, "self"},
		{"stride beyond the buffer", device.Exp{}, views(strided([]int{2, 3}, []int{capacity, 1})), out, invalid, "self"},
		{"stride times dimension overflows", device.Exp{}, views(strided([]int{3, 2}, []int{quarter, 1})), view(12, 3, 2), invalid, "self"},
		{"stride times dimension wraps round to 0", device.Exp{}, views(strided([]int{5, 2}, []int{quarter, 1})), view(12, 5, 2), invalid, "self"},
		{"offset and strides overflow", device.Exp{}, views(device.View{Buffer: buffer, DType: d, Shape: []int{2, 2},
			Strides: []int{math.MaxInt, math.MaxInt}, Offset: math.MaxInt}), view(12, 2, 2), invalid, "self"},
		{"output with a negative stride", device.Exp{}, views(x), strided([]int{2, 3}, []int{-3, 1}), invalid, "output"},
		{"output with a negative offset", device.Exp{}, views(x), view(-1, 2, 3), invalid, "output"},
		{"output with too few strides", device.Exp{}, views(x), strided([]int{2, 3}, nil), invalid, "output"},
		{"output one element beyond the buffer", device.Exp{}, views(x), view(capacity-5, 2, 3), invalid, "output"},
		{"output whose stride wraps round", device.Exp{}, views(view(0, 5, 2)), strided([]int{5, 2}, []int{quarter, 1}), invalid, "output"},
		{"output that is a broadcast view", device.Exp{}, views(x), strided([]int{2, 3}, []int{0, 1}), invalid, "output"},
		{"output whose rows overlap", device.Exp{}, views(x), strided([]int{2, 3}, []int{2, 1}), invalid, "output"},
		{"updated in another place", sgd, views(x, y, lr, step, view(18, 2, 3)), out, invalid, "output"},
		{"state that is a broadcast view", sgd, views(x, y, lr, step, strided([]int{2, 3}, []int{0, 1})), x, invalid, "momentum"},

		{"output that overlaps the input", device.Exp{}, views(view(0, 2, 3)), view(3, 2, 3), invalid, "output"},
		{"output that overlaps the second input", device.Add{}, views(x, view(17, 2, 3)), out, invalid, "output"},
		{"output that is the input in another order", device.Exp{}, views(strided([]int{3, 2}, []int{1, 3})), view(0, 3, 2), invalid, "output"},
		{"output that is the input, one element repeated", device.Exp{}, views(strided([]int{2, 3}, []int{0, 0})), x, invalid, "output"},
		{"matrix product in place", device.MatMul{}, views(view(0, 2, 2), view(4, 2, 2)), view(0, 2, 2), invalid, "output"},
		{"transpose in place", device.Transpose{Permutation: dims(1, 0)}, views(view(0, 2, 2)), view(0, 2, 2), invalid, "output"},
		{"sum in place", device.ReduceSum{Axes: 0b1, KeepDims: true}, views(view(0, 1, 3)), view(0, 1, 3), invalid, "output"},
		{"loss into its own logits", device.SoftMarginLoss{Reduction: device.Sum}, views(x, y), view(2), invalid, "output"},
		{"step that is the learning rate", sgd, views(x, y, lr, lr, out), x, invalid, "step"},
		{"state that is the gradient", sgd, views(x, y, lr, step, y), x, invalid, "momentum"},
		{"state that overlaps the parameter", sgd, views(x, y, lr, step, view(5, 2, 3)), x, invalid, "param"},

		// A call that breaks several rules is refused for the first in CANN's order.
		{"null input before null output", backward, views(scalar, bad, y), bad, null, "self"},
		{"null before dtype", backward, views(scalar, with(x, 9), bad), out, null, "target"},
		{"null output before dtype", backward, views(scalar, with(x, 9), y), bad, null, "output"},
		{"dtype before rank", backward, views(rank9, x, with(y, 9)), out, invalid, "target"},
		{"rank before reduction", badReduce, views(scalar, rank9, y), out, invalid, "rank"},
		{"reduction before broadcast", badReduce, views(scalar, x, five), out, invalid, "reduction"},
		{"broadcast before output", backward, views(scalar, x, five), view(12, 7), invalid, "target"},
	}
}

// checkUnsupported plans an operation that no device can know, and every dtype
// that the options say the device lacks.
func checkUnsupported(f *fixture) {
	x := f.tensor(f.dtype(), []float64{1, 2, 3}, 3)
	_, err := f.dev.Plan(unknown{}, []device.View{x}, f.tensor(f.dtype(), []float64{0, 0, 0}, 3))
	f.refused(err, device.ErrUnsupported, unknown{}.Name(), "an operation that the device cannot know")

	buffer := f.alloc(64)
	for _, d := range dtypes {
		if !f.o.has(d) {
			v := device.View{Buffer: buffer, DType: d, Shape: []int{2}, Strides: []int{1}}
			out := v
			out.Offset = 2
			_, err := f.dev.Plan(device.Copy{}, []device.View{v}, out)
			f.refused(err, device.ErrParamInvalid, d.String(), "dtype %s", d)
		}
	}
}

// checkRefusedOp plans the first call of an operation that the device does not have.
func (f *fixture) checkRefusedOp(c *opCase) {
	r := c.uniform(c.calls[0], f.dtype())
	out, views := f.zeros(r)
	_, err := f.dev.Plan(r.op, views, out)
	f.refused(err, device.ErrUnsupported, c.name(), "an operation that the device does not have")
}

// unknown is an operation of this package alone.
type unknown struct{}

func (unknown) Name() string { return "DeviceTestUnknown" }

func (unknown) Infer(inputs []device.Type) (device.Type, error) { return inputs[0], nil }
