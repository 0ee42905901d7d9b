package reference_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// TestKnownValues holds the formulas to values that can be checked by hand or in tables.
func TestKnownValues(t *testing.T) {
	vector := func(x ...float64) reference.Tensor { return reference.Tensor{Shape: []int{len(x)}, Data: x} }
	matrix := func(rows int, x ...float64) reference.Tensor {
		return reference.Tensor{Shape: []int{rows, len(x) / rows}, Data: x}
	}
	scalar := func(x float64) reference.Tensor { return reference.Tensor{Data: []float64{x}} }
	for _, c := range []struct {
		op   device.Op
		in   []reference.Tensor
		want []float64
	}{
		{device.SoftMarginLoss{}, []reference.Tensor{vector(0, 1, -1000), vector(1, -1, 1)}, []float64{math.Ln2, 1.3132616875182228, 1000}},
		{device.SoftMarginLoss{Reduction: device.Mean}, []reference.Tensor{vector(0, 0), vector(1, -1)}, []float64{math.Ln2}},
		{device.SoftMarginLossBackward{Reduction: device.Mean}, []reference.Tensor{scalar(4), vector(0, 0), vector(1, -1)}, []float64{-1, 1}},
		{device.BCEWithLogits{Reduction: device.Sum}, []reference.Tensor{vector(0, 0), vector(1, 0)}, []float64{2 * math.Ln2}},
		{device.BCEWithLogitsBackward{}, []reference.Tensor{scalar(2), vector(0), vector(1)}, []float64{-1}},
		{device.MatMul{}, []reference.Tensor{matrix(2, 1, 2, 3, 4), matrix(2, 5, 6, 7, 8)}, []float64{19, 22, 43, 50}},
		{device.MatMul{TransposeSelf: true}, []reference.Tensor{matrix(2, 1, 2, 3, 4), matrix(2, 5, 6, 7, 8)}, []float64{26, 30, 38, 44}},
		{device.MatMul{TransposeOther: true}, []reference.Tensor{matrix(2, 1, 2, 3, 4), matrix(2, 5, 6, 7, 8)}, []float64{17, 23, 39, 53}},
		{device.Linear{}, []reference.Tensor{matrix(1, 1, 2), matrix(2, 5, 6, 7, 8), vector(10, 20)}, []float64{29, 42}},
		{device.ReduceSum{Axes: 1}, []reference.Tensor{matrix(2, 1, 2, 3, 4)}, []float64{4, 6}},
		{device.ReduceMean{Axes: 2}, []reference.Tensor{matrix(2, 1, 2, 3, 4)}, []float64{1.5, 3.5}},
		{device.ReduceSum{Axes: 1}, []reference.Tensor{vector(1e100, 1, -1e100)}, []float64{1}},
		{device.Add{}, []reference.Tensor{matrix(2, 1, 2), matrix(1, 10, 20)}, []float64{11, 21, 12, 22}},
		{device.GELU{}, []reference.Tensor{vector(0, 1)}, []float64{0, 0.8413447460685429}},
		// The first step of Adam moves by the learning rate against the gradient's sign.
		{device.Adam{Beta1: 0.9, Beta2: 0.999}, []reference.Tensor{vector(1, 1), vector(3, -5), scalar(0.5), scalar(0), vector(0, 0), vector(0, 0)}, []float64{0.5, 1.5}},
	} {
		got, err := reference.Compute(c.op, c.in, device.Float32)
		require.NoError(t, err)
		require.Len(t, got, len(c.want), device.OpString(c.op))
		for i, n := range got {
			require.InDelta(t, c.want[i], n.Value, 1e-14*max(1, math.Abs(c.want[i])), device.OpString(c.op))
			require.GreaterOrEqual(t, n.Scale, math.Abs(n.Value), device.OpString(c.op))
		}
	}
}

func TestDistance(t *testing.T) {
	one := reference.Number{Value: 1, Scale: 1}
	require.Equal(t, 3.0, reference.Distance(1+3*0x1p-23, one, device.Float32))
	require.Equal(t, 3.0, reference.Distance(1+3*0x1p-10, one, device.Float16))
	require.Equal(t, 3.0/16, reference.Distance(1+3*0x1p-23, reference.Number{Value: 1, Scale: 16}, device.Float32))
	require.Zero(t, reference.Distance(math.NaN(), reference.Number{Value: math.NaN(), Scale: math.NaN()}, device.Float32))
	require.True(t, math.IsInf(reference.Distance(math.NaN(), one, device.Float32), 1))
	require.Zero(t, reference.Distance(math.Inf(1), reference.Number{Value: 1e6, Scale: 1e6}, device.Float16))
	require.Equal(t, devicetest.ULP(2, 1, device.BFloat16), reference.Distance(2, one, device.BFloat16))
}

// TestOpsAreNamedAndReadBack: every operation survives the way to JSON and back.
func TestOpsAreNamedAndReadBack(t *testing.T) {
	for _, op := range []device.Op{
		device.Neg{}, device.LeakyReLU{NegativeSlope: 0.25}, device.MatMul{TransposeOther: true}, device.Linear{},
		device.SoftMarginLoss{Reduction: device.Sum}, device.SoftMarginLossBackward{Reduction: device.Mean},
		device.ReduceSum{Axes: 5, KeepDims: true}, device.Adam{Beta1: 0.9, Decoupled: true},
	} {
		attributes, err := reference.Attributes(op)
		require.NoError(t, err)
		back, err := reference.Op(op.Name(), attributes)
		require.NoError(t, err)
		require.Equal(t, op, back)
	}
	_, err := reference.Op("Neg", []byte(`{"Reduction":1}`))
	require.ErrorContains(t, err, "Neg")
	_, err = reference.Op("Frobnicate", nil)
	require.ErrorContains(t, err, "Frobnicate")
}

func TestComputeRefuses(t *testing.T) {
	_, err := reference.Compute(device.MatMul{}, []reference.Tensor{{Shape: []int{2, 3}, Data: make([]float64, 6)}, {Shape: []int{2, 3}, Data: make([]float64, 6)}}, device.Float32)
	require.ErrorIs(t, err, device.ErrParamInvalid)
	_, err = reference.Compute(device.Neg{}, []reference.Tensor{{Shape: []int{2}, Data: make([]float64, 3)}}, device.Float32)
	require.Error(t, err)
	_, err = reference.Compute(device.SGD{}, nil, device.Float32)
	require.ErrorContains(t, err, "SGD")
}
