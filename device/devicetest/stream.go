package devicetest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// checkUploadDownload moves bytes to the device and back, and copies that reach
// outside a buffer, which must be refused and move nothing.
func checkUploadDownload(f *fixture) {
	_, err := f.dev.Alloc(-1)
	f.refused(err, device.ErrParamInvalid, "", "a buffer of -1 bytes")
	_, err = f.dev.Alloc(1 << 62)
	f.refused(err, device.ErrOutOfMemory, "", "a buffer of 2^62 bytes")
	require.Zero(f.t, f.alloc(0).Size())

	const size = 1003
	random := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	other := f.alloc(size)
	buffer := f.alloc(size)
	require.EqualValues(f.t, size, buffer.Size())
	f.upload(other, make([]byte, size))

	src := slices.Clone(data)
	f.upload(buffer, src)
	fill(src, 0) // src may be reused
	require.Equal(f.t, data, f.download(buffer), "the bytes that were uploaded")

	for _, c := range []struct{ offset, n int }{{0, 0}, {0, 1}, {1, 7}, {500, 503}, {size, 0}, {3, 64}} {
		part := make([]byte, c.n)
		f.ok(f.stream.Download(part, buffer, int64(c.offset)))
		require.Equal(f.t, data[c.offset:c.offset+c.n], part, "%d bytes from %d on", c.n, c.offset)
		for i := range part {
			part[i] ^= 0xff
			data[c.offset+i] ^= 0xff
		}
		f.ok(f.stream.Upload(buffer, int64(c.offset), part))
		require.Equal(f.t, data, f.download(buffer), "after an upload of %d bytes to %d", c.n, c.offset)
	}

	for _, c := range []struct {
		offset int64
		n      int
	}{{-1, 1}, {-1, 0}, {size, 1}, {0, size + 1}, {size - 3, 4}, {size + 1, 0}, {math.MaxInt64, 1}, {math.MaxInt64, size}, {math.MinInt64, 1}} {
		part := slices.Repeat([]byte{0x5a}, c.n)
		f.refused(f.stream.Upload(buffer, c.offset, part), device.ErrParamInvalid, "", "upload of %d bytes to %d", c.n, c.offset)
		f.refused(f.stream.Download(part, buffer, c.offset), device.ErrParamInvalid, "", "download of %d bytes from %d", c.n, c.offset)
		require.Equal(f.t, slices.Repeat([]byte{0x5a}, c.n), part, "a refused download wrote to the host")
	}
	f.refused(f.stream.Upload(nil, 0, data), device.ErrParamNull, "", "upload to no buffer")
	f.refused(f.stream.Download(data, nil, 0), device.ErrParamNull, "", "download from no buffer")
	require.Equal(f.t, data, f.download(buffer), "after refused copies")
	require.Equal(f.t, make([]byte, size), f.download(other), "another buffer")
	f.ok(f.stream.Synchronize())
}

// checkStreamOrder queues work whose result depends on its order, without
// waiting in between.
func checkStreamOrder(f *fixture) {
	const n = 1000
	d := f.dtype()
	start := make([]float64, n)
	for i := range start {
		start[i] = float64(i % 8)
	}
	x := f.tensor(d, start, n)
	one, half := f.tensor(d, []float64{1}), f.tensor(d, []float64{0.5})
	y := f.tensor(d, make([]float64, n), n)
	add, w1 := f.plan(device.Add{}, x, x, one)
	mul, w2 := f.plan(device.Mul{}, x, x, half)
	cp, w3 := f.plan(device.Copy{}, y, x)
	want := slices.Clone(start)
	for range 50 { // x = (x+1)/2, which has few bits to begin with and tends to 1
		f.ok(add.Launch(w1, f.stream))
		f.ok(mul.Launch(w2, f.stream))
		for i := range want {
			want[i] = Round(Round(want[i]+1, d)*0.5, d)
		}
	}
	f.ok(cp.Launch(w3, f.stream))
	f.upload(x.Buffer, Encode(start, d)) // after the copy was queued, so it must not see this
	require.Equal(f.t, want, f.read(y), "a copy queued between launches and an upload")
	require.Equal(f.t, start, f.read(x), "an upload queued after a copy")
	f.ok(f.stream.Synchronize())
	f.ok(f.stream.Synchronize())
	for _, exe := range []device.Executor{add, mul, cp} {
		f.ok(exe.Close())
	}
}

// checkWorkspace launches every operation that wants a workspace without one and
// with one that is too small, and all without a stream.
func checkWorkspace(f *fixture) {
	f.eachCall(func(i int, cl call) bool { return i == 0 || cl.large() },
		func(r run, exe device.Executor, workspace device.Buffer, out device.View) {
			before := f.download(out.Buffer)
			size := exe.WorkspaceSize()
			require.GreaterOrEqual(f.t, size, int64(0), "%s", r)
			f.refusedAny(exe.Launch(workspace, nil), fmt.Sprintf("%s: a launch without a stream", r))
			if size > 0 {
				f.refused(exe.Launch(nil, f.stream), device.ErrParamNull, "", "%s: a launch without the workspace of %d bytes", r, size)
				short := f.alloc(int(size - 1))
				f.refusedAny(exe.Launch(short, f.stream), fmt.Sprintf("%s: a launch with a workspace one byte short of %d", r, size))
			}
			f.ok(f.stream.Synchronize())
			require.True(f.t, bytes.Equal(before, f.download(out.Buffer)), "%s: a refused launch wrote to memory", r)
		})
}

// checkAllocations launches every operation many times, in every dtype of the
// device. Phase two allocates nothing on the Go heap.
func checkAllocations(f *fixture) {
	f.eachCall(func(_ int, cl call) bool { return cl.probe || cl.large() }, func(r run, exe device.Executor, workspace device.Buffer, _ device.View) {
		launch := func() { f.ok(exe.Launch(workspace, f.stream)) }
		launch()
		runs := 20
		if r.large() {
			runs = 2
		}
		require.Zero(f.t, testing.AllocsPerRun(runs, launch), "%s: how often a launch allocates", r)
		f.ok(f.stream.Synchronize())
	})
}

// eachCall plans those calls of every row that choose picks, on zeros.
func (f *fixture) eachCall(choose func(i int, cl call) bool, visit func(r run, exe device.Executor, workspace device.Buffer, out device.View)) {
	for _, c := range cases() {
		if slices.Contains(f.o.Without, c.name()) {
			continue
		}
		for i, cl := range c.calls {
			if !choose(i, cl) || cl.large() && raceDetector() {
				continue
			}
			for _, r := range f.o.possible([]run{c.uniform(cl, f.dtype())}) {
				out, views := f.zeros(r)
				exe, workspace := f.plan(r.op, out, views...)
				visit(r, exe, workspace, out)
				f.ok(exe.Close())
				f.free()
			}
		}
	}
}

// zeros returns contiguous views of zeros to make the run with.
func (f *fixture) zeros(r run) (out device.View, views []device.View) {
	for _, t := range r.types() {
		views = append(views, f.zero(t))
	}
	result, err := r.op.Infer(r.types())
	f.ok(err)
	if r.inPlace >= 0 {
		return views[r.inPlace], views
	}
	return f.zero(device.Type{DType: r.output, Shape: result.Shape}), views
}

func (f *fixture) zero(t device.Type) device.View {
	zeros := make([]byte, count(t.Shape)*t.DType.Size())
	v := device.View{Buffer: f.alloc(len(zeros)), DType: t.DType, Shape: t.Shape, Strides: rowMajor(t.Shape)}
	f.upload(v.Buffer, zeros)
	return v
}

// checkSharedBuffer computes between the columns of one buffer, which is no
// overlap, and with the same tensor as both inputs.
func checkSharedBuffer(f *fixture) {
	const rows, columns = 30, 70
	d := f.dtype()
	values := make([]float64, rows*2*columns)
	for i := range values {
		values[i] = float64(i % 16)
	}
	both := f.tensor(d, values, rows, 2*columns)
	even := device.View{Buffer: both.Buffer, DType: d, Shape: []int{rows, columns}, Strides: []int{2 * columns, 2}}
	odd := even
	odd.Offset = 1
	f.launch(device.Mul{}, odd, even, even)
	for i := range values {
		if i%2 == 1 {
			values[i] = values[i-1] * values[i-1]
		}
	}
	require.Equal(f.t, values, f.read(both), "even columns, squared, in the odd ones")
}

// checkGoroutines runs one device from several goroutines, each with a stream of its own.
func checkGoroutines(f *fixture) {
	const goroutines, launches, n = 4, 20, 5000
	results := make(chan error, goroutines)
	for g := range goroutines {
		go func() { results <- useDevice(f.dev, f.dtype(), launches, n+g) }()
	}
	for range goroutines {
		if err := <-results; err != nil {
			defer f.failf("%v", err) // after all have ended
		}
	}
}

// useDevice does everything a goroutine can do with a device.
func useDevice(dev device.Device, d device.DType, launches, n int) (err error) {
	stream, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer func() {
		if e := stream.Close(); err == nil {
			err = e
		}
	}()
	t := device.Type{DType: d, Shape: []int{n}}
	var views [2]device.View
	for i := range views {
		b, err := dev.Alloc(t.Bytes())
		if err != nil {
			return err
		}
		defer b.Free()
		views[i] = device.Contiguous(b, 0, t)
	}
	for k := range launches {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64((i + k) % 100)
		}
		if err := stream.Upload(views[0].Buffer, 0, Encode(values, d)); err != nil {
			return err
		}
		exe, err := dev.Plan(device.Neg{}, views[:1], views[1])
		if err != nil {
			return err
		}
		var workspace device.Buffer
		if size := exe.WorkspaceSize(); size > 0 {
			if workspace, err = dev.Alloc(size); err != nil {
				return err
			}
			defer workspace.Free()
		}
		if err := exe.Launch(workspace, stream); err != nil {
			return err
		}
		got := make([]byte, t.Bytes())
		if err := stream.Download(got, views[1].Buffer, 0); err != nil {
			return err
		}
		for i, x := range Decode(got, d) {
			if x != -values[i] {
				return fmt.Errorf("%d elements, launch %d: element %d is %v, want %v", n, k, i, x, -values[i])
			}
		}
		if err := exe.Close(); err != nil {
			return err
		}
	}
	return nil
}

// checkUseAfterClose closes streams, executors, buffers and the device, and uses
// them again.
func checkUseAfterClose(f *fixture) {
	dev, err := device.Open(f.dev.Name())
	f.ok(err)
	require.Equal(f.t, f.dev.Name(), dev.Name())
	g := newFixture(f.t, dev, f.o)
	x, y := g.tensor(g.dtype(), []float64{1, 2, 3}, 3), g.tensor(g.dtype(), []float64{0, 0, 0}, 3)
	bytesOfX := Encode([]float64{1, 2, 3}, g.dtype())
	exe, workspace := g.plan(device.Neg{}, y, x)

	closed, err := dev.NewStream()
	g.ok(err)
	g.ok(exe.Launch(workspace, closed))
	g.ok(closed.Close())
	require.Equal(f.t, []float64{-1, -2, -3}, g.read(y), "Close of a stream must wait for its launches")
	f.refused(exe.Launch(workspace, closed), device.ErrStream, "", "a launch on a closed stream")
	f.refused(closed.Upload(x.Buffer, 0, bytesOfX), device.ErrStream, "", "an upload on a closed stream")
	f.refused(closed.Download(make([]byte, 1), x.Buffer, 0), device.ErrStream, "", "a download on a closed stream")
	_ = closed.Close() // may be an error, but must come back

	g.ok(exe.Close())
	f.refused(exe.Launch(workspace, g.stream), device.ErrExecutorInvalid, "", "a launch of a closed executor")
	_ = exe.Close()
	require.Equal(f.t, []float64{1, 2, 3}, g.read(x), "closing an executor does not touch its views")

	freed, err := dev.Alloc(64)
	g.ok(err)
	g.ok(freed.Free())
	f.refusedAny(g.stream.Upload(freed, 0, bytesOfX), "an upload to a freed buffer")
	f.refusedAny(g.stream.Download(bytesOfX, freed, 0), "a download from a freed buffer")
	_ = freed.Free()
	g.ok(g.stream.Synchronize())
	require.Equal(f.t, []float64{1, 2, 3}, g.read(x), "after all that")

	exe, workspace = g.plan(device.Neg{}, y, x)
	g.ok(exe.Launch(workspace, g.stream))
	g.ok(dev.Close())
	g.ok(dev.Close())
	_, err = dev.Alloc(64)
	f.refused(err, device.ErrUninitialized, "", "Alloc on a closed device")
	_, err = dev.NewStream()
	f.refused(err, device.ErrUninitialized, "", "NewStream on a closed device")
	_, err = dev.Plan(device.Neg{}, []device.View{x}, y)
	f.refused(err, device.ErrUninitialized, "", "Plan on a closed device")
	f.refusedAny(exe.Launch(workspace, g.stream), "a launch on a closed device")
	f.refusedAny(g.stream.Upload(x.Buffer, 0, bytesOfX), "an upload on a closed device")
	f.refusedAny(g.stream.Download(make([]byte, 1), x.Buffer, 0), "a download on a closed device")
	_, _, _ = g.stream.Close(), exe.Close(), x.Buffer.Free()
}

// refusedAny ends the check unless err is an *Error, with whatever code.
func (f *fixture) refusedAny(err error, call string) {
	var e *device.Error
	require.ErrorAs(f.t, err, &e, call)
}

// checkOtherDevice mixes the belongings of two devices, and a buffer that belongs to none.
func checkOtherDevice(f *fixture) {
	dev, err := device.Open(f.dev.Name())
	f.ok(err)
	g := newFixture(f.t, dev, f.o)
	d := f.dtype()
	x, theirs := f.tensor(d, []float64{1, 2}, 2), g.tensor(d, []float64{3, 4}, 2)
	exe, workspace := f.plan(device.Neg{}, x, x)
	f.refused(exe.Launch(workspace, g.stream), device.ErrStream, "", "a launch on another device's stream")
	f.ok(exe.Close())

	foreign := theirs
	foreign.Buffer = foreignBuffer{}
	for _, v := range []device.View{theirs, foreign} {
		call := fmt.Sprintf("a %T that is another device's", v.Buffer)
		_, err = f.dev.Plan(device.Neg{}, []device.View{v}, x)
		f.refused(err, device.ErrParamInvalid, "self", "%s, as input", call)
		_, err = f.dev.Plan(device.Neg{}, []device.View{x}, v)
		f.refused(err, device.ErrParamInvalid, "output", "%s, as output", call)
		f.refused(f.stream.Upload(v.Buffer, 0, make([]byte, 1)), device.ErrParamInvalid, "", "%s, for an upload", call)
		f.refused(f.stream.Download(make([]byte, 1), v.Buffer, 0), device.ErrParamInvalid, "", "%s, for a download", call)
	}
	require.Equal(f.t, []float64{1, 2}, f.read(x))
	require.Equal(f.t, []float64{3, 4}, g.read(theirs))
	g.close()
	g.ok(dev.Close())
}

// foreignBuffer is no device's.
type foreignBuffer struct{}

func (foreignBuffer) Size() int64 { return 64 }
func (foreignBuffer) Free() error { return nil }
