package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// generateCopyPanel makes a function that copies a matrix with contiguous rows.
func generateCopyPanel() {
	TEXT("copyPanelAVX2", NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow, rows, cols int)")
	Pragma("noescape")
	Doc("copyPanelAVX2 copies a matrix, see copyKernel.")
	dst, dstRow, src, srcRow := load("dst"), loadStride("dstRow"), load("src"), loadStride("srcRow")
	rows, cols := load("rows"), load("cols")
	rest, mask := GP64(), YMM()
	MOVQ(cols, rest)
	ANDQ(U8(7), rest)
	VMOVDQU(Mem{Base: maskPointer(rest)}, mask)

	Label("row")
	to, from, left := GP64(), GP64(), GP64()
	MOVQ(dst, to)
	MOVQ(src, from)
	MOVQ(cols, left)
	x := YMM()
	SUBQ(U8(8), left)
	JL(LabelRef("tail"))
	Label("vector")
	VMOVUPS(Mem{Base: from}, x)
	VMOVUPS(x, Mem{Base: to})
	ADDQ(U8(32), from)
	ADDQ(U8(32), to)
	SUBQ(U8(8), left)
	JGE(LabelRef("vector"))
	Label("tail")
	CMPQ(left, I8(-8))
	JE(LabelRef("end"))
	VMASKMOVPS(Mem{Base: from}, mask, x)
	VMASKMOVPS(x, mask, Mem{Base: to})
	Label("end")
	ADDQ(dstRow, dst)
	ADDQ(srcRow, src)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// generateTransposePanel makes a function that copies a matrix with contiguous
// columns to one with contiguous rows, four rows of eight columns at a time.
func generateTransposePanel() {
	TEXT("transposePanelAVX2", NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcCol, rows, cols int)")
	Pragma("noescape")
	Doc("transposePanelAVX2 copies a matrix, see copyKernel.")
	dst, dstRow, cols := load("dst"), loadStride("dstRow"), load("cols")
	rest, mask := GP64(), XMM()
	Load(Param("rows"), rest)
	ANDQ(U8(3), rest)
	VMOVDQU(Mem{Base: maskPointer(rest)}, mask)

	// Columns that do not exist repeat the last one that does; what they
	// give is written to the padding of dst.
	var columns [8]reg.GPVirtual
	for j := range columns {
		columns[j] = GP64()
	}
	Load(Param("src"), columns[0])

	Label("group")
	for j := 1; j < len(columns); j++ {
		t := loadStride("srcCol")
		ADDQ(columns[j-1], t)
		CMPQ(cols, U8(j))
		CMOVQLE(columns[j-1], t)
		MOVQ(t, columns[j])
	}
	index, to, left := GP64(), GP64(), load("rows")
	XORQ(index, index)
	MOVQ(dst, to)
	SUBQ(U8(4), left)
	JL(LabelRef("tail"))

	Label("block")
	transpose(columns, index, nil, func(_ int, row reg.VecVirtual) {
		VMOVUPS(row, Mem{Base: to})
		ADDQ(dstRow, to)
	})
	ADDQ(U8(16), index)
	SUBQ(U8(4), left)
	JGE(LabelRef("block"))

	Label("tail")
	ADDQ(U8(4), left)
	JZ(LabelRef("end"))
	transpose(columns, index, mask, func(i int, row reg.VecVirtual) {
		if i == 3 {
			return // a tail has at most three rows
		}
		VMOVUPS(row, Mem{Base: to})
		ADDQ(dstRow, to)
		DECQ(left)
		JZ(LabelRef("end"))
	})

	Label("end")
	next := loadStride("srcCol")
	ADDQ(columns[7], next)
	MOVQ(next, columns[0])
	ADDQ(U8(32), dst)
	SUBQ(U8(8), cols)
	JG(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// transpose loads four elements, or those of the mask, of each of eight columns,
// and hands their rows to store.
func transpose(columns [8]reg.GPVirtual, index reg.Register, mask reg.VecVirtual, store func(i int, row reg.VecVirtual)) {
	var c [4]reg.VecVirtual // columns j and j+4
	for j := range c {
		c[j] = YMM()
		low, high := Mem{Base: columns[j], Index: index, Scale: 1}, Mem{Base: columns[j+4], Index: index, Scale: 1}
		if mask == nil {
			VMOVUPS(low, c[j].AsX())
			VINSERTF128(Imm(1), high, c[j], c[j])
		} else {
			t := XMM()
			VMASKMOVPS(low, mask, c[j].AsX())
			VMASKMOVPS(high, mask, t)
			VINSERTF128(Imm(1), t, c[j], c[j])
		}
	}
	pairs := [4]reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	VUNPCKLPS(c[1], c[0], pairs[0]) // rows 0 and 1 of columns 0 and 1
	VUNPCKLPS(c[3], c[2], pairs[1]) // rows 0 and 1 of columns 2 and 3
	VUNPCKHPS(c[1], c[0], pairs[2]) // rows 2 and 3 of columns 0 and 1
	VUNPCKHPS(c[3], c[2], pairs[3])
	for i := range 4 {
		row, p := YMM(), pairs[i&^1:]
		if i%2 == 0 {
			VUNPCKLPD(p[1], p[0], row)
		} else {
			VUNPCKHPD(p[1], p[0], row)
		}
		store(i, row)
	}
}
