// Package vec is a small vocabulary for generating vector kernels with avo, for one of two
// instruction sets at a time.
//
// A Vec stands for the same register of several vectors that a kernel works on at
// once. Each function here emits one instruction for each of them, so a formula is
// written once and comes out interleaved: the processor finds independent
// instructions side by side, which it needs to hide their latency.
//
// Functions return fresh registers unless they say that they overwrite their first
// argument; avo gives registers back after their last use.
package vec

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Vec is one register for each vector that is worked on at once.
type Vec []reg.VecVirtual

// newVec returns fresh registers for n vectors.
func newVec(n int) Vec {
	v := make(Vec, n)
	for i := range v {
		v[i] = register()
	}
	return v
}

// Arg is an operand that is only read: a Vec, a Scalar, a Const, a Param, or an array's elements in memory.
type Arg interface {
	// operands returns an operand for each of n vectors.
	operands(n int) []operand.Op
}

func (v Vec) operands(int) []operand.Op {
	ops := make([]operand.Op, len(v))
	for i, r := range v {
		ops[i] = r
	}
	return ops
}

// element is what an argument is for one of the vectors.
type element struct {
	arg Arg
	i   int
}

func (e element) operands(int) []operand.Op {
	if v, ok := e.arg.(Vec); ok {
		return []operand.Op{v[e.i]}
	}
	return e.arg.operands(1)
}

// Scalar is a register with the same number in every lane.
type Scalar struct{ reg.VecVirtual }

func (s Scalar) operands(n int) []operand.Op { return repeat(s.VecVirtual, n) }

// Scalar returns s.
func (s Scalar) Scalar() Scalar { return s }

// Times returns the register once for each of n vectors, only to be read.
func (s Scalar) Times(n int) Vec {
	v := make(Vec, n)
	for i := range v {
		v[i] = s.VecVirtual
	}
	return v
}

// Uniform is a number that is the same in every lane: a Scalar, a Const or a Param.
type Uniform interface{ Scalar() Scalar }

// resident is what the kernel at hand keeps in registers.
var resident map[Uniform]Scalar

// Keep loads numbers into registers for the whole of a kernel, if the instruction set has enough
// of them.
func Keep(us ...Uniform) {
	for _, u := range us {
		if _, kept := resident[u]; !kept && set == AVX512 {
			resident[u] = u.Scalar()
		}
	}
}

// Const is the bits of a float32 or an integer, the same in every lane.
type Const uint32

// Float returns x as a constant.
func Float(x float32) Const { return Const(math.Float32bits(x)) }

// operands reads the constant from memory if one instruction needs it and can, and into a
// register first otherwise.
func (c Const) operands(n int) []operand.Op {
	if n == 1 && set == AVX2 {
		return []operand.Op{c.mem()}
	}
	return repeat(c.Scalar().VecVirtual, n)
}

// Scalar returns a register that holds the constant.
func (c Const) Scalar() Scalar {
	if s, kept := resident[c]; kept {
		return s
	}
	r := register()
	if set == AVX512 {
		build.VBROADCASTSS(c.mem(), r)
	} else {
		build.VMOVUPS(c.mem(), r)
	}
	return Scalar{r}
}

// Param is a float32 parameter of the kernel. Unless it is kept, it is read where it is used: reading it
// again costs less than one of few registers.
type Param string

func (p Param) operands(n int) []operand.Op { return repeat(p.Scalar().VecVirtual, n) }

// Scalar returns a register that holds the parameter in every lane.
func (p Param) Scalar() Scalar {
	if s, kept := resident[p]; kept {
		return s
	}
	r := register()
	build.VBROADCASTSS(address(string(p)), r)
	return Scalar{r}
}

// address returns where a parameter of the kernel is.
func address(param string) operand.Mem {
	p, err := build.Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

func repeat(o operand.Op, n int) []operand.Op {
	ops := make([]operand.Op, n)
	for i := range ops {
		ops[i] = o
	}
	return ops
}

var constants = map[Const]operand.Mem{}

// mem returns where the constant is: in each of eight lanes for AVX2, which has no instruction that
// spreads it while it reads.
func (c Const) mem() operand.Mem {
	m, ok := constants[c]
	if !ok {
		words := make([]uint32, 1)
		if set == AVX2 {
			words = make([]uint32, Lanes())
		}
		for i := range words {
			words[i] = uint32(c)
		}
		m = data(fmt.Sprintf("all%08x", uint32(c)), words)
		constants[c] = m
	}
	return m
}

// data returns read-only memory that holds the words.
func data(name string, words []uint32) operand.Mem {
	m := build.GLOBL(name, attr.RODATA|attr.NOPTR)
	for i, w := range words {
		build.DATA(4*i, operand.U32(w))
	}
	return m
}

// instruction is a constructor of avo's; operands are in Go's order, the destination last.
type instruction = func(ops ...operand.Op)

func unary(f func(x, dst operand.Op), a Arg, n int) Vec {
	dst := newVec(n)
	for i, o := range a.operands(n) {
		f(o, dst[i])
	}
	return dst
}

func binary(f instruction, a Vec, b Arg) Vec {
	dst := newVec(len(a))
	for i, o := range b.operands(len(a)) {
		f(o, a[i], dst[i])
	}
	return dst
}

func Add(a Vec, b Arg) Vec { return binary(build.VADDPS, a, b) }
func Sub(a Vec, b Arg) Vec { return binary(build.VSUBPS, a, b) }
func Mul(a Vec, b Arg) Vec { return binary(build.VMULPS, a, b) }
func Div(a Vec, b Arg) Vec { return binary(build.VDIVPS, a, b) }

// Sqrt returns √a.
func Sqrt(a Vec) Vec { return unary(func(x, dst operand.Op) { build.VSQRTPS(x, dst) }, a, len(a)) }

// AtLeast returns max(a, c), and NaN where a is NaN.
func AtLeast(a Vec, c Uniform) Vec { return binary(build.VMAXPS, c.Scalar().Times(len(a)), a) }

// AtMost returns min(a, c), and NaN where a is NaN.
func AtMost(a Vec, c Uniform) Vec { return binary(build.VMINPS, c.Scalar().Times(len(a)), a) }

// Max returns the larger of a and b, and b where either is NaN or both are zeros.
func Max(a Vec, b Arg) Vec { return binary(build.VMAXPS, a, b) }

// Min returns the smaller of a and b, and b where either is NaN or both are zeros.
func Min(a Vec, b Arg) Vec { return binary(build.VMINPS, a, b) }

// Bitwise operations.
func And(a Vec, b Arg) Vec { return binary(one(build.VANDPS, build.VPANDD), a, b) }
func Or(a Vec, b Arg) Vec  { return binary(one(build.VORPS, build.VPORD), a, b) }
func Xor(a Vec, b Arg) Vec { return binary(one(build.VXORPS, build.VPXORD), a, b) }

// one returns the instruction for the set in use.
func one(avx2, avx512 instruction) instruction { return [...]instruction{avx2, avx512}[set] }

const signBit = Const(0x80000000)

func Neg(a Vec) Vec { return Xor(a, signBit) }
func Abs(a Vec) Vec { return And(a, ^signBit) }

// Operations on lanes as integers.
func AddInt(a Vec, b Arg) Vec { return binary(build.VPADDD, a, b) }
func SubInt(a Vec, b Arg) Vec { return binary(build.VPSUBD, a, b) }
func MaxInt(a Vec, b Arg) Vec { return binary(build.VPMAXSD, a, b) }

func ShiftLeft(a Vec, n uint8) Vec  { return shift(build.VPSLLD, a, n) }
func ShiftRight(a Vec, n uint8) Vec { return shift(build.VPSRLD, a, n) }

func shift(f instruction, a Vec, n uint8) Vec {
	return unary(func(x, dst operand.Op) { f(operand.U8(n), x, dst) }, a, len(a))
}

// IntToFloat converts integers to float32.
func IntToFloat(a Vec) Vec {
	return unary(func(x, dst operand.Op) { build.VCVTDQ2PS(x, dst) }, a, len(a))
}

// MulAdd sets a to a·b + c, rounded once.
func MulAdd(a, b Vec, c Arg) { fused(build.VFMADD213PS, a, b, c) }

// AddMul sets a to a + b·c, rounded once.
func AddMul(a, b Vec, c Arg) { fused(build.VFMADD231PS, a, b, c) }

// MulSub sets a to a·b - c, rounded once.
func MulSub(a, b Vec, c Arg) { fused(build.VFMSUB213PS, a, b, c) }

// SubMul sets a to a - b·c, rounded once.
func SubMul(a, b Vec, c Arg) { fused(build.VFNMADD231PS, a, b, c) }

func fused(f instruction, a, b Vec, c Arg) {
	for i, o := range c.operands(len(a)) {
		f(o, b[i], a[i])
	}
}

// Copy returns the numbers of b for n vectors, in registers of their own.
func Copy(b Arg, n int) Vec {
	return unary(func(x, dst operand.Op) { build.VMOVUPS(x, dst) }, b, n)
}

// Zero returns zeros for one vector.
func Zero() Vec {
	if set == AVX512 { // of an exclusive or, avo would think that it reads the register
		return Copy(Float(0), 1)
	}
	r := register()
	build.VXORPS(r, r, r)
	return Vec{r}
}

// Move overwrites dst with src.
func Move(src, dst Vec) {
	for i := range src {
		build.VMOVAPS(src[i], dst[i])
	}
}

// Horner evaluates the polynomial with the given coefficients, the lowest first.
func Horner(x Vec, c ...float32) Vec {
	p := Copy(Float(c[len(c)-1]), len(x))
	for i := len(c) - 2; i >= 0; i-- {
		MulAdd(p, x, Float(c[i]))
	}
	return p
}
