package calls_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/bench/internal/calls"
	_ "github.com/pullback-go/pullback/bench/internal/faulty"
	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/device/devicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTensor(t *testing.T) {
	wide := calls.New(device.Float32, []int{2, 4}, []float64{0, 1, 2, 3, 4, 5, 6, 7})
	columns := wide
	columns.Shape, columns.Strides, columns.Offset = []int{2, 2}, []int{4, 2}, 1
	require.Equal(t, []float64{1, 3, 5, 7}, columns.Values())
	require.Equal(t, []float64{5, 7}, columns.Crop(0, 1, 1).Values())
	require.Equal(t, []float64{3, 7}, columns.Crop(1, 1, 1).Packed().Values())
	row := wide
	row.Shape, row.Strides = []int{3, 2}, []int{0, 1}
	require.Equal(t, []float64{0, 1, 0, 1, 0, 1}, row.Values())
	require.Empty(t, calls.New(device.Float16, []int{3, 0}, nil).Values())
}

func TestNeed(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		offset, want   int
		ok             bool
	}{
		{nil, nil, 0, 1, true},
		{[]int{2, 3}, []int{3, 1}, 1, 7, true},
		{[]int{2, 3}, []int{0, 0}, 4, 5, true},
		{[]int{2, 0}, []int{9, 9}, 9, 0, true},
		{[]int{2}, []int{-1}, 0, 0, false},
		{[]int{2}, []int{1}, -1, 0, false},
		{[]int{2}, nil, 0, 0, false},
		{[]int{math.MaxInt}, []int{math.MaxInt}, 0, 0, false},
		{[]int{3}, []int{math.MaxInt / 2}, math.MaxInt, 0, false},
	} {
		got, ok := calls.Need(c.shape, c.strides, c.offset)
		require.Equal(t, c.ok, ok, "%v", c)
		require.Equal(t, c.want, got, "%v", c)
	}
}

// TestRun: a strided output, an optimizer, a missing argument.
func TestRun(t *testing.T) {
	dev, err := calls.Open("cpu?threads=1")
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	output := calls.New(device.Float32, []int{2, 2}, []float64{9, 9, 9, 9})
	output.Shape, output.Strides = []int{2}, []int{2}
	c := calls.Call{Op: device.Neg{}, Inputs: []calls.Tensor{calls.New(device.Float32, []int{2}, []float64{1, 2})}, Output: output}
	got, err := dev.Run(c)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{-1, -2}}, got)
	require.Equal(t, devicetest.Encode([]float64{9, 9, 9, 9}, device.Float32), c.Output.Data, "the caller's storage is as it was")

	scalar := func(x float64) calls.Tensor { return calls.New(device.Float32, []int{}, []float64{x}) }
	one := func(x float64) calls.Tensor { return calls.New(device.Float32, []int{1}, []float64{x}) }
	adam := calls.Call{Op: device.Adam{Beta1: 0.9, Beta2: 0.999}, Inputs: []calls.Tensor{one(1), one(3), scalar(0.5), scalar(0), one(0), one(0)}}
	got, err = dev.Run(adam)
	require.NoError(t, err)
	require.InDelta(t, 0.5, got[0][0], 1e-6)

	c.Inputs = []calls.Tensor{{}}
	_, err = dev.Run(c)
	require.ErrorIs(t, err, device.ErrParamNull)
	require.True(t, dev.Has(device.MatMul{}, device.Float64))
	require.True(t, dev.Has(device.ReduceSum{Axes: 3}, device.BFloat16))
	require.False(t, dev.Has(device.SGD{}, device.Float32), "what has no reference is not asked for")
}

// TestLacks: only what the device never takes is wanting; the rest is the call's fault.
func TestLacks(t *testing.T) {
	vector := func(d device.DType) calls.Tensor { return calls.New(d, []int{1}, []float64{1}) }
	scalar := calls.New(device.Float32, []int{}, []float64{0})
	for _, c := range []struct {
		device string
		call   calls.Call
		want   string
	}{
		{"faulty?lacks=Neg", calls.Call{Op: device.Neg{}, Inputs: []calls.Tensor{vector(device.Float32)}, Output: vector(device.Float32)}, "Neg"},
		{"faulty?dtypes=float32", calls.Call{Op: device.Neg{}, Inputs: []calls.Tensor{vector(device.Float16)}, Output: vector(device.Float32)}, "Neg in float16"},
		{"faulty?refuses=mean", calls.Call{Op: device.SoftMarginLoss{Reduction: device.Mean},
			Inputs: []calls.Tensor{vector(device.Float32), vector(device.Float32)}, Output: scalar}, ""},
		{"cpu", calls.Call{Op: device.Neg{}, Inputs: []calls.Tensor{{}}, Output: scalar}, ""},
	} {
		dev, err := calls.Open(c.device)
		require.NoError(t, err)
		refused := dev.Plan(c.call)
		require.Error(t, refused)
		require.Equal(t, c.want, dev.Lacks(c.call, refused), c.device)
		require.NoError(t, dev.Close())
	}
}

// TestTolerances: what is allowed grows with the products and sums that a device must round, and with nothing else.
func TestTolerances(t *testing.T) {
	vector := func(d device.DType, x ...float64) calls.Tensor { return calls.New(d, []int{len(x)}, x) }
	for _, c := range []struct {
		d              device.DType
		r              device.Reduction
		targets        []float64
		loss, gradient float64
	}{
		{device.Float32, device.None, []float64{1, -1, 1}, 2, 2},
		{device.Float32, device.Sum, []float64{1, -1, 1}, 2.5, 2},
		{device.Float32, device.Mean, []float64{1, -1}, 2.5, 2},
		{device.Float32, device.Mean, []float64{1, -1, 1}, 2.5, 3},
		{device.Float32, device.Mean, []float64{1, -0.5, 1}, 2.5, 4},
		{device.Float32, device.None, []float64{2}, 2, 3},
		{device.Float64, device.None, []float64{2, 1, 1}, 4, 4},
		{device.Float64, device.Mean, []float64{1, 1, 1, 1}, 8.125, 4},
		{device.BFloat16, device.Mean, []float64{2, 1, 1}, 1, 1},
	} {
		target := vector(c.d, c.targets...)
		loss := calls.New(c.d, []int{}, []float64{0})
		if c.r == device.None {
			loss = target
		}
		forward := calls.Call{Op: device.SoftMarginLoss{Reduction: c.r}, Inputs: []calls.Tensor{target, target}, Output: loss}
		backward := calls.Call{Op: device.SoftMarginLossBackward{Reduction: c.r}, Inputs: []calls.Tensor{vector(c.d, 1), target, target}, Output: target}
		require.Equal(t, c.loss, forward.Tolerance(), "%+v", c)
		require.Equal(t, c.gradient, backward.Tolerance(), "%+v", c)
		more := 0.0
		if c.r != device.None && c.d == device.Float32 {
			more = 1.5
		}
		require.Equal(t, []float64{c.loss + more, c.gradient}, calls.Tolerances([]calls.Call{forward, backward}), "%+v", c)
	}
}
