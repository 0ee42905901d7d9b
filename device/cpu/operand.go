package cpu

import "github.com/pullback-go/pullback/device"

// memory is a buffer seen through the compute type F.
type memory[F float] struct {
	flat  []F // the buffer itself if F is its dtype, else nil
	read  func(dst []F, offset, stride int)
	write func(src []F, offset, stride int)
}

func newMemory[F float](v device.View) memory[F] {
	mem := v.Buffer.(*buffer).mem
	var m memory[F]
	m.read, m.write = converters[F](v.DType, mem)
	if m, ok := any(&m).(*memory[float32]); ok && v.Buffer.(*buffer).device.simd && v.DType.Size() == 2 {
		m.read, m.write = vectorConverters(m.read, m.write, v.DType, typed[uint16](mem))
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
	layout layout
	base   int
	direct bool // the elements can be used where they lie
}

// newOperand returns the view as an operand. The view must not be empty.
func newOperand[F float](v device.View) operand[F] {
	o := operand[F]{memory: newMemory[F](v), layout: newLayout(v.Shape, v.Strides), base: v.Offset}
	o.direct = o.flat != nil && o.layout.contiguous()
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
