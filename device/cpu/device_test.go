package cpu

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

func isCode(err error, code device.Code) bool {
	var e *device.Error
	return errors.As(err, &e) && e.Code == code && e.Reason != ""
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name, canonical string
		threads         int
	}{
		{"cpu", "cpu", runtime.GOMAXPROCS(0)},
		{"cpu:0", "cpu:0", runtime.GOMAXPROCS(0)},
		{"cpu?threads=1", "cpu?threads=1", 1},
		{"cpu?threads=256", "cpu?threads=256", 256},
		{"cpu?threads=2&simd=off", "cpu?simd=off&threads=2", 2},
		{"cpu?simd=auto", "cpu?simd=auto", runtime.GOMAXPROCS(0)},
	} {
		d, err := device.Open(c.name)
		require.NoError(t, err, c.name)
		require.Equal(t, c.canonical, d.Name())
		require.Equal(t, c.threads-1, d.(*cpu).pool.helpers, c.name)
		require.NoError(t, d.Close())
		require.NoError(t, d.Close(), "closing twice")
	}
	for _, name := range []string{
		"cpu:1", "cpu:x", "cpu?threads=0", "cpu?threads=257", "cpu?threads=-1", "cpu?threads=two", "cpu?threads=",
		"cpu?simd=on", "cpu?simd=", "cpu?cores=2", "cpu?Threads=2",
	} {
		_, err := device.Open(name)
		require.True(t, isCode(err, device.ErrInvalidDevice), "%s: %v", name, err)
	}
}

func TestAlloc(t *testing.T) {
	f := newFixture(t, 1)
	for _, size := range []int64{0, 1, 2, 63, 64, 65, 4096, 1 << 20} {
		for range 5 {
			b := f.alloc(size)
			require.Equal(t, size, b.Size())
			mem := b.(*buffer).mem
			require.Len(t, mem, int(size))
			if size > 0 {
				require.Zero(t, uintptr(unsafe.Pointer(&mem[0]))%64, "%d bytes", size)
			}
			require.NoError(t, b.Free())
			require.Equal(t, size, b.Size())
			require.True(t, isCode(b.Free(), device.ErrParamInvalid), "freed twice")
		}
	}
	for size, code := range map[int64]device.Code{
		-1: device.ErrParamInvalid, math.MinInt64: device.ErrParamInvalid,
		1 << 50: device.ErrOutOfMemory, math.MaxInt64: device.ErrOutOfMemory, math.MaxInt64 - 63: device.ErrOutOfMemory,
	} {
		_, err := f.device.Alloc(size)
		require.True(t, isCode(err, code), "%d bytes: %v", size, err)
	}
}

func TestTransfer(t *testing.T) {
	f := newFixture(t, 1)
	b := f.alloc(10)
	src, dst := []byte{1, 2, 3}, make([]byte, 10)
	require.NoError(t, f.stream.Upload(b, 0, make([]byte, 10)))
	require.NoError(t, f.stream.Upload(b, 7, src))
	require.NoError(t, f.stream.Upload(b, 10, nil))
	src[0] = 9 // Upload has copied it
	require.NoError(t, f.stream.Download(dst, b, 0))
	require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 1, 2, 3}, dst)
	require.NoError(t, f.stream.Synchronize())

	freed, foreign := f.alloc(10), newFixture(t, 1).alloc(10)
	require.NoError(t, freed.Free())
	for _, c := range []struct {
		b      device.Buffer
		offset int64
		code   device.Code
	}{
		{b, 8, device.ErrParamInvalid},
		{b, -1, device.ErrParamInvalid},
		{b, 11, device.ErrParamInvalid},
		{b, math.MaxInt64, device.ErrParamInvalid},
		{freed, 0, device.ErrParamInvalid},
		{foreign, 0, device.ErrParamInvalid},
		{otherBuffer{}, 0, device.ErrParamInvalid},
		{nil, 0, device.ErrParamNull},
	} {
		err := f.stream.Upload(c.b, c.offset, src)
		require.True(t, isCode(err, c.code), "%v", err)
		err = f.stream.Download(src, c.b, c.offset)
		require.True(t, isCode(err, c.code), "%v", err)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_ = f.stream.Upload(b, 0, src)
		_ = f.stream.Download(src, b, 0)
		_ = f.stream.Synchronize()
	}))
}

// otherBuffer, otherStream and otherOp are another device's, or a user's.
type (
	otherBuffer struct{}
	otherStream struct{ device.Stream }
	otherOp     struct{ device.Neg }
	noInputs    struct{}
)

func (otherBuffer) Size() int64 { return 1 << 20 }
func (otherBuffer) Free() error { return nil }
func (otherOp) Name() string    { return "Other" }
func (noInputs) Name() string   { return "NoInputs" }
func (noInputs) Infer([]device.Type) (device.Type, error) {
	return device.Type{DType: device.Float32, Shape: []int{}}, nil
}

func TestPlanRefuses(t *testing.T) {
	f := newFixture(t, 1)
	typ := device.Type{DType: device.Float32, Shape: []int{4}}
	at := func(b device.Buffer) device.View { return device.Contiguous(b, 0, typ) }
	good, freed := f.alloc(16), f.alloc(16)
	require.NoError(t, freed.Free())
	for _, c := range []struct {
		name   string
		op     device.Op
		inputs []device.View
		output device.View
		code   device.Code
	}{
		{"no operation", nil, []device.View{at(good)}, at(good), device.ErrParamNull},
		{"missing input", device.Neg{}, []device.View{{}}, at(good), device.ErrParamNull},
		{"missing output", device.Neg{}, []device.View{at(good)}, device.View{}, device.ErrParamNull},
		{"freed input", device.Neg{}, []device.View{at(freed)}, at(good), device.ErrParamInvalid},
		{"freed output", device.Neg{}, []device.View{at(good)}, at(freed), device.ErrParamInvalid},
		{"another instance's", device.Neg{}, []device.View{at(newFixture(t, 1).alloc(16))}, at(good), device.ErrParamInvalid},
		{"another device's", device.Neg{}, []device.View{at(good)}, at(otherBuffer{}), device.ErrParamInvalid},
		{"unknown", otherOp{}, []device.View{at(good)}, at(good), device.ErrUnsupported},
		{"unknown without inputs", noInputs{}, nil, device.Contiguous(good, 0, device.Type{DType: device.Float32, Shape: []int{}}), device.ErrUnsupported},
	} {
		_, err := f.device.Plan(c.op, c.inputs, c.output)
		require.True(t, isCode(err, c.code), "%s: %v", c.name, err)
		if c.code == device.ErrUnsupported {
			require.ErrorContains(t, err, c.op.Name())
		}
	}
}

func TestLaunchRefuses(t *testing.T) {
	f, g := newFixture(t, 1), newFixture(t, 1)
	c := call{device.ReduceSum{Axes: 1}, [][]int{{5000}}}
	inputs := c.inputs(f, device.Float32)
	exe, err := f.device.Plan(c.op, inputs, f.output(c.op, inputs))
	require.NoError(t, err)
	size := exe.WorkspaceSize()
	require.Positive(t, size)
	workspace, freed := f.alloc(size), f.alloc(size)
	require.NoError(t, freed.Free())
	closed, err := f.device.NewStream()
	require.NoError(t, err)
	require.NoError(t, closed.Close())

	refused := func(w device.Buffer, s device.Stream, code device.Code) {
		t.Helper()
		err := exe.Launch(w, s)
		require.True(t, isCode(err, code), "%v", err)
	}
	require.NoError(t, exe.Launch(workspace, f.stream))
	refused(nil, f.stream, device.ErrParamNull)
	refused(f.alloc(size-1), f.stream, device.ErrParamNull)
	refused(freed, f.stream, device.ErrParamInvalid)
	refused(g.alloc(size), f.stream, device.ErrParamInvalid)
	refused(workspace, g.stream, device.ErrStream)
	refused(workspace, otherStream{f.stream}, device.ErrStream)
	refused(workspace, closed, device.ErrStream)
	refused(workspace, nil, device.ErrStream)
	require.NoError(t, exe.Launch(workspace, f.stream))
	require.NoError(t, exe.Close())
	refused(workspace, f.stream, device.ErrExecutorInvalid)
	require.NoError(t, exe.Close(), "closing twice")
}

// A closed device refuses everything with the same code.
func TestClosedDevice(t *testing.T) {
	f := newFixture(t, 2)
	c := call{device.Neg{}, [][]int{{4}}}
	inputs := c.inputs(f, device.Float32)
	output := f.output(c.op, inputs)
	exe, err := f.device.Plan(c.op, inputs, output)
	require.NoError(t, err)
	require.NoError(t, f.device.Close())

	_, planErr := f.device.Plan(c.op, inputs, output)
	_, allocErr := f.device.Alloc(1)
	_, streamErr := f.device.NewStream()
	for name, err := range map[string]error{
		"Plan": planErr, "Alloc": allocErr, "NewStream": streamErr,
		"Launch":      exe.Launch(nil, f.stream),
		"Upload":      f.stream.Upload(output.Buffer, 0, nil),
		"Download":    f.stream.Download(nil, output.Buffer, 0),
		"Synchronize": f.stream.Synchronize(),
	} {
		require.True(t, isCode(err, device.ErrUninitialized), "%s: %v", name, err)
	}
	require.NoError(t, output.Buffer.Free())
	require.NoError(t, f.stream.Close())
	require.NoError(t, exe.Close())
}
