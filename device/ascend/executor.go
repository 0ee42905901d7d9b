package ascend

import (
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// executor is a planned operation: a sequence of aclnn operators.
type executor struct {
	device    *npu
	op        string
	operands  []*buffer
	closed    bool
	workspace int64

	// Used on the owner's thread.
	calls   []call
	handles handles
	temps   []*buffer // values between the calls
}

// call is one aclnn operator with its arguments.
type call struct {
	operator   *acl.Operator
	args       []any // kept for as long as phase one may have to be repeated
	handle     acl.Executor
	workspace  uint64
	repeatable bool
}

// plan makes the calls and their phase one. It runs on the owner's thread, and
// leaves nothing behind if it fails.
func (e *executor) plan(write steps, inputs []device.View, output device.View) (err error) {
	defer func() {
		if err != nil {
			_ = e.destroy() // the first failure is the one to report
		}
	}()
	r := &recipe{executor: e, lib: e.device.lib}
	in := make([]operand, len(inputs))
	for i, v := range inputs {
		in[i] = operandOf(v)
	}
	if write(r, in, operandOf(output)); r.err != nil {
		return e.explain(r.err)
	}
	for i := range e.calls {
		c := &e.calls[i]
		if err := c.plan(); err != nil {
			return e.explain(err)
		}
		c.repeatable = r.lib.SetRepeatable(c.handle) == nil // some operators cannot be, in some versions
		e.workspace = max(e.workspace, int64(c.workspace))
	}
	e.device.executors[e] = true
	return nil
}

// explain puts the operation's name before the name of the C function that failed.
func (e *executor) explain(err error) error {
	var inner *device.Error
	if !errors.As(err, &inner) {
		return err
	}
	return &device.Error{Code: inner.Code, Op: e.op, Arg: inner.Op, Reason: inner.Reason}
}

// plan is phase one.
func (c *call) plan() (err error) {
	c.workspace, c.handle, err = c.operator.Plan(c.args...)
	return err
}

// run is phase two.
func (c *call) run(workspace acl.Pointer, available int64, s acl.Stream) error {
	if c.handle == 0 {
		if err := c.plan(); err != nil {
			return err
		}
	}
	if c.workspace > uint64(available) {
		return &device.Error{Code: device.ErrInternal, Op: c.operator.Name(),
			Reason: fmt.Sprintf("phase one asks for %d bytes of workspace where it asked for %d before", c.workspace, available)}
	}
	handle := c.handle
	if !c.repeatable {
		c.handle = 0 // phase two destroys it, even where it fails
	}
	return c.operator.Launch(workspace, c.workspace, handle, s)
}

func (e *executor) WorkspaceSize() int64 { return e.workspace }

// Launch queues the calls.
func (e *executor) Launch(workspace device.Buffer, on device.Stream) error {
	d := e.device
	if err := d.enter(e.op); err != nil {
		return err
	}
	defer d.leave()
	s, ok := on.(*stream)
	ok = ok && s.device == d && !s.closed
	if err := device.CheckLaunch(e.op, d.name, e.closed, ok, workspace, e.workspace); err != nil {
		return err
	}
	t := task{run: runLaunch, stream: s, executor: e}
	if e.workspace > 0 {
		if err := d.checkBuffer(e.op, "workspace", workspace); err != nil {
			return err
		}
		t.workspace = workspace.(*buffer).at
	}
	if err := e.checkOperands(); err != nil {
		return err
	}
	d.tasks <- t
	return nil
}

// checkOperands refuses to launch on memory that may belong to someone else by now.
func (e *executor) checkOperands() error {
	e.device.pool.Lock()
	defer e.device.pool.Unlock()
	for _, b := range e.operands {
		if b.freed {
			return &device.Error{Code: device.ErrParamInvalid, Op: e.op, Reason: "a buffer that the operation was planned with has been freed"}
		}
	}
	return nil
}

func runLaunch(t *task) error {
	e := t.executor
	t.stream.fresh = true
	for i := range e.calls {
		if err := e.calls[i].run(t.workspace, e.workspace, t.stream.handle); err != nil {
			return e.explain(err)
		}
	}
	return nil
}

// Close frees the executor once what is queued has been handed to the NPU.
func (e *executor) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	if e.device.enter(e.op) != nil { // the device's Close has done it
		return nil
	}
	defer e.device.leave()
	return e.device.await(e.retire)
}

// retire destroys the executor when the NPU has no more use for it. What fails
// meanwhile is left for the stream to report.
func (e *executor) retire() error {
	for s := range e.device.streams {
		err := e.device.lib.SynchronizeStream(s.handle)
		if err != nil && s.failure == nil && codeOf(err) != s.returned {
			s.failure = err
		}
	}
	return e.destroy()
}

// destroy frees what the executor has. It runs on the owner's thread.
func (e *executor) destroy() error {
	delete(e.device.executors, e)
	var errs []error
	for i := range e.calls {
		if c := &e.calls[i]; c.handle != 0 {
			errs = append(errs, e.device.lib.DestroyExecutor(c.handle))
			c.handle = 0
		}
	}
	errs = append(errs, e.handles.destroy(e.device.lib))
	for _, b := range e.temps {
		errs = append(errs, b.Free())
	}
	e.temps = nil
	return errors.Join(errs...)
}
