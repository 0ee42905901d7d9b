// Command gradcheck checks gradient rules against finite differences: right ones of
// the framework, and a wrong one, to show what a mistake looks like.
//
//	go run ./examples/gradcheck
package main

import (
	"fmt"
	"os"
	"strings"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/graph/gradcheck"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gradcheck:", err)
		os.Exit(1)
	}
}

func run() error {
	dev, err := device.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	logits := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{-3, -0.5, 0.5, 30}))
	targets := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{-1, 1, -1, 1}))

	for _, c := range []struct {
		name  string
		model gradcheck.Model
	}{
		{"soft margin loss", func(_ *graph.Graph, in []*graph.Node) *graph.Node {
			return softmarginloss.Forward(in[0], in[1], device.Mean)
		}},
		{"loss of tanh of a product", func(_ *graph.Graph, in []*graph.Node) *graph.Node {
			return softmarginloss.Forward(ops.Tanh(ops.MatMul(in[0], in[1])), in[1], device.Sum)
		}},
		{"square whose rule lacks a factor 2", func(_ *graph.Graph, in []*graph.Node) *graph.Node {
			wrong := func(n, gradOutput *graph.Node) []*graph.Node { return []*graph.Node{ops.Mul(gradOutput, n.Input(0))} }
			return ops.Add(graph.Apply(device.Square{}, wrong, in[0]), in[1])
		}},
	} {
		report, err := gradcheck.Check(dev, c.model, []*tensor.Dense{logits, targets}, gradcheck.Options{})
		if err != nil {
			return err
		}
		if err := report.Err(); err != nil {
			fmt.Printf("%s: wrong\n  %s\n", c.name, strings.ReplaceAll(err.Error(), "\n", "\n  "))
		} else {
			fmt.Printf("%s: first and second derivatives are right\n", c.name)
		}
	}
	return nil
}
