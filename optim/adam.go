package optim

import (
	"cmp"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Adam is Adam (Kingma and Ba, 2015, arXiv:1412.6980), or AMSGrad (Reddi et al.,
// 2018, arXiv:1904.09237); the formulas are [device.Adam]'s. [NewAdam] sets the
// usual values.
type Adam struct {
	LR          Schedule
	Beta1       float64 // in [0, 1): the decay of the mean of the gradient
	Beta2       float64 // in [0, 1): the decay of the mean of its square
	Epsilon     float64 // above 0
	WeightDecay float64 // at least 0: that much of the parameter is added to its gradient
	AMSGrad     bool    // divide by the largest mean of the square so far
}

// NewAdam returns Adam with PyTorch's defaults: Beta1 0.9, Beta2 0.999, Epsilon
// 1e-8, no weight decay.
func NewAdam(lr Schedule) Adam { return Adam{LR: lr, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8} }

// Update implements [Optimizer].
func (o Adam) Update(params, gradients []*graph.Node) {
	update("Adam", o.op(false), o.LR, o.ranges("NewAdam"), params, gradients)
}

// AdamW is Adam with decoupled weight decay (Loshchilov and Hutter, 2019,
// arXiv:1711.05101): instead of entering the gradient, WeightDecay·lr of the
// parameter is taken off it at every step. [NewAdamW] sets the usual values.
type AdamW Adam

// NewAdamW returns AdamW with PyTorch's defaults: those of [NewAdam], and
// WeightDecay 0.01.
func NewAdamW(lr Schedule) AdamW {
	o := AdamW(NewAdam(lr))
	o.WeightDecay = 0.01
	return o
}

// Update implements [Optimizer].
func (o AdamW) Update(params, gradients []*graph.Node) {
	update("AdamW", Adam(o).op(true), o.LR, Adam(o).ranges("NewAdamW"), params, gradients)
}

func (o Adam) op(decoupled bool) device.Adam {
	return device.Adam{Beta1: o.Beta1, Beta2: o.Beta2, Epsilon: o.Epsilon, WeightDecay: o.WeightDecay,
		AMSGrad: o.AMSGrad, Decoupled: decoupled}
}

func (o Adam) ranges(constructor string) error {
	return cmp.Or(
		belowOne("Beta1", o.Beta1),
		belowOne("Beta2", o.Beta2),
		aboveZero("Epsilon", o.Epsilon, constructor),
		notNegative("WeightDecay", o.WeightDecay),
	)
}
