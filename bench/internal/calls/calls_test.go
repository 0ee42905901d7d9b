package calls_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/bench/internal/calls"
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
	require.Equal(t, []float64{-1, -2}, got)
	require.Equal(t, devicetest.Encode([]float64{9, 9, 9, 9}, device.Float32), c.Output.Data, "the caller's storage is as it was")

	scalar := func(x float64) calls.Tensor { return calls.New(device.Float32, []int{}, []float64{x}) }
	one := func(x float64) calls.Tensor { return calls.New(device.Float32, []int{1}, []float64{x}) }
	adam := calls.Call{Op: device.Adam{Beta1: 0.9, Beta2: 0.999}, Inputs: []calls.Tensor{one(1), one(3), scalar(0.5), scalar(0), one(0), one(0)}}
	got, err = dev.Run(adam)
	require.NoError(t, err)
	require.InDelta(t, 0.5, got[0], 1e-6)

	c.Inputs = []calls.Tensor{{}}
	_, err = dev.Run(c)
	require.ErrorIs(t, err, device.ErrParamNull)
	require.True(t, dev.Has(device.MatMul{}, device.Float64))
	require.True(t, dev.Has(device.ReduceSum{Axes: 3}, device.BFloat16))
	require.False(t, dev.Has(device.SGD{}, device.Float32), "what has no reference is not asked for")
}
