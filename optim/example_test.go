package optim_test

import (
	"fmt"
	"log"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/optim"
)

// A training step in its two parts, with clipping between them, and weight decay
// for the weight only. The points lie on the line y = 2x + 1.
func Example() {
	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	session, err := graph.NewSession(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	lr := optim.LinearWarmup(0.1, 20, optim.Cosine(0.1, 0, 180))
	decayed, plain := optim.NewAdamW(lr), optim.NewAdam(lr)
	decayed.WeightDecay = 1e-4
	step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		x, y := in[0], in[1]
		weight := g.Parameter("weight", device.Type{DType: device.Float32, Shape: []int{1, 1}}, nil)
		bias := g.Parameter("bias", device.Type{DType: device.Float32, Shape: []int{1}}, nil)
		loss := ops.Mean(ops.Square(ops.Sub(ops.Linear(x, weight, bias), y)))

		gradients := optim.ClipNorm(graph.Gradients(loss, weight, bias), 1)
		decayed.Update([]*graph.Node{weight}, gradients[:1])
		plain.Update([]*graph.Node{bias}, gradients[1:])
		return []*graph.Node{loss}
	})

	x := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float32{-1, 0, 1, 2}))
	y := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float32{-1, 1, 3, 5}))
	for range 200 {
		if _, err := step.RunScalar(x, y); err != nil {
			log.Fatal(err)
		}
	}
	for _, name := range session.Parameters() {
		value, err := session.Value(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f\n", name, value.Float32s())
	}
	// Output:
	// weight [2.00]
	// bias [1.00]
}
