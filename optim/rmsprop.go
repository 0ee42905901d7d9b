package optim

import (
	"cmp"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// RMSprop divides the gradient by the root of a running mean of its square
// (Tieleman and Hinton, 2012), or of its variance if Centered (Graves, 2013,
// arXiv:1308.0850); the formulas are [device.RMSprop]'s. [NewRMSprop] sets the
// usual values.
type RMSprop struct {
	LR          Schedule
	Alpha       float64 // in [0, 1): the decay of the mean of the square
	Epsilon     float64 // above 0
	WeightDecay float64 // at least 0: that much of the parameter is added to its gradient
	Momentum    float64 // in [0, 1)
	Centered    bool
}

// NewRMSprop returns RMSprop with PyTorch's defaults: Alpha 0.99, Epsilon 1e-8, no
// weight decay, no momentum.
func NewRMSprop(lr Schedule) RMSprop { return RMSprop{LR: lr, Alpha: 0.99, Epsilon: 1e-8} }

// Update implements [Optimizer].
func (o RMSprop) Update(params, gradients []*graph.Node) {
	ranges := cmp.Or(
		belowOne("Alpha", o.Alpha),
		aboveZero("Epsilon", o.Epsilon, "NewRMSprop"),
		notNegative("WeightDecay", o.WeightDecay),
		belowOne("Momentum", o.Momentum),
	)
	op := device.RMSprop{Alpha: o.Alpha, Epsilon: o.Epsilon, WeightDecay: o.WeightDecay, Momentum: o.Momentum, Centered: o.Centered}
	update("RMSprop", op, o.LR, ranges, params, gradients)
}
