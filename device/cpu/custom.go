package cpu

import "github.com/pullback-go/pullback/device"

// planCustom runs a user's kernel on copies of its operands.
func planCustom(op device.Custom, inputs []device.View, output device.View) *program {
	elements := device.Elements(output.Shape)
	if elements == 0 {
		return &program{}
	}
	result := device.HostTensor{Shape: output.Shape, Data: make([]float64, elements)}
	out := newOperand[float64](output)
	values := make([]device.HostTensor, len(inputs))
	operands := make([]operand[float64], len(inputs))
	for i, v := range inputs {
		values[i] = device.HostTensor{Shape: v.Shape, Data: make([]float64, device.Elements(v.Shape))}
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
	}}}}
}
