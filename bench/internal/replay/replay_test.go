package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
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
	defer func() { require.NoError(t, errors.Join(file.Close(), dev.Close())) }()
	r, err := replay.Run(dev, file, ulp)
	require.NoError(t, err)
	return r
}

// text replays a file that is given as it stands.
func text(t *testing.T, name, content string) *replay.Result {
	t.Helper()
	file, err := casefile.Read(strings.NewReader(content))
	require.NoError(t, err)
	dev, err := calls.Open(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	r, err := replay.Run(dev, file, 0)
	require.NoError(t, err)
	return r
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

// TestVerdicts: a device that does not have something skips it, one that answers otherwise than the file says fails,
// and what one case is refused for says nothing about the next.
func TestVerdicts(t *testing.T) {
	status := func(op string, reduction, code int) string {
		const vector = `{"dtype":"float32","shape":[2]}`
		output := vector
		if op == "forward" && reduction > 0 {
			output = `{"dtype":"float32","shape":[]}`
		}
		return fmt.Sprintf(`{"name":"a case","op":"%s","gradOutput":%s,"self":%s,"target":%s,"output":%s,"reduction":%d,"code":%d}`,
			op, vector, vector, vector, output, reduction, code)
	}
	loss := func(reduction int) string {
		const vector = `{"dtype":"float32","shape":[1],"bits":["3f800000"]}`
		shape := `[1]`
		if reduction > 0 {
			shape = `[]`
		}
		return fmt.Sprintf(`{"self":%s,"target":%s,"reduction":%d,"loss":{"dtype":"float32","shape":%s,"float64":["3fd40c7abfbec125"]}}`, vector, vector, reduction, shape)
	}
	for _, c := range []struct {
		device                  string
		cases                   []string
		passed, failed, skipped int
		says                    string
	}{
		{"cpu", []string{status("forward", 0, 0), status("backward", 1, 0)}, 2, 0, 0, ""},
		{"cpu", []string{status("forward", 0, 161001)}, 0, 1, 0, "161001"},
		{"cpu", []string{status("forward", 7, 161002), status("forward", 7, 0), status("forward", 1, 0)}, 2, 1, 0, "161002"},
		{"faulty?lacks=SoftMarginLoss", []string{status("forward", 0, 0), status("backward", 0, 0)}, 1, 0, 1, ""},
		{"faulty?refuses=mean", []string{status("forward", 1, 0), status("forward", 2, 0)}, 1, 1, 0, "161002"},
		{"faulty?dtypes=float64", []string{status("forward", 0, 0)}, 0, 0, 1, ""},
		{"cpu", []string{loss(0), loss(1), loss(2)}, 3, 0, 0, ""},
		{"faulty?refuses=mean", []string{loss(1), loss(0), loss(2)}, 2, 1, 0, "there is no mean"},
		{"faulty?lacks=SoftMarginLoss", []string{loss(1), loss(0)}, 0, 0, 2, ""},
		{"faulty?dtypes=float64", []string{loss(1)}, 0, 0, 1, ""},
	} {
		r := text(t, c.device, "["+strings.Join(c.cases, ",")+"]")
		require.Equal(t, []int{len(c.cases), c.passed, c.failed, c.skipped}, []int{r.Cases, r.Passed, r.Failed(), r.Skipped}, "%s: %v", c.device, r)
		if c.failed > 0 {
			require.Contains(t, r.First[0].Text, c.says)
		}
	}
}

// TestFusedCalls: a case with the loss and its gradient is made in one pass too, where the device does that.
func TestFusedCalls(t *testing.T) {
	r := run(t, "faulty?fused=on&ulp=20", golden+"tensors.json.gz", 0)
	require.Greater(t, r.Failed(), r.Cases/2)
	require.Contains(t, r.First[0].Text, "in one pass")
	require.Zero(t, run(t, "faulty?fused=on", golden+"tensors.json.gz", 0).Failed())
}

// TestWhatIsWrittenReplays: calls of every kind go through a file and come out right,
// and wrong on a device that is.
func TestWhatIsWrittenReplays(t *testing.T) {
	vector := func(x ...float64) calls.Tensor { return calls.New(device.Float32, []int{len(x)}, x) }
	scalar := func(x float64) calls.Tensor { return calls.New(device.Float32, []int{}, []float64{x}) }
	matrix := calls.New(device.Float32, []int{2, 2}, []float64{1, 2, 3, 4})
	transposed := matrix
	transposed.Strides = []int{1, 2}
	scores, labels := vector(1, 2), vector(1, -1)
	forward := calls.Call{Op: device.SoftMarginLoss{Reduction: device.Mean}, Inputs: []calls.Tensor{scores, labels}, Output: scalar(0)}
	backward := calls.Call{Op: device.SoftMarginLossBackward{Reduction: device.Mean}, Inputs: []calls.Tensor{scalar(2), scores, labels}, Output: vector(0, 0)}
	list := [][]calls.Call{
		{forward}, {backward}, {forward, backward},
		{{Op: device.MatMul{TransposeOther: true}, Inputs: []calls.Tensor{matrix, transposed}, Output: transposed}},
		{{Op: device.ReduceSum{Axes: 2}, Inputs: []calls.Tensor{matrix}, Output: vector(0, 0)}},
		{{Op: device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Inputs: []calls.Tensor{vector(1), vector(2), scalar(0.1), scalar(3), vector(1), vector(4)}}},
	}
	var b bytes.Buffer
	require.NoError(t, casefile.Write(&b, slices.Values(list)))
	for name, failed := range map[string]int{"cpu": 0, "faulty?ulp=20": len(list), "faulty?fused=on&ulp=20": 1} {
		r := text(t, name, b.String())
		require.Equal(t, len(list), r.Cases)
		require.Equal(t, failed, r.Failed(), "%s: %v", name, r.First)
	}
}

// TestRecordedLossesAreHeldToTheirPromise: an error of three ulp is one too many, of the loss and of its gradient.
func TestRecordedLossesAreHeldToTheirPromise(t *testing.T) {
	for _, r := range []device.Reduction{device.None, device.Mean, device.Sum} {
		x := calls.New(device.Float32, []int{4}, []float64{1, -2, 0.5, 3})
		y := calls.New(device.Float32, []int{4}, []float64{1, 1, -1, -1})
		loss := calls.New(device.Float32, []int{}, []float64{0})
		if r == device.None {
			loss = calls.New(device.Float32, []int{4}, make([]float64, 4))
		}
		one := calls.New(device.Float32, []int{}, []float64{1})
		var b bytes.Buffer
		require.NoError(t, casefile.Write(&b, slices.Values([][]calls.Call{
			{{Op: device.SoftMarginLoss{Reduction: r}, Inputs: []calls.Tensor{x, y}, Output: loss}},
			{{Op: device.SoftMarginLossBackward{Reduction: r}, Inputs: []calls.Tensor{one, x, y}, Output: x}},
		})))
		require.Equal(t, 2, text(t, "faulty?ulp=3.5", b.String()).Failed(), "reduction %v", r)
		require.Zero(t, text(t, "cpu", b.String()).Failed())
	}
}
