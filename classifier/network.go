package classifier

import (
	"fmt"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
)

// network computes scores from features.
type network struct {
	mlp   nn.MLP
	dtype device.DType // of the layers' products
}

func newNetwork(features int, hidden []int, dtype device.DType) network {
	sizes := append(append([]int{features}, hidden...), 1)
	return network{mlp: nn.MLP{Name: "mlp", Sizes: sizes}, dtype: dtype}
}

// logits returns the scores [n,1] of rows x [n,features], in x's dtype.
func (n network) logits(x *graph.Node, training bool) *graph.Node {
	return ops.Cast(n.mlp.Forward(ops.Cast(x, n.dtype), training), x.DType())
}

// rows returns the type of so many rows of features.
func (n network) rows(rows int) device.Type {
	return device.Type{DType: n.dtype.Compute(), Shape: []int{rows, n.mlp.Sizes[0]}}
}

// hostDType is the dtype in which rows are uploaded and scores come back.
func (n network) hostDType() tensor.Dtype {
	if n.dtype.Compute() == device.Float64 {
		return tensor.Float64
	}
	return tensor.Float32
}

// parameter is a trained parameter, known by its name.
type parameter struct {
	name string
	typ  device.Type
}

// parameters returns those of the network, a weight and a bias a layer, in order.
func (n network) parameters() []parameter {
	var all []parameter
	sizes := n.mlp.Sizes
	for i, out := range sizes[1:] {
		name := fmt.Sprintf("%s/%d/", n.mlp.Name, i)
		all = append(all,
			parameter{name + "weight", device.Type{DType: n.dtype.Compute(), Shape: []int{sizes[i], out}}},
			parameter{name + "bias", device.Type{DType: n.dtype.Compute(), Shape: []int{out}}})
	}
	return all
}
