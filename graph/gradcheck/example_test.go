package gradcheck_test

import (
	"fmt"
	"log"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/graph/gradcheck"
	"github.com/pullback-go/pullback/ops"
)

// Two gradient rules for an operation that squares its operand, the second of
// them without the factor 2.
func Example() {
	right := func(n, g *graph.Node) []*graph.Node { x := n.Input(0); return []*graph.Node{ops.Mul(g, ops.Add(x, x))} }
	wrong := func(n, g *graph.Node) []*graph.Node { return []*graph.Node{ops.Mul(g, n.Input(0))} }

	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x := tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{3}))
	for _, rule := range []graph.GradientFunc{right, wrong} {
		model := func(g *graph.Graph, in []*graph.Node) *graph.Node { return graph.Apply(device.Square{}, rule, in[0]) }
		report, err := gradcheck.Check(dev, model, []*tensor.Dense{x}, gradcheck.Options{FirstOrderOnly: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Err())
	}
	// Output:
	// <nil>
	// gradcheck: first derivative for input 0 at [0]: 79.32444736 by the gradient rules, 158.6488947 by differences, relative error 0.5 (tolerance 1e-08); 1 of 1 elements fail
}
