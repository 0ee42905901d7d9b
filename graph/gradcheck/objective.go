package gradcheck

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// maxElements bounds the result of a model, for which the host holds weights and values.
const maxElements = 1 << 26

// build makes the nodes of a check: the model's result y, the derivatives of s for each
// checked input and, at order 2, those of t.
func (c *checker) build(g *graph.Graph, model Model, in []*graph.Node) []*graph.Node {
	y := model(g, in)
	switch {
	case y == nil:
		return []*graph.Node{g.Fail(errors.New("the model returned nil instead of a node"))}
	case !y.Valid():
		return []*graph.Node{y}
	case y.DType() != device.Float64:
		return []*graph.Node{g.Fail(fmt.Errorf("the model's result is %s, too coarse for differences; cast it to float64 as the last step", y.Type()))}
	}
	if n := y.Type().Elements(); n > maxElements {
		return []*graph.Node{g.Fail(fmt.Errorf("the model's result %s has %d elements, more than the %d that can be checked; reduce it, or check smaller inputs",
			y.Type(), n, maxElements))}
	}
	xs := make([]*graph.Node, len(c.checked))
	for i, j := range c.checked {
		xs[i] = in[j]
	}
	random := rand.New(rand.NewPCG(0, 0))

	var v, w *graph.Node
	c.v, v = weights(random, y)
	c.w, w = weights(random, y)
	s := sum(mul(add(v, mul(w, y)), y))
	first := graph.Gradients(s, xs...)
	nodes := append([]*graph.Node{y}, first...)
	if c.order == 1 || g.Err() != nil {
		return nodes
	}

	c.u = make([][]float64, len(xs))
	var t *graph.Node
	for i, gradient := range first {
		var u *graph.Node
		c.u[i], u = weights(random, gradient)
		if term := sum(mul(u, gradient)); i == 0 {
			t = term
		} else {
			t = add(t, term)
		}
	}
	for _, x := range xs {
		second := g.Tensor(graph.NewTensor(x.Type()))
		if t.DependsOn(x) {
			second = graph.Gradients(t, x)[0]
		}
		nodes = append(nodes, second)
	}
	return nodes
}

// weights returns random numbers between 0.5 and 1.5, one for each element of x, and a constant that holds them.
func weights(random *rand.Rand, x *graph.Node) ([]float64, *graph.Node) {
	t := graph.NewTensor(device.Type{DType: device.Float64, Shape: x.Shape()})
	values := t.Float64s()
	for i := range values {
		values[i] = 0.5 + random.Float64()
	}
	return values, x.Graph().Tensor(t)
}

// The checker differentiates its own sums with rules of its own, so that it
// needs no operation that it may be asked to check. Shapes are equal throughout.

func mul(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Mul{}, func(_, g *graph.Node) []*graph.Node { return []*graph.Node{mul(g, b), mul(g, a)} }, a, b)
}

func add(a, b *graph.Node) *graph.Node {
	return graph.Apply(device.Add{}, func(_, g *graph.Node) []*graph.Node { return []*graph.Node{g, g} }, a, b)
}

// sum is differentiated only as the last step, where g is the constant 1.
func sum(x *graph.Node) *graph.Node {
	return graph.Apply(device.ReduceSum{Axes: device.AllAxes(len(x.Shape()))}, func(_, g *graph.Node) []*graph.Node {
		to, err := device.MakeDims(x.Shape())
		if err != nil {
			return []*graph.Node{x.Graph().Fail(err)}
		}
		return []*graph.Node{graph.Apply(device.BroadcastTo{To: to}, nil, g)}
	}, x)
}
