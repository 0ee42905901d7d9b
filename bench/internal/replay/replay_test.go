package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	_ "github.com/pullback-go/pullback/bench/internal/faulty"
	"github.com/pullback-go/pullback/bench/internal/replay"
	"github.com/pullback-go/pullback/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden are the values that the loss itself is tested with, from 160-bit arithmetic.
const golden = "../../../ops/softmarginloss/testdata/"

func run(t *testing.T, name, path string, ulp float64) *replay.Result {
	t.Helper()
	file, err := casefile.Open(path)
	require.NoError(t, err)
	dev, err := calls.Open(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	return replay.Run(dev, file, ulp)
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file, format string
		cases        int
	}{
		{"pointwise_float32.json", casefile.Pointwise, 0},
		{"pointwise_float64.json", casefile.Pointwise, 0},
		{"pointwise_float16.json", casefile.Pointwise, 0},
		{"pointwise_bfloat16.json", casefile.Pointwise, 0},
		{"tensors.json.gz", casefile.Tensors, 378},
		{"status.json", casefile.Status, 48},
	} {
		for _, name := range []string{"cpu", "cpu?simd=off"} {
			r := run(t, name, golden+c.file, 0)
			require.Equal(t, c.format, r.Format)
			require.Empty(t, r.First, "%s %s", name, c.file)
			require.Equal(t, r.Cases, r.Passed)
			require.Greater(t, r.Cases, max(c.cases-1, 40))
		}
	}
}

// TestAFaultyDeviceIsCaught: one element of each output is wrong by three ulp.
func TestAFaultyDeviceIsCaught(t *testing.T) {
	for _, file := range []string{"pointwise_float32.json", "pointwise_float16.json", "tensors.json.gz"} {
		r := run(t, "faulty?ulp=3", golden+file, 0)
		require.Positive(t, r.Failed(), file)
		require.GreaterOrEqual(t, r.MaxULP, 2.5, file)
		var b bytes.Buffer
		r.Print(&b, file)
		require.Contains(t, b.String(), "is ", "the numbers are shown")
		require.LessOrEqual(t, strings.Count(b.String(), "\n"), 7, "the first few only")
	}
	require.Zero(t, run(t, "faulty?ulp=3", golden+"pointwise_float32.json", 6).Failed(), "-ulp 6 allows it")
	require.Zero(t, run(t, "faulty?ulp=0", golden+"tensors.json.gz", 0).Failed())
	require.Positive(t, run(t, "faulty?stray=on", golden+"tensors.json.gz", 0).Failed(), "writes behind the output")
}

func TestMissingDTypesAreSkipped(t *testing.T) {
	r := run(t, "faulty?dtypes=float32,float16", golden+"tensors.json.gz", 0)
	require.Zero(t, r.Failed(), r.First)
	require.Positive(t, r.Skipped)
	require.Positive(t, r.Passed)
	var b bytes.Buffer
	r.Print(&b, "f")
	require.Contains(t, b.String(), "bfloat16")
	r = run(t, "faulty?dtypes=float32", golden+"pointwise_float64.json", 0)
	require.Equal(t, r.Cases, r.Skipped)
}

// TestStatusIsJudged: phase one of a device that has one dtype only returns other codes.
func TestStatusIsJudged(t *testing.T) {
	text := `[{"name":"wrong on purpose","op":"forward","self":{"dtype":"float32","shape":[2]},"target":{"dtype":"float32","shape":[2]},
		"output":{"dtype":"float32","shape":[2]},"reduction":0,"code":161001}]`
	file, err := casefile.Read(strings.NewReader(text))
	require.NoError(t, err)
	dev, err := calls.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	r := replay.Run(dev, file, 0)
	require.Equal(t, 1, r.Failed())
	require.Contains(t, r.First[0].Text, "161001")
}

// TestWhatIsWrittenReplays: calls of every kind go through a file and come out right,
// and wrong on a device that is.
func TestWhatIsWrittenReplays(t *testing.T) {
	vector := func(x ...float64) calls.Tensor { return calls.New(device.Float32, []int{len(x)}, x) }
	scalar := func(x float64) calls.Tensor { return calls.New(device.Float32, []int{}, []float64{x}) }
	matrix := calls.New(device.Float32, []int{2, 2}, []float64{1, 2, 3, 4})
	transposed := matrix
	transposed.Strides = []int{1, 2}
	list := []calls.Call{
		{Op: device.SoftMarginLoss{Reduction: device.Mean}, Inputs: []calls.Tensor{vector(1, 2), vector(1, -1)}, Output: scalar(0)},
		{Op: device.SoftMarginLossBackward{}, Inputs: []calls.Tensor{scalar(2), vector(1, 2), vector(1, -1)}, Output: vector(0, 0)},
		{Op: device.MatMul{TransposeOther: true}, Inputs: []calls.Tensor{matrix, transposed}, Output: transposed},
		{Op: device.ReduceSum{Axes: 2}, Inputs: []calls.Tensor{matrix}, Output: vector(0, 0)},
		{Op: device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Inputs: []calls.Tensor{vector(1), vector(2), scalar(0.1), scalar(3), vector(1), vector(4)}},
	}
	data, err := casefile.Encode(list)
	require.NoError(t, err)
	file, err := casefile.Read(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, len(list), file.Cases)
	for name, failed := range map[string]int{"cpu": 0, "faulty?ulp=20": len(list)} {
		dev, err := calls.Open(name)
		require.NoError(t, err)
		r := replay.Run(dev, file, 0)
		require.Equal(t, failed, r.Failed(), r.First)
		require.NoError(t, dev.Close())
	}
}
