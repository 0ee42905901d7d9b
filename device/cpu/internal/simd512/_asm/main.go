// Command _asm generates the kernels of the soft margin loss in AVX-512.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("amd64")
	for _, d := range []dtype{f32, f16, bf16} {
		softMarginLoss(d)
		softMarginLossTerms(d)
		softMarginLossBackward(d)
		softMarginLossBackwardVector(d)
		softMarginLossTermsBackward(d)
	}
	softMarginLossBackward(f32past)
	sumLogTerms()
	build.Generate()
}

// lowest is where margins are cut off below: the gradient's 1 + e^m is 1 there, as rounded.
const lowest = -20

func slices(d dtype, names ...string) (s []slice) {
	for _, n := range names {
		s = append(s, slice{n, d})
	}
	return s
}

func margin(b *block) vec { return mul(b.load("self"), b.arg("target")) }

func softMarginLoss(d dtype) {
	kernel{
		name:    "SoftMarginLoss" + d.suffix(),
		doc:     fmt.Sprintf("SoftMarginLoss%s stores log(1 + e^(-target·self)).", d.suffix()),
		slices:  slices(d, "dst", "self", "target"),
		vectors: 4,
		setup: func() {
			keepFloats(-104, 0)
			keep(signBit)
			keepExp()
		},
		body: func(b *block) {
			m := margin(b)
			loss := log1pUnit(decayExp(atLeast(minusAbs(m), float(-104))))
			b.store("dst", sub(loss, atMost(m, float(0))))
		},
	}.emit()
}

// lossTerms writes what the sum of losses is made of. One logarithm serves many losses,
//
//	Σ log(1 + e^-m) = log ∏(1 + e^-|m|) - Σ min(m, 0),
//
// as every factor is at most 2. A block, or the last vectors that are fewer than one, gives a
// vector of ∏(1 + e^-|m|) - 1 and one of the sums. What is left is for sumLogTerms.
type lossTerms struct {
	products, rests reg.Register // where to write next
	product, linear vec          // of the last vectors
}

func newLossTerms() *lossTerms {
	return &lossTerms{
		products: build.Load(build.Param("products"), build.GP64()),
		rests:    build.Load(build.Param("rests"), build.GP64()),
	}
}

const termsParams = "products, rests *float32"

// belowZero returns Σ min(m, 0).
func belowZero(m vec) vec { return sumVectors(atMost(m, float(0))) }

// add takes the losses of a block. The body returns the terms of a piece of it.
func (t *lossTerms) add(b *block, body func(b *block) (linear, product vec)) {
	var linear, product vec
	for _, piece := range b.split(4) {
		l, p := body(piece)
		linear = sumVectors(append(linear, l...))
		product = onePlusProduct(append(product, p...))
	}
	if b.mask == nil {
		t.write(product, linear)
		return
	}
	move(add(t.linear, linear), t.linear)
	move(onePlusProduct(append(b.within(product), t.product...)), t.product)
}

func (t *lossTerms) write(product, linear vec) {
	build.VMOVUPS(product[0], operand.Mem{Base: t.products})
	build.VMOVUPS(linear[0], operand.Mem{Base: t.rests})
	build.ADDQ(operand.I8(64), t.products)
	build.ADDQ(operand.I8(64), t.rests)
}

// between begins the last vectors.
func (t *lossTerms) between() { t.product, t.linear = zero(), zero() }

func (t *lossTerms) rest() { t.write(t.product, t.linear) }

func softMarginLossTerms(d dtype) {
	var terms *lossTerms
	kernel{
		name:    "softMarginLossTerms" + d.suffix(),
		doc:     fmt.Sprintf("softMarginLossTerms%s stores the terms of the sum of log(1 + e^(-target·self)), see lossTerms: 16 of each for 128 elements, and 16 more for fewer.", d.suffix()),
		slices:  slices(d, "self", "target"),
		params:  termsParams,
		vectors: 8,
		setup: func() {
			terms = newLossTerms()
			keepFloats(-104, 0)
			keep(signBit)
			keepExp()
		},
		body: func(b *block) {
			terms.add(b, func(b *block) (linear, product vec) {
				m := margin(b)
				linear = belowZero(m)
				return linear, onePlusProduct(decayExp(atLeast(minusAbs(m), float(-104))))
			})
		},
		between: func() { terms.between() },
		rest:    func() { terms.rest() },
	}.emit()
}

func softMarginLossBackward(d dtype) {
	var factor reg.VecVirtual
	name, operands := "softMarginLossBackward"+d.suffix(), slices(d, "dst", "self", "target")
	if d == f32past {
		d = f32
		operands = append(slices(f32past, "dst"), slices(f32, "self", "target")...)
	}
	kernel{
		name:    name,
		doc:     fmt.Sprintf("%s stores target·2^40·factor / (1 + e^(target·self)).", name),
		slices:  operands,
		params:  "factor float32",
		vectors: 4,
		setup: func() {
			factor = param("factor")
			keepFloats(lowest, magic+bias-unitShift, magic+bias+125, unit)
			keepExp()
		},
		body: func(b *block) {
			denominator := unitPlusExp(atLeast(margin(b), float(lowest)), magic+bias+125, d == f32)
			b.store("dst", div(mul(same(factor, b.vectors), b.arg("target")), denominator))
		},
	}.emit()
}

func softMarginLossBackwardVector(d dtype) {
	var norm reg.VecVirtual
	kernel{
		name:    "softMarginLossBackwardVector" + d.suffix(),
		doc:     fmt.Sprintf("softMarginLossBackwardVector%s stores target·gradOutput·norm / (1 + e^(target·self)).", d.suffix()),
		slices:  slices(d, "dst", "gradOutput", "self", "target"),
		params:  "norm float32",
		vectors: 4,
		setup: func() {
			norm = param("norm")
			keepFloats(lowest, magic, magic+252)
			keepExp()
		},
		body: func(b *block) {
			d, s := splitOnePlusExp(atLeast(margin(b), float(lowest)))
			g := mul(same(norm, b.vectors), b.arg("gradOutput"))
			// The target comes last, lest the product with it is infinite before it is divided.
			b.store("dst", mul(mul(div(g, d), s), b.arg("target")))
		},
	}.emit()
}

// softMarginLossTermsBackward takes y = sigmoid(-|m|): for the sum, see complementProduct; and where m
// is negative, the sigmoid is 1 - y.
//
// The factor must not be infinite.
func softMarginLossTermsBackward(d dtype) {
	var terms *lossTerms
	var factor reg.VecVirtual
	kernel{
		name:    "softMarginLossTermsBackward" + d.suffix(),
		doc:     fmt.Sprintf("softMarginLossTermsBackward%s does what softMarginLossTerms and softMarginLossBackward do.", d.suffix()),
		slices:  slices(d, "dst", "self", "target"),
		params:  "factor float32, " + termsParams,
		vectors: 8,
		setup: func() {
			terms = newLossTerms()
			factor = param("factor")
			keepFloats(unit)
			keepExp()
		},
		body: func(b *block) {
			terms.add(b, func(b *block) (linear, product vec) {
				m := margin(b)
				linear, isNegative := belowZero(m), negative(m)
				denominator := unitPlusExp(atMost(abs(m), float(maxExponent)), 0, d == f32)
				target := b.load("target")
				var gradients, y vec
				const pair = 2 // at a time, which takes fewer registers
				for i := 0; i < b.vectors; i += pair {
					end := min(i+pair, b.vectors)
					denominator, isNegative := denominator[i:end], isNegative[i:end]
					inverse := reciprocal(denominator)
					g := mul(same(factor, len(denominator)), target[i:end])
					y = append(y, mul(inverse, float(unit))...)
					if d == f32 {
						quotient, whole := div(g, denominator), mul(g, float(1/unit))
						subMul(whole, g, inverse)
						for j, k := range isNegative {
							build.VMOVAPS(whole[j], k, quotient[j])
						}
						gradients = append(gradients, quotient...)
					} else { // one more rounding does not count
						large := float(1 / unit).times(1)[0]
						for j, k := range isNegative {
							build.VSUBPS(inverse[j], large, k, inverse[j])
						}
						gradients = append(gradients, mul(g, inverse)...)
					}
				}
				b.store("dst", gradients)
				return linear, complementProduct(y)
			})
		},
		between: func() { terms.between() },
		rest:    func() { terms.rest() },
	}.emit()
}

// termGroup is how many vectors of terms are multiplied before a logarithm is taken, and
// termGroups how many logarithms are taken side by side.
const termGroup, termGroups = 4, 2

func sumLogTerms() {
	build.TEXT("sumLogTerms", attr.NOSPLIT, "func(products, rests *float32) float64")
	build.Doc("sumLogTerms returns the sum of log(1 + product) - rest, over 128 of each.")
	build.Pragma("noescape")
	resident = map[constant]reg.VecVirtual{}
	at := func(name string) func(i int) operand.Mem {
		base := build.Load(build.Param(name), build.GP64())
		return func(i int) operand.Mem { return operand.Mem{Base: base, Disp: 64 * i} }
	}
	products, rests := at("products"), at("rests")
	gather := func(at func(i int) operand.Mem, combine func(vec) vec) (v vec) {
		for g := range termGroups {
			group := newVec(termGroup)
			for i := range group {
				build.VMOVUPS(at(g*termGroup+i), group[i])
			}
			v = append(v, combine(group)...)
		}
		return v
	}
	losses := sub(log1p(gather(products, onePlusProduct)), gather(rests, sumVectors))

	// In float64 lanes are added by halves.
	var doubles vec
	for _, x := range losses {
		low, high := build.ZMM(), build.ZMM()
		build.VCVTPS2PD(x.AsY(), low)
		build.VEXTRACTF64X4(operand.U8(1), x, high.AsY())
		build.VCVTPS2PD(high.AsY(), high)
		build.VADDPD(high, low, low)
		doubles = append(doubles, low)
	}
	for len(doubles) > 1 {
		half := len(doubles) / 2
		for i := range half {
			build.VADDPD(doubles[half+i], doubles[i], doubles[i])
		}
		doubles = doubles[:half]
	}
	sum, high := doubles[0], build.ZMM()
	build.VEXTRACTF64X4(operand.U8(1), sum, high.AsY())
	build.VADDPD(high.AsY(), sum.AsY(), sum.AsY())
	build.VEXTRACTF64X2(operand.U8(1), sum.AsY(), high.AsX())
	build.VADDPD(high.AsX(), sum.AsX(), sum.AsX())
	build.VHADDPD(sum.AsX(), sum.AsX(), sum.AsX())
	build.Store(sum.AsX(), build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
}
