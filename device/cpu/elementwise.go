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
	inputs   []operand[F] // at most three
	packed   [3]*transposed
	elements int
}

func newElementwise[F float](k kernel[F], inputs []device.View, shape []int) *elementwise[F] {
	e := &elementwise[F]{kernel: k, elements: device.Elements(shape)}
	if e.elements > 0 {
		for _, v := range inputs {
			e.inputs = append(e.inputs, newOperand[F](v.BroadcastTo(shape)))
		}
	}
	return e
}

// Slots of scratch: the inputs' blocks, then the output's.
const outputSlot = 3

// prepare readies scratch for calls of block.
func (e *elementwise[F]) prepare(s scratch) {
	for i := range e.inputs {
		e.inputs[i].prepare(slot[F](s, i)[:min(blockSize, e.elements)])
	}
}

// blocks returns the inputs' n elements from start on.
func (e *elementwise[F]) blocks(start, n int, workspace []byte, s scratch) (in [3][]F) {
	for i := range e.inputs {
		if t := e.packed[i]; t != nil {
			in[i] = typed[F](workspace[t.at:])[start:][:n]
		} else {
			in[i] = e.inputs[i].block(start, slot[F](s, i)[:n])
		}
	}
	return in
}

// block computes the elements from start on into dst.
func (e *elementwise[F]) block(start int, dst []F, workspace []byte, s scratch) {
	in := e.blocks(start, len(dst), workspace, s)
	e.kernel(dst, in[0], in[1], in[2])
}

// planElementwise stores what the kernel computes, at the given cost for one element.
func planElementwise[F float](k kernel[F], cost int, inputs []device.View, output device.View) *program {
	return newElementwise(k, inputs, output.Shape).plan(cost, output)
}

// plan stores what the kernel computes, at the given cost for one element.
func (e *elementwise[F]) plan(cost int, output device.View) *program {
	if e.elements == 0 {
		return &program{}
	}
	p := &program{}
	if output.Buffer.(*buffer).device.simd {
		for i := range e.inputs {
			if t := e.inputs[i].transpose(); t != nil {
				t.at, e.packed[i] = p.workspace, t
				p.workspace += (int64(t.elements())*4 + cacheLine - 1) &^ (cacheLine - 1)
				p.phases = append(p.phases, phase{parts: t.parts(), cost: t.elements() * 4, run: t.pack})
			}
		}
	}
	out := newOperand[F](output)
	run := func(lo, hi int, workspace []byte, s scratch) {
		e.prepare(s)
		for b := lo; b < hi; b++ {
			start, n := blockAt(b, e.elements)
			dst := out.target(start, slot[F](s, outputSlot)[:n])
			e.block(start, dst, workspace, s)
			out.store(start, dst)
		}
	}
	p.phases = append(p.phases, phase{parts: blocks(e.elements), cost: e.elements * cost, run: run})
	return p
}
