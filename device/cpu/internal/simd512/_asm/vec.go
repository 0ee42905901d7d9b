package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of float32 in a vector.
const lanes = 16

// vec is one register for each of several vectors that a kernel works on at once. Each function
// here emits one instruction for each of them, so that a formula comes out interleaved: the
// processor finds independent instructions side by side, which it needs to hide their latency.
//
// Functions return fresh registers unless they say that they overwrite their first argument.
type vec []reg.VecVirtual

func newVec(n int) vec {
	v := make(vec, n)
	for i := range v {
		v[i] = build.ZMM()
	}
	return v
}

// arg is an operand that is only read: a vec, a constant, or an array in memory.
type arg interface {
	operands(n int) []operand.Op
}

func (v vec) operands(int) []operand.Op {
	ops := make([]operand.Op, len(v))
	for i, r := range v {
		ops[i] = r
	}
	return ops
}

// constant is the bits of a float32 or an integer, the same in every lane.
type constant uint32

func float(x float32) constant { return constant(math.Float32bits(x)) }

func (c constant) operands(n int) []operand.Op { return c.times(n).operands(n) }

// times returns a register with the constant once for each of n vectors, only to be read.
func (c constant) times(n int) vec {
	r, ok := resident[c]
	if !ok {
		r = c.load()
	}
	return same(r, n)
}

// load broadcasts the constant into a register.
func (c constant) load() reg.VecVirtual {
	m, ok := constants[c]
	if !ok {
		m = build.GLOBL(fmt.Sprintf("c%08x", uint32(c)), attr.RODATA|attr.NOPTR)
		build.DATA(0, operand.U32(c))
		constants[c] = m
	}
	r := build.ZMM()
	build.VBROADCASTSS(m, r)
	return r
}

var (
	constants = map[constant]operand.Mem{}
	resident  map[constant]reg.VecVirtual // what the kernel at hand keeps in registers
)

// keep loads constants into registers for the whole of a kernel.
func keep(cs ...constant) {
	for _, c := range cs {
		if _, ok := resident[c]; !ok {
			resident[c] = c.load()
		}
	}
}

// keepFloats is keep for numbers.
func keepFloats(xs ...float32) {
	for _, x := range xs {
		keep(float(x))
	}
}

func same(r reg.VecVirtual, n int) vec {
	v := make(vec, n)
	for i := range v {
		v[i] = r
	}
	return v
}

// param loads a float32 parameter into every lane of a register.
func param(name string) reg.VecVirtual {
	p, err := build.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := build.ZMM()
	build.VBROADCASTSS(p.Addr, r)
	return r
}

// instruction is a constructor of avo's; operands are in Go's order, the destination last.
type instruction = func(ops ...operand.Op)

func binary(f instruction, a vec, b arg) vec {
	dst := newVec(len(a))
	for i, o := range b.operands(len(a)) {
		f(o, a[i], dst[i])
	}
	return dst
}

func add(a vec, b arg) vec { return binary(build.VADDPS, a, b) }
func sub(a vec, b arg) vec { return binary(build.VSUBPS, a, b) }
func mul(a vec, b arg) vec { return binary(build.VMULPS, a, b) }
func div(a vec, b arg) vec { return binary(build.VDIVPS, a, b) }

// reciprocal returns 1/a within 1 ulp, for normal numbers with normal reciprocals.
func reciprocal(a vec) vec {
	y := newVec(len(a))
	for i, x := range a {
		build.VRCP14PS(x, y[i])
	}
	rest := copyOf(float(1), len(a))
	subMul(rest, a, y)
	mulAdd(rest, y, y)
	return rest
}

// scale returns a·2^b for an integer b, rounded once where that is subnormal.
func scale(a, b vec) vec { return binary(build.VSCALEFPS, a, b) }

// atLeast returns max(a, c), and NaN where a is NaN.
func atLeast(a vec, c constant) vec { return binary(build.VMAXPS, c.times(len(a)), a) }

// atMost returns min(a, c), and NaN where a is NaN.
func atMost(a vec, c constant) vec { return binary(build.VMINPS, c.times(len(a)), a) }

func and(a vec, b arg) vec { return binary(build.VPANDD, a, b) }
func or(a vec, b arg) vec  { return binary(build.VPORD, a, b) }

const signBit = constant(0x80000000)

func abs(a vec) vec { return and(a, ^signBit) }

// minusAbs returns -|a|.
func minusAbs(a vec) vec { return or(a, signBit) }

func addInt(a vec, b arg) vec { return binary(build.VPADDD, a, b) }
func subInt(a vec, b arg) vec { return binary(build.VPSUBD, a, b) }
func maxInt(a vec, b arg) vec { return binary(build.VPMAXSD, a, b) }

func shiftLeft(a vec, n uint8) vec  { return shift(build.VPSLLD, a, n) }
func shiftRight(a vec, n uint8) vec { return shift(build.VPSRLD, a, n) }

func shift(f instruction, a vec, n uint8) vec {
	dst := newVec(len(a))
	for i, x := range a {
		f(operand.U8(n), x, dst[i])
	}
	return dst
}

// intToFloat converts integers to float32.
func intToFloat(a vec) vec {
	dst := newVec(len(a))
	for i, x := range a {
		build.VCVTDQ2PS(x, dst[i])
	}
	return dst
}

// mulAdd sets a to a·b + c, rounded once.
func mulAdd(a, b vec, c arg) { fused(build.VFMADD213PS, a, b, c) }

// addMul sets a to a + b·c, rounded once.
func addMul(a, b vec, c arg) { fused(build.VFMADD231PS, a, b, c) }

// subMul sets a to a - b·c, rounded once.
func subMul(a, b vec, c arg) { fused(build.VFNMADD231PS, a, b, c) }

func fused(f instruction, a, b vec, c arg) {
	for i, o := range c.operands(len(a)) {
		f(o, b[i], a[i])
	}
}

// copyOf returns the numbers of b for n vectors, in registers of their own.
func copyOf(b arg, n int) vec {
	dst := newVec(n)
	for i, o := range b.operands(n) {
		build.VMOVAPS(o, dst[i])
	}
	return dst
}

// move overwrites dst with src.
func move(src, dst vec) {
	for i := range src {
		build.VMOVAPS(src[i], dst[i])
	}
}

// zero returns zeros for one vector.
func zero() vec {
	r := build.ZMM()
	build.VPXORD(r, r, r)
	return vec{r}
}

// negative returns masks that select where a's sign bit is set.
func negative(a vec) []reg.OpmaskVirtual {
	k := make([]reg.OpmaskVirtual, len(a))
	for i, x := range a {
		k[i] = build.K()
		build.VPMOVD2M(x, k[i])
	}
	return k
}

// horner evaluates the polynomial with the given coefficients, the lowest first.
func horner(x vec, c ...float32) vec {
	n := len(c) - 1
	p := copyOf(float(c[n]), len(x))
	for i := n - 1; i >= 0; i-- {
		mulAdd(p, x, float(c[i]))
	}
	return p
}

// sumVectors adds the vectors of x in pairs.
func sumVectors(x vec) vec {
	for len(x) > 1 {
		half := len(x) / 2
		x = append(add(x[:half], x[half:2*half]), x[2*half:]...)
	}
	return x
}
