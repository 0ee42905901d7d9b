package cpu

import "github.com/pullback-go/pullback/device"

// executor is a planned operation.
type executor struct {
	program
	device *cpu
	op     string
	closed bool
}

// program is what an operation is planned to: phases that run one after the other.
// An operation on empty tensors may have none.
type program struct {
	phases    []phase
	workspace int64 // bytes
}

// phase is work that falls into parts which may run in any order and at the same
// time. What a part computes must not depend on which others run beside it.
type phase struct {
	parts int
	cost  int // of all parts, see cheap

	// run does the parts from lo up to, but not including, hi. The scratch is the
	// calling thread's own; the workspace is the launch's.
	run func(lo, hi int, workspace []byte, s scratch)
}

func (e *executor) WorkspaceSize() int64 { return e.workspace }

// Launch runs the phases one after the other, and returns when they are done.
func (e *executor) Launch(workspace device.Buffer, on device.Stream) error {
	e.device.open.RLock()
	defer e.device.open.RUnlock()
	if e.device.closed {
		return device.Closed(e.op)
	}
	s, ok := on.(*stream)
	ok = ok && s.device == e.device && !s.closed
	if err := device.CheckLaunch(e.op, e.device.name, e.closed, ok, workspace, e.workspace); err != nil {
		return err
	}
	var mem []byte
	if e.workspace > 0 {
		if err := e.device.checkBuffer(e.op, "workspace", workspace); err != nil {
			return err
		}
		mem = workspace.(*buffer).mem
	}
	for i := range e.phases {
		e.device.pool.run(&e.phases[i], mem, s.scratch)
	}
	return nil
}

func (e *executor) Close() error {
	e.closed = true
	return nil
}
