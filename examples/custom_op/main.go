// Command custom_op adds an operation to the framework from outside: the Mish
// activation, with a kernel in Go, a gradient, and a check of that gradient.
//
//	go run ./examples/custom_op
package main

import (
	"fmt"
	"math"
	"os"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/graph/gradcheck"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// mish: out = x·tanh(ln(1 + e^x)) (Misra, 2019, arXiv:1908.08681).
type mish struct{}

func (mish) Name() string                                    { return "Mish" }
func (mish) Infer(inputs []device.Type) (device.Type, error) { return device.Tanh{}.Infer(inputs) } // the rules of any activation
func (mish) Compute(out device.HostTensor, in []device.HostTensor) { // one kernel for every dtype
	for i, x := range in[0].Data {
		out.Data[i] = x * math.Tanh(softplus(x))
	}
}

// mishBackward: out = gradOutput·(t + x·(1 - t²)·sigmoid(x)), t = tanh(ln(1 + e^x)).
type mishBackward struct{}

func (mishBackward) Name() string { return "MishBackward" }
func (mishBackward) Infer(inputs []device.Type) (device.Type, error) {
	return device.TanhBackward{}.Infer(inputs)
}
func (mishBackward) Compute(out device.HostTensor, in []device.HostTensor) {
	for i, x := range in[1].Data {
		t := math.Tanh(softplus(x))
		out.Data[i] = in[0].Data[i] * (t + x*(1-t*t)/(1+math.Exp(-x)))
	}
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Mish is the operation as a graph node, with the rule for its gradient.
func Mish(x *graph.Node) *graph.Node {
	return graph.Apply(mish{}, func(n, gradOutput *graph.Node) []*graph.Node {
		return []*graph.Node{graph.Apply(mishBackward{}, nil, gradOutput, n.Input(0))}
	}, x)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "custom_op:", err)
		os.Exit(1)
	}
}

func run() error {
	dev, err := device.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()

	// Is the gradient right? Compare it with finite differences.
	points := tensor.New(tensor.WithShape(5), tensor.WithBacking([]float64{-3, -1, 0.1, 1, 4}))
	report, err := gradcheck.Check(dev, func(_ *graph.Graph, in []*graph.Node) *graph.Node { return Mish(in[0]) },
		[]*tensor.Dense{points}, gradcheck.Options{FirstOrderOnly: true})
	if err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return err
	}
	fmt.Println("the gradient of Mish agrees with finite differences")

	// Train a small network with it on exclusive or, which no linear model can learn.
	session, err := graph.NewSession(dev)
	if err != nil {
		return err
	}
	defer session.Close()
	mlp := nn.MLP{Name: "mlp", Sizes: []int{2, 8, 1}, Seed: 1, Activation: Mish}
	step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		loss := softmarginloss.Forward(mlp.Forward(in[0], true), in[1], device.Mean)
		optim.Minimize(g, optim.NewAdam(optim.Constant(0.05)), loss)
		return []*graph.Node{loss}
	})
	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float32{0, 0, 0, 1, 1, 0, 1, 1}))
	y := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float32{-1, 1, 1, -1}))
	var first, loss float64
	for i := range 200 {
		if loss, err = step.RunScalar(x, y); err != nil {
			return err
		}
		if i == 0 {
			first = loss
		}
	}
	fmt.Printf("loss on exclusive or: %.3f before, %.3f after 200 steps\n", first, loss)
	return nil
}
