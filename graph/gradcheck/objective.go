package gradcheck

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// build makes the nodes of a check: the result y, the derivatives of s for the checked
// inputs and, at order 2, those of t.
func (c *checker) build(g *graph.Graph, model Model, in []*graph.Node, order int) []*graph.Node {
	y := model(g, in)
	switch {
	case y == nil:
		return []*graph.Node{g.Fail(errors.New("the model returned nil instead of a node"))}
	case y.Valid() && y.DType() != device.Float64:
		return []*graph.Node{g.Fail(fmt.Errorf("the model's result %s is too coarse for differences; cast it to float64 as its last step", y.Type()))}
	case !y.Valid():
		return []*graph.Node{y}
	}
	random := rand.New(rand.NewPCG(0, 0))
	weights := func(x *graph.Node) (values []float64, node *graph.Node) {
		t := graph.NewTensor(device.Type{DType: device.Float64, Shape: x.Shape()})
		values = t.Float64s()
		for i := range values {
			values[i] = (0.5 + random.Float64()) * float64(1-2*random.IntN(2))
		}
		return values, g.Tensor(t)
	}

	xs := make([]*graph.Node, len(c.checked))
	for i, j := range c.checked {
		xs[i] = in[j]
	}
	var v, w *graph.Node
	c.v, v = weights(y)
	c.w, w = weights(y)
	s := sum(mul(y, add(v, mul(mul(g.Constant(device.Float64, 0.5), w), y))))
	first := graph.Gradients(s, xs...)
	nodes := append([]*graph.Node{y}, first...)
	if order == 1 {
		return nodes
	}

	c.u = make([][]float64, len(xs))
	var t *graph.Node
	for i, dx := range first {
		var u *graph.Node
		c.u[i], u = weights(dx)
		if term := sum(mul(u, dx)); t == nil {
			t = term
		} else {
			t = add(t, term)
		}
	}
	for _, x := range xs {
		if t.DependsOn(x) {
			nodes = append(nodes, graph.Gradients(t, x)[0])
		} else {
			nodes = append(nodes, nil)
		}
	}
	return nodes
}
