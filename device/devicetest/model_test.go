package devicetest

import (
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/pullback-go/pullback/device"
)

// model is the slowest device there is: it computes with the suite's own
// references, in the order of the calls. The suite must pass on it, and must
// fail on it once it has a fault.
type model struct {
	fault string // the device's instance, see store and elsewhere

	mu       sync.Mutex
	closed   bool
	launches int
}

var table = sync.OnceValue(cases)

func init() {
	device.Register("model", func(n device.Name) (device.Device, error) { return &model{fault: n.Instance}, nil })
}

func (d *model) Name() string { return device.Name{Driver: "model", Instance: d.fault}.String() }

func (d *model) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}

// open locks the device, and is an error if it is closed.
func (d *model) open() (unlock func(), err error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, &device.Error{Code: device.ErrUninitialized, Reason: "the device is closed"}
	}
	return d.mu.Unlock, nil
}

type modelBuffer struct {
	dev   *model
	bytes []byte
	freed bool
}

func (d *model) Alloc(size int64) (device.Buffer, error) {
	unlock, err := d.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if size < 0 {
		return nil, modelError(device.ErrParamInvalid)
	}
	if size > 1<<40 {
		return nil, modelError(device.ErrOutOfMemory)
	}
	return &modelBuffer{dev: d, bytes: make([]byte, size)}, nil
}

func (b *modelBuffer) Size() int64 { return int64(len(b.bytes)) }
func (b *modelBuffer) Free() error { b.freed = true; return nil }

func modelError(c device.Code) error { return &device.Error{Code: c, Reason: "refused"} }

// buffer returns b if it is this device's and not freed.
func (d *model) buffer(b device.Buffer) (*modelBuffer, error) {
	if b == nil {
		return nil, modelError(device.ErrParamNull)
	}
	m, ok := b.(*modelBuffer)
	if !ok || m.freed || m.dev != d && d.fault != "foreign buffers" {
		return nil, modelError(device.ErrParamInvalid)
	}
	return m, nil
}

type modelStream struct {
	dev    *model
	closed bool
}

func (d *model) NewStream() (device.Stream, error) {
	unlock, err := d.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	return &modelStream{dev: d}, nil
}

// copy runs move on n bytes of b.
func (s *modelStream) copy(b device.Buffer, offset int64, n int, move func(part []byte)) error {
	unlock, err := s.dev.open()
	if err != nil {
		return err
	}
	defer unlock()
	m, err := s.dev.buffer(b)
	switch {
	case err != nil:
		return err
	case s.closed && s.dev.fault != "closed stream":
		return modelError(device.ErrStream)
	case offset < 0 || offset > m.Size()-int64(n):
		if s.dev.fault == "short copies" && offset >= 0 && offset < m.Size() {
			move(m.bytes[offset:])
		}
		return modelError(device.ErrParamInvalid)
	}
	move(m.bytes[offset:][:n])
	return nil
}

func (s *modelStream) Upload(dst device.Buffer, offset int64, src []byte) error {
	return s.copy(dst, offset, len(src), func(part []byte) { copy(part, src) })
}

func (s *modelStream) Download(dst []byte, src device.Buffer, offset int64) error {
	return s.copy(src, offset, len(dst), func(part []byte) { copy(dst, part) })
}

func (s *modelStream) Synchronize() error { return nil }
func (s *modelStream) Close() error       { s.closed = true; return nil }

type modelExecutor struct {
	dev    *model
	want   func(op device.Op, in []tensor) [][]number
	op     device.Op
	inputs []device.View
	output device.View
	closed bool
}

func (d *model) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	unlock, err := d.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if d.fault == "plan writes" && output.Buffer != nil && output.Buffer.Size() > 0 {
		output.Buffer.(*modelBuffer).bytes[0]++
	}
	if err := device.Check(op, inputs, output); err != nil && !(d.fault == "no checks of the output" && op != nil && output.Buffer != nil && output.Offset < 0) {
		return nil, err
	}
	for i, v := range append(slices.Clone(inputs), output) {
		if _, err := d.buffer(v.Buffer); err != nil {
			arg := "output"
			if i < len(inputs) {
				arg = device.ArgName(op, i)
			}
			return nil, &device.Error{Code: device.ErrParamInvalid, Op: op.Name(), Arg: arg, Reason: "another device's"}
		}
		if d.fault == "float16 is missing" && v.DType == device.Float16 {
			return nil, &device.Error{Code: device.ErrParamInvalid, Reason: "float16"}
		}
	}
	for _, c := range table() {
		if reflect.TypeOf(c.calls[0].op) == reflect.TypeOf(op) {
			if d.fault == "Exp is missing" && op.Name() == "Exp" {
				break
			}
			return &modelExecutor{dev: d, want: c.want, op: op, inputs: slices.Clone(inputs), output: output}, nil
		}
	}
	return nil, &device.Error{Code: device.ErrUnsupported, Op: op.Name(), Reason: "no such operation"}
}

func (e *modelExecutor) WorkspaceSize() int64 {
	if len(e.inputs) > 1 {
		return 24
	}
	return 0
}

func (e *modelExecutor) Close() error { e.closed = true; return nil }

func (e *modelExecutor) Launch(workspace device.Buffer, stream device.Stream) error {
	unlock, err := e.dev.open()
	if err != nil {
		return err
	}
	defer unlock()
	s, _ := stream.(*modelStream)
	switch {
	case s == nil:
		return modelError(device.ErrParamNull)
	case e.closed:
		return modelError(device.ErrExecutorInvalid)
	case s.dev != e.dev || s.closed && e.dev.fault != "closed stream":
		return modelError(device.ErrStream)
	case e.WorkspaceSize() > 0 && e.dev.fault != "workspace":
		b, err := e.dev.buffer(workspace)
		if err != nil {
			return err
		}
		if b.Size() < e.WorkspaceSize() {
			return modelError(device.ErrParamInvalid)
		}
	}
	e.dev.launches++
	var in []tensor
	for _, v := range e.inputs {
		t := tensor{shape: v.Shape}
		for _, a := range e.addresses(v, false) {
			t.data = append(t.data, get(v.Buffer.(*modelBuffer).bytes, a, v.DType))
		}
		in = append(in, t)
	}
	results := e.want(e.op, in)
	written := []device.View{e.output}
	if u, ok := e.op.(device.Updater); ok {
		written = nil
		for _, i := range u.Updates() {
			written = append(written, e.inputs[i])
		}
	}
	for i, v := range written {
		e.store(v, results[i])
	}
	if e.dev.fault == "input changed" {
		e.inputs[0].Buffer.(*modelBuffer).bytes[0]++
	}
	return nil
}

// addresses returns where the elements of v lie.
func (e *modelExecutor) addresses(v device.View, out bool) []int {
	strides, offset := v.Strides, v.Offset
	switch {
	case e.dev.fault == "offset ignored" && !out, e.dev.fault == "output offset ignored" && out:
		offset = 0
	case e.dev.fault == "strides ignored" && !out, e.dev.fault == "output strides ignored" && out:
		strides = rowMajor(v.Shape)
	}
	var list []int
	eachIndex(v.Shape, func(index []int) { list = append(list, offset+dot(index, strides)) })
	return list
}

func (e *modelExecutor) store(v device.View, results []number) {
	b := v.Buffer.(*modelBuffer).bytes
	addresses := e.addresses(v, true)
	for i, r := range results {
		x := stored(r.value, v.DType)
		switch fault := e.dev.fault; {
		case fault == "tail skipped" && i == 1036,
			fault == "last block skipped" && i > 100_000:
			continue
		case fault == "not deterministic" && e.dev.launches%2 == 0:
			x += Unit(x, v.DType)
		case fault == "accumulates":
			x += get(b, addresses[i], v.DType)
		case fault == "truncates" && v.DType == device.BFloat16:
			put(b, addresses[i], math.Float64frombits(math.Float64bits(r.value)&^(1<<45-1)), v.DType)
			continue
		case fault == "NaN lost" && x != x:
			x = 0
		case fault == "three ulp off" && v.DType == device.Float32:
			x += 3 * Unit(x, device.Float32)
		case fault == "one ulp off" && v.DType == device.Float32:
			x += Unit(x, device.Float32)
		}
		put(b, addresses[i], x, v.DType)
		if at := (addresses[i] + 1) * v.DType.Size(); fault(e, "writes behind the end") && i == len(results)-1 {
			b[at]++
		} else if fault(e, "writes between elements") && v.DType == device.Float16 && i+1 < len(addresses) && addresses[i+1] > addresses[i]+1 && addresses[i+1] < addresses[i]+5 {
			b[at] = 0
		}
	}
}

func fault(e *modelExecutor, name string) bool { return e.dev.fault == name }
