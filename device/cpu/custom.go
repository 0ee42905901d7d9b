package cpu

import (
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
)

// planCustom runs a user's kernel on copies of its operands.
func planCustom(op device.Custom, inputs []device.View, output device.View) (*program, error) {
	if u, ok := op.(device.Updater); ok && len(u.Updates()) > 1 {
		return nil, &device.Error{Code: device.ErrUnsupported, Op: op.Name(), Reason: "a kernel of one's own has one output, so it can update one tensor"}
	}
	if device.Elements(output.Shape) == 0 {
		return &program{}, nil
	}
	result, err := newHostTensor(op, output.Shape)
	if err != nil {
		return nil, err
	}
	out := newOperand[float64](output)
	values := make([]device.HostTensor, len(inputs))
	operands := make([]operand[float64], len(inputs))
	for i, v := range inputs {
		if values[i], err = newHostTensor(op, v.Shape); err != nil {
			return nil, err
		}
		if len(values[i].Data) > 0 {
			operands[i] = newOperand[float64](v)
		}
	}
	return &program{phases: []phase{{parts: 1, run: func(_, _ int, _ []byte, _ scratch) {
		for i, in := range values {
			if len(in.Data) > 0 {
				operands[i].gather(in.Data, 0)
			}
		}
		op.Compute(result, values)
		walk(&out.layout, out.base, 0, result.Data, out.write)
	}}}}, nil
}

// newHostTensor takes memory for a copy of an operand, which may be a view of less.
func newHostTensor(op device.Op, shape []int) (device.HostTensor, error) {
	n := device.Elements(shape)
	if n <= math.MaxInt/8 {
		if mem, ok := allocate(8 * int64(n)); ok {
			return device.HostTensor{Shape: shape, Data: typed[float64](mem)}, nil
		}
	}
	return device.HostTensor{}, &device.Error{Code: device.ErrOutOfMemory, Op: op.Name(),
		Reason: fmt.Sprintf("the kernel takes its operands as float64, and a copy of %s is more than this machine has memory for", device.ShapeString(shape))}
}
