package ascend

import (
	"errors"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// hosted is an operation that CANN has no operator for, run on the CPU: its
// operands go to the host and what it writes comes back.
type hosted struct {
	device   *npu
	op       string
	executor device.Executor
	stream   device.Stream
	operands []*hostedOperand

	workspace device.Buffer // of executor, on the CPU; nil if it needs none
}

// hostedOperand is an operand's memory on the NPU and its copy on the CPU.
type hostedOperand struct {
	npu         device.Buffer
	offset      int64
	cpu         device.Buffer
	bytes       []byte // on their way
	read, write bool

	// What lies between the elements of a strided view that is written is not ours to
	// write, so such an operand goes through contiguous memory on the NPU.
	packed       device.Buffer   // nil if it needs none
	pack, unpack device.Executor // nil if there is nothing to do
}

// planFallback plans the operation on the CPU.
func (d *npu) planFallback(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	h := &hosted{device: d, op: op.Name()}
	if err := h.plan(op, inputs, output); err != nil {
		_ = h.Close() // the first failure is the one to report
		return nil, err
	}
	return h, nil
}

func (h *hosted) plan(op device.Op, inputs []device.View, output device.View) (err error) {
	var updated []int
	if u, ok := op.(device.Updater); ok {
		updated = u.Updates()
	}
	views := make([]device.View, len(inputs))
	for i, v := range inputs {
		if views[i], err = h.add(v, true, slices.Contains(updated, i)); err != nil {
			return err
		}
	}
	var out device.View
	if updated != nil {
		out = views[updated[0]]
	} else if out, err = h.add(output, false, true); err != nil {
		return err
	}
	if h.executor, err = h.device.fallback.Plan(op, views, out); err != nil {
		return err
	}
	if n := h.executor.WorkspaceSize(); n > 0 {
		if h.workspace, err = h.device.fallback.Alloc(n); err != nil {
			return err
		}
	}
	h.stream, err = h.device.fallback.NewStream()
	return err
}

// add makes the copy of an operand on the CPU and returns its view there.
func (h *hosted) add(v device.View, read, write bool) (_ device.View, err error) {
	o := &hostedOperand{read: read, write: write}
	h.operands = append(h.operands, o)
	if write && !v.IsContiguous() {
		if o.packed, err = h.device.Alloc(v.Type().Bytes()); err != nil {
			return device.View{}, err
		}
		packed := device.Contiguous(o.packed, 0, v.Type())
		if read {
			if o.pack, err = h.device.Plan(device.Copy{}, []device.View{v}, packed); err != nil {
				return device.View{}, err
			}
		}
		if o.unpack, err = h.device.Plan(device.Copy{}, []device.View{packed}, v); err != nil {
			return device.View{}, err
		}
		v = packed
	}
	elements := 0 // from the first to the last
	if device.Elements(v.Shape) > 0 {
		elements = 1
		for i, d := range v.Shape {
			elements += (d - 1) * v.Strides[i]
		}
		o.offset = int64(v.Offset) * int64(v.DType.Size())
	}
	o.npu = v.Buffer
	o.bytes = make([]byte, elements*v.DType.Size())
	o.cpu, err = h.device.fallback.Alloc(int64(len(o.bytes)))
	v.Buffer, v.Offset = o.cpu, 0
	return v, err
}

// WorkspaceSize returns what packing and unpacking need.
func (h *hosted) WorkspaceSize() (size int64) {
	for _, o := range h.operands {
		for _, e := range []device.Executor{o.pack, o.unpack} {
			if e != nil {
				size = max(size, e.WorkspaceSize())
			}
		}
	}
	return size
}

// Launch waits for the stream, as the CPU needs the values.
func (h *hosted) Launch(workspace device.Buffer, on device.Stream) error {
	if err := h.device.enter(h.op); err != nil {
		return err
	}
	h.device.leave() // what follows enters by itself, and must not do so twice
	s, ok := on.(*stream)
	ok = ok && s.device == h.device && !s.closed
	if err := device.CheckLaunch(h.op, h.device.name, h.executor == nil, ok, workspace, h.WorkspaceSize()); err != nil {
		return err
	}
	for _, o := range h.operands {
		if err := o.toCPU(s, h.stream, workspace); err != nil {
			return err
		}
	}
	if err := h.executor.Launch(h.workspace, h.stream); err != nil {
		return err
	}
	for _, o := range h.operands {
		if err := o.toNPU(s, h.stream, workspace); err != nil {
			return err
		}
	}
	return nil
}

func (o *hostedOperand) toCPU(npu, cpu device.Stream, workspace device.Buffer) error {
	if !o.read {
		return nil
	}
	if o.pack != nil {
		if err := o.pack.Launch(workspace, npu); err != nil {
			return err
		}
	}
	if err := npu.Download(o.bytes, o.npu, o.offset); err != nil {
		return err
	}
	return cpu.Upload(o.cpu, 0, o.bytes)
}

func (o *hostedOperand) toNPU(npu, cpu device.Stream, workspace device.Buffer) error {
	if !o.write {
		return nil
	}
	if err := cpu.Download(o.bytes, o.cpu, 0); err != nil {
		return err
	}
	if err := npu.Upload(o.npu, o.offset, o.bytes); err != nil {
		return err
	}
	if o.unpack == nil {
		return nil
	}
	return o.unpack.Launch(workspace, npu)
}

// Close frees what is on the CPU, and what strided operands have on the NPU.
func (h *hosted) Close() error {
	var errs []error
	var executors []device.Executor
	buffers := []device.Buffer{h.workspace}
	for _, o := range h.operands {
		executors = append(executors, o.pack, o.unpack)
		buffers = append(buffers, o.cpu, o.packed)
	}
	for _, e := range append(executors, h.executor) {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	if h.stream != nil {
		errs = append(errs, h.stream.Close())
	}
	for _, b := range buffers {
		if b != nil {
			errs = append(errs, b.Free())
		}
	}
	*h = hosted{device: h.device, op: h.op}
	return errors.Join(errs...)
}
