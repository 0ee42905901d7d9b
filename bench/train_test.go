package main_test

import (
	"math/rand/v2"
	"testing"

	gorgonia "gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// BenchmarkTrainStep is one step of a classifier: an MLP with ReLU, the soft margin
// loss, Adam, in float32, on a mini-batch that comes from the host.
func BenchmarkTrainStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		sizes []int
		batch int
	}{
		{"30-1 batch 32", []int{30, 1}, 32},
		{"30-64-32-1 batch 32", []int{30, 64, 32, 1}, 32},
		{"30-64-32-1 batch 256", []int{30, 64, 32, 1}, 256},
		{"28-256-256-1 batch 1024", []int{28, 256, 256, 1}, 1024},
	} {
		b.Run(c.name, func(b *testing.B) {
			session, err := graph.NewSession(open(b))
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			net := nn.MLP{Name: "mlp", Sizes: c.sizes, Seed: 1}
			step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				loss := softmarginloss.Forward(net.Forward(in[0], true), in[1], device.Mean)
				optim.Minimize(g, optim.NewAdam(optim.Constant(1e-3)), loss)
				return []*graph.Node{loss}
			})
			r := rand.New(rand.NewPCG(1, 2))
			x, y := make([]float32, c.batch*c.sizes[0]), make([]float32, c.batch)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			for i := range y {
				y[i] = float32(2*r.IntN(2) - 1)
			}
			rows := gorgonia.New(gorgonia.WithShape(c.batch, c.sizes[0]), gorgonia.WithBacking(x))
			labels := gorgonia.New(gorgonia.WithShape(c.batch, 1), gorgonia.WithBacking(y))
			for b.Loop() {
				if _, err := step.RunScalar(rows, labels); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
