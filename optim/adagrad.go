package optim

import (
	"cmp"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Adagrad divides the gradient by the root of the sum of its squares so far (Duchi,
// Hazan and Singer, 2011); the formulas are [device.Adagrad]'s. [NewAdagrad] sets
// the usual values.
type Adagrad struct {
	LR          Schedule
	LRDecay     float64 // at least 0: the learning rate is divided by 1 + step·LRDecay, see [device.Optimizer] for long runs
	WeightDecay float64 // at least 0: that much of the parameter is added to its gradient
	Epsilon     float64 // above 0
}

// NewAdagrad returns Adagrad with PyTorch's defaults: Epsilon 1e-10, no decay of
// either kind.
func NewAdagrad(lr Schedule) Adagrad { return Adagrad{LR: lr, Epsilon: 1e-10} }

// Update implements [Optimizer].
func (o Adagrad) Update(params, gradients []*graph.Node) {
	ranges := cmp.Or(
		notNegative("LRDecay", o.LRDecay),
		notNegative("WeightDecay", o.WeightDecay),
		aboveZero("Epsilon", o.Epsilon, "NewAdagrad"),
	)
	op := device.Adagrad{LRDecay: o.LRDecay, WeightDecay: o.WeightDecay, Epsilon: o.Epsilon}
	update("Adagrad", op, o.LR, ranges, params, gradients)
}
