// Command elementwise generates the element-wise kernels, sums and conversions.
package main

import (
	"strings"

	"github.com/mmcloughlin/avo/build"

	. "github.com/pullback-go/pullback/device/cpu/internal/simd/_asm/vec"
)

func main() {
	build.ConstraintExpr("amd64")
	for _, k := range []struct {
		name, doc, inputs, params string
		vectors                   int
		f                         func(in []Vec) Vec
	}{
		{"Neg", "stores -a.", "a", "", 4, func(in []Vec) Vec { return Neg(in[0]) }},
		{"Abs", "stores |a|.", "a", "", 4, func(in []Vec) Vec { return Abs(in[0]) }},
		{"Sign", "stores -1 or 1 with the sign of a; zeros and NaN are their own signs.", "a", "", 4, func(in []Vec) Vec { return Sign(in[0]) }},
		{"Square", "stores a².", "a", "", 4, func(in []Vec) Vec { return Mul(in[0], in[0]) }},
		{"Sqrt", "stores √a: NaN below 0, -0 at -0.", "a", "", 4, func(in []Vec) Vec { return Sqrt(in[0]) }},
		{"ReLU", "stores max(a, 0): +0 at -0, NaN at NaN.", "a", "", 4, func(in []Vec) Vec { return Positive(in[0]) }},
		{"LeakyReLU", "stores a where a > 0, else slope·a, the product rounded from float64.", "a", "slope float64", 2, func(in []Vec) Vec {
			return Select(Compare(Greater, in[0], Float(0)), MulFloat64(in[0], "slope"), in[0])
		}},
		{"Exp", "stores e^a within 1 ulp, subnormal results included: +Inf above the range, NaN at NaN.", "a", "", 3, func(in []Vec) Vec { return Exp(in[0]) }},
		{"Log", "stores ln(a) within 1 ulp: -Inf at zeros, NaN below, +Inf at +Inf.", "a", "", 2, func(in []Vec) Vec { return Log(in[0]) }},
		{"Tanh", "stores tanh(a).", "a", "", 2, func(in []Vec) Vec { return Tanh(in[0]) }},
		{"Sigmoid", "stores 1/(1 + e^-a).", "a", "", 4, func(in []Vec) Vec { return Sigmoid(in[0]) }},
		{"Softplus", "stores log(1 + e^a).", "a", "", 2, func(in []Vec) Vec { return Softplus(in[0]) }},
		{"GELU", "stores a·Φ(a), with Φ the standard normal distribution function.", "a", "", 1, func(in []Vec) Vec { return GELU(in[0]) }},

		{"Add", "stores a + b.", "a b", "", 4, func(in []Vec) Vec { return Add(in[0], in[1]) }},
		{"Sub", "stores a - b.", "a b", "", 4, func(in []Vec) Vec { return Sub(in[0], in[1]) }},
		{"Mul", "stores a · b.", "a b", "", 4, func(in []Vec) Vec { return Mul(in[0], in[1]) }},
		{"Div", "stores a / b.", "a b", "", 4, func(in []Vec) Vec { return Div(in[0], in[1]) }},
		{"Maximum", "stores the larger of a and b: +0 of two zeros that differ, NaN if either is.", "a b", "", 2, func(in []Vec) Vec { return Maximum(in[0], in[1]) }},

		{"ReLUBackward", "stores gradOutput where self > 0, else 0.", "gradOutput self", "", 4, func(in []Vec) Vec {
			return And(in[0], Compare(Greater, in[1], Float(0)))
		}},
		{"LeakyReLUBackward", "stores gradOutput where self > 0, else slope·gradOutput, the product rounded from float64.", "gradOutput self", "slope float64", 2, func(in []Vec) Vec {
			return Select(Compare(Greater, in[1], Float(0)), MulFloat64(in[0], "slope"), in[0])
		}},
		{"TanhBackward", "stores gradOutput · (1 - output²).", "gradOutput output", "", 4, func(in []Vec) Vec {
			d := Copy(Float(1), len(in[1]))
			SubMul(d, in[1], in[1]) // rounded once
			return Mul(in[0], d)
		}},
		{"SigmoidBackward", "stores gradOutput · output · (1 - output).", "gradOutput output", "", 4, func(in []Vec) Vec {
			return Mul(Mul(in[0], in[1]), Sub(Float(1).Scalar().Times(len(in[1])), in[1]))
		}},
		{"GELUBackward", "stores gradOutput · (Φ(self) + self·φ(self)), with Φ the standard normal distribution function and φ its density.", "gradOutput self", "", 1, func(in []Vec) Vec {
			return Mul(in[0], GELUDerivative(in[1]))
		}},
		{"MaximumBackward", "stores gradOutput where self > other, half of it where they are equal, else 0.", "gradOutput self other", "", 2, func(in []Vec) Vec {
			return Or(And(in[0], Compare(Greater, in[1], in[2])), And(Mul(in[0], Float(0.5)), Compare(Equal, in[1], in[2])))
		}},

		{"BCEWithLogits", "stores max(self, 0) - self·target + log(1 + e^-|self|).", "self target", "", 2, func(in []Vec) Vec {
			loss := Log1pUnit(DecayExp(Magnitude(in[0], 104)))
			linear := AtLeast(in[0], Float(0))
			SubMul(linear, in[0], in[1])
			return Add(loss, linear)
		}},
		{"BCEWithLogitsBackward", "stores (1/(1 + e^-self) - target) · gradOutput · norm.", "gradOutput self target", "norm float32", 2, func(in []Vec) Vec {
			return Mul(bceDifference(in[1], in[2]), Mul(in[0], Param("norm")))
		}},
		{"BCEWithLogitsBackwardScalar", "stores (1/(1 + e^-self) - target) · factor.", "self target", "factor float32", 2, func(in []Vec) Vec {
			return Mul(bceDifference(in[0], in[1]), Param("factor"))
		}},
	} {
		arrays := []Array{{Name: "dst", WriteOnly: true}}
		names := strings.Fields(k.inputs)
		for _, n := range names {
			arrays = append(arrays, Array{Name: n})
		}
		Kernel{
			Name: k.name, Doc: k.name + " " + k.doc, Arrays: arrays, Params: k.params, Vectors: k.vectors,
			Body: func(b *Block) {
				in := make([]Vec, len(names))
				for i, n := range names {
					in[i] = b.Load(n)
				}
				b.Store("dst", k.f(in))
			},
		}.Emit()
	}
	for _, d := range []DType{F16, BF16InOrder} {
		Kernel{
			Name: d.Suffix() + "ToFloat32", Doc: d.Suffix() + "ToFloat32 converts src, exactly.", Vectors: 2,
			Arrays: []Array{{Name: "dst", WriteOnly: true}, {Name: "src", DType: d}},
			Body:   func(b *Block) { b.Store("dst", b.Load("src")) },
		}.Emit()
		Kernel{
			Name: "Float32To" + d.Suffix(), Doc: "Float32To" + d.Suffix() + " converts src, rounding to nearest even. NaN stays NaN.", Vectors: 2,
			Arrays: []Array{{Name: "dst", DType: d, WriteOnly: true}, {Name: "src"}},
			Body:   func(b *Block) { b.Store("dst", b.Load("src")) },
		}.Emit()
	}
	var random Random
	Kernel{
		Name: "dropout", Doc: "dropout stores src/keep, rounded from float64, where the high 24 bits of SplitMix64's number are above limit, else 0. The\nfirst element's number is the hash of start.",
		Arrays: []Array{{Name: "dst", WriteOnly: true}, {Name: "src"}}, Params: "start uint64, limit int64, keep float64", Vectors: 2,
		Setup: func() { random = NewRandom("start") },
		Body: func(b *Block) {
			b.Store("dst", And(DivFloat64(b.Load("src"), "keep"), random.Above("limit", b.Vectors)))
		},
	}.Emit()
	var sum Sum
	Kernel{
		Name: "SumFloat64", Doc: "SumFloat64 adds up a in eight lanes of float64, element i in lane i modulo 8, and the lanes in pairs:\n((0+1)+(2+3)) + ((4+5)+(6+7)).",
		Arrays: []Array{{Name: "a"}}, Result: "float64", Vectors: 4,
		Setup:  func() { sum = NewSum() },
		Body:   func(b *Block) { sum.Add(b.Load("a")) },
		Finish: func() { sum.Return() },
	}.Emit()
	Kernel{
		Name: "AddFloat64", Doc: "AddFloat64 adds a to dst.", Vectors: 2,
		Arrays: []Array{{Name: "dst", DType: F64}, {Name: "a"}},
		Body:   func(b *Block) { b.AddTo("dst", b.Load("a")) },
	}.Emit()
	build.Generate()
}

// bceDifference is sigmoid(x) - t. Where x > 0 it is (1 - t) - sigmoid(-x), which is accurate where t is 1.
func bceDifference(x, t Vec) Vec {
	d := UnitPlusExp(Magnitude(x, MaxExponent))
	s := Div(Float(Unit).Scalar().Times(len(x)), d) // sigmoid(-|x|)
	positive := Compare(Greater, x, Float(0))
	base := Sub(And(positive, Float(1)), t)
	return Add(base, Xor(s, And(positive, Const(0x80000000))))
}
