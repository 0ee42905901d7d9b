package cpu

import "github.com/pullback-go/pullback/device"

// planCopy copies elements in row-major order, whatever the two shapes.
func planCopy[F float](input, output device.View) *program {
	elements := device.Elements(output.Shape)
	if elements == 0 {
		return &program{}
	}
	in, out := newOperand[F](input), newOperand[F](output)
	run := func(lo, hi int, _ []byte, s scratch) {
		for b := lo; b < hi; b++ {
			start, n := blockAt(b, elements)
			dst := out.target(start, slot[F](s, outputSlot)[:n])
			in.gather(dst, start)
			out.store(start, dst)
		}
	}
	return &program{phases: []phase{{parts: blocks(elements), cost: elements * cheap, run: run}}}
}

// planLayout copies the view that the operation describes. A reshape that strides
// cannot describe needs none: input and output are walked in row-major order, each in its own shape.
func planLayout[F float](op device.ViewOp, input, output device.View) *program {
	if view, ok := op.View(input); ok {
		input = view
	}
	return planCopy[F](input, output)
}
