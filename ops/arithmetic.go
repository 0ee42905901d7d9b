package ops

import (
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// nodes is what a gradient rule returns.
type nodes = []*graph.Node

// constant returns a scalar of x's dtype.
func constant(x *graph.Node, value float64) *graph.Node {
	if !x.Valid() {
		return x
	}
	return x.Graph().Constant(x.DType(), value)
}

// divide returns x / n in x's dtype, by an n of at least float32: the numbers of float16 end at 65504.
func divide(x *graph.Node, n float64) *graph.Node {
	if !x.Valid() {
		return x
	}
	return Cast(Div(x, x.Graph().Constant(x.DType().Compute(), n)), x.DType())
}

// Add returns a + b.
func Add(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Add{}, func(n, g *graph.Node) nodes {
		return nodes{SumTo(g, n.Input(0)), SumTo(g, n.Input(1))}
	}, a, b)
}

// Sub returns a - b.
func Sub(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Sub{}, func(n, g *graph.Node) nodes {
		return nodes{SumTo(g, n.Input(0)), SumTo(Neg(g), n.Input(1))}
	}, a, b)
}

// Mul returns a · b, element by element.
func Mul(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Mul{}, func(n, g *graph.Node) nodes {
		a, b := n.Input(0), n.Input(1)
		return nodes{SumTo(Mul(g, b), a), SumTo(Mul(g, a), b)}
	}, a, b)
}

// Div returns a / b.
func Div(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Div{}, func(n, g *graph.Node) nodes { // d(a/b) = da/b - (a/b)/b db
		a, b := n.Input(0), n.Input(1)
		ga := Div(g, b)
		return nodes{SumTo(ga, a), SumTo(Neg(Mul(ga, n)), b)}
	}, a, b)
}

// Neg returns -x.
func Neg(x *graph.Node) *graph.Node {
	return graph.Apply(device.Neg{}, func(_, g *graph.Node) nodes { return nodes{Neg(g)} }, x)
}

// Maximum returns the larger of a and b, element by element; NaN if either is.
// Where they are equal, each gets half of the gradient.
func Maximum(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Maximum{}, func(n, g *graph.Node) nodes {
		a, b := n.Input(0), n.Input(1)
		return nodes{SumTo(maximumBackward(g, a, b), a), SumTo(maximumBackward(g, b, a), b)}
	}, a, b)
}

func maximumBackward(gradOutput, a, b *graph.Node) *graph.Node {
	return graph.Apply(device.MaximumBackward{}, func(n, g *graph.Node) nodes { // linear in gradOutput, constant between ties
		return nodes{SumTo(maximumBackward(g, n.Input(1), n.Input(2)), n.Input(0)), nil, nil}
	}, gradOutput, a, b)
}

// Abs returns |x|, with gradient 0 at 0.
func Abs(x *graph.Node) *graph.Node {
	return graph.Apply(device.Abs{}, func(n, g *graph.Node) nodes { return nodes{Mul(g, Sign(n.Input(0)))} }, x)
}

// Sign returns -1, 0 or 1 with the sign of x; NaN at NaN. No gradient flows through it.
func Sign(x *graph.Node) *graph.Node { return graph.Apply(device.Sign{}, graph.ZeroGradient, x) }

// Square returns x².
func Square(x *graph.Node) *graph.Node {
	return graph.Apply(device.Square{}, func(n, g *graph.Node) nodes {
		x := n.Input(0)
		return nodes{Mul(g, Mul(constant(x, 2), x))}
	}, x)
}

// Sqrt returns √x: NaN below 0. Its gradient at 0 is infinite.
func Sqrt(x *graph.Node) *graph.Node {
	return graph.Apply(device.Sqrt{}, func(n, g *graph.Node) nodes { // d√x = dx / 2√x
		return nodes{Div(Mul(constant(g, 0.5), g), n)}
	}, x)
}

// Exp returns eˣ.
func Exp(x *graph.Node) *graph.Node {
	return graph.Apply(device.Exp{}, func(n, g *graph.Node) nodes { return nodes{Mul(g, n)} }, x)
}

// Log returns the natural logarithm of x: -Inf at 0, NaN below.
func Log(x *graph.Node) *graph.Node {
	return graph.Apply(device.Log{}, func(n, g *graph.Node) nodes { return nodes{Div(g, n.Input(0))} }, x)
}

// Cast returns x in another dtype, rounded to nearest even. The gradient is cast back.
func Cast(x *graph.Node, to device.DType) *graph.Node {
	if x.Valid() && x.DType() == to {
		return x
	}
	return graph.Apply(device.Cast{To: to}, func(n, g *graph.Node) nodes {
		return nodes{Cast(g, n.Input(0).DType())}
	}, x)
}
