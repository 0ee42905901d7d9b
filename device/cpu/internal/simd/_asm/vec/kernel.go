package vec

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Array is a slice parameter of a kernel.
type Array struct {
	Name      string
	DType     DType // F32 if left out
	WriteOnly bool
}

// Kernel describes a function that walks over arrays side by side.
type Kernel struct {
	Name    string
	Doc     string
	Arrays  []Array
	Params  string // parameters after the arrays, as in a signature
	Result  string // as in a signature
	Vectors int    // how many to work on at once: as many as the registers suffice for

	Setup  func()         // emits what comes first; may be nil, as may Finish
	Body   func(b *Block) // emits the work on a block: of Vectors vectors, of one, and of one in part
	Finish func()         // emits what comes last
}

// Block is the part of the arrays that one run of a kernel's body works on.
type Block struct {
	Vectors int
	index   reg.Register // of the first element
	first   int          // vectors to skip from there on
	arrays  map[string]*array
	part    bool              // not all lanes belong to the arrays
	mask    reg.VecVirtual    // selects those that do, in AVX2
	opmask  reg.OpmaskVirtual // and in AVX-512
}

type array struct {
	Array
	base operand.Mem
	tail operand.Mem // room for the last elements of an array of halves
}

func (b *Block) at(a *array, i int) operand.Mem {
	if b.part && set == AVX2 && a.DType.size() == 2 {
		return a.tail
	}
	size := a.DType.size()
	return a.base.Idx(b.index, uint8(size)).Offset((b.first + i) * Lanes() * size)
}

// Split returns the block in pieces of n vectors, which a body works on one after
// the other if it needs too many registers for all at once.
func (b *Block) Split(n int) []*Block {
	var pieces []*Block
	for first := 0; first < b.Vectors; first += n {
		piece := *b
		piece.first, piece.Vectors = first, min(n, b.Vectors-first)
		pieces = append(pieces, &piece)
	}
	return pieces
}

// DType returns the type of an array.
func (b *Block) DType(name string) DType { return b.arrays[name].DType }

// Load returns elements as float32; 0 beyond the arrays' ends.
func (b *Block) Load(name string) Vec {
	a := b.arrays[name]
	v := newVec(b.Vectors)
	switch {
	case b.part && set == AVX512:
		a.DType.loadMasked(v[0], b.at(a, 0), b.opmask)
	case b.part && a.DType == F32:
		build.VMASKMOVPS(b.at(a, 0), b.mask, v[0])
	default:
		a.DType.load(v, func(i int) operand.Mem { return b.at(a, i) })
	}
	return v
}

// Arg returns elements as an operand, which is read from memory where it is used if possible.
func (b *Block) Arg(name string) Arg {
	if a := b.arrays[name]; a.DType == F32 && !b.part {
		return inMemory{b, a}
	}
	return b.Load(name)
}

type inMemory struct {
	*Block
	array *array
}

func (m inMemory) operands(n int) []operand.Op {
	ops := make([]operand.Op, n)
	for i := range ops {
		ops[i] = m.at(m.array, i)
	}
	return ops
}

// AddTo adds v to the elements of an array of float64, in AVX2.
func (b *Block) AddTo(name string, v Vec) {
	a := b.arrays[name]
	for i, x := range v {
		low, high := toFloat64(x)
		lower, upper := b.at(a, i), b.at(a, i).Offset(32)
		if !b.part {
			build.VADDPD(lower, low, low)
			build.VADDPD(upper, high, high)
			build.VMOVUPD(low, lower)
			build.VMOVUPD(high, upper)
			continue
		}
		mask, old := build.YMM(), build.YMM()
		build.VPMOVSXDQ(b.mask.AsX(), mask)
		build.VMASKMOVPD(lower, mask, old)
		build.VADDPD(old, low, low)
		build.VMASKMOVPD(low, mask, lower)
		build.VEXTRACTI128(operand.U8(1), b.mask, mask.AsX())
		build.VPMOVSXDQ(mask.AsX(), mask)
		build.VMASKMOVPD(upper, mask, old)
		build.VADDPD(old, high, high)
		build.VMASKMOVPD(high, mask, upper)
	}
}

// Store rounds v to the array's type and writes it. It overwrites v.
func (b *Block) Store(name string, v Vec) {
	a := b.arrays[name]
	switch {
	case b.part && set == AVX512:
		a.DType.storeMasked(v[0], b.at(a, 0), b.opmask)
	case b.part && a.DType.size() == 4:
		build.VMASKMOVPS(v[0], b.mask, b.at(a, 0))
	default:
		a.DType.store(v, func(i int) operand.Mem { return b.at(a, i) })
	}
}

// Within returns v with zeros beyond the arrays' ends.
func (b *Block) Within(v Vec) Vec {
	switch {
	case !b.part:
		return v
	case set == AVX512:
		dst := newVec(1)
		build.VMOVAPS_Z(v[0], b.opmask, dst[0])
		return dst
	}
	return And(v, Vec{b.mask})
}

func (k Kernel) signature() string {
	var s []string
	for _, a := range k.Arrays {
		s = append(s, a.Name+" "+a.DType.slice())
	}
	if k.Params != "" {
		s = append(s, k.Params)
	}
	return fmt.Sprintf("func(%s) %s", strings.Join(s, ", "), k.Result)
}

// Emit emits the kernel: a loop over blocks of several vectors, and then what is left, vector by vector, the
// last one masked. They run the same arithmetic, so what comes out for an element does not depend on where
// it lies.
func (k Kernel) Emit() {
	build.TEXT(k.Name, attr.NOSPLIT, k.signature())
	build.Doc(strings.Split(strings.TrimSpace(k.Doc), "\n")...)
	build.Pragma("noescape")
	resident = map[Uniform]Scalar{}

	i := build.GP64()
	b := Block{arrays: map[string]*array{}, index: i}
	n := build.Load(build.Param(k.Arrays[0].Name).Len(), build.GP64())
	for j, a := range k.Arrays {
		if j > 0 { // the shortest array counts
			l := build.Load(build.Param(a.Name).Len(), build.GP64())
			build.CMPQ(l, n)
			build.CMOVQLT(l, n)
		}
		b.arrays[a.Name] = &array{Array: a, base: operand.Mem{Base: build.Load(build.Param(a.Name).Base(), build.GP64())}}
	}
	if k.Setup != nil {
		k.Setup()
	}
	k.Arrays[len(k.Arrays)-1].DType.setUp()

	build.XORQ(i, i)
	if set == AVX512 {
		k.loop("blocks", k.Vectors, &b, n)
		k.maskedVectors(&b, n)
	} else {
		if k.Vectors > 1 {
			k.loop("blocks", k.Vectors, &b, n)
		}
		k.loop("vectors", 1, &b, n)
		k.lastVector(&b, n)
	}
	if k.Finish != nil {
		k.Finish()
	}
	if k.Arrays[0].DType == F32Past {
		build.SFENCE() // or another thread might read what is not written yet
	}
	build.VZEROUPPER()
	build.RET()
}

// loop runs the body on blocks of so many vectors as long as n, the number of elements left, suffices.
func (k Kernel) loop(label string, vectors int, b *Block, n reg.Register) {
	size := operand.I32(vectors * Lanes())
	build.SUBQ(size, n)
	build.JL(operand.LabelRef(label + "Done"))
	build.Label(label)
	b.Vectors = vectors
	k.Body(b)
	build.ADDQ(size, b.index)
	build.SUBQ(size, n)
	build.JGE(operand.LabelRef(label))
	build.Label(label + "Done")
	build.ADDQ(size, n)
}

// maskedVectors runs the body on what is left, in AVX-512.
func (k Kernel) maskedVectors(b *Block, n reg.Register) {
	size := operand.I32(Lanes())
	build.TESTQ(n, n)
	build.JE(operand.LabelRef("vectorsDone"))
	build.Label("vectors")
	bits := build.GP32()
	b.Vectors, b.part, b.opmask = 1, true, build.K()
	build.MOVL(operand.U32(0xffffffff), bits)
	build.BZHIL(n.(reg.GPVirtual).As32(), bits, bits) // the lowest n; all if n is more than 31
	build.KMOVW(bits, b.opmask)
	k.Body(b)
	build.ADDQ(size, b.index)
	build.SUBQ(size, n)
	build.JG(operand.LabelRef("vectors"))
	build.Label("vectorsDone")
}

// lastVector runs the body on what is left, fewer elements than a vector has, in AVX2.
func (k Kernel) lastVector(b *Block, n reg.Register) {
	build.TESTQ(n, n)
	build.JE(operand.LabelRef("lastDone"))
	for _, a := range k.Arrays {
		b.arrays[a.Name].readTail(b.index, n)
	}
	b.Vectors, b.part, b.mask = 1, true, loadMask(n)
	k.Body(b)
	for _, a := range k.Arrays {
		b.arrays[a.Name].writeTail(b.index, n)
	}
	build.Label("lastDone")
}

var masks operand.Mem

// loadMask returns a mask of the first n lanes, 0 < n < 8.
func loadMask(n reg.Register) reg.VecVirtual {
	if masks.Base == nil {
		words := make([]uint32, 2*Lanes())
		for i := range Lanes() {
			words[i] = ^uint32(0)
		}
		masks = data("masks", words)
	}
	end, offset := build.GP64(), build.GP64()
	build.LEAQ(masks.Offset(4*Lanes()), end)
	build.MOVQ(n, offset)
	build.NEGQ(offset)
	mask := build.YMM()
	build.VMOVUPS(operand.Mem{Base: end, Index: offset, Scale: 4}, mask)
	return mask
}

// readTail copies the last n elements of an array of halves to a place where a
// whole vector can be read: AVX2 has no masked instruction for them.
func (a *array) readTail(index, n reg.Register) {
	if a.DType.size() != 2 {
		return
	}
	a.tail = build.AllocLocal(2 * Lanes())
	if a.WriteOnly {
		return
	}
	zero := build.XMM()
	build.VPXOR(zero, zero, zero)
	build.VMOVDQU(zero, a.tail)
	a.copyTail("read", index, n, func(from, to operand.Mem) (operand.Mem, operand.Mem) { return from, to })
}

func (a *array) writeTail(index, n reg.Register) {
	if a.DType.size() == 2 && a.WriteOnly {
		a.copyTail("write", index, n, func(from, to operand.Mem) (operand.Mem, operand.Mem) { return to, from })
	}
}

func (a *array) copyTail(verb string, index, n reg.Register, direct func(array, tail operand.Mem) (from, to operand.Mem)) {
	label := verb + strings.ToUpper(a.Name[:1]) + a.Name[1:]
	first, i, half := build.GP64(), build.GP64(), build.GP16()
	build.LEAQ(a.base.Idx(index, 2), first)
	build.XORQ(i, i)
	build.Label(label)
	from, to := direct(operand.Mem{Base: first, Index: i, Scale: 2}, a.tail.Idx(i, 2))
	build.MOVW(from, half)
	build.MOVW(half, to)
	build.INCQ(i)
	build.CMPQ(i, n)
	build.JL(operand.LabelRef(label))
}
