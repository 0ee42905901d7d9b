package verify_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	_ "github.com/pullback-go/pullback/bench/internal/faulty"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/bench/internal/replay"
	"github.com/pullback-go/pullback/bench/internal/verify"
	"github.com/pullback-go/pullback/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, names ...string) []*calls.Target {
	var targets []*calls.Target
	for _, name := range names {
		dev, err := calls.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, dev.Close()) })
		targets = append(targets, dev)
	}
	return targets
}

func run(t *testing.T, targets []*calls.Target, n int, seed uint64) *verify.Result {
	r, err := verify.Run(context.Background(), targets, n, seed, func(int) {})
	require.NoError(t, err)
	return r
}

func TestTheCPUPasses(t *testing.T) {
	r := run(t, open(t, "cpu?threads=2", "cpu?threads=1", "cpu?simd=off"), 500, 1)
	require.Nil(t, r.Failure, "%+v", r.Failure)
	require.Equal(t, 500, r.Cases)
	for _, d := range r.Devices {
		require.Equal(t, 500, d.Cases, d.Name)
		require.Positive(t, d.ULP, "some error is left in any arithmetic")
	}
	require.Zero(t, r.Pairs[0].ULP, "the number of threads does not matter")
	require.Positive(t, r.Pairs[1].ULP, "other kernels round otherwise")
}

// TestAFaultyDeviceIsCaughtAndShrunk, in operations of every kind and in what it writes.
func TestAFaultyDeviceIsCaughtAndShrunk(t *testing.T) {
	for _, name := range []string{"faulty?ulp=3&op=Sqrt", "faulty?ulp=3&op=SoftMarginLoss", "faulty?ulp=20&op=MatMul", "faulty?ulp=20&op=ReduceSum",
		"faulty?ulp=4&op=SoftMarginLossBackward", "faulty?stray=on&op=Linear", "faulty?ulp=4&fused=on", "faulty?refuses=mean"} {
		targets := open(t, "cpu", name)
		r := run(t, targets, 3000, 2)
		require.NotNil(t, r.Failure, name)
		require.Equal(t, targets[1].Name(), r.Failure.Device)
		require.NotEmpty(t, r.Failure.Reason)
		last := r.Failure.Calls[len(r.Failure.Calls)-1]
		require.Equal(t, strings.Contains(name, "fused"), len(r.Failure.Calls) == 2)
		for _, in := range last.Inputs {
			require.LessOrEqual(t, device.Elements(in.Shape), 2, "%s: %v", name, in.Shape)
			require.Equal(t, device.RowMajor(in.Shape), in.Strides, "%s: a plain layout fails as well", name)
		}

		// The file that is written of it fails on the faulty device and passes on the other.
		var b bytes.Buffer
		require.NoError(t, casefile.Write(&b, slices.Values([][]calls.Call{r.Failure.Calls})))
		for i, failed := range []int{0, 1} {
			file, err := casefile.Read(bytes.NewReader(b.Bytes()))
			require.NoError(t, err)
			result, err := replay.Run(targets[i], file, 0)
			require.NoError(t, err)
			require.Equal(t, failed, result.Failed(), "%s: %v", name, result.First)
		}
	}
}

func TestWhatIsMissingIsSkipped(t *testing.T) {
	for _, name := range []string{"faulty?dtypes=float32", "faulty?lacks=MatMul"} {
		r := run(t, open(t, name), 200, 3)
		require.Nil(t, r.Failure)
		require.Positive(t, r.Devices[0].Skipped)
		require.Positive(t, r.Devices[0].Cases)
	}
}

// TestCallsAreReproducible and cover every operation that is claimed, all dtypes and odd layouts.
func TestCallsAreReproducible(t *testing.T) {
	ops, dtypes, strided, both := map[string]bool{}, map[device.DType]bool{}, 0, 0
	for i := range 1000 {
		list := verify.Random(7, i)
		require.Equal(t, list, verify.Random(7, i))
		c := list[len(list)-1]
		if len(list) > 1 {
			both++
		}
		ops[c.Op.Name()] = true
		dtypes[c.Output.DType] = true
		if !(device.View{Shape: c.Inputs[0].Shape, Strides: c.Inputs[0].Strides}).IsContiguous() {
			strided++
		}
	}
	require.Len(t, ops, len(reference.Names())-1, "all but Adam")
	require.Len(t, dtypes, 4)
	require.Greater(t, strided, 100)
	require.Greater(t, both, 10)
}

func TestRunStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := verify.Run(ctx, open(t, "cpu"), 1000, 1, func(i int) {
		if i == 10 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 10, r.Cases)

	// A failure that was found by then is kept, as large as it is.
	targets := open(t, "faulty?ulp=20&op=MatMul")
	found := run(t, targets, 1000, 1).Failure
	ctx, cancel = context.WithCancel(context.Background())
	r, err = verify.Run(ctx, targets, 1000, 1, func(i int) {
		if i == found.Case+1 {
			cancel()
		}
	})
	require.NoError(t, err)
	require.Equal(t, verify.Random(1, found.Case), r.Failure.Calls)
	require.NotEmpty(t, r.Failure.Reason)
}
