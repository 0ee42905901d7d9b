package nn_test

import (
	"fmt"
	"log"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// Two functions of a session, one that trains a network and one that applies it,
// share its parameters by name. The network learns XOR.
func ExampleMLP() {
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

	net := nn.MLP{Name: "net", Sizes: []int{2, 8, 1}, Activation: ops.Tanh, Seed: 1}
	train := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		loss := softmarginloss.Forward(net.Forward(in[0], true), in[1], device.Mean)
		optim.Minimize(g, optim.NewAdam(optim.Constant(0.05)), loss)
		return []*graph.Node{loss}
	})
	predict := session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Sign(net.Forward(in[0], false))}
	})

	x := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float32{0, 0, 0, 1, 1, 0, 1, 1}))
	y := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]float32{-1, 1, 1, -1}))
	for range 300 {
		if _, err := train.RunScalar(x, y); err != nil {
			log.Fatal(err)
		}
	}
	out, err := predict.Run(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Float32s())
	// Output:
	// [-1 1 1 -1]
}
