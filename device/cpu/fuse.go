package cpu

import (
	"github.com/pullback-go/pullback/device"
)

// PlanFused fuses what the vector kernels can do in one pass: the loss with its
// gradient, and a linear layer with its activation.
func (d *cpu) PlanFused(calls []device.Call) (int, device.Executor, error) {
	if !d.simd || len(calls) < 2 {
		return 0, nil, nil
	}
	for _, c := range calls[:2] {
		if err := d.check(c.Op, c.Inputs, c.Output); err != nil {
			return 0, nil, nil // planned by itself, the call at fault says so
		}
	}
	p := fuse(calls[0], calls[1])
	if p == nil {
		return 0, nil, nil
	}
	return 2, &executor{program: *p, device: d, op: calls[0].Op.Name() + "+" + calls[1].Op.Name()}, nil
}

// fuse returns one program for two calls, nil if there is none.
func fuse(first, second device.Call) *program {
	switch op := first.Op.(type) {
	case device.SoftMarginLoss:
		next := second.Op == device.SoftMarginLossBackward{Reduction: op.Reduction}
		if next && op.Reduction != device.None &&
			first.Inputs[0].Same(second.Inputs[1]) && first.Inputs[1].Same(second.Inputs[2]) && // of the same tensors
			device.Elements(second.Inputs[0].Shape) == 1 && second.Inputs[0].Buffer != first.Output.Buffer { // and not from the loss
			return planVectorLossBoth(op.Reduction, second.Inputs, first.Output, second.Output)
		}
	case device.Linear:
		// In place, the activation is all that reads the layer's own result.
		if second.Op == (device.ReLU{}) && second.Inputs[0].Same(first.Output) && second.Output.Same(first.Output) {
			return planVectorLinear(first.Inputs, first.Output)
		}
	}
	return nil
}
