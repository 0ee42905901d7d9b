package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columns of a tile: so many vectors, of which the last may be partial.
type columns struct {
	vectors int
	partial bool
}

// basesShare is the number of rows of A that are addressed from one base register:
// base, base + stride and base + 2·stride.
const basesShare = 3

// tiles generates a function that computes tiles of C which lie below each other.
type tiles struct {
	instructionSet
	columns

	a, b, from, c          reg.GPVirtual // the next tile's operands
	aRow, aCol, bRow, left reg.GPVirtual
	mask                   reg.VecVirtual    // of the partial vector, in AVX2
	opmask                 reg.OpmaskVirtual // of the partial vector, in AVX-512
}

// generateTiles makes tiles of at most maxRows rows. The rows are cut into tiles of
// maxRows; what remains at the end of one and a part is cut in two halves,
// because a tile of few rows has too few sums to keep the FMA units busy.
func generateTiles(set instructionSet, maxRows int, cols columns) {
	name := fmt.Sprintf("tiles%d", cols.vectors)
	lanes := set.bytes / float
	doc := fmt.Sprintf("computes tiles of %d columns", cols.vectors*lanes)
	if cols.partial {
		name += "Partial"
		doc = fmt.Sprintf("computes tiles of %d to %d columns", (cols.vectors-1)*lanes+1, cols.vectors*lanes)
	}
	name += set.name
	TEXT(name, NOSPLIT, "func(a *float32, aRow, aCol int, b *float32, bRow int, from *float32, fromRow int, "+
		"c *float32, cRow int, rows, k, lanes int, floor float32)")
	Pragma("noescape")
	Doc(name + " " + doc + ", see tileKernel.")

	t := &tiles{
		instructionSet: set, columns: cols,
		a: load("a"), b: load("b"), from: load("from"), c: load("c"),
		aRow: loadStride("aRow"), aCol: loadStride("aCol"), bRow: loadStride("bRow"), left: load("rows"),
	}
	if cols.partial {
		t.loadMask()
	}

	Label("next")
	rows := t.left
	if maxRows > 1 {
		CMPQ(t.left, U8(2*maxRows))
		JGE(rowsLabel(maxRows))
		rows = GP64()
		MOVQ(t.left, rows)
		CMPQ(rows, U8(maxRows))
		JLE(LabelRef("choose"))
		INCQ(rows)
		SHRQ(Imm(1), rows)
		Label("choose")
	}
	choose(rows, 0, maxRows)
	for r := maxRows; r > 0; r-- {
		t.tile(r)
	}
	Label(string(rowsLabel(0)))
	VZEROUPPER()
	RET()
}

func rowsLabel(rows int) LabelRef { return LabelRef(fmt.Sprintf("rows%d", rows)) }

// choose jumps to the label of a number of rows from lo to hi, by bisection.
func choose(rows reg.Register, lo, hi int) {
	if lo == hi {
		JMP(rowsLabel(lo))
		return
	}
	mid := (lo + hi + 1) / 2
	CMPQ(rows, U8(mid))
	if mid == hi {
		JGE(rowsLabel(hi))
		choose(rows, lo, mid-1)
		return
	}
	upper := LabelRef(fmt.Sprintf("atLeast%d", mid))
	JGE(upper)
	choose(rows, lo, mid-1)
	Label(string(upper))
	choose(rows, mid, hi)
}

// tile computes one tile, moves on to the one below, and jumps to next.
func (t *tiles) tile(rows int) {
	Label(string(rowsLabel(rows)))
	sums := make([][]reg.VecVirtual, rows)
	stride := loadStride("fromRow")
	for i := range sums {
		for v := range t.vectors {
			s := t.vector()
			t.load(Mem{Base: t.from}, v, s)
			sums[i] = append(sums[i], s)
		}
		ADDQ(stride, t.from)
	}

	var bases []reg.GPVirtual
	for i := 0; i < rows; i += basesShare {
		base := GP64()
		if i == 0 {
			MOVQ(t.a, base)
		} else {
			LEAQ(Mem{Base: bases[len(bases)-1], Index: t.aRow, Scale: 2}, base)
			ADDQ(t.aRow, base)
		}
		bases = append(bases, base)
	}
	bNext := GP64()
	MOVQ(t.b, bNext)
	k := load("k")

	loop := fmt.Sprintf("sum%d", rows)
	Label(loop)
	b := make([]reg.VecVirtual, t.vectors)
	for v := range b {
		b[v] = t.vector()
		t.load(Mem{Base: bNext}, v, b[v])
	}
	for i, sum := range sums {
		element := Mem{Base: bases[i/basesShare]}
		if i%basesShare > 0 {
			element.Index, element.Scale = t.aRow, uint8(i%basesShare)
		}
		t.multiplyAdd(element, b, sum)
	}
	for _, base := range bases {
		ADDQ(t.aCol, base)
	}
	ADDQ(t.bRow, bNext)
	DECQ(k)
	JNZ(LabelRef(loop))

	floor := t.vector()
	VBROADCASTSS(address("floor"), floor)
	stride = loadStride("cRow")
	for _, sum := range sums {
		for v, s := range sum {
			VMAXPS(s, floor, s) // s where it is NaN
			t.store(s, v, Mem{Base: t.c})
		}
		ADDQ(stride, t.c)
	}
	step := GP64()
	IMUL3Q(U8(rows), t.aRow, step)
	ADDQ(step, t.a)
	SUBQ(U8(rows), t.left)
	JMP(LabelRef("next"))
}

// multiplyAdd adds an element of A, times a row of B, to a row of sums.
func (t *tiles) multiplyAdd(element Mem, b, sums []reg.VecVirtual) {
	if len(sums) == 1 && t.bytes == 64 {
		VFMADD231PS_BCST(element, b[0], sums[0])
		return
	}
	a := t.vector()
	VBROADCASTSS(element, a)
	for v, s := range sums {
		VFMADD231PS(b[v], a, s)
	}
}

// loadMask makes the mask of the partial vector.
func (t *tiles) loadMask() {
	lanes := load("lanes")
	if t.bytes == 32 {
		t.mask = YMM()
		VMOVDQU(Mem{Base: maskPointer(lanes)}, t.mask)
		return
	}
	ones := GP32()
	MOVQ(lanes, reg.RCX)
	MOVL(U32(1), ones)
	SHLL(reg.CL, ones)
	DECL(ones)
	t.opmask = K()
	KMOVW(ones, t.opmask)
}

// load loads vector v of a row that starts at m.
func (t *tiles) load(m Mem, v int, x reg.VecVirtual) {
	m = m.Offset(v * t.bytes)
	switch {
	case !t.partial || v+1 < t.vectors:
		VMOVUPS(m, x)
	case t.bytes == 32:
		VMASKMOVPS(m, t.mask, x)
	default:
		VMOVUPS_Z(m, t.opmask, x)
	}
}

// store stores vector v of a row that starts at m.
func (t *tiles) store(x reg.VecVirtual, v int, m Mem) {
	m = m.Offset(v * t.bytes)
	switch {
	case !t.partial || v+1 < t.vectors:
		VMOVUPS(x, m)
	case t.bytes == 32:
		VMASKMOVPS(x, t.mask, m)
	default:
		VMOVUPS(x, t.opmask, m)
	}
}
