package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// slice is a slice parameter of a kernel.
type slice struct {
	name  string
	dtype dtype
}

// kernel describes a function that walks over slices side by side.
type kernel struct {
	name    string
	doc     string
	slices  []slice
	params  string // after the slices, as in a signature
	vectors int    // worked on at once
	setup   func() // loads what stays in registers
	body    func(b *block)
	between func() // runs before the last elements, if there are any after the last whole block
	rest    func() // runs after them
}

// block is the part of the slices that one run of a kernel's body works on.
type block struct {
	vectors int
	index   reg.Register // of the first element
	first   int          // vectors to skip from there on
	slices  map[string]*base
	mask    *reg.OpmaskVirtual // selects the lanes that belong to the slices; nil if all do
}

type base struct {
	slice
	mem operand.Mem
}

func (b *block) at(s *base, i int) operand.Mem {
	size := s.dtype.size()
	return s.mem.Idx(b.index, uint8(size)).Offset((b.first + i) * lanes * size)
}

// split returns the block in pieces of n vectors, which a body works on one after
// the other if it needs too many registers for all at once.
func (b *block) split(n int) (pieces []*block) {
	for first := 0; first < b.vectors; first += n {
		piece := *b
		piece.first, piece.vectors = first, min(n, b.vectors-first)
		pieces = append(pieces, &piece)
	}
	return pieces
}

// load returns elements as float32; 0 beyond the slices' ends.
func (b *block) load(name string) vec {
	s := b.slices[name]
	v := newVec(b.vectors)
	if b.mask != nil {
		s.dtype.loadMasked(v[0], b.at(s, 0), *b.mask)
	} else {
		s.dtype.load(v, func(i int) operand.Mem { return b.at(s, i) })
	}
	return v
}

// arg returns elements as an operand, which is read from memory where it is used if possible.
func (b *block) arg(name string) arg {
	if s := b.slices[name]; s.dtype == f32 && b.mask == nil {
		return inMemory{b, s}
	}
	return b.load(name)
}

type inMemory struct {
	*block
	base *base
}

func (m inMemory) operands(n int) []operand.Op {
	ops := make([]operand.Op, n)
	for i := range ops {
		ops[i] = m.at(m.base, i)
	}
	return ops
}

// store rounds v to the slice's type and writes it. It overwrites v.
func (b *block) store(name string, v vec) {
	s := b.slices[name]
	if b.mask != nil {
		s.dtype.storeMasked(v[0], b.at(s, 0), *b.mask)
		return
	}
	s.dtype.store(v, func(i int) operand.Mem { return b.at(s, i) })
}

// within returns v with zeros beyond the slices' ends.
func (b *block) within(v vec) vec {
	if b.mask == nil {
		return v
	}
	dst := newVec(1)
	build.VMOVAPS_Z(v[0], *b.mask, dst[0])
	return dst
}

func (k kernel) signature() string {
	var s []string
	for _, a := range k.slices {
		s = append(s, a.name+" "+a.dtype.slice())
	}
	if k.params != "" {
		s = append(s, k.params)
	}
	return fmt.Sprintf("func(%s)", strings.Join(s, ", "))
}

// emit emits the kernel: a loop over blocks of several vectors, and one over the vectors that are left,
// of which a mask selects the lanes. Both run the same arithmetic, so what comes out for
// an element does not depend on where it lies.
func (k kernel) emit() {
	build.TEXT(k.name, attr.NOSPLIT, k.signature())
	build.Doc(k.doc)
	build.Pragma("noescape")
	resident = map[constant]reg.VecVirtual{}

	b := block{slices: map[string]*base{}, vectors: k.vectors, index: build.GP64()}
	n := build.Load(build.Param(k.slices[0].name).Len(), build.GP64())
	for i, s := range k.slices {
		if i > 0 { // the shortest slice counts
			l := build.Load(build.Param(s.name).Len(), build.GP64())
			build.CMPQ(l, n)
			build.CMOVQLT(l, n)
		}
		b.slices[s.name] = &base{slice: s, mem: operand.Mem{Base: build.Load(build.Param(s.name).Base(), build.GP64())}}
	}
	k.setup()
	if k.slices[0].dtype == bf16 {
		setOddWords()
	}

	// n counts what is left, less a block.
	build.XORQ(b.index, b.index)
	build.SUBQ(operand.I32(k.vectors*lanes), n)
	build.JL(operand.LabelRef("blocksDone"))
	build.Label("blocks")
	k.body(&b)
	build.ADDQ(operand.I32(k.vectors*lanes), b.index)
	build.SUBQ(operand.I32(k.vectors*lanes), n)
	build.JGE(operand.LabelRef("blocks"))
	build.Label("blocksDone")

	build.ADDQ(operand.I32(k.vectors*lanes), n)
	build.JE(operand.LabelRef("done"))
	if k.between != nil {
		k.between()
	}
	build.Label("vectors")
	bits, mask := build.GP32(), build.K()
	build.MOVL(operand.U32(0xffffffff), bits)
	build.BZHIL(n.(reg.GPVirtual).As32(), bits, bits) // the lowest n; all if n is more than 31
	build.KMOVW(bits, mask)
	b.vectors, b.mask = 1, &mask
	k.body(&b)
	build.ADDQ(operand.I32(lanes), b.index)
	build.SUBQ(operand.I32(lanes), n)
	build.JG(operand.LabelRef("vectors"))
	if k.rest != nil {
		k.rest()
	}
	build.Label("done")
	if k.slices[0].dtype == f32past {
		build.SFENCE() // or another thread might read what is not written yet
	}
	build.VZEROUPPER()
	build.RET()
}
