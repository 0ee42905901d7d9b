package cpu

import "github.com/pullback-go/pullback/device"

// planCopy copies elements in row-major order, whatever the two shapes.
func planCopy[F float](input, output device.View) *program {
	elements := device.Elements(output.Shape)
	if elements == 0 {
		return &program{}
	}
	in, out := newOperand[F](input), newOperand[F](output)
	in.notInPlaceOf(output)
	return &program{phases: []phase{in.phase(elements, cheap, func(start, n int, _ []byte, s scratch) {
		dst := out.target(start, slot[F](s, outputSlot)[:n])
		in.gatherOnly(dst, start, s)
		out.store(start, dst)
	})}}
}

// planLayout copies the view that the operation describes. A reshape that strides
// cannot describe needs none: input and output are walked in row-major order, each in its own shape.
func planLayout[F float](op device.ViewOp, input, output device.View) *program {
	if view, ok := op.View(input); ok {
		input = view
	}
	return planCopy[F](input, output)
}
