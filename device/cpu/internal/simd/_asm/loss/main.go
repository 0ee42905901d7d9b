// Command loss generates the kernels of the losses.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/pullback-go/pullback/device/cpu/internal/simd/_asm/vec"
)

func main() {
	build.ConstraintExpr("amd64")
	for _, d := range []DType{F32, F16, BF16} {
		softMarginLoss(d)
		softMarginLossTerms(d)
		softMarginLossBackward(d)
		softMarginLossBackwardVector(d)
		softMarginLossTermsBackward(d)
	}
	sumLogTerms()
	build.Generate()
}

// lowest is where margins are cut off. Below it, the loss is -m and the gradient's
// 1 + e^m is 1, both as rounded; and products of four 1 + e^-m remain in range above.
const lowest = -20

func inputs(d DType, names ...string) (arrays []Array) {
	for _, n := range names {
		arrays = append(arrays, Array{Name: n, DType: d})
	}
	return arrays
}

func dst(d DType) Array { return Array{Name: "dst", DType: d, WriteOnly: true} }

func margin(b *Block) Vec { return Mul(b.Load("self"), b.Arg("target")) }

func softMarginLoss(d DType) {
	Kernel{
		Name:    "SoftMarginLoss" + d.Suffix(),
		Doc:     fmt.Sprintf("SoftMarginLoss%s stores log(1 + e^(-target·self)).", d.Suffix()),
		Arrays:  append([]Array{dst(d)}, inputs(d, "self", "target")...),
		Vectors: 4,
		Body: func(b *Block) {
			loss := Log1pUnit(DecayExp(AtMost(Abs(margin(b)), Float(104))))
			// The margin is computed again rather than kept in registers.
			b.Store("dst", Sub(loss, AtMost(margin(b), Float(0))))
		},
	}.Emit()
}

// lossTerms writes what the sum of losses is made of. One logarithm serves several losses,
//
//	Σ log(1 + e^-m) = log ∏(1 + e^-m) - Σ min(m - lowest, 0),
//
// with e^-m cut off at -m = lowest. A block, or the last vectors that are fewer than one, gives a
// vector of ∏(1 + e^-m) - 1 and one of the sums. The logarithms are left to sumLogTerms, which
// takes several at once; here they would hold up everything else.
type lossTerms struct {
	products, rests reg.Register // where to write next
	product, linear Vec          // of the last vectors
}

func newLossTerms() *lossTerms {
	return &lossTerms{
		products: build.Load(build.Param("products").Base(), build.GP64()),
		rests:    build.Load(build.Param("rests").Base(), build.GP64()),
	}
}

// belowLowest returns Σ min(m - lowest, 0).
func belowLowest(m Vec) Vec { return SumVectors(AtMost(Add(m, Float(-lowest)), Float(0))) }

// block takes the losses of a block. The body returns what is below lowest and e^-m
// for the margins of a piece.
func (t *lossTerms) block(b *Block, vectors int, body func(b *Block) (rest, e Vec)) {
	var linear, product Vec
	for _, piece := range b.Split(vectors) {
		rest, e := body(piece)
		linear = SumVectors(append(linear, rest...))
		product = OnePlusProduct(append(product, b.Within(OnePlusProduct(e))...))
	}
	if b.Vectors > 1 {
		t.write(product, linear)
		return
	}
	Move(Add(t.linear, linear), t.linear)
	Move(OnePlusProduct(append(product, t.product...)), t.product)
}

func (t *lossTerms) write(product, linear Vec) {
	build.VMOVUPS(product[0], operand.Mem{Base: t.products})
	build.VMOVUPS(linear[0], operand.Mem{Base: t.rests})
	build.ADDQ(operand.I8(32), t.products)
	build.ADDQ(operand.I8(32), t.rests)
}

// between begins the last vectors.
func (t *lossTerms) between() { t.product, t.linear = Zero(), Zero() }

func (t *lossTerms) finish() { t.write(t.product, t.linear) }

func sumLogTerms() {
	var sum Sum
	Kernel{
		Name:    "sumLogTerms",
		Doc:     "sumLogTerms returns the sum of log(1 + product) - rest.",
		Arrays:  inputs(F32, "products", "rests"),
		Result:  "float64",
		Vectors: 2,
		Setup:   func() { sum = NewSum() },
		Body: func(b *Block) {
			sum.Add(Sub(Log1p(b.Load("products")), b.Arg("rests")))
		},
		Finish: func() { sum.Return() },
	}.Emit()
}

func softMarginLossTerms(d DType) {
	var terms *lossTerms
	Kernel{
		Name:    "softMarginLossTerms" + d.Suffix(),
		Doc:     fmt.Sprintf("softMarginLossTerms%s stores the terms of the sum of log(1 + e^(-target·self)), see sumLogTerms: 8 of each for 32 elements, and 8 more for fewer.", d.Suffix()),
		Arrays:  inputs(d, "self", "target"),
		Params:  "products, rests []float32",
		Vectors: 4,
		Setup:   func() { terms = newLossTerms() },
		Body: func(b *Block) {
			terms.block(b, 4, func(b *Block) (rest, e Vec) {
				m := margin(b)
				rest = belowLowest(m)
				return rest, DecayExp(AtMost(AtLeast(m, Float(lowest)), Float(104)))
			})
		},
		Between: func() { terms.between() },
		Rest:    func() { terms.finish() },
	}.Emit()
}

func softMarginLossBackward(d DType) {
	Kernel{
		Name:    "softMarginLossBackward" + d.Suffix(),
		Doc:     fmt.Sprintf("softMarginLossBackward%s stores target·2^40·factor / (1 + e^(target·self)).", d.Suffix()),
		Arrays:  append([]Array{dst(d)}, inputs(d, "self", "target")...),
		Params:  "factor float32",
		Vectors: 4,
		Body: func(b *Block) {
			d := UnitPlusExp(AtLeast(margin(b), Float(lowest)), b.DType("self") == F32)
			b.Store("dst", Div(Mul(Param("factor").Scalar().Times(b.Vectors), b.Arg("target")), d))
		},
	}.Emit()
}

func softMarginLossBackwardVector(d DType) {
	Kernel{
		Name:    "softMarginLossBackwardVector" + d.Suffix(),
		Doc:     fmt.Sprintf("softMarginLossBackwardVector%s stores target·gradOutput·norm / (1 + e^(target·self)).", d.Suffix()),
		Arrays:  append([]Array{dst(d)}, inputs(d, "gradOutput", "self", "target")...),
		Params:  "norm float32",
		Vectors: 2,
		Body: func(b *Block) {
			d, s := SplitOnePlusExp(AtLeast(margin(b), Float(lowest)))
			g := Mul(Param("norm").Scalar().Times(b.Vectors), b.Arg("gradOutput"))
			// The target comes last, lest the product with it is infinite before it is divided.
			b.Store("dst", Mul(Mul(Div(g, d), s), b.Arg("target")))
		},
	}.Emit()
}

func softMarginLossTermsBackward(d DType) {
	var terms *lossTerms
	Kernel{
		Name:    "softMarginLossTermsBackward" + d.Suffix(),
		Doc:     fmt.Sprintf("softMarginLossTermsBackward%s does what softMarginLossTerms and softMarginLossBackward do.", d.Suffix()),
		Arrays:  append([]Array{dst(d)}, inputs(d, "self", "target")...),
		Params:  "factor float32, products, rests []float32",
		Vectors: 4,
		Setup:   func() { terms = newLossTerms() },
		Body: func(b *Block) {
			terms.block(b, 4, func(b *Block) (rest, e Vec) {
				m := margin(b)
				rest = belowLowest(m)
				d, e := BothExp(AtMost(AtLeast(m, Float(lowest)), Float(MaxExponent)), b.DType("self") == F32)
				b.Store("dst", Div(Mul(Param("factor").Scalar().Times(b.Vectors), b.Arg("target")), d))
				return rest, e
			})
		},
		Between: func() { terms.between() },
		Rest:    func() { terms.finish() },
	}.Emit()
}
