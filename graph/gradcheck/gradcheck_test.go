package gradcheck_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/graph/gradcheck"
	"github.com/pullback-go/pullback/ops"
)

type nodes = []*graph.Node

func openDevice(t *testing.T) device.Device {
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

func values(shape []int, data ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

// of makes a model of an operation on the first input.
func of(op func(x *graph.Node) *graph.Node) gradcheck.Model {
	return func(_ *graph.Graph, in []*graph.Node) *graph.Node { return op(in[0]) }
}

func TestRightRulesPass(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		name   string
		model  gradcheck.Model
		inputs []*tensor.Dense
	}{
		{"Identity", of(func(x *graph.Node) *graph.Node { return x }), []*tensor.Dense{values([]int{3}, 0, -1e9, 1e15)}},
		{"Exp", of(ops.Exp), []*tensor.Dense{values([]int{2, 3}, -20, -1, 0, 1e-9, 1, 10)}},
		{"Log", of(ops.Log), []*tensor.Dense{values([]int{4}, 0.1, 1, 50, 1e6)}},
		{"Scalar", of(ops.Tanh), []*tensor.Dense{values(nil, 0.4)}},
		{"SmallSlopesOfLargeValues", of(func(x *graph.Node) *graph.Node {
			return ops.Sub(ops.Tanh(x), x.Graph().Constant(device.Float64, 1000))
		}), []*tensor.Dense{values([]int{3}, -5, 2, 4)}},
		{"NoGradient", of(ops.Sign), []*tensor.Dense{values([]int{2}, -3, 2)}},
		{"Linear", func(_ *graph.Graph, in []*graph.Node) *graph.Node { return ops.Linear(in[0], in[1], in[2]) },
			[]*tensor.Dense{values([]int{2, 3}, 1, -2, 3, 4, 5, -6), values([]int{3, 2}, 0, 1, 2, -3, 4, 5), values([]int{2}, -1, 1)}},
		{"Mixed", func(_ *graph.Graph, in []*graph.Node) *graph.Node { return ops.Div(ops.Exp(in[0]), in[1]) },
			[]*tensor.Dense{values([]int{2, 1}, 0.5, -1), values([]int{1, 2}, 3, -0.7)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := gradcheck.Check(dev, c.model, c.inputs, gradcheck.Options{})
			require.NoError(t, err)
			require.NoError(t, report.Err())
			elements := 0
			for _, in := range c.inputs {
				elements += in.Shape().TotalSize()
			}
			require.Len(t, report.Entries, 2*elements)

			again, err := gradcheck.Check(dev, c.model, c.inputs, gradcheck.Options{})
			require.NoError(t, err)
			require.Equal(t, report, again)
		})
	}
}

// square is x² with a rule that claims a derivative of factor·x instead of 2x.
func square(x, factor *graph.Node) *graph.Node {
	return graph.Apply(device.Square{}, func(n, g *graph.Node) nodes { return nodes{ops.Mul(g, ops.Mul(factor, n.Input(0)))} }, x)
}

// gateBackward is gradOutput·x with the given rule, the derivative of x²/2.
func gateBackward(gradOutput, x *graph.Node, rule graph.GradientFunc) *graph.Node {
	return graph.Apply(device.Mul{}, rule, gradOutput, x)
}

func halfSquare(x *graph.Node, backwardRule graph.GradientFunc) *graph.Node {
	half := x.Graph().Constant(device.Float64, 0.5)
	return ops.Mul(half, graph.Apply(device.Square{}, func(n, g *graph.Node) nodes {
		return nodes{gateBackward(ops.Add(g, g), n.Input(0), backwardRule)}
	}, x))
}

// failure is an entry without its numbers.
type failure struct {
	order, input int
	index        []int
}

func all(order, input int) []failure {
	return []failure{{order, input, []int{0, 0}}, {order, input, []int{0, 1}}, {order, input, []int{1, 0}}, {order, input, []int{1, 1}}}
}

func TestWrongRulesFail(t *testing.T) {
	dev := openDevice(t)
	x := values([]int{2, 2}, 0.5, -1.5, 2, 3)
	for _, c := range []struct {
		name   string
		model  gradcheck.Model
		inputs []*tensor.Dense
		want   []failure
	}{
		{"RightFactor", of(func(x *graph.Node) *graph.Node { return square(x, x.Graph().Constant(device.Float64, 2)) }), []*tensor.Dense{x}, nil},
		{"WrongFactor", of(func(x *graph.Node) *graph.Node { return square(x, x.Graph().Constant(device.Float64, 1)) }), []*tensor.Dense{x},
			append(all(1, 0), all(2, 0)...)},
		{"SlightlyWrongAtOneElement", of(func(x *graph.Node) *graph.Node {
			return square(x, x.Graph().Tensor(values([]int{2, 2}, 2, 2, 2+1e-6, 2)))
		}), []*tensor.Dense{x}, []failure{{1, 0, []int{1, 0}}, {2, 0, []int{1, 0}}}},
		{"ZeroRule", of(func(x *graph.Node) *graph.Node { return graph.Apply(device.Square{}, graph.ZeroGradient, x) }), []*tensor.Dense{x}, all(1, 0)},
		{"RightSecondOrder", of(func(x *graph.Node) *graph.Node {
			return halfSquare(x, func(n, g *graph.Node) nodes { return nodes{ops.Mul(g, n.Input(1)), ops.Mul(g, n.Input(0))} })
		}), []*tensor.Dense{x}, nil},
		{"WrongSecondOrderForX", of(func(x *graph.Node) *graph.Node {
			return halfSquare(x, func(n, g *graph.Node) nodes { return nodes{ops.Mul(g, n.Input(1)), nil} })
		}), []*tensor.Dense{x}, all(2, 0)},
		{"WrongSecondOrderForGradOutput", of(func(x *graph.Node) *graph.Node {
			return halfSquare(x, func(n, g *graph.Node) nodes { return nodes{ops.Neg(ops.Mul(g, n.Input(1))), ops.Mul(g, n.Input(0))} })
		}), []*tensor.Dense{x}, all(2, 0)},
		{"ZeroSecondOrderRule", of(func(x *graph.Node) *graph.Node { return halfSquare(x, graph.ZeroGradient) }), []*tensor.Dense{x}, all(2, 0)},
		{"TransposeNotUndone", of(func(x *graph.Node) *graph.Node {
			permutation, _ := device.MakeDims([]int{1, 0})
			return graph.Apply(device.Transpose{Permutation: permutation}, func(_, g *graph.Node) nodes { return nodes{g} }, x)
		}), []*tensor.Dense{x}, []failure{{1, 0, []int{0, 1}}, {1, 0, []int{1, 0}}, {2, 0, []int{0, 1}}, {2, 0, []int{1, 0}}}},
		{"BroadcastSummedOverTheWrongAxis", func(_ *graph.Graph, in []*graph.Node) *graph.Node {
			return graph.Apply(device.Add{}, func(_, g *graph.Node) nodes { return nodes{g, ops.Sum(g, 1)} }, in[0], in[1])
		}, []*tensor.Dense{x, values([]int{2}, 0.1, 0.2)},
			[]failure{{1, 1, []int{0}}, {1, 1, []int{1}}, {2, 1, []int{0}}, {2, 1, []int{1}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := gradcheck.Check(dev, c.model, c.inputs, gradcheck.Options{})
			require.NoError(t, err)
			var got []failure
			for _, e := range report.Failures() {
				got = append(got, failure{e.Order, e.Input, e.Index})
			}
			require.Equal(t, c.want, got, "%v", report)
			require.Equal(t, len(c.want) == 0, report.Err() == nil)
		})
	}
}

func TestOptions(t *testing.T) {
	dev := openDevice(t)
	x, w := values([]int{2}, 0.5, -1.5), tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{2, 3}))
	model := func(_ *graph.Graph, in []*graph.Node) *graph.Node {
		x, w := in[0], ops.Cast(in[1], device.Float64)
		return ops.Mul(w, square(x, x.Graph().Constant(device.Float64, 2+1e-6)))
	}
	_, err := gradcheck.Check(dev, model, []*tensor.Dense{x, w}, gradcheck.Options{})
	require.EqualError(t, err, "gradcheck: input 1 is float32, too coarse for differences; give it as float64 and cast it in the model, or leave it out of Options.Inputs")

	report, err := gradcheck.Check(dev, model, []*tensor.Dense{x, w}, gradcheck.Options{Inputs: []int{0}})
	require.NoError(t, err)
	require.Len(t, report.Entries, 4)
	require.Len(t, report.Failures(), 4)

	report, err = gradcheck.Check(dev, model, []*tensor.Dense{x, w}, gradcheck.Options{Inputs: []int{0}, Tolerance: 1e-5})
	require.NoError(t, err)
	require.Len(t, report.Entries, 4)
	require.NoError(t, report.Err())

	report, err = gradcheck.Check(dev, model, []*tensor.Dense{x, w}, gradcheck.Options{Inputs: []int{0}, FirstOrderOnly: true})
	require.NoError(t, err)
	require.Len(t, report.Entries, 2)
	for i, e := range report.Entries {
		require.Equal(t, 1, e.Order)
		require.Equal(t, []int{i}, e.Index)
		require.InDelta(t, 5e-7, e.RelativeError, 1e-9)
	}
}

// TestStridedInputs checks that elements are named by their index, not by their place in memory.
func TestStridedInputs(t *testing.T) {
	x := values([]int{2, 3}, 1, 2, 3, 4, 5, 6)
	require.NoError(t, x.T())
	model := of(func(x *graph.Node) *graph.Node {
		return square(x, x.Graph().Tensor(values([]int{3, 2}, 2, 9, 2, 2, 2, 2)))
	})
	report, err := gradcheck.Check(openDevice(t), model, []*tensor.Dense{x}, gradcheck.Options{FirstOrderOnly: true})
	require.NoError(t, err)
	require.Len(t, report.Failures(), 1)
	require.Equal(t, []int{0, 1}, report.Failures()[0].Index)
	require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, x.Float64s(), "the inputs are not changed")
}

// TestNotDifferentiable checks that what differences cannot judge is not passed as right.
func TestNotDifferentiable(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		name  string
		model gradcheck.Model
		x     float64
	}{
		{"Kink", of(ops.ReLU), 0},
		{"OutsideTheDomain", of(ops.Log), -1},
		{"Pole", of(ops.Log), 1e-4},
		{"Infinite", of(ops.Exp), 1000},
		{"InputNaN", of(ops.Square), math.NaN()},
	} {
		report, err := gradcheck.Check(dev, c.model, []*tensor.Dense{values([]int{1}, c.x)}, gradcheck.Options{FirstOrderOnly: true})
		require.NoError(t, err, c.name)
		require.Len(t, report.Failures(), 1, c.name)
		require.Error(t, report.Err(), c.name)
	}
}

func TestReportSentences(t *testing.T) {
	report := &gradcheck.Report{Tolerance: 1e-8, Entries: []gradcheck.Entry{
		{Order: 1, Input: 0, Index: []int{}, Analytic: 2, Numeric: 2},
		{Order: 1, Input: 2, Index: []int{0, 0}, Analytic: 1, Numeric: 1, RelativeError: 1e-11},
		{Order: 1, Input: 2, Index: []int{0, 1}, Analytic: 1.5, Numeric: 2, RelativeError: 0.25},
		{Order: 1, Input: 2, Index: []int{0, 2}, Analytic: 3, Numeric: 2, RelativeError: 1. / 3},
		{Order: 2, Input: 0, Index: []int{}, Analytic: math.NaN(), Numeric: 2, RelativeError: math.NaN()},
	}}
	require.EqualError(t, report.Err(),
		"gradcheck: first derivative for input 2 at [0,2]: 3 by the gradient rules, 2 by differences, relative error 0.33 (tolerance 1e-08); 2 of 3 elements fail\n"+
			"gradcheck: second derivative for input 0 at []: NaN by the gradient rules, 2 by differences, relative error NaN (tolerance 1e-08); 1 of 1 elements fail")
	require.Equal(t,
		"1 elements, the worst: first derivative for input 0 at []: 2 by the gradient rules, 2 by differences, relative error 0\n"+
			"3 elements, the worst: first derivative for input 2 at [0,2]: 3 by the gradient rules, 2 by differences, relative error 0.33\n"+
			"1 elements, the worst: second derivative for input 0 at []: NaN by the gradient rules, 2 by differences, relative error NaN\n",
		report.String())
}

func TestErrors(t *testing.T) {
	dev := openDevice(t)
	x := values([]int{2}, 1, 2)
	for _, c := range []struct {
		name   string
		model  gradcheck.Model
		inputs []*tensor.Dense
		o      gradcheck.Options
		want   string
	}{
		{"NoInputs", of(ops.Exp), nil, gradcheck.Options{}, "gradcheck: the inputs to check have no elements, so there is nothing to compare"},
		{"Empty", of(ops.Exp), []*tensor.Dense{values([]int{0, 2})}, gradcheck.Options{}, "the inputs to check have no elements"},
		{"NothingSelected", of(ops.Exp), []*tensor.Dense{x}, gradcheck.Options{Inputs: []int{}}, "the inputs to check have no elements"},
		{"Nil", of(ops.Exp), []*tensor.Dense{nil}, gradcheck.Options{}, "input 0: the tensor is nil"},
		{"Integers", of(ops.Exp), []*tensor.Dense{tensor.New(tensor.WithShape(2), tensor.WithBacking([]int{1, 2}))}, gradcheck.Options{},
			"input 0: a tensor of int cannot be used"},
		{"NoSuchInput", of(ops.Exp), []*tensor.Dense{x}, gradcheck.Options{Inputs: []int{1}}, "there is no input 1 to check; the function has 1 inputs, counted from 0"},
		{"Twice", of(ops.Exp), []*tensor.Dense{x}, gradcheck.Options{Inputs: []int{0, 0}}, "input 0 is listed twice"},
		{"NilResult", of(func(*graph.Node) *graph.Node { return nil }), []*tensor.Dense{x}, gradcheck.Options{}, "the model returned nil instead of a node"},
		{"CoarseResult", of(func(x *graph.Node) *graph.Node { return ops.Cast(x, device.Float32) }), []*tensor.Dense{x}, gradcheck.Options{},
			"the model's result is float32[2], too coarse for differences; cast it to float64 as the last step"},
		{"HugeResult", of(func(x *graph.Node) *graph.Node { return ops.BroadcastTo(ops.Sum(x), 1<<14, 1<<13) }), []*tensor.Dense{x}, gradcheck.Options{},
			"the model's result float64[16384,8192] has 134217728 elements, more than the 67108864 that can be checked; reduce it, or check smaller inputs"},
		{"Independent", func(g *graph.Graph, _ []*graph.Node) *graph.Node { return g.Constant(device.Float64, 1) }, []*tensor.Dense{x}, gradcheck.Options{},
			"is not computed from x 0, input 0, so there is no gradient for it"},
		{"NoSecondOrderRule", of(func(x *graph.Node) *graph.Node { return halfSquare(x, nil) }), []*tensor.Dense{x}, gradcheck.Options{}, "Mul at "},
		{"ModelError", of(func(x *graph.Node) *graph.Node { return ops.Sum(x, 3) }), []*tensor.Dense{x}, gradcheck.Options{}, "gradcheck_test.go:"},
	} {
		report, err := gradcheck.Check(dev, c.model, c.inputs, c.o)
		require.ErrorContains(t, err, c.want, c.name)
		require.Nil(t, report, c.name)
	}
}

func TestClosedDevice(t *testing.T) {
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	require.NoError(t, dev.Close())
	_, err = gradcheck.Check(dev, of(ops.Exp), []*tensor.Dense{values([]int{1}, 1)}, gradcheck.Options{})
	require.ErrorIs(t, err, device.ErrUninitialized)
}
