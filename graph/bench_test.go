package graph_test

import (
	"fmt"
	"testing"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// BenchmarkOverhead is the time that one more operation takes in a program: on 32
// elements next to nothing but overhead.
func BenchmarkOverhead(b *testing.B) {
	for _, length := range []int{1, 101} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			s := openSession(b, "cpu?threads=1")
			f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				x := in[0]
				for range length {
					x = ops.Add(x, in[0])
				}
				return []*graph.Node{x}
			})
			x := tensor.New(tensor.WithShape(32), tensor.Of(tensor.Float32))
			out := []*tensor.Dense{graph.NewTensor(device.Type{DType: device.Float32, Shape: []int{32}})}
			for b.Loop() {
				if err := f.RunInto(out, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
