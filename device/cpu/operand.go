package cpu

import "github.com/pullback-go/pullback/device"

// memory is a buffer seen through the compute type F.
type memory[F float] struct {
	flat        []F // the buffer itself if F is its dtype, else nil
	read        func(dst []F, offset, stride int)
	write       func(src []F, offset, stride int)
	transposeTo func(dst []F, pitch int, src []F, stride, rows, columns int) // see transpose
}

func newMemory[F float](v device.View) memory[F] {
	mem := v.Buffer.(*buffer).mem
	m := memory[F]{transposeTo: transpose[F]}
	m.read, m.write = converters[F](v.DType, mem)
	if m, ok := any(&m).(*memory[float32]); ok && v.Buffer.(*buffer).device.simd {
		if v.DType.Size() == 2 {
			m.read, m.write = vectorConverters(m.read, m.write, v.DType, typed[uint16](mem))
		}
		m.read = vectorGather(m.read, v.DType, mem)
		m.transposeTo = transposeVectors
	}
	if v.DType == dtypeOf[F]() {
		m.flat = typed[F](mem)
	}
	return m
}

// load returns as many elements as space holds, from start on in row-major order of
// the layout whose first element lies at base. They are the elements themselves where
// that is possible, and otherwise copies in space.
func (m *memory[F]) load(l *layout, base, start int, space []F) []F {
	if m.flat != nil {
		if l.contiguous() {
			return m.flat[base+start:][:len(space)]
		}
		if n, stride := l.row(); stride == 1 && start%n+len(space) <= n { // within one contiguous row
			return m.flat[base+l.at(start):][:len(space)]
		}
	}
	walk(l, base, start, space, m.read)
	return space
}

// operand is a tensor seen through the compute type F: an input or output of a block kernel.
type operand[F float] struct {
	memory[F]
	view       device.View
	layout     layout
	base       int
	direct     bool        // the elements can be used where they lie
	transposed *transposed // nil if they are not taken from a band
}

// newOperand returns the view as an operand. The view must not be empty.
func newOperand[F float](v device.View) operand[F] {
	o := operand[F]{view: v, memory: newMemory[F](v), layout: newLayout(v.Shape, v.Strides), base: v.Offset}
	o.direct = o.flat != nil && o.layout.contiguous()
	o.transposed = newTransposed[F](&o.layout, bandBytes)
	return o
}

// prepare readies space for calls of block with it or parts of it: where one
// element is repeated, all blocks are the same, and it is read here once and for all.
func (o *operand[F]) prepare(space []F) {
	if o.layout.repeats() {
		o.read(space, o.base, 0)
	}
}

// block returns as many elements as space holds, from start on in row-major order:
// the elements themselves where that is possible, and otherwise copies in space.
func (o *operand[F]) block(start int, space []F) []F {
	if o.layout.repeats() {
		return space
	}
	return o.load(&o.layout, o.base, start, space)
}

// blockOf is block for the input with the given number of a [blockPhase].
func (o *operand[F]) blockOf(input, start int, space []F, s scratch) []F {
	if o.transposed != nil {
		return o.bandBlock(input, start, space, s)
	}
	return o.block(start, space)
}

// gatherOnly is gather for the only input of a [blockPhase].
func (o *operand[F]) gatherOnly(dst []F, start int, s scratch) {
	if o.transposed == nil {
		o.gather(dst, start)
	} else if block := o.bandBlock(0, start, dst, s); &block[0] != &dst[0] {
		copy(dst, block)
	}
}

// phase returns a [blockPhase] of which the operand is the only input.
func (o *operand[F]) phase(elements, cost int, f func(start, n int, workspace []byte, s scratch)) phase {
	return blockPhase(elements, cost, []operand[F]{*o}, func(scratch) {}, f)
}

// notInPlaceOf makes sure that the operand is not taken from a band if the output is the same
// tensor: a band may have rows that another thread writes.
func (o *operand[F]) notInPlaceOf(output device.View) {
	if o.view.Same(output) {
		o.transposed = nil
	}
}

// gather copies as many elements as dst holds from start on to dst.
func (o *operand[F]) gather(dst []F, start int) {
	if o.direct {
		copy(dst, o.flat[o.base+start:])
		return
	}
	walk(&o.layout, o.base, start, dst, o.read)
}

// target returns where a block that starts at start is to be computed: the
// output's elements themselves, or space.
func (o *operand[F]) target(start int, space []F) []F {
	if o.direct {
		return o.flat[o.base+start:][:len(space)]
	}
	return space
}

// store writes a block to where it belongs, if [operand.target] did not put it there.
func (o *operand[F]) store(start int, block []F) {
	if !o.direct {
		walk(&o.layout, o.base, start, block, o.write)
	}
}
