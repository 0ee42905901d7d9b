package reference

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// Kind says how the shapes of an operation's operands hang together.
type Kind int

const (
	Elementwise Kind = iota // they broadcast
	Loss                    // they broadcast, and the result may be reduced
	Reduce                  // one operand, of which axes fall away
	Matrices                // [m,k] and [k,n], and perhaps [n]
	Update                  // an optimizer's step
)

// Rule is what is known of an operation.
type Rule struct {
	Kind     Kind
	Inputs   int
	ULP      float64 // error allowed in float32; half an ulp is what correct rounding leaves
	Specials bool    // the result is settled for zeros, infinities and NaN
	Op       device.Op

	compute func(op device.Op, in []Tensor, d device.DType) []Number
}

// rounded is the error of a correctly rounded result, with a little for the reference's own.
const rounded = 0.5 + 1e-6

func unary(op device.Op, ulp float64, f func(x float64) float64) Rule {
	return Rule{Elementwise, 1, ulp, true, op, func(_ device.Op, in []Tensor, _ device.DType) []Number {
		return each(in, func(x []float64) Number { return exact(f(x[0])) })
	}}
}

func binary(op device.Op, ulp float64, f func(a, b float64) float64) Rule {
	return Rule{Elementwise, 2, ulp, true, op, func(_ device.Op, in []Tensor, _ device.DType) []Number {
		return each(in, func(x []float64) Number { return exact(f(x[0], x[1])) })
	}}
}

// pointwise is an operation on elements whose terms may cancel.
func pointwise(op device.Op, inputs int, ulp float64, f func(op device.Op, x []float64) Number) Rule {
	return Rule{Elementwise, inputs, ulp, false, op, func(op device.Op, in []Tensor, _ device.DType) []Number {
		return each(in, func(x []float64) Number { return f(op, x) })
	}}
}

func loss(op device.Op, reduction func(device.Op) device.Reduction, f func(self, target float64, d device.DType) Number) Rule {
	return Rule{Loss, 2, 2, false, op, func(op device.Op, in []Tensor, d device.DType) []Number {
		losses := each(in, func(x []float64) Number { return f(x[0], x[1], d) })
		return reduced(reduction(op), losses)
	}}
}

func reduced(r device.Reduction, losses []Number) []Number {
	if r == device.None {
		return losses
	}
	var t Total
	for _, n := range losses {
		t.Add(n)
	}
	if r == device.Mean {
		return []Number{t.Over(float64(len(losses)))}
	}
	return []Number{t.Over(1)}
}

func gradient(op device.Op, ulp float64, reduction func(device.Op) device.Reduction, f func(gradOutput, self, target float64, d device.DType) Number) Rule {
	return Rule{Loss, 3, ulp, false, op, func(op device.Op, in []Tensor, d device.DType) []Number {
		gradients := each(in, func(x []float64) Number { return f(x[0], x[1], x[2], d) })
		if reduction(op) == device.Mean {
			n := float64(len(gradients))
			for i, g := range gradients {
				gradients[i] = g.over(n)
			}
		}
		return gradients
	}}
}

func reduceAxes(axes device.AxisSet, mean bool, in Tensor) []Number {
	kept := slices.Clone(in.Shape)
	for a := range kept {
		if axes.Contains(a) {
			kept[a] = 1
		}
	}
	_, strides := broadcast([]Tensor{{Shape: kept}, in})
	totals := make([]Total, device.Elements(kept))
	counts := make([]float64, len(totals))
	walk(in.Shape, strides, func(at []int) {
		totals[at[0]].Add(exact(in.Data[at[1]]))
		counts[at[0]]++
	})
	out := make([]Number, len(totals))
	for i := range totals {
		out[i] = totals[i].Over(1)
		if mean {
			out[i] = totals[i].Over(counts[i])
		}
	}
	return out
}

// adam is the new parameter of an Adam step without AMSGrad.
func adam(op device.Op, in []Tensor, _ device.DType) []Number {
	o := op.(device.Adam)
	lr, step := in[2].Data[0], in[3].Data[0]+1
	out := make([]Number, len(in[0].Data))
	for i, param := range in[0].Data {
		p, g := param, in[1].Data[i]
		if o.Decoupled {
			p *= 1 - lr*o.WeightDecay
		} else {
			g += o.WeightDecay * param
		}
		m := o.Beta1*in[4].Data[i] + (1-o.Beta1)*g
		v := o.Beta2*in[5].Data[i] + (1-o.Beta2)*g*g
		update := lr / (1 - math.Pow(o.Beta1, step)) * m / (math.Sqrt(v)/math.Sqrt(1-math.Pow(o.Beta2, step)) + o.Epsilon)
		out[i] = Number{p - update, math.Abs(p) + math.Abs(update)}
	}
	return out
}

// rules holds a rule for each operation by its name.
var rules = func() map[string]Rule {
	m := map[string]Rule{}
	for _, r := range []Rule{
		unary(device.Neg{}, rounded, func(x float64) float64 { return -x }),
		unary(device.Exp{}, 2, math.Exp),
		unary(device.Log{}, 2, math.Log),
		unary(device.Sqrt{}, rounded, math.Sqrt),
		unary(device.Square{}, rounded, func(x float64) float64 { return x * x }),
		unary(device.Abs{}, rounded, math.Abs),
		unary(device.Sign{}, rounded, sign),
		unary(device.Tanh{}, 2, math.Tanh),
		unary(device.Sigmoid{}, 2, sigmoid),
		unary(device.ReLU{}, rounded, relu),
		unary(device.Softplus{}, 2, softplus),
		unary(device.Copy{}, rounded, func(x float64) float64 { return x }),
		pointwise(device.GELU{}, 1, 4, func(_ device.Op, x []float64) Number { return gelu(x[0]) }),
		pointwise(device.LeakyReLU{NegativeSlope: 0.01}, 1, 1.5, func(op device.Op, x []float64) Number {
			if x[0] > 0 {
				return exact(x[0])
			}
			return exact(x[0] * op.(device.LeakyReLU).NegativeSlope)
		}),
		binary(device.Add{}, rounded, func(a, b float64) float64 { return a + b }),
		binary(device.Sub{}, rounded, func(a, b float64) float64 { return a - b }),
		binary(device.Mul{}, rounded, func(a, b float64) float64 { return a * b }),
		binary(device.Div{}, rounded, func(a, b float64) float64 { return a / b }),
		binary(device.Maximum{}, rounded, maximum),
		binary(device.ReLUBackward{}, rounded, func(g, output float64) float64 { return where(output > 0, g) }),
		pointwise(device.TanhBackward{}, 2, 3, func(_ device.Op, x []float64) Number {
			return Number{x[0] * (1 - x[1]) * (1 + x[1]), math.Abs(x[0]) * (1 + x[1]*x[1])}
		}),
		pointwise(device.SigmoidBackward{}, 2, 3, func(_ device.Op, x []float64) Number {
			return Number{x[0] * x[1] * (1 - x[1]), math.Abs(x[0]*x[1]) * (1 + math.Abs(x[1]))}
		}),
		pointwise(device.GELUBackward{}, 2, 4, func(_ device.Op, x []float64) Number { return geluGradient(x[0], x[1]) }),
		pointwise(device.LeakyReLUBackward{NegativeSlope: 0.01}, 2, 1.5, func(op device.Op, x []float64) Number {
			if x[1] > 0 {
				return exact(x[0])
			}
			return exact(x[0] * op.(device.LeakyReLUBackward).NegativeSlope)
		}),
		pointwise(device.MaximumBackward{}, 3, rounded, func(_ device.Op, x []float64) Number {
			return exact(maximumGradient(x[0], x[1], x[2]))
		}),
		loss(device.SoftMarginLoss{}, func(op device.Op) device.Reduction { return op.(device.SoftMarginLoss).Reduction }, SoftMargin),
		loss(device.BCEWithLogits{}, func(op device.Op) device.Reduction { return op.(device.BCEWithLogits).Reduction }, bce),
		gradient(device.SoftMarginLossBackward{}, 2, func(op device.Op) device.Reduction { return op.(device.SoftMarginLossBackward).Reduction }, SoftMarginGradient),
		gradient(device.BCEWithLogitsBackward{}, 4, func(op device.Op) device.Reduction { return op.(device.BCEWithLogitsBackward).Reduction }, bceGradient),
		{Reduce, 1, 8, false, device.ReduceSum{}, func(op device.Op, in []Tensor, _ device.DType) []Number {
			return reduceAxes(op.(device.ReduceSum).Axes, false, in[0])
		}},
		{Reduce, 1, 8, false, device.ReduceMean{}, func(op device.Op, in []Tensor, _ device.DType) []Number {
			return reduceAxes(op.(device.ReduceMean).Axes, true, in[0])
		}},
		{Matrices, 2, 8, false, device.MatMul{}, func(op device.Op, in []Tensor, _ device.DType) []Number {
			o := op.(device.MatMul)
			return product(in[0], in[1], o.TransposeSelf, o.TransposeOther, nil)
		}},
		{Matrices, 3, 8, false, device.Linear{}, func(_ device.Op, in []Tensor, _ device.DType) []Number {
			return product(in[0], in[1], false, false, in[2].Data)
		}},
		{Update, 6, 8, false, device.Adam{}, adam},
	} {
		m[r.Op.Name()] = r
	}
	return m
}()

// Lookup returns the rule of the operation with the given name.
func Lookup(name string) (Rule, bool) {
	r, ok := rules[name]
	return r, ok
}

// Names returns the names of the operations that have a rule, in order.
func Names() []string { return slices.Sorted(maps.Keys(rules)) }

// Compute returns the elements of op's output in row-major order, for an output of dtype d; of an
// optimizer's step the new parameter. Operations without a rule, and inputs that op.Infer refuses
// in float64, are an error.
func Compute(op device.Op, in []Tensor, d device.DType) ([]Number, error) {
	r, ok := rules[op.Name()]
	if a, isAdam := op.(device.Adam); !ok || isAdam && a.AMSGrad {
		return nil, fmt.Errorf("there is no float64 reference of %s", device.OpString(op))
	}
	types := make([]device.Type, len(in))
	for i, t := range in {
		types[i] = device.Type{DType: device.Float64, Shape: append([]int{}, t.Shape...)}
		if err := types[i].Check(); err != nil {
			return nil, err
		}
		if len(t.Data) != types[i].Elements() {
			return nil, fmt.Errorf("%d elements for the shape %s", len(t.Data), device.ShapeString(t.Shape))
		}
	}
	if _, err := op.Infer(types); err != nil {
		return nil, err
	}
	return r.compute(op, in, d), nil
}

// Tolerance returns the error that op may have in a result of dtype d, in ulp, each element
// of it being the sum of so many terms, 1 if it is none. A half is a float32 within its error, rounded
// once more. In float64 the reference has an error of its own.
//
// The losses have what the framework promises: 2 in float32, 4 in float64, and half an ulp more of the reduced
// loss in float32, whose terms are rounded before they are added up. In float64, where the sum is not computed in
// anything wider, the rounding errors grow like the root of the number of terms, as in all other sums.
func Tolerance(op device.Op, d device.DType, terms int) float64 {
	rule := rules[op.Name()]
	reduced := rule.Kind == Loss && rule.Inputs == 2 && op != rule.Op
	root := 0.0
	if terms > 1 {
		root = math.Sqrt(float64(terms))
	}
	switch {
	case d == device.Float16 || d == device.BFloat16:
		return 1
	case reduced && d == device.Float64:
		return 8 + root/16
	case reduced:
		return rule.ULP + 0.5
	case rule.Kind == Loss && d == device.Float64:
		return 2 * rule.ULP
	case d == device.Float64:
		return rule.ULP + root + 4
	}
	return rule.ULP + root
}
