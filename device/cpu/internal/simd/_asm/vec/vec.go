// Package vec is a small vocabulary for generating AVX2 kernels with avo.
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

// Lanes is the number of float32 in a vector.
const Lanes = 8

// Vec is one register for each vector that is worked on at once.
type Vec []reg.VecVirtual

// newVec returns fresh registers for n vectors.
func newVec(n int) Vec {
	v := make(Vec, n)
	for i := range v {
		v[i] = build.YMM()
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

// Const is the bits of a float32 or an integer, the same in every lane.
type Const uint32

// Float returns x as a constant.
func Float(x float32) Const { return Const(math.Float32bits(x)) }

// operands reads the constant from memory if one instruction needs it, and into a
// register first if several do.
func (c Const) operands(n int) []operand.Op {
	if n == 1 {
		return []operand.Op{c.mem()}
	}
	return repeat(c.Scalar().VecVirtual, n)
}

// Scalar loads the constant into a register.
func (c Const) Scalar() Scalar {
	r := build.YMM()
	build.VMOVUPS(c.mem(), r)
	return Scalar{r}
}

// Param is a float32 parameter of the kernel, read where it is used: reading it again costs
// less than a register.
type Param string

func (p Param) operands(n int) []operand.Op { return repeat(p.Scalar().VecVirtual, n) }

// Scalar loads the parameter into every lane of a register.
func (p Param) Scalar() Scalar {
	param, err := build.Param(string(p)).Resolve()
	if err != nil {
		panic(err)
	}
	r := build.YMM()
	build.VBROADCASTSS(param.Addr, r)
	return Scalar{r}
}

func repeat(o operand.Op, n int) []operand.Op {
	ops := make([]operand.Op, n)
	for i := range ops {
		ops[i] = o
	}
	return ops
}

var constants = map[Const]operand.Mem{}

func (c Const) mem() operand.Mem {
	m, ok := constants[c]
	if !ok {
		m = build.GLOBL(fmt.Sprintf("all%08x", uint32(c)), attr.RODATA|attr.NOPTR)
		for i := range Lanes / 2 {
			build.DATA(8*i, operand.U64(uint64(c)<<32|uint64(c)))
		}
		constants[c] = m
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

// Uniform is a Scalar, a Const or a Param.
type Uniform interface{ Scalar() Scalar }

// AtLeast returns max(a, c), and NaN where a is NaN.
func AtLeast(a Vec, c Uniform) Vec { return binary(build.VMAXPS, c.Scalar().Times(len(a)), a) }

// AtMost returns min(a, c), and NaN where a is NaN.
func AtMost(a Vec, c Uniform) Vec { return binary(build.VMINPS, c.Scalar().Times(len(a)), a) }

// Max returns the larger of a and b, and b where either is NaN or both are zeros.
func Max(a Vec, b Arg) Vec { return binary(build.VMAXPS, a, b) }

// Bitwise operations.
func And(a Vec, b Arg) Vec { return binary(build.VANDPS, a, b) }
func Or(a Vec, b Arg) Vec  { return binary(build.VORPS, a, b) }
func Xor(a Vec, b Arg) Vec { return binary(build.VXORPS, a, b) }

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
	r := build.YMM()
	build.VXORPS(r, r, r)
	return Vec{r}
}

// Move overwrites dst with src.
func Move(src, dst Vec) {
	for i := range src {
		build.VMOVAPS(src[i], dst[i])
	}
}

// Predicates of [Compare]. Where an operand is NaN, those that begin with Not are true and
// the others are not.
const (
	Equal        = 0x00
	Less         = 0x11
	Greater      = 0x1e
	NotLess      = 0x15
	NotLessEqual = 0x16
	unordered    = 0x03
	unequal      = 0x0c
)

// Compare returns a mask that selects where a compares so with b.
func Compare(predicate uint8, a Vec, b Arg) Vec {
	return binary(func(ops ...operand.Op) { build.VCMPPS(operand.U8(predicate), ops[0], ops[1], ops[2]) }, a, b)
}

// Select returns b where the sign bit of mask is set, else a.
func Select(mask, a Vec, b Arg) Vec {
	dst := newVec(len(a))
	for i, o := range b.operands(len(a)) {
		build.VBLENDVPS(mask[i], o, a[i], dst[i])
	}
	return dst
}

// Horner evaluates the polynomial with the given coefficients, the lowest first.
func Horner(x Vec, c ...float32) Vec {
	p := Copy(Float(c[len(c)-1]), len(x))
	for i := len(c) - 2; i >= 0; i-- {
		MulAdd(p, x, Float(c[i]))
	}
	return p
}
