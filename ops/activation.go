package ops

import (
	"math"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// ReLU returns max(x, 0), with gradient 0 at 0.
func ReLU(x *graph.Node) *graph.Node {
	return graph.Apply(device.ReLU{}, func(n, g *graph.Node) nodes { return nodes{reluBackward(g, n)} }, x)
}

func reluBackward(gradOutput, output *graph.Node) *graph.Node { // gradOutput where output > 0
	return graph.Apply(device.ReLUBackward{}, func(n, g *graph.Node) nodes {
		return nodes{reluBackward(g, n.Input(1)), nil}
	}, gradOutput, output)
}

// LeakyReLU returns x where x > 0, else negativeSlope · x, with gradient negativeSlope at 0.
func LeakyReLU(x *graph.Node, negativeSlope float64) *graph.Node {
	return graph.Apply(device.LeakyReLU{NegativeSlope: negativeSlope}, func(n, g *graph.Node) nodes {
		return nodes{leakyReLUBackward(g, n.Input(0), negativeSlope)}
	}, x)
}

func leakyReLUBackward(gradOutput, x *graph.Node, negativeSlope float64) *graph.Node {
	return graph.Apply(device.LeakyReLUBackward{NegativeSlope: negativeSlope}, func(n, g *graph.Node) nodes {
		return nodes{leakyReLUBackward(g, n.Input(1), negativeSlope), nil}
	}, gradOutput, x)
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x *graph.Node) *graph.Node {
	return graph.Apply(device.Tanh{}, func(n, g *graph.Node) nodes { return nodes{tanhBackward(g, n)} }, x)
}

func tanhBackward(gradOutput, output *graph.Node) *graph.Node { // gradOutput · (1 - output²)
	return graph.Apply(device.TanhBackward{}, func(n, g *graph.Node) nodes {
		gradOutput, output := n.Input(0), n.Input(1)
		return nodes{tanhBackward(g, output), Mul(Mul(g, gradOutput), Mul(constant(output, -2), output))}
	}, gradOutput, output)
}

// Sigmoid returns 1 / (1 + e⁻ˣ).
func Sigmoid(x *graph.Node) *graph.Node {
	return graph.Apply(device.Sigmoid{}, func(n, g *graph.Node) nodes { return nodes{sigmoidBackward(g, n)} }, x)
}

func sigmoidBackward(gradOutput, output *graph.Node) *graph.Node { // gradOutput · output · (1 - output)
	return graph.Apply(device.SigmoidBackward{}, func(n, g *graph.Node) nodes {
		gradOutput, output := n.Input(0), n.Input(1)
		slope := Sub(constant(output, 1), Mul(constant(output, 2), output))
		return nodes{sigmoidBackward(g, output), Mul(Mul(g, gradOutput), slope)}
	}, gradOutput, output)
}

// GELU returns x · Φ(x) with Φ the standard normal distribution function
// (Hendrycks and Gimpel, 2016, arXiv:1606.08415), the exact form.
func GELU(x *graph.Node) *graph.Node {
	return graph.Apply(device.GELU{}, func(n, g *graph.Node) nodes { return nodes{geluBackward(g, n.Input(0))} }, x)
}

func geluBackward(gradOutput, x *graph.Node) *graph.Node { // gradOutput · (Φ(x) + x·φ(x))
	return graph.Apply(device.GELUBackward{}, func(n, g *graph.Node) nodes { // (Φ + xφ)' = 2φ - x²φ
		gradOutput, x := n.Input(0), n.Input(1)
		density := Mul(constant(x, 1/math.Sqrt(2*math.Pi)), Exp(Mul(constant(x, -0.5), Square(x))))
		curvature := Sub(Mul(constant(x, 2), density), Mul(x, Mul(x, density))) // x·φ is finite where x² is not
		return nodes{geluBackward(g, x), Mul(Mul(g, gradOutput), curvature)}
	}, gradOutput, x)
}

// Softplus returns ln(1 + eˣ), finite and accurate for every finite x.
func Softplus(x *graph.Node) *graph.Node {
	return graph.Apply(device.Softplus{}, func(n, g *graph.Node) nodes { return nodes{Mul(g, Sigmoid(n.Input(0)))} }, x)
}
