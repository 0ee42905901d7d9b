package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vector is where the eight elements of a vector lie.
type vector [lanes]Mem

// generateGathers makes functions that bring elements together that lie a stride apart.
func generateGathers() {
	generateGather("gatherFloat32", "copies src[i·stride] to dst[i].", float, func(v vector, to Mem) {
		for i, from := range v { // one by one, as fast as memory gives them
			x := GP32()
			MOVL(from, x)
			MOVL(x, to.Offset(i*float))
		}
	})
	generateGather("gatherFloat16", "converts src[i·stride], a float16, to dst[i].", half, func(v vector, to Mem) {
		y := YMM()
		VCVTPH2PS(join(v), y)
		VMOVUPS(y, to)
	})
	generateGather("gatherBFloat16", "converts src[i·stride], a bfloat16, to dst[i].", half, func(v vector, to Mem) {
		y := YMM()
		VPMOVZXWD(join(v), y)
		VPSLLD(U8(16), y, y)
		VMOVUPS(y, to)
	})

	TEXT("everySecond", NOSPLIT, "func(dst []float32, src *float32)")
	Pragma("noescape")
	Doc("everySecond copies src[2·i] to dst[i], at least 8 elements.")
	src := load("src")
	vectors(func(to Mem) {
		// The second half of 15 elements starts at the eighth, so that none after the last is read.
		low, high := YMM(), YMM()
		VMOVUPS(Mem{Base: src}, low)
		VMOVUPS(Mem{Base: src, Disp: 7 * float}, high)
		VSHUFPS(U8(0|2<<2|1<<4|3<<6), high, low, low) // the even elements of low and the odd ones of high
		VPERMPD(U8(0|2<<2|1<<4|3<<6), low, low)
		VMOVUPS(low, to)
		ADDQ(U8(2*lanes*float), src)
	}, func(n reg.GPVirtual) {
		LEAQ(Mem{Base: src, Index: n, Scale: 2 * float}, src)
	})
}

// generateGather makes a function that has the elements of one vector after the other
// gathered, of so many bytes each.
func generateGather(name, doc string, size int, gather func(v vector, to Mem)) {
	TEXT(name, NOSPLIT, "func(dst []float32, src *"+map[int]string{float: "float32", half: "uint16"}[size]+", stride int)")
	Pragma("noescape")
	Doc(name + " " + doc + " There are at least 8 elements.")
	src, stride, thrice, fifth := load("src"), loadStride("stride", size), GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, thrice)
	vectors(func(to Mem) {
		LEAQ(Mem{Base: src, Index: stride, Scale: 4}, fifth)
		first, second := fourApart(src, stride, thrice), fourApart(fifth, stride, thrice)
		gather(vector(append(first[:], second[:]...)), to)
		LEAQ(Mem{Base: src, Index: stride, Scale: 8}, src)
	}, func(n reg.GPVirtual) {
		IMULQ(stride, n)
		ADDQ(n, src)
	})
}

// vectors emits a loop over dst, eight elements at a time. If fewer are left at the end,
// back is to take the source back by as many as n, negative, says, and dst goes with it.
func vectors(body func(to Mem), back func(n reg.GPVirtual)) {
	dst, n := GP64(), GP64()
	Load(Param("dst").Base(), dst)
	Load(Param("dst").Len(), n)
	SUBQ(U8(lanes), n)
	Label("vector") // n is what is left, less a vector
	body(Mem{Base: dst})
	ADDQ(U8(lanes*float), dst)
	SUBQ(U8(lanes), n)
	JGE(LabelRef("vector"))
	CMPQ(n, I8(-lanes))
	JE(LabelRef("done"))
	LEAQ(Mem{Base: dst, Index: n, Scale: float}, dst)
	back(n)
	XORQ(n, n)
	JMP(LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

// join returns eight halves in one register.
func join(v vector) reg.VecVirtual {
	x := XMM()
	VPXOR(x, x, x)
	for i, from := range v {
		VPINSRW(U8(i), from, x, x)
	}
	return x
}
