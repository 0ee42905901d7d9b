//go:build linux && !android && (amd64 || arm64)

package acl_test

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
	"github.com/pullback-go/pullback/device/ascend/simulator"
)

// The whole of the interface against a CANN that computes. It runs in a process of its own, because the
// simulator's libraries have the names of the fake's.
func TestSimulator(t *testing.T) {
	if os.Getenv("ACL_TEST_SIMULATOR") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSimulator$", "-test.v")
		cmd.Env = append(os.Environ(), "ACL_TEST_SIMULATOR=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestSimulator")
		return
	}
	dir, err := simulator.Build(t.Context())
	require.NoError(t, err)
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	l, err := acl.Load(dir)
	require.NoError(t, err)
	var alive func() int64
	function(t, l, "ascendsimAlive", &alive)

	require.NoError(t, l.Init())
	require.NoError(t, l.Init())
	_, err = l.CreateStream()
	require.ErrorIs(t, err, device.ErrContext)
	require.ErrorContains(t, err, "lock the goroutine to its thread")
	err = l.SetDevice(1000)
	require.ErrorIs(t, err, device.ErrInvalidDevice)
	require.ErrorContains(t, err, "devices that the process can see: 1, numbered")
	require.NoError(t, l.SetDevice(0))
	context, err := l.CreateContext(0)
	require.NoError(t, err)
	before := alive()

	b := &bench{T: t, Library: l}
	b.stream, err = l.CreateStream()
	require.NoError(t, err)
	b.host, err = l.MallocHost(4096)
	require.NoError(t, err)
	// Not sub-tests, which run in goroutines of their own, and so on threads without a context.
	for _, part := range []func(){b.loss, b.linearLayer, b.optimizer, b.refusal, b.allocations} {
		part()
		for _, destroy := range b.destroy {
			require.NoError(t, destroy())
		}
		b.destroy = nil
	}

	require.NoError(t, l.FreeHost(b.host))
	require.NoError(t, l.DestroyStream(b.stream))
	require.Equal(t, before, alive())
	require.NoError(t, l.DestroyContext(context))
	require.NoError(t, l.ResetDevice(0))
	require.Zero(t, alive())
	require.NoError(t, l.Finalize())
	require.ErrorIs(t, l.Finalize(), device.Code(100037))
}

// bench has what the parts of the test work with.
type bench struct {
	*testing.T
	*acl.Library
	stream  acl.Stream
	host    acl.Pointer    // 4096 bytes
	destroy []func() error // what to do at the end of the part
}

// floats returns the host memory as n numbers.
func (b *bench) floats(n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b.host.Bytes(4096)))), n)
}

// tensor makes a contiguous tensor of float32 on the device, which lives until the end of the part.
func (b *bench) tensor(shape []int64, values ...float32) (acl.Tensor, acl.Pointer) {
	size := int64(4 * len(values))
	p, err := b.Malloc(size)
	require.NoError(b.T, err)
	copy(b.floats(len(values)), values)
	require.NoError(b.T, b.MemcpyAsync(p, size, b.host, size, acl.HostToDevice, b.stream))
	require.NoError(b.T, b.SynchronizeStream(b.stream)) // the host memory is used again
	tensor, err := b.CreateTensor(acl.Float, shape, nil, 0, shape, p)
	require.NoError(b.T, err)
	b.destroy = append(b.destroy,
		func() error { return b.DestroyTensor(tensor) },
		func() error { return b.Free(p) })
	return tensor, p
}

// read returns n numbers of device memory once the stream has done its work.
func (b *bench) read(p acl.Pointer, n int) []float32 {
	size := int64(4 * n)
	require.NoError(b.T, b.MemcpyAsync(b.host, size, p, size, acl.DeviceToHost, b.stream))
	require.NoError(b.T, b.SynchronizeStream(b.stream))
	return append([]float32(nil), b.floats(n)...)
}

// run plans an operator, makes it repeatable and launches it the given number of times.
func (b *bench) run(times int, name string, args ...any) {
	op, err := b.Operator(name)
	require.NoError(b.T, err)
	size, exe, err := op.Plan(args...)
	require.NoError(b.T, err)
	require.NoError(b.T, b.SetRepeatable(exe))
	var workspace acl.Pointer
	if size > 0 {
		workspace, err = b.Malloc(int64(size))
		require.NoError(b.T, err)
	}
	for range times {
		require.NoError(b.T, op.Launch(workspace, size, exe, b.stream))
	}
	require.NoError(b.T, b.SynchronizeStream(b.stream))
	require.NoError(b.T, b.DestroyExecutor(exe))
	if size > 0 {
		require.NoError(b.T, b.Free(workspace))
	}
}

func (b *bench) scalar(value float32) acl.Scalar {
	s, err := b.CreateScalar(value)
	require.NoError(b.T, err)
	b.destroy = append(b.destroy, func() error { return b.DestroyScalar(s) })
	return s
}

// The example of CANN's documentation.
func (b *bench) loss() {
	x, _ := b.tensor([]int64{2, 2}, 0, 1, 2, 3)
	y, _ := b.tensor([]int64{2, 2}, 1, 1, 1, 1)
	out, p := b.tensor([]int64{2, 2}, 9, 9, 9, 9)
	b.run(2, "aclnnSoftMarginLossBackward", x, x, y, int64(1), out)
	require.InDeltaSlice(b.T, []float32{0, -0.0672353553, -0.0596014610, -0.0355694049}, b.read(p, 4), 1e-8)
}

// An int8, scalars, an array, a bool and a dtype among the arguments.
func (b *bench) linearLayer() {
	bias, _ := b.tensor([]int64{2}, 10, 20)
	x, _ := b.tensor([]int64{2, 3}, 1, 2, 3, 4, 5, 6)
	w, _ := b.tensor([]int64{3, 2}, 1, 0, 0, 1, 1, 1)
	out, p := b.tensor([]int64{2, 2}, 0, 0, 0, 0)
	b.run(1, "aclnnAddmm", bias, x, w, b.scalar(0.5), b.scalar(2), out, int8(0))
	require.Equal(b.T, []float32{13, 20, 25, 32}, b.read(p, 4))

	sum, q := b.tensor([]int64{2, 1}, 0, 0)
	axes, err := b.CreateIntArray([]int64{1})
	require.NoError(b.T, err)
	b.run(1, "aclnnReduceSum", out, axes, true, acl.Float, sum)
	require.NoError(b.T, b.DestroyIntArray(axes))
	require.Equal(b.T, []float32{33, 57}, b.read(q, 2))

	// A transposed view that starts at the second row, by strides of 1 and 2.
	view, err := b.CreateTensor(acl.Float, []int64{2, 1}, []int64{1, 2}, 2, []int64{4}, p)
	require.NoError(b.T, err)
	b.run(1, "aclnnMuls", view, b.scalar(-1), sum)
	require.NoError(b.T, b.DestroyTensor(view))
	require.Equal(b.T, []float32{-25, -32}, b.read(q, 2))
}

// Five float32 arguments between pointers and bools; AdamW by its formula.
func (b *bench) optimizer() {
	const lr, beta1, beta2, decay, eps = 0.01, 0.9, 0.99, 0.1, 1e-3
	theta, m, v, gradient := 2.0, 0.5, 0.25, -3.0
	tensor := func(value float64) (acl.Tensor, acl.Pointer) { return b.tensor([]int64{1}, float32(value)) }
	parameter, p := tensor(theta)
	first, pm := tensor(m)
	second, pv := tensor(v)
	grad, _ := tensor(gradient)
	step, _ := tensor(3)
	b.run(1, "aclnnApplyAdamWV2", parameter, first, second, acl.Tensor(0), grad, step,
		float32(lr), float32(beta1), float32(beta2), float32(decay), float32(eps), false, false)
	m = beta1*m + (1-beta1)*gradient
	v = beta2*v + (1-beta2)*gradient*gradient
	theta = theta*(1-lr*decay) - lr*m/(1-math.Pow(beta1, 3))/(math.Sqrt(v/(1-math.Pow(beta2, 3)))+eps)
	require.InDelta(b.T, theta, b.read(p, 1)[0], 1e-6)
	require.InDelta(b.T, m, b.read(pm, 1)[0], 1e-6)
	require.InDelta(b.T, v, b.read(pv, 1)[0], 1e-6)
}

func (b *bench) refusal() {
	x, p := b.tensor([]int64{2}, 1, 2)
	y, _ := b.tensor([]int64{3}, 1, 2, 3)
	double, err := b.CreateTensor(11, []int64{1}, nil, 0, []int64{1}, p)
	require.NoError(b.T, err)
	op, err := b.Operator("aclnnMul")
	require.NoError(b.T, err)
	for _, test := range []struct {
		args []any
		code device.Code
	}{
		{[]any{x, y, x}, device.ErrParamInvalid},
		{[]any{double, double, double}, device.ErrParamInvalid},
		{[]any{x, acl.Tensor(0), x}, device.ErrParamNull},
	} {
		_, exe, err := op.Plan(test.args...)
		require.ErrorIs(b.T, err, test.code)
		require.ErrorContains(b.T, err, "aclnnMulGetWorkspaceSize: ")
		require.NotContains(b.T, err.Error(), "CANN gives no message")
		if test.code == device.ErrParamInvalid {
			require.ErrorContains(b.T, err, "the chip is Ascend-Simulator")
		}
		require.Zero(b.T, exe)
	}
	require.NoError(b.T, b.DestroyTensor(double))
	_, err = b.Operator("aclnnTeleport")
	require.ErrorIs(b.T, err, device.ErrUnsupported)
	require.ErrorIs(b.T, b.SynchronizeStream(stream), device.ErrStream) // the fake's
	_, err = b.Malloc(1 << 50)
	require.ErrorIs(b.T, err, device.ErrOutOfMemory)
	require.ErrorContains(b.T, err, "GiB")
}

func (b *bench) allocations() {
	if raceEnabled {
		return // the race detector lets pools drop what is put into them
	}
	x, p := b.tensor([]int64{2}, 1, 1)
	op, err := b.Operator("aclnnInplaceMuls")
	require.NoError(b.T, err)
	size, exe, err := op.Plan(x, b.scalar(2))
	require.NoError(b.T, err)
	require.NoError(b.T, b.SetRepeatable(exe))
	workspace, err := b.Malloc(int64(size) + 1)
	require.NoError(b.T, err)
	failed := 0
	require.Zero(b.T, testing.AllocsPerRun(20, func() {
		for _, err := range []error{
			op.Launch(workspace, size, exe, b.stream),
			b.MemcpyAsync(b.host, 8, p, 8, acl.DeviceToHost, b.stream),
			b.SynchronizeStream(b.stream),
		} {
			if err != nil {
				failed++
			}
		}
	}))
	require.Zero(b.T, failed)
	require.Equal(b.T, []float32{1 << 21, 1 << 21}, b.floats(2)) // once to warm up
	require.NoError(b.T, b.DestroyExecutor(exe))
	require.NoError(b.T, b.Free(workspace))
}
