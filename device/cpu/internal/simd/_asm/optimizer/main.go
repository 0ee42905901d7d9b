// Command optimizer generates the optimizers' updates.
//
// Every product that is added to something is rounded first, and operations come in the
// order of the formulas, so results are those of plain float32 arithmetic.
package main

import (
	"github.com/mmcloughlin/avo/build"

	. "github.com/pullback-go/pullback/device/cpu/internal/simd/_asm/vec"
)

func main() {
	build.ConstraintExpr("amd64")
	sgd()
	sgdMomentum()
	for _, amsgrad := range []bool{false, true} {
		adam(amsgrad)
	}
	for _, centered := range []bool{false, true} {
		for _, momentum := range []bool{false, true} {
			rmsprop(centered, momentum)
		}
	}
	adagrad()
	build.Generate()
}

func arrays(names ...string) (a []Array) {
	for _, n := range names {
		a = append(a, Array{Name: n})
	}
	return a
}

// p is a parameter times v.
func p(name string, v Vec) Vec { return Mul(v, Param(name)) }

// where returns a where the parameter, a mask, is 0, and b where it is all ones.
func where(mask string, a, b Vec) Vec { return Select(Param(mask).Scalar().Times(len(a)), a, b) }

// decayed returns the gradient, with weight decay if there is any.
func decayed(b *Block, param Vec) Vec {
	g := b.Load("grad")
	return where("decays", g, Add(g, p("decay", param)))
}

func sgd() {
	Kernel{
		Name: "sgd", Doc: "sgd is an SGD update without momentum.",
		Arrays: arrays("param", "grad"), Params: "rate, decay float32, decays uint32", Vectors: 2,
		Body: func(b *Block) {
			param := b.Load("param")
			b.Store("param", Sub(param, p("rate", decayed(b, param))))
		},
	}.Emit()
}

func sgdMomentum() {
	Kernel{
		Name: "sgdMomentum", Doc: "sgdMomentum is an SGD update with momentum.",
		Arrays: arrays("param", "grad", "buf"), Params: "rate, decay, momentum, undamped float32, decays, first, nesterov uint32", Vectors: 2,
		Body: func(b *Block) {
			param := b.Load("param")
			g := decayed(b, param)
			m := where("first", Add(p("momentum", b.Load("buf")), p("undamped", g)), g)
			step := where("nesterov", m, Add(g, p("momentum", m)))
			b.Store("param", Sub(param, p("rate", step)))
			b.Store("buf", m)
		},
	}.Emit()
}

func adam(amsgrad bool) {
	k := Kernel{
		Name: "adam", Doc: "adam is an update of Adam, or of AdamW if keep is not 1.",
		Arrays: arrays("param", "grad", "mean", "square"), Params: "rate, decay, beta1, rest1, beta2, rest2, bias, epsilon, keep float32, decays uint32", Vectors: 2,
	}
	if amsgrad {
		k.Name, k.Doc = "adamAMSGrad", "adamAMSGrad is an update of Adam or AdamW with AMSGrad."
		k.Arrays = append(k.Arrays, Array{Name: "largest"})
	}
	k.Body = func(b *Block) {
		param := b.Load("param")
		g := decayed(b, param)
		param = p("keep", param)
		m := Add(p("beta1", b.Load("mean")), p("rest1", g))
		v := Add(p("beta2", b.Load("square")), Mul(p("rest2", g), g))
		b.Store("mean", m)
		b.Store("square", v)
		if amsgrad {
			v = Maximum(v, b.Load("largest"))
			b.Store("largest", v)
		}
		d := Add(Div(Sqrt(v), Param("bias")), Param("epsilon"))
		b.Store("param", Sub(param, Div(p("rate", m), d)))
	}
	k.Emit()
}

func rmsprop(centered, momentum bool) {
	k := Kernel{
		Name: "rmsprop", Doc: "is an update of RMSprop", Arrays: arrays("param", "grad", "square"),
		Params: "rate, decay, alpha, rest, epsilon, momentum float32, decays uint32", Vectors: 2,
	}
	if centered {
		k.Name += "Centered"
		k.Doc += ", centered"
		k.Arrays = append(k.Arrays, Array{Name: "mean"})
	}
	if momentum {
		k.Name += "Momentum"
		k.Doc += ", with momentum"
		k.Arrays = append(k.Arrays, Array{Name: "buf"})
	}
	k.Doc = k.Name + " " + k.Doc + "."
	k.Body = func(b *Block) {
		param := b.Load("param")
		g := decayed(b, param)
		v := Add(p("alpha", b.Load("square")), Mul(p("rest", g), g))
		b.Store("square", v)
		if centered {
			m := Add(p("alpha", b.Load("mean")), p("rest", g))
			b.Store("mean", m)
			v = Positive(Sub(v, Mul(m, m))) // a variance, which rounding may make negative
		}
		u := Div(g, Add(Sqrt(v), Param("epsilon")))
		if momentum {
			u = Add(u, p("momentum", b.Load("buf")))
			b.Store("buf", u)
		}
		b.Store("param", Sub(param, p("rate", u)))
	}
	k.Emit()
}

func adagrad() {
	Kernel{
		Name: "adagrad", Doc: "adagrad is an update of Adagrad.",
		Arrays: arrays("param", "grad", "square"), Params: "rate, decay, epsilon float32, decays uint32", Vectors: 2,
		Body: func(b *Block) {
			param := b.Load("param")
			g := decayed(b, param)
			v := Add(b.Load("square"), Mul(g, g))
			b.Store("square", v)
			b.Store("param", Sub(param, Div(p("rate", g), Add(Sqrt(v), Param("epsilon")))))
		},
	}.Emit()
}
