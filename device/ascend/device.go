package ascend

import (
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// npu is the device. What follows owner is only used on its thread, but for the
// pool's lists, which have a lock.
type npu struct {
	name       string
	number     int
	stableLoss bool
	fallback   device.Device // nil if there is none
	owner

	lib       *library
	context   acl.Context
	pool      pool
	streams   map[*stream]bool
	executors map[*executor]bool
}

// open loads the libraries, sets up the NPU and starts the owner.
func (d *npu) open(path string) error {
	d.pool.free, d.pool.all = map[int64][]acl.Pointer{}, map[acl.Pointer]bool{}
	d.streams, d.executors = map[*stream]bool{}, map[*executor]bool{}
	d.start()
	err := d.call("Open", func() error { return d.setUp(path) })
	if err == nil {
		return nil
	}
	_ = d.stop(func() error { return nil })
	var inner *device.Error
	if errors.As(err, &inner) {
		err = &device.Error{Code: inner.Code, Op: "Open", Arg: fmt.Sprintf("device %q", d.name), Reason: inner.Op + ": " + inner.Reason}
	}
	return err
}

// setUp makes the context. What it has done so far is undone if it fails.
func (d *npu) setUp(path string) (err error) {
	if d.lib, err = acquire(path); err != nil {
		return err
	}
	undo := []func() error{d.lib.release}
	defer func() {
		for i := len(undo) - 1; err != nil && i >= 0; i-- {
			_ = undo[i]() // the first failure is the one to report
		}
	}()
	if err = d.lib.SetDevice(d.number); err != nil {
		return err
	}
	undo = append(undo, func() error { return d.lib.ResetDevice(d.number) })
	d.context, err = d.lib.CreateContext(d.number)
	return err
}

func (d *npu) Name() string { return d.name }

// Close waits for what is queued, returns what of it failed and was not reported,
// and tears down in the order that CANN asks for: executors, streams, memory,
// context, device, libraries.
func (d *npu) Close() error {
	err := d.stop(d.tearDown)
	if d.fallback != nil {
		err = errors.Join(err, d.fallback.Close())
	}
	return err
}

func (d *npu) tearDown() error {
	var errs []error
	for s := range d.streams {
		errs = append(errs, s.settle())
	}
	for e := range d.executors {
		errs = append(errs, e.destroy())
	}
	for s := range d.streams {
		errs = append(errs, s.destroy())
	}
	d.pool.Lock()
	defer d.pool.Unlock()
	for at := range d.pool.all {
		errs = append(errs, d.lib.Free(at))
	}
	return errors.Join(append(errs,
		d.lib.DestroyContext(d.context),
		d.lib.ResetDevice(d.number),
		d.lib.release())...)
}

// Plan checks the call and makes phase one of the operators it consists of.
func (d *npu) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	if err := d.check(op, inputs, output); err != nil {
		return nil, err
	}
	write := stepsOf(op, d.stableLoss)
	switch {
	case write == nil && d.fallback != nil:
		return d.planFallback(op, inputs, output)
	case write == nil:
		return nil, &device.Error{Code: device.ErrUnsupported, Op: op.Name(),
			Reason: "CANN has no operator for it; add fallback=cpu to the device's name to run it on the CPU, as in ascend:0?fallback=cpu"}
	}
	_, updates := op.(device.Updater)
	if !updates && device.Elements(output.Shape) == 0 { // there is nothing to write
		write = func(*recipe, []operand, operand) {}
	}
	e := &executor{device: d, op: op.Name()}
	for _, v := range append(inputs[:len(inputs):len(inputs)], output) {
		e.operands = append(e.operands, v.Buffer.(*buffer))
	}
	err := d.call(op.Name(), func() error { return e.plan(write, inputs, output) })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// check makes the checks for which the library is not needed.
func (d *npu) check(op device.Op, inputs []device.View, output device.View) error {
	if err := device.Check(op, inputs, output); err != nil {
		return err
	}
	if err := d.enter(op.Name()); err != nil {
		return err
	}
	defer d.leave()
	for i, v := range inputs {
		if err := d.checkView(op.Name(), device.ArgName(op, i), v); err != nil {
			return err
		}
	}
	return d.checkView(op.Name(), "output", output)
}

// checkView refuses what this device does not have. Whether the chip has bfloat16 is
// for phase one to tell.
func (d *npu) checkView(op, arg string, v device.View) error {
	if v.DType == device.Float64 {
		return &device.Error{Code: device.ErrParamInvalid, Op: op, Arg: arg,
			Reason: "an NPU does not compute in float64; use float32, or the cpu device"}
	}
	return d.checkBuffer(op, arg, v.Buffer)
}
