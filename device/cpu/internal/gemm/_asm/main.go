// Command asm writes the assembly of package gemm and its Go declarations.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	generateMasks()
	for _, set := range []instructionSet{avx2, avx512} {
		generateTiles(set, set.rows, columns{vectors: 2})
		generateTiles(set, set.rows, columns{vectors: 2, partial: true})
		generateTiles(set, set.rows, columns{vectors: 1, partial: true})
		generateTiles(set, 1, columns{vectors: 8})
	}
	generateCopyPanel()
	generateTransposePanel()
	Generate()
}

// instructionSet holds what the instruction sets do not have in common.
type instructionSet struct {
	name   string
	bytes  int // of a vector
	rows   int // of a full tile; rows × 2 accumulators, 2 vectors of B and 1 of A share the registers
	vector func() reg.VecVirtual
}

var (
	avx2   = instructionSet{"AVX2", 32, 6, func() reg.VecVirtual { return YMM() }}
	avx512 = instructionSet{"AVX512", 64, 12, func() reg.VecVirtual { return ZMM() }}
)

// float is the size of a float32 in bytes, which is also the scale of an index into them.
const float = 4

// masks is a table of maskLanes ones, and as many zeros.
var masks Mem

const maskLanes = 16

func generateMasks() {
	masks = GLOBL("masks", RODATA|NOPTR)
	for i := range 2 * maskLanes {
		ones := uint32(0xffffffff)
		if i >= maskLanes {
			ones = 0
		}
		DATA(i*float, U32(ones))
	}
}

// maskPointer returns a pointer into the table of masks, from which on lanes elements are ones.
func maskPointer(lanes reg.GPVirtual) reg.GPVirtual {
	p, skip := GP64(), GP64()
	LEAQ(masks, p)
	MOVQ(I32(maskLanes), skip)
	SUBQ(lanes, skip)
	LEAQ(Mem{Base: p, Index: skip, Scale: float}, p)
	return p
}

// loadStride loads a parameter that counts elements, and returns it in bytes.
func loadStride(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	SHLQ(Imm(2), r)
	return r
}

func load(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// address returns where a parameter lies.
func address(name string) Mem {
	c, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}
