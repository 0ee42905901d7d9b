package classifier

import (
	"strings"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/optim"
)

// recipe is what a training step computes.
type recipe struct {
	network
	loss               Loss
	negative, positive float64 // weights of the classes
	l2, clipNorm       float64
	optimizer          optim.Optimizer
}

// objective returns the loss to report, and what is minimised, which has the penalty too.
func (r recipe) objective(x, y *graph.Node) (loss, minimised *graph.Node) {
	g := x.Graph()
	scores := r.logits(x, true)
	if r.negative == 1 && r.positive == 1 {
		loss = r.loss.node(scores, y, device.Mean)
	} else {
		mean := g.Constant(y.DType(), (r.positive+r.negative)/2)
		half := g.Constant(y.DType(), (r.positive-r.negative)/2)
		weight := ops.Add(mean, ops.Mul(half, y)) // of the label's class
		loss = ops.Mean(ops.Mul(weight, r.loss.node(scores, y, device.None)))
	}
	minimised = loss
	if r.l2 > 0 {
		for _, p := range g.Parameters() {
			if strings.HasSuffix(p.Name(), "/weight") {
				penalty := ops.Mul(g.Constant(p.DType(), r.l2/2), ops.Sum(ops.Square(p)))
				minimised = ops.Add(minimised, penalty)
			}
		}
	}
	return loss, minimised
}

// update makes the optimizer's updates with the gradients of parameters.
func (r recipe) update(params, gradients []*graph.Node) {
	if r.clipNorm > 0 {
		gradients = optim.ClipNorm(gradients, r.clipNorm)
	}
	r.optimizer.Update(params, gradients)
}

// step is a training step as one program: it updates the parameters from rows x and
// labels y and returns the loss.
func (r recipe) step(g *graph.Graph, in []*graph.Node) []*graph.Node {
	loss, minimised := r.objective(in[0], in[1])
	params := g.Parameters()
	r.update(params, graph.Gradients(minimised, params...))
	return []*graph.Node{loss}
}

// backward is the first half of a step with a scaled loss: from rows, labels and a scale it
// returns the loss, and the gradients of scale times what is minimised.
func (r recipe) backward(g *graph.Graph, in []*graph.Node) []*graph.Node {
	loss, minimised := r.objective(in[0], in[1])
	gradients := graph.Gradients(ops.Mul(minimised, in[2]), g.Parameters()...)
	return append([]*graph.Node{loss}, gradients...)
}

// apply is the second half: from 1/scale and those gradients it updates the parameters.
func (r recipe) apply(g *graph.Graph, in []*graph.Node) []*graph.Node {
	var params, gradients []*graph.Node
	for i, p := range r.parameters() {
		params = append(params, g.Parameter(p.name, p.typ, nil))
		gradients = append(gradients, ops.Mul(in[1+i], in[0]))
	}
	r.update(params, gradients)
	return nil
}
