// Command asm writes the assembly of package strided and its Go declarations.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	generateGathers()
	generateTranspose()
	Generate()
}

const (
	float = 4 // the size of a float32 in bytes
	half  = 2 // and of a float16
	lanes = 8 // float32s in a vector
)

func load(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// loadStride loads a parameter that counts elements of so many bytes, and returns it in bytes.
func loadStride(name string, size int) reg.GPVirtual {
	r := load(name)
	SHLQ(U8(map[int]uint8{half: 1, float: 2}[size]), r)
	return r
}

// fourApart returns where four elements lie that are a stride apart; thrice is three strides.
func fourApart(base, stride, thrice reg.GPVirtual) [4]Mem {
	return [4]Mem{{Base: base}, {Base: base, Index: stride, Scale: 1}, {Base: base, Index: stride, Scale: 2}, {Base: base, Index: thrice, Scale: 1}}
}

// generateTranspose makes a function that transposes tiles of eight columns, four
// rows at a time. The last tiles begin within those before them.
func generateTranspose() {
	TEXT("transpose", NOSPLIT, "func(dst *float32, pitch int, src *float32, stride, rows, columns int)")
	Pragma("noescape")
	Doc("transpose copies src[i + j·stride] to dst[i·pitch + j]. There are at least 4 rows and 8 columns.")
	dst, pitch, src, stride := load("dst"), loadStride("pitch", float), load("src"), loadStride("stride", float)
	columns, thrice := load("columns"), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, thrice)
	SUBQ(U8(8), columns)

	Label("columns") // columns is what is left, less 8
	low, high, to, rows := GP64(), GP64(), GP64(), load("rows")
	MOVQ(src, low)
	LEAQ(Mem{Base: src, Index: stride, Scale: 4}, high)
	MOVQ(dst, to)
	SUBQ(U8(4), rows)
	Label("rows") // rows is what is left, less 4
	tile(low, high, stride, thrice, to, pitch)
	ADDQ(U8(4*float), low)
	ADDQ(U8(4*float), high)
	LEAQ(Mem{Base: to, Index: pitch, Scale: 4}, to)
	SUBQ(U8(4), rows)
	JGE(LabelRef("rows"))
	CMPQ(rows, I8(-4))
	JE(LabelRef("rowsDone"))
	LEAQ(Mem{Base: low, Index: rows, Scale: float}, low) // rows is negative: back to the last four
	LEAQ(Mem{Base: high, Index: rows, Scale: float}, high)
	back := GP64()
	MOVQ(pitch, back)
	IMULQ(rows, back)
	ADDQ(back, to)
	XORQ(rows, rows)
	JMP(LabelRef("rows"))

	Label("rowsDone")
	LEAQ(Mem{Base: src, Index: stride, Scale: 8}, src)
	ADDQ(U8(8*float), dst)
	SUBQ(U8(8), columns)
	JGE(LabelRef("columns"))
	CMPQ(columns, I8(-8))
	JE(LabelRef("done"))
	LEAQ(Mem{Base: dst, Index: columns, Scale: float}, dst)
	MOVQ(stride, back)
	IMULQ(columns, back)
	ADDQ(back, src)
	XORQ(columns, columns)
	JMP(LabelRef("columns"))
	Label("done")
	VZEROUPPER()
	RET()
}

// tile transposes four rows of eight columns. The first and the fifth column begin at low and high.
func tile(low, high, stride, thrice, to, pitch reg.GPVirtual) {
	first, fifth := fourApart(low, stride, thrice), fourApart(high, stride, thrice)
	var c [4]reg.VecVirtual // columns j and j+4
	for j := range c {
		c[j] = YMM()
		VMOVUPS(first[j], c[j].AsX())
		VINSERTF128(Imm(1), fifth[j], c[j], c[j])
	}
	pairs := [4]reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	VUNPCKLPS(c[1], c[0], pairs[0]) // rows 0 and 1 of columns 0 and 1
	VUNPCKLPS(c[3], c[2], pairs[1]) // rows 0 and 1 of columns 2 and 3
	VUNPCKHPS(c[1], c[0], pairs[2]) // rows 2 and 3 of columns 0 and 1
	VUNPCKHPS(c[3], c[2], pairs[3])
	third := GP64()
	LEAQ(Mem{Base: to, Index: pitch, Scale: 2}, third)
	for i, dst := range []Mem{{Base: to}, {Base: to, Index: pitch, Scale: 1}, {Base: third}, {Base: third, Index: pitch, Scale: 1}} {
		row, p := YMM(), pairs[i&^1:]
		if i%2 == 0 {
			VUNPCKLPD(p[1], p[0], row)
		} else {
			VUNPCKHPD(p[1], p[0], row)
		}
		VMOVUPS(row, dst)
	}
}
