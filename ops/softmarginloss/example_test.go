package softmarginloss_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// The loss of four scores, two of them on the wrong side, and its gradient: it pulls each
// score towards its target, the more the wronger the score.
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

	step := session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		scores, targets := in[0], in[1]
		loss := softmarginloss.Forward(scores, targets, device.Mean)
		return append([]*graph.Node{loss}, graph.Gradients(loss, scores)...)
	})
	out, err := step.Run(
		tensor.New(tensor.WithShape(4), tensor.WithBacking([]float32{3, 0.5, -1, -2})),
		tensor.New(tensor.WithShape(4), tensor.WithBacking([]float32{1, -1, -1, 1})),
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("loss %.4f\n", out[0].Float32s())
	fmt.Printf("gradient %+.4f\n", out[1].Float32s())
	// Output:
	// loss [0.8657]
	// gradient [-0.0119 +0.1556 +0.0672 -0.2202]
}

// The gradient without a graph, call by call as in CANN: phase one checks the
// arguments and gives the size of the workspace, phase two runs on a stream.
func ExampleBackwardGetWorkspaceSize() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	dev, err := device.Open("cpu")
	check(err)
	defer dev.Close()
	stream, err := dev.NewStream()
	check(err)
	defer stream.Close()

	// Four tensors of the same type, one after the other in one buffer.
	t := device.Type{DType: device.Float32, Shape: []int{2, 2}}
	memory, err := dev.Alloc(4 * t.Bytes())
	check(err)
	defer memory.Free()
	tensorAt := func(i int) device.View { return device.Contiguous(memory, i*t.Elements(), t) }
	gradOutput, self, target, gradInput := tensorAt(0), tensorAt(1), tensorAt(2), tensorAt(3)
	host := make([]byte, 3*t.Bytes())
	_, err = binary.Encode(host, binary.NativeEndian, []float32{0, 1, 2, 3 /**/, 0, 1, 2, 3 /**/, 1, 1, 1, 1})
	check(err)
	check(stream.Upload(memory, 0, host))

	size, executor, err := softmarginloss.BackwardGetWorkspaceSize(dev, gradOutput, self, target, device.Mean, gradInput)
	check(err)
	defer executor.Close()
	var workspace device.Buffer
	if size > 0 {
		workspace, err = dev.Alloc(size)
		check(err)
		defer workspace.Free()
	}
	check(executor.Launch(workspace, stream))
	check(stream.Synchronize())

	result := make([]byte, t.Bytes())
	check(stream.Download(result, memory, 3*t.Bytes()))
	for ; len(result) > 0; result = result[4:] {
		fmt.Printf("%.8f\n", math.Float32frombits(binary.NativeEndian.Uint32(result)))
	}
	// Output:
	// -0.00000000
	// -0.06723536
	// -0.05960146
	// -0.03556940
}
