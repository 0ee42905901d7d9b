package ascend

import (
	"errors"

	"github.com/pullback-go/pullback/device"
)

// hosted is an operation that CANN has no operator for, run on the CPU: its
// operands go to the host and what it writes comes back.
type hosted struct {
	device   *npu
	op       string
	executor device.Executor
	stream   device.Stream
	operands []hostedOperand

	workspace device.Buffer // on the CPU; nil if none is needed
}

// hostedOperand is the part of a buffer that a view reaches, and its copy on the CPU.
type hostedOperand struct {
	npu    device.Buffer
	offset int64
	cpu    device.Buffer
	bytes  []byte
	write  bool
}

// planFallback plans the operation on the CPU.
func (d *npu) planFallback(op device.Op, inputs []device.View, output device.View) (_ device.Executor, err error) {
	h := &hosted{device: d, op: op.Name()}
	defer func() {
		if err != nil {
			_ = h.Close() // the first failure is the one to report
		}
	}()
	written := map[int]bool{}
	if u, ok := op.(device.Updater); ok {
		for _, i := range u.Updates() {
			written[i] = true
		}
	}
	views := make([]device.View, len(inputs))
	for i, v := range inputs {
		if views[i], err = h.add(v, written[i]); err != nil {
			return nil, err
		}
	}
	var out device.View
	at := -1
	for i, v := range inputs { // the same view must be the same memory there too
		if v.Same(output) {
			at = i
		}
	}
	if at >= 0 {
		h.operands[at].write = true
		out = views[at]
	} else if out, err = h.add(output, true); err != nil {
		return nil, err
	}
	if h.executor, err = d.fallback.Plan(op, views, out); err != nil {
		return nil, err
	}
	if n := h.executor.WorkspaceSize(); n > 0 {
		if h.workspace, err = d.fallback.Alloc(n); err != nil {
			return nil, err
		}
	}
	h.stream, err = d.fallback.NewStream()
	return h, err
}

// add makes the copy of an operand on the CPU and returns its view there.
func (h *hosted) add(v device.View, write bool) (device.View, error) {
	size := int64(v.DType.Size())
	elements := int64(0)
	if device.Elements(v.Shape) > 0 {
		elements = 1
		for i, d := range v.Shape {
			elements += int64(d-1) * int64(v.Strides[i])
		}
	}
	b, err := h.device.fallback.Alloc(elements * size)
	if err != nil {
		return device.View{}, err
	}
	h.operands = append(h.operands, hostedOperand{
		npu: v.Buffer, offset: int64(v.Offset) * size, cpu: b, bytes: make([]byte, elements*size), write: write})
	v.Buffer, v.Offset = b, 0
	return v, nil
}

func (h *hosted) WorkspaceSize() int64 { return 0 }

// Launch waits for the stream, as the CPU needs the values.
func (h *hosted) Launch(_ device.Buffer, on device.Stream) error {
	s, ok := on.(*stream)
	if !ok || s.device != h.device {
		return &device.Error{Code: device.ErrStream, Op: h.op, Arg: "stream", Reason: "it is not an open stream of " + h.device.name}
	}
	if h.executor == nil {
		return &device.Error{Code: device.ErrExecutorInvalid, Op: h.op, Reason: "the executor is closed; plan the operation again"}
	}
	for _, o := range h.operands { // also what is written: a view may leave gaps
		if err := s.Download(o.bytes, o.npu, o.offset); err != nil {
			return err
		}
		if err := h.stream.Upload(o.cpu, 0, o.bytes); err != nil {
			return err
		}
	}
	if err := h.executor.Launch(h.workspace, h.stream); err != nil {
		return err
	}
	for _, o := range h.operands {
		if !o.write {
			continue
		}
		if err := h.stream.Download(o.bytes, o.cpu, 0); err != nil {
			return err
		}
		if err := s.Upload(o.npu, o.offset, o.bytes); err != nil {
			return err
		}
	}
	return nil
}

// Close frees what is on the CPU.
func (h *hosted) Close() error {
	var errs []error
	if h.executor != nil {
		errs = append(errs, h.executor.Close())
		h.executor = nil
	}
	if h.stream != nil {
		errs = append(errs, h.stream.Close())
		h.stream = nil
	}
	if h.workspace != nil {
		errs = append(errs, h.workspace.Free())
		h.workspace = nil
	}
	for _, o := range h.operands {
		errs = append(errs, o.cpu.Free())
	}
	h.operands = nil
	return errors.Join(errs...)
}
