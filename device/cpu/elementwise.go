package cpu

import "github.com/pullback-go/pullback/device"

// kernel is the arithmetic of an element-wise operation on one block: slices of
// one length, and nil for inputs that the operation does not have. dst may be one
// of the inputs.
type kernel[F float] func(dst, a, b, c []F)

func unary[F float](f func(dst, a []F)) kernel[F] {
	return func(dst, a, _, _ []F) { f(dst, a) }
}

func binary[F float](f func(dst, a, b []F)) kernel[F] {
	return func(dst, a, b, _ []F) { f(dst, a, b) }
}

// What a kernel of plain Go costs for one element, roughly. A unit is a twelfth of a
// nanosecond, the time of a float32 addition in a vector.
const (
	cheap    = 4   // an addition with its loads and its store
	moderate = 32  // with a division and a root, or random bits
	costly   = 128 // with an exponential or the like
)

// elementwise applies a kernel to inputs that broadcast to one shape.
type elementwise[F float] struct {
	kernel   kernel[F]
	inputs   []operand[F]
	elements int
}

// maxInputs is the largest number of inputs of an element-wise operation.
const maxInputs = 3

func newElementwise[F float](k kernel[F], inputs []device.View, shape []int) *elementwise[F] {
	e := &elementwise[F]{kernel: k, elements: device.Elements(shape)}
	if e.elements > 0 {
		for _, v := range inputs {
			e.inputs = append(e.inputs, newOperand[F](v.BroadcastTo(shape)))
		}
		shareBands(e.inputs)
	}
	return e
}

// Slots of scratch: the inputs' blocks, then the output's.
const outputSlot = maxInputs

// prepare readies scratch for calls of block.
func (e *elementwise[F]) prepare(s scratch) {
	for i := range e.inputs {
		e.inputs[i].prepare(slot[F](s, i)[:min(blockSize, e.elements)])
	}
}

// blocks returns the inputs' n elements from start on.
func (e *elementwise[F]) blocks(start, n int, s scratch) (in [maxInputs][]F) {
	for i := range e.inputs {
		in[i] = e.inputs[i].blockOf(i, start, slot[F](s, i)[:n], s)
	}
	return in
}

// block computes the elements from start on into dst.
func (e *elementwise[F]) block(start int, dst []F, s scratch) {
	in := e.blocks(start, len(dst), s)
	e.kernel(dst, in[0], in[1], in[2])
}

// planElementwise stores what the kernel computes, at the given cost for one element.
func planElementwise[F float](k kernel[F], cost int, inputs []device.View, output device.View) *program {
	return newElementwise(k, inputs, output.Shape).plan(cost, output)
}

// plan stores what the kernel computes, at the given cost for one element.
func (e *elementwise[F]) plan(cost int, output device.View) *program {
	return e.planBlocks(e.block, cost, output)
}

// planBlocks stores what block computes of the elements from start on.
func (e *elementwise[F]) planBlocks(block func(start int, dst []F, s scratch), cost int, output device.View) *program {
	if e.elements == 0 {
		return &program{}
	}
	out := newOperand[F](output)
	for i := range e.inputs {
		e.inputs[i].notInPlaceOf(output)
	}
	return &program{phases: []phase{e.phase(cost, func(start, n int, _ []byte, s scratch) {
		dst := out.target(start, slot[F](s, outputSlot)[:n])
		block(start, dst, s)
		out.store(start, dst)
	})}}
}

// phase returns the phase that runs f for every block of the elements.
func (e *elementwise[F]) phase(cost int, f func(start, n int, workspace []byte, s scratch)) phase {
	return blockPhase(e.elements, cost, e.inputs, e.prepare, f)
}
