//go:build linux && !android && (amd64 || arm64)

package acl_test

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

const stream = acl.Stream(0x7fff12345678) // the one that the fake has

func TestRuntime(t *testing.T) {
	l := load(t)
	require.NoError(t, l.Init())
	require.NoError(t, l.Init()) // CANN says 100002
	require.NoError(t, l.ResetDevice(0))
	require.NoError(t, l.SetDevice(8))
	context, err := l.CreateContext(5)
	require.NoError(t, err)
	require.Equal(t, acl.Context(2005), context)
	s, err := l.CreateStream()
	require.NoError(t, err)
	require.Equal(t, stream, s)
	require.NoError(t, l.SynchronizeStream(s))
	require.NoError(t, l.DestroyStream(s))
	require.NoError(t, l.DestroyContext(context))
	require.NoError(t, l.ResetDevice(8))
	require.NoError(t, l.Finalize())
	require.ErrorIs(t, l.Finalize(), device.Code(100037))
	require.NoError(t, l.Init())
	require.NoError(t, l.Finalize())
}

func TestMemory(t *testing.T) {
	l := load(t)
	host, err := l.MallocHost(1000)
	require.NoError(t, err)
	buffer, err := l.Malloc(1000)
	require.NoError(t, err)
	bytes := host.Bytes(1000)
	require.Len(t, bytes, 1000)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	require.NoError(t, l.MemcpyAsync(buffer, 1000, host, 1000, acl.HostToDevice, stream))
	require.NoError(t, l.SynchronizeStream(stream))
	clear(bytes)
	require.NoError(t, l.MemcpyAsync(host, 1000, buffer, 999, acl.DeviceToHost, stream))
	require.NoError(t, l.SynchronizeStream(stream))
	for i := range 999 {
		require.Equal(t, byte(i), bytes[i])
	}
	require.Zero(t, bytes[999])
	require.ErrorIs(t, l.MemcpyAsync(buffer, 999, host, 1000, acl.HostToDevice, stream), device.Code(107000))
	require.ErrorIs(t, l.MemcpyAsync(buffer, 1000, host, 1000, acl.HostToDevice, 1), device.ErrStream)
	require.NoError(t, l.Free(buffer))
	require.NoError(t, l.FreeHost(host))
	require.ErrorIs(t, l.Free(0), device.Code(100000))
	require.ErrorIs(t, l.FreeHost(0), device.Code(100000))
	for _, malloc := range []func(int64) (acl.Pointer, error){l.Malloc, l.MallocHost} {
		for size, code := range map[int64]device.Code{0: 100000, 1 << 40: device.ErrOutOfMemory, -1: device.ErrParamInvalid, math.MinInt64: device.ErrParamInvalid} {
			_, err := malloc(size)
			require.ErrorIs(t, err, code, "%d", size)
		}
	}
}

// The messages are CANN's on one line, with hints, and the names of C functions.
func TestFailure(t *testing.T) {
	l := load(t)
	op, err := l.Operator("aclnnRefuse")
	require.NoError(t, err)
	_, _, plan := op.Plan(acl.Tensor(1))
	require.NoError(t, l.ResetDevice(0))
	_, _, planWithoutDevice := op.Plan(acl.Tensor(1))
	_, noContext := l.CreateStream()
	_, out := l.Malloc(1 << 40)
	for _, test := range []struct {
		err  error
		text string // a part of it
	}{
		{l.Free(0), "aclrtFree: CANN gives no message (100000 ACL_ERROR_INVALID_PARAM)"}, // nor is one left of a question that was refused
		{l.SetDevice(42), "aclrtSetDevice: device 42 is bad; devices that the process can see: 9, numbered from 0 (107001 "},
		{l.SetDevice(-3), "aclrtSetDevice: device -3 is bad; devices that the process can see: 9, numbered from 0 (107001 "},
		{l.SetDevice(142), "aclrtSetDevice: device 142 is bad; the device could not be set up, so see with npu-smi info"},
		{l.DestroyStream(7), "aclrtDestroyStream: stream 7; the stream was made in another context"},
		{noContext, "aclrtCreateStream: ctx is NULL! TraceBack (most recent call last):; no context is current on this OS thread, so lock"},
		{out, "aclrtMalloc: alloc 1099511627776 bytes failed; the memory is used up by this process or by another one, which npu-smi info shows; of the device's 8.00 GiB 3.00 are free (207001 "},
		{plan, "aclnnRefuseGetWorkspaceSize: the operator does not take this dtype"},
		{plan, "few operators take DOUBLE; the chip is Fake910 (161002 "},
		{planWithoutDevice, "few operators take DOUBLE (161002 "},
	} {
		require.Error(t, test.err)
		require.Contains(t, test.err.Error(), test.text)
		require.NotContains(t, test.err.Error(), "\n")
	}

	// This operator's phase two returns what it is given as the size.
	status, err := l.Operator("aclnnStatus")
	require.NoError(t, err)
	for code, hint := range map[device.Code]string{
		100039: "devlib", 107002: "lock the goroutine to its thread", 107003: "in another context", 161002: "BFLOAT16 needs", 207001: "npu-smi info",
		507033: "driver", 561003: "kernels package", 561103: "kernels package", 561107: "set_env.sh", -1: "CANN gives no message (-1)", 1 << 30: "(1073741824)",
	} {
		err := status.Launch(0, uint64(code), 1, stream)
		require.ErrorIs(t, err, code)
		require.ErrorContains(t, err, "aclnnStatus: ")
		require.ErrorContains(t, err, hint)
	}
}

// Every thread has messages of its own.
func TestFailureThreads(t *testing.T) {
	l := load(t)
	var threads sync.WaitGroup
	for thread := range 4 {
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for i := range 500 {
				number := 10 + 10*i%80 + thread
				err := l.SetDevice(number)
				if want := fmt.Sprintf("aclrtSetDevice: device %d is bad; devices that the process can see: 9, numbered from 0 (107001 ACL_ERROR_RT_INVALID_DEVICEID)", number); err == nil || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
			}
		})
	}
	threads.Wait()
}

func TestObjects(t *testing.T) {
	l := load(t)
	var text func(uintptr) string
	function(t, l, "fakeText", &text)

	for _, test := range []struct {
		t                       acl.DataType
		shape, strides, storage []int64
		offset                  int64
		want                    string
	}{
		{acl.Float, []int64{2, 3}, []int64{3, 1}, []int64{6}, 0, "dtype 0 offset 0 format 2 data 7fff00000040 shape 2 3 strides 3 1 storage 6"},
		{acl.BFloat16, []int64{1 << 40, 1, 5}, []int64{0, -1, 1 << 33}, []int64{7, 8, 9, 10}, 1 << 41, "dtype 27 offset 2199023255552 format 2 data 7fff00000040 shape 1099511627776 1 5 strides 0 -1 8589934592 storage 7 8 9 10"},
		{acl.Float16, []int64{4}, nil, []int64{4}, 1, "dtype 1 offset 1 format 2 data 7fff00000040 shape 4 strides NULL storage 4"},
		{acl.Bool, nil, nil, nil, 0, "dtype 12 offset 0 format 2 data 7fff00000040 shape NULL strides NULL storage NULL"},
		{9, []int64{}, []int64{}, []int64{1}, 0, "dtype 9 offset 0 format 2 data 7fff00000040 shape NULL strides NULL storage 1"},
	} {
		tensor, err := l.CreateTensor(test.t, test.shape, test.strides, test.offset, test.storage, 0x7fff00000040)
		require.NoError(t, err)
		require.Equal(t, test.want, text(uintptr(tensor)))
		require.NoError(t, l.DestroyTensor(tensor))
	}
	_, err := l.CreateTensor(acl.Float, []int64{2}, []int64{2, 1}, 0, []int64{2}, 64)
	require.ErrorIs(t, err, device.ErrParamInvalid)
	_, err = l.CreateTensor(acl.Float, []int64{2}, []int64{1}, 0, []int64{2}, 0)
	require.EqualError(t, err, "aclCreateTensor: CANN returned NULL (161002 ACLNN_ERR_PARAM_INVALID)")

	for value, want := range map[float32]string{0.1: "float 0.100000001", float32(math.Inf(-1)): "float -inf"} {
		scalar, err := l.CreateScalar(value)
		require.NoError(t, err)
		require.Equal(t, want, text(uintptr(scalar)))
		require.NoError(t, l.DestroyScalar(scalar))
	}

	array, err := l.CreateIntArray([]int64{-1, 1 << 50, 0})
	require.NoError(t, err)
	require.Equal(t, " ints -1 1125899906842624 0", text(uintptr(array)))
	require.NoError(t, l.DestroyIntArray(array))
	array, err = l.CreateIntArray(nil)
	require.NoError(t, err)
	require.Equal(t, " ints NULL", text(uintptr(array)))
	require.NoError(t, l.DestroyIntArray(array))
}

// Arguments of every type, in registers and on the stack, reach C as they are.
func TestPlan(t *testing.T) {
	l := load(t)
	var echo func() string
	function(t, l, "fakeEcho", &echo)
	pointers := []any{acl.Tensor(0xa1), acl.Tensor(0xffffffffffffffff), acl.Tensor(0), acl.Tensor(0xa4), acl.Tensor(0xa5), acl.Tensor(0xa6)}
	for _, test := range []struct {
		name string
		args []any
		want string
	}{
		{"aclnnMixed", []any{acl.Tensor(0x7fff00000001), int8(-128), true, float32(0.1), int32(math.MinInt32), int64(math.MinInt64), acl.Scalar(7), float32(math.MaxFloat32), false, int8(127), acl.BFloat16, int64(math.MaxInt64), float32(math.Inf(-1))},
			"7fff00000001 -128 1 0.100000001 -2147483648 -9223372036854775808 7 3.40282347e+38 0 127 27 9223372036854775807 -inf"},
		{"aclnnMixed", []any{acl.IntArray(0xffffffffffffffff), int8(-1), false, float32(math.Copysign(0, -1)), acl.DataType(-1), int64(-1), acl.IntArray(0), float32(1e-45), true, int8(0), int32(5), int64(0), float32(-1.5)},
			"ffffffffffffffff -1 0 -0 -1 -1 0 1.40129846e-45 1 0 5 0 -1.5"},
		{"aclnnAdamW", append(append(pointers[:6:6], pointers...), true, false), "a1 ffffffffffffffff 0 a4 a5 a6 a1 ffffffffffffffff 0 a4 a5 a6 1 0"},
		{"aclnnAdamWV2", append(pointers[:6:6], float32(1e-3), float32(0.9), float32(0.999), float32(0.01), float32(1e-8), false, true),
			"a1 ffffffffffffffff 0 a4 a5 a6 0.00100000005 0.899999976 0.999000013 0.00999999978 9.99999994e-09 0 1"},
	} {
		op, err := l.Operator(test.name)
		require.NoError(t, err)
		for range 2 { // the second time as it was bound the first time
			workspace, exe, err := op.Plan(test.args...)
			require.NoError(t, err)
			require.Equal(t, uint64(1234567890123456789), workspace)
			require.Equal(t, acl.Executor(0x7fffabcdef01), exe)
			require.Equal(t, test.want, echo())
		}
	}
}

func TestPlanError(t *testing.T) {
	l := load(t)
	op, err := l.Operator("aclnnRefuse")
	require.NoError(t, err)
	for _, test := range []struct {
		args []any
		code device.Code
	}{
		{[]any{acl.Tensor(0)}, device.ErrParamNull},
		{[]any{acl.Tensor(1)}, device.ErrParamInvalid},
		{[]any{1}, device.ErrParamInvalid},   // int has no fixed size
		{[]any{1.0}, device.ErrParamInvalid}, // nor is any argument a double
		{[]any{nil}, device.ErrParamInvalid},
		{[]any{"self"}, device.ErrParamInvalid},
		{[]any{[]any{acl.Tensor(1)}}, device.ErrParamInvalid},
		{make([]any, 31), device.ErrParamInvalid},
	} {
		workspace, exe, err := op.Plan(test.args...)
		require.ErrorIs(t, err, test.code)
		require.ErrorContains(t, err, "aclnnRefuseGetWorkspaceSize: ")
		require.Zero(t, workspace)
		require.Zero(t, exe)
	}
	_, _, err = op.Plan(acl.Tensor(1), uint64(3))
	require.ErrorContains(t, err, "argument 1: it is a uint64, which stands for no C type")
}

func TestOperator(t *testing.T) {
	l := load(t)
	one, err := l.Operator("aclnnEcho")
	require.NoError(t, err)
	again, err := l.Operator("aclnnEcho")
	require.NoError(t, err)
	require.Same(t, one, again)
	for _, name := range []string{"aclnnGelu", "aclnnHalf"} { // C has neither, phase two only
		_, err := l.Operator(name)
		require.ErrorIs(t, err, device.ErrUnsupported)
		require.ErrorContains(t, err, name+": it is not in the installed CANN version, library "+l.Path())
	}

	var echo func() string
	function(t, l, "fakeEcho", &echo)
	require.NoError(t, one.Launch(0x7fff00000040, 1<<40, 0x7fffabcdef01, stream))
	require.Equal(t, "7fff00000040 1099511627776 7fffabcdef01 7fff12345678", echo())
	none, err := l.Operator("aclnnNone")
	require.NoError(t, err)
	workspace, exe, err := none.Plan()
	require.NoError(t, err)
	require.NoError(t, none.Launch(64, workspace, exe, stream))
	require.EqualError(t, none.Launch(64, workspace, 0, stream), "aclnnNone: CANN gives no message (161001 ACLNN_ERR_PARAM_NULLPTR)")
}

func TestExecutor(t *testing.T) {
	l := load(t)
	require.NoError(t, l.SetRepeatable(1))
	require.NoError(t, l.DestroyExecutor(1))
	require.ErrorIs(t, l.SetRepeatable(0), device.ErrExecutorInvalid)
	require.ErrorIs(t, l.DestroyExecutor(0), device.ErrExecutorInvalid)

	// What cannot be destroyed is not made repeatable, so that the launch destroys it.
	for _, base := range []string{"base old", "base lasting"} {
		l, err := acl.Load(install(t, map[string]string{"libascendcl.so": "runtime old", "libnnopbase.so": base, "libopapi.so": "operators"}))
		require.NoError(t, err)
		require.ErrorIs(t, l.SetRepeatable(1), device.ErrUnsupported)
		require.ErrorContains(t, l.SetRepeatable(1), "aclDestroyAclOpExecutor: it is not in the installed CANN version")
		require.NoError(t, l.DestroyExecutor(1))
		require.EqualError(t, l.SetDevice(42), "aclrtSetDevice: CANN gives no message (107001 ACL_ERROR_RT_INVALID_DEVICEID)")
		_, err = l.CreateTensor(acl.Float, nil, nil, 0, nil, 0)
		require.EqualError(t, err, "aclCreateTensor: CANN returned NULL (161002 ACLNN_ERR_PARAM_INVALID)")
	}
}

// What runs at every step allocates nothing.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets pools drop what is put into them")
	}
	l := load(t)
	op, err := l.Operator("aclnnNone")
	require.NoError(t, err)
	var launches func() int32
	function(t, l, "fakeLaunches", &launches)
	host, err := l.MallocHost(64)
	require.NoError(t, err)
	buffer, err := l.Malloc(64)
	require.NoError(t, err)
	for name, f := range map[string]func() error{
		"Launch":            func() error { return op.Launch(buffer, 64, 1, stream) },
		"MemcpyAsync":       func() error { return l.MemcpyAsync(host, 64, buffer, 64, acl.DeviceToHost, stream) },
		"SynchronizeStream": func() error { return l.SynchronizeStream(stream) },
	} {
		failed := 0
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			if f() != nil {
				failed++
			}
		}), name)
		require.Zero(t, failed, name)
	}
	require.Equal(t, int32(1001), launches())
	require.NoError(t, l.Free(buffer))
	require.NoError(t, l.FreeHost(host))
}

// C has the stack of a thread, not that of a goroutine.
func TestStack(t *testing.T) {
	l := load(t)
	var deep func(int32) int32
	function(t, l, "fakeDeep", &deep)
	require.Zero(t, deep(200))
	result := make(chan int32)
	go func() {
		runtime.LockOSThread() // and never unlocked, so the thread ends with the goroutine
		result <- deep(200)
	}()
	require.Zero(t, <-result)
}

func BenchmarkLaunch(b *testing.B) {
	l := load(b)
	op, err := l.Operator("aclnnNone")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if err := op.Launch(0, 0, 1, stream); err != nil {
			b.Fatal(err)
		}
	}
}
