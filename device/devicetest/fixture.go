package devicetest

import (
	"bytes"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// fixture is a device with a stream, and the memory that a check has taken.
type fixture struct {
	t       require.TestingT
	dev     device.Device
	o       Options
	stream  device.Stream
	buffers []device.Buffer
}

func newFixture(t require.TestingT, dev device.Device, o Options) *fixture {
	stream, err := dev.NewStream()
	require.NoError(t, err)
	return &fixture{t: t, dev: dev, o: o, stream: stream}
}

func (f *fixture) close() {
	f.free()
	f.ok(f.stream.Close())
}

// ok ends the check if err is one.
func (f *fixture) ok(err error) { require.NoError(f.t, err) }

// failf ends the check.
func (f *fixture) failf(format string, args ...any) {
	f.t.Errorf(format, args...)
	f.t.FailNow()
}

func (f *fixture) alloc(size int) device.Buffer {
	b, err := f.dev.Alloc(int64(size))
	f.ok(err)
	f.buffers = append(f.buffers, b)
	return b
}

// free returns all memory taken since the last time.
func (f *fixture) free() {
	for _, b := range f.buffers {
		f.ok(b.Free())
	}
	f.buffers = nil
}

func (f *fixture) upload(b device.Buffer, src []byte) { f.ok(f.stream.Upload(b, 0, src)) }

func (f *fixture) download(b device.Buffer) []byte {
	dst := make([]byte, b.Size())
	f.ok(f.stream.Download(dst, b, 0))
	return dst
}

// tensor takes memory for the values and returns a contiguous view of them.
func (f *fixture) tensor(d device.DType, values []float64, shape ...int) device.View {
	src := Encode(values, d)
	v := device.View{Buffer: f.alloc(len(src)), DType: d, Shape: shape, Strides: rowMajor(shape)}
	f.upload(v.Buffer, src)
	return v
}

// read returns all elements of the view's buffer.
func (f *fixture) read(v device.View) []float64 { return Decode(f.download(v.Buffer), v.DType) }

// plan is phase one, which must succeed. The workspace is filled with NaN, and
// nil where none is needed.
func (f *fixture) plan(op device.Op, output device.View, inputs ...device.View) (device.Executor, device.Buffer) {
	exe, err := f.dev.Plan(op, inputs, output)
	require.NoError(f.t, err, "planning %s", device.OpString(op))
	if exe.WorkspaceSize() == 0 {
		return exe, nil
	}
	workspace := f.alloc(int(exe.WorkspaceSize()))
	garbage := make([]byte, workspace.Size())
	fill(garbage, 0xff)
	f.upload(workspace, garbage)
	return exe, workspace
}

// launch runs an operation once and waits for it.
func (f *fixture) launch(op device.Op, output device.View, inputs ...device.View) {
	exe, workspace := f.plan(op, output, inputs...)
	f.ok(exe.Launch(workspace, f.stream))
	f.ok(f.stream.Synchronize())
	f.ok(exe.Close())
}

// dtype returns the first dtype that the device has.
func (f *fixture) dtype() device.DType {
	for _, d := range dtypes {
		if f.o.has(d) {
			return d
		}
	}
	f.failf("the options leave no dtype")
	return 0
}

// sameBits ends the check where two results of the same call differ.
func (f *fixture) sameBits(a, b []byte, format string, args ...any) {
	if !bytes.Equal(a, b) {
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		f.failf(format+": other bits, from byte %d of %d on", append(args, i, len(a))...)
	}
}

// refused ends the check unless err is an *Error with the code, whose sentence names arg.
func (f *fixture) refused(err error, code device.Code, arg string, format string, args ...any) {
	call := fmt.Sprintf(format, args...)
	require.ErrorIs(f.t, err, code, call)
	var e *device.Error
	require.ErrorAs(f.t, err, &e, call)
	require.NotEmpty(f.t, e.Reason, call)
	require.ErrorContains(f.t, err, arg, call)
}
