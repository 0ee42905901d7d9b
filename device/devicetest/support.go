package devicetest

import (
	"errors"

	"github.com/pullback-go/pullback/device"
)

// Support is what a device says to one operation in one dtype.
type Support struct {
	Op       string
	DType    device.DType // of all operands that may have any
	Executor device.Executor
	Err      error // of Plan
}

// EachSupport plans every operation of package device, and one [device.Custom], in
// every dtype, and calls visit with what the device says. The executor is closed
// afterwards.
func EachSupport(dev device.Device, visit func(Support)) error {
	for _, c := range cases() {
		var cl call
		for _, candidate := range c.calls {
			if candidate.probe {
				cl = candidate // the last has most of its options on
			}
		}
		if cl.op == nil {
			continue // another row of the same operation
		}
		for _, d := range dtypes {
			r := c.uniform(cl, d)
			if err := planRun(dev, r, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func planRun(dev device.Device, r run, visit func(Support)) (err error) {
	view := func(t device.Type) device.View {
		b, e := dev.Alloc(max(t.Bytes(), 1))
		if e != nil {
			err = errors.Join(err, e)
			return device.View{}
		}
		return device.Contiguous(b, 0, t)
	}
	result, err := r.op.Infer(r.types())
	if err != nil {
		return err
	}
	var views []device.View
	for _, t := range r.types() {
		views = append(views, view(t))
	}
	all := views
	out := device.View{}
	if r.inPlace >= 0 {
		out = views[r.inPlace]
	} else {
		out = view(device.Type{DType: r.output, Shape: result.Shape})
		all = append(all[:len(all):len(all)], out)
	}
	if err != nil {
		return err
	}
	exe, planErr := dev.Plan(r.op, views, out)
	visit(Support{Op: r.op.Name(), DType: r.inputs[0], Executor: exe, Err: planErr})
	if planErr == nil {
		err = exe.Close()
	}
	for _, v := range all {
		err = errors.Join(err, v.Buffer.Free())
	}
	return err
}
