// Command loss generates the kernels of the soft margin loss, for AVX2 or, with -avx512, for AVX-512.
package main

import (
	"flag"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/pullback-go/pullback/device/cpu/internal/simd/_asm/vec"
)

// set is the instruction set that is generated for.
var set = AVX2

func main() {
	avx512 := flag.Bool("avx512", false, "generate kernels for AVX-512, not AVX2")
	flag.Parse()
	if *avx512 {
		set = AVX512
	}
	Use(set)
	build.ConstraintExpr("amd64")
	for _, d := range []DType{F32, F16, BF16} {
		loss(d)
		sum(d)
		backward(d, d, d != F32)
		backwardVector(d, false)
		sumBackward(d, d)
	}
	backwardVector(F32, true)
	backward(F32, F32, true)
	backward(F32Past, F32, false)
	sumBackward(F32Past, F32)
	build.Generate()
}

// none is in place of the type of dst where there is none.
const none = DType(-1)

// kernel returns a kernel of dst, if there is one, and the named inputs.
func kernel(name, doc string, dst, d DType, inputs ...string) Kernel {
	var k Kernel
	suffix := d.Suffix()
	if dst != none {
		suffix = dst.Suffix()
		k.Arrays = append(k.Arrays, Array{Name: "dst", DType: dst, WriteOnly: true})
	}
	for _, n := range inputs {
		k.Arrays = append(k.Arrays, Array{Name: n, DType: d})
	}
	k.Name = "softMarginLoss" + name + suffix + set.String()
	k.Doc = k.Name + " " + doc
	return k
}

// vectors returns how many vectors to work on at once.
func vectors(avx2, avx512 int) int { return [...]int{avx2, avx512}[set] }

func margin(b *Block) Vec { return Mul(b.Load("self"), b.Arg("target")) }

// decay returns e^-|m|.
func decay(m Vec) Vec { return DecayExp(AtMost(Abs(m), Float(104))) }

func loss(d DType) {
	k := kernel("", "stores log(1 + e^(-target·self)).", d, d, "self", "target")
	k.Vectors = 4
	k.Setup = func() {
		KeepExp()
		Keep(Float(104), Float(0))
	}
	k.Body = func(b *Block) {
		loss := Log1pUnit(decay(margin(b)))
		// The margin is computed again rather than kept in registers.
		b.Store("dst", Sub(loss, AtMost(margin(b), Float(0))))
	}
	k.Emit()
}

// part is the number of elements of which the losses are summed up by themselves.
const part = 1024

// total is what a sum of losses is made of. One logarithm serves many losses,
//
//	Σ log(1 + e^-m) = log ∏(1 + e^-|m|) - Σ min(m, 0),
//
// as every factor is at most 2: log takes up to 120 of them. What counts of the product where margins
// are large is its difference from 1.
type total struct {
	vectors int                     // in a block
	empty   func() []Vec            // returns the product of nothing
	times   func(a, b []Vec) []Vec  // returns a product of products, and overwrites a
	lessOne func(product []Vec) Vec // returns the product less 1, and overwrites it

	left    reg.GPVirtual // blocks until the logarithm
	product []Vec         // of the losses since the last one
	linear  Vec           // their Σ min(m, 0)
	sums    reg.Register  // where to store the next sum

	// The sum of the first half of a part, for AVX2: of all its factors the product would be too large.
	half     SumInMemory
	halfDone reg.GPVirtual
}

// blocks returns how many share a logarithm: those of 64 vectors.
func (t *total) blocks() operand.U32 { return operand.U32(uint32(64 / t.vectors)) }

func (t *total) setup() {
	t.left = build.GP64()
	build.MOVQ(t.blocks(), t.left)
	t.sums = build.Load(build.Param("sums").Base(), build.GP64())
	t.product, t.linear = t.empty(), Zero()
	if set == AVX2 {
		t.half, t.halfDone = NewSumInMemory(), build.GP64()
		build.XORQ(t.halfDone, t.halfDone)
	}
	Keep(Float(1))
}

// add takes the losses of a block. The body returns the terms of a piece of so many vectors of it.
func (t *total) add(b *Block, vectors int, body func(b *Block) (linear Vec, product []Vec)) {
	var linear Vec
	var products [][]Vec
	for i, piece := range b.Split(vectors) {
		l, p := body(piece)
		linear, products = append(linear, l...), append(products, p)
		for n := i + 1; n%2 == 0; n /= 2 { // two products of equally many are one of twice as many
			last := len(products) - 2
			linear = append(linear[:last], Add(linear[last:last+1], linear[last+1:])...)
			products = append(products[:last], t.times(products[last], products[last+1]))
		}
	}
	Move(Add(t.linear, linear), t.linear)
	t.assign(t.times(t.product, products[0]))
	if b.Vectors == 1 {
		return
	}
	build.DECQ(t.left)
	build.JNE(operand.LabelRef("more"))
	build.MOVQ(t.blocks(), t.left)
	t.flush()
	Move(Zero(), t.linear)
	t.assign(t.empty())
	build.Label("more")
}

// assign moves a product where that of the losses is.
func (t *total) assign(product []Vec) {
	for i, v := range product {
		Move(v, t.product[i])
	}
}

// flush stores the sum of the losses of a part, or keeps it if that is the first half.
func (t *total) flush() {
	if set == AVX2 {
		t.half.Add(t.losses())
		build.XORQ(operand.I8(1), t.halfDone)
		build.JNE(operand.LabelRef("halfDone"))
		t.half.Load().Store(operand.Mem{Base: t.sums})
		t.half.Clear()
		build.ADDQ(operand.I8(8), t.sums)
		build.Label("halfDone")
		return
	}
	sum := NewSum()
	sum.Add(t.losses())
	sum.Store(operand.Mem{Base: t.sums})
	build.ADDQ(operand.I8(8), t.sums)
}

// losses returns the sums of losses, lane by lane, since the last logarithm.
func (t *total) losses() Vec { return Sub(Log1p(t.lessOne(t.product)), t.linear) }

// finish stores the sum of the last part, if it is not a whole one.
func (t *total) finish() {
	rest := build.Load(build.Param("self").Len(), build.GP64())
	build.TESTQ(operand.U32(part-1), rest)
	build.JE(operand.LabelRef("noRest"))
	sum := NewSum()
	if set == AVX2 {
		sum = t.half.Load()
	}
	sum.Add(t.losses())
	sum.Store(operand.Mem{Base: t.sums})
	build.Label("noRest")
}

func sum(d DType) {
	t := &total{
		vectors: vectors(4, 8),
		empty:   func() []Vec { return []Vec{Zero()} },
		times:   func(a, b []Vec) []Vec { return []Vec{OnePlusProduct(Vec{a[0][0], b[0][0]})} },
		lessOne: func(product []Vec) Vec { return product[0] },
	}
	k := kernel("Sums", "stores the sums of log(1 + e^(-target·self)) over 1024 elements each.", none, d, "self", "target")
	k.Params = "sums []float64"
	k.Vectors = t.vectors
	k.Setup = func() {
		t.setup()
		KeepExp()
		Keep(Float(0), Float(104))
	}
	k.Body = func(b *Block) {
		t.add(b, vectors(2, 4), func(b *Block) (linear Vec, product []Vec) {
			m := margin(b)
			linear = SumVectors(AtMost(m, Float(0)))
			return linear, []Vec{b.Within(OnePlusProduct(decay(m)))}
		})
	}
	k.Finish = t.finish
	k.Emit()
}

// denominator returns that of sigmoid(-|m|)·Unit.
func denominator(m Vec) Vec { return UnitPlusExp(AtMost(Abs(m), Float(MaxExponent))) }

// gradient returns target·factor·sigmoid(-m), given target·factor·Unit: where m is negative, the sigmoid is
// 1 - sigmoid(-|m|).
func gradient(g, denominator Vec, isNegative Negative) Vec {
	q := Div(g, denominator)
	MulSubWhere(isNegative, q, g, Float(1/Unit))
	return q
}

// backward may be rough where the result is rounded to a half type, of which the last bits of a float32 do
// not count.
func backward(dst, d DType, rough bool) {
	name := "Backward"
	if rough && d == F32 {
		name += "Rough"
	}
	k := kernel(name, "stores target·2^40·factor / (1 + e^(target·self)).", dst, d, "self", "target")
	k.Params = "factor float32"
	k.Vectors = 4
	k.Setup = func() {
		KeepUnitPlusExp()
		Keep(Param("factor"))
		Keep(Float(lowest))
	}
	k.Body = func(b *Block) {
		m := margin(b)
		unitPlusExp := SignedUnitPlusExp
		if rough {
			unitPlusExp = RoughUnitPlusExp
		}
		denominator := unitPlusExp(AtLeast(m, Float(lowest)))
		b.Store("dst", Div(Mul(Param("factor").Scalar().Times(b.Vectors), b.Arg("target")), denominator))
	}
	k.Emit()
}

// lowest is where margins may be cut off: 1 + e^-20 rounds to 1.
const lowest = -20

// backwardVector takes any gradOutput and norm. If their product is rounded and that is to count, what it loses
// is made good together with what the quotient's rounding loses.
func backwardVector(d DType, rounded bool) {
	name := "BackwardVector"
	if rounded {
		name += "Norm"
	}
	k := kernel(name, "stores target·gradOutput·norm / (1 + e^(target·self)).", d, d, "gradOutput", "self", "target")
	k.Params = "norm float32"
	k.Vectors = 2
	k.Setup = func() {
		KeepExp()
		Keep(Float(1), Param("norm"))
	}
	k.Body = func(b *Block) {
		d, s := SplitOnePlusExp(AtLeast(margin(b), Float(lowest)))
		norm := Param("norm").Scalar().Times(b.Vectors)
		var q Vec
		if rounded {
			q = divProduct(norm, b.Load("gradOutput"), d)
		} else {
			q = Div(Mul(norm, b.Arg("gradOutput")), d)
		}
		// The target comes last, lest the product with it is infinite before it is divided, and with the power
		// of two, lest the product with that one is rounded to a subnormal number before it grows again.
		b.Store("dst", Mul(q, Mul(s, b.Arg("target"))))
	}
	k.Emit()
}

// divProduct returns a·b/c, rounded about once.
func divProduct(a, b, c Vec) Vec {
	product := Mul(a, b)
	y := Div(Float(1).Scalar().Times(len(c)), c)
	q := Mul(product, y)
	tooMuch := Copy(q, len(q))
	MulSub(tooMuch, c, product)
	SubMul(product, a, b)
	SubMul(q, y, OrZero(Add(tooMuch, product))) // NaN where the product or c is infinite
	return q                                    // -0 stays -0, as what is taken away is +0
}

// sumBackward takes y = sigmoid(-|m|) for the sums as well: ∏(1 + e^-|m|) is 1/∏(1 - y).
func sumBackward(dst, d DType) {
	t := &total{
		vectors: 4,
		empty:   func() []Vec { return []Vec{Zero(), Copy(Float(1), 1)} },
		times: func(a, b []Vec) []Vec {
			c := Complement{Less: a[0], Product: a[1]}.Times(Complement{Less: b[0], Product: b[1]})
			return []Vec{c.Less, c.Product}
		},
		lessOne: func(product []Vec) Vec { return Div(product[0], product[1]) },
	}
	k := kernel("SumsBackward", "stores target·2^40·factor / (1 + e^(target·self)), and the sums of log(1 + e^(-target·self)) over 1024 elements each.", dst, d, "self", "target")
	k.Params = "factor float32, sums []float64"
	k.Vectors = t.vectors
	k.Setup = func() {
		t.setup()
		KeepUnitPlusExp()
		Keep(Param("factor"))
	}
	k.Body = func(b *Block) {
		t.add(b, vectors(2, 4), func(b *Block) (linear Vec, product []Vec) {
			m := margin(b)
			isNegative := IsNegative(m)
			linear = SumNegative(isNegative, m)
			denominator := denominator(m)
			g := Mul(Param("factor").Scalar().Times(b.Vectors), b.Arg("target"))
			b.Store("dst", gradient(g, denominator, isNegative))
			y := b.Within(Div(Float(Unit).Scalar().Times(b.Vectors), denominator))
			c := pairs(y)
			for n := len(c.Less) / 2; n > 0; n /= 2 {
				c = Complement{Less: c.Less[:n], Product: c.Product[:n]}.Times(Complement{Less: c.Less[n:], Product: c.Product[n:]})
			}
			return linear, []Vec{c.Less, c.Product}
		})
	}
	k.Finish = t.finish
	k.Emit()
}

// pairs returns the products of two 1 - y each, or the only one, for 0 ≤ y ≤ ½: 1 - (1-a)(1-b) = a + b - a·b.
func pairs(y Vec) Complement {
	less := y
	if n := len(y) / 2; n > 0 {
		less = Add(y[:n], y[n:])
		SubMul(less, y[:n], y[n:])
	}
	return Complement{Less: less, Product: Sub(Float(1).Scalar().Times(len(less)), less)}
}
