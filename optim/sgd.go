package optim

import (
	"cmp"
	"fmt"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// SGD is stochastic gradient descent, with momentum (Polyak, 1964) or Nesterov's
// momentum (Sutskever et al., 2013) if asked for; the formulas are [device.SGD]'s.
// SGD{LR: lr} has none.
type SGD struct {
	LR          Schedule
	Momentum    float64 // in [0, 1)
	Dampening   float64 // in [0, 1]: the share of the gradient that does not enter the momentum
	WeightDecay float64 // at least 0: that much of the parameter is added to its gradient
	Nesterov    bool    // needs Momentum, and no Dampening
}

// Update implements [Optimizer].
func (o SGD) Update(params, gradients []*graph.Node) {
	ranges := cmp.Or(
		belowOne("Momentum", o.Momentum),
		atMostOne("Dampening", o.Dampening),
		notNegative("WeightDecay", o.WeightDecay),
	)
	if ranges == nil && o.Nesterov && (o.Momentum == 0 || o.Dampening != 0) {
		ranges = fmt.Errorf("with Nesterov, Momentum must be above 0 and Dampening 0, but they are %v and %v", o.Momentum, o.Dampening)
	}
	op := device.SGD{Momentum: o.Momentum, Dampening: o.Dampening, WeightDecay: o.WeightDecay, Nesterov: o.Nesterov}
	update("SGD", op, o.LR, ranges, params, gradients)
}
