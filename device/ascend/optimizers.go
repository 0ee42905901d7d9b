package ascend

import (
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// update is what the recipes of optimizers start with. All of it is float32: the
// operands themselves, or copies that finish writes back.
type update struct {
	*recipe
	param, grad, lr, step operand
	state                 []operand
	stored                [][2]operand // copies, and what they are written back to
}

// newUpdate appends the count of the step, and grad + weightDecay·param where there is a decay.
func (r *recipe) newUpdate(in []operand, weightDecay float64) *update {
	u := &update{recipe: r}
	r.call("aclnnInplaceAdds", in[3], 1.0, 1.0)
	u.step = r.cast(in[3], acl.Float)
	u.lr = r.cast(in[2], acl.Float)
	u.param = u.updated(in[0])
	for _, s := range in[4:] {
		u.state = append(u.state, u.updated(s))
	}
	u.grad = r.cast(in[1], acl.Float)
	if weightDecay != 0 {
		u.grad = r.to(r.float(in[1].shape), "aclnnAdd", u.grad, u.param, weightDecay)
	}
	return u
}

// updated returns x in float32, to be written back by finish if it is a copy.
func (u *update) updated(x operand) operand {
	copied := u.cast(x, acl.Float)
	if x.dtype != acl.Float {
		u.stored = append(u.stored, [2]operand{copied, x})
	}
	return copied
}

// average appends into = decay·into + (1-decay)·x.
func (u *update) average(into operand, decay float64, x operand) {
	u.call("aclnnInplaceMuls", into, decay)
	u.call("aclnnInplaceAdd", into, x, 1-decay)
}

// averageSquare appends into = decay·into + (1-decay)·x².
func (u *update) averageSquare(into operand, decay float64, x operand) {
	u.call("aclnnInplaceMuls", into, decay)
	u.call("aclnnInplaceAddcmul", into, x, x, 1-decay)
}

// descend appends param -= rate·direction, and finishes.
func (u *update) descend(rate, direction operand) {
	u.call("aclnnInplaceAddcmul", u.param, direction, rate, -1.0)
	u.finish()
}

// finish writes back what is not float32.
func (u *update) finish() {
	for _, pair := range u.stored {
		u.copy(pair[0], pair[1])
	}
}

// overRoot appends grad / (√v + epsilon). It overwrites v.
func (u *update) overRoot(v operand, epsilon float64) operand {
	u.call("aclnnSqrt", v, v)
	u.call("aclnnAdds", v, epsilon, 1.0, v)
	u.call("aclnnDiv", u.grad, v, v)
	return v
}

func (r *recipe) sgd(op device.SGD, in []operand) {
	u := r.newUpdate(in, op.WeightDecay)
	direction := u.grad
	if op.Momentum != 0 {
		// momentum = a·momentum + b·grad, with a = 0 and b = 1 at the first step.
		first := r.cast(r.to(r.temp(acl.Bool, nil), "aclnnEqScalar", u.step, 1.0), acl.Float)
		a := r.to(r.float(nil), "aclnnMuls", first, -op.Momentum)
		r.call("aclnnInplaceAdds", a, op.Momentum, 1.0)
		b := r.to(r.float(nil), "aclnnMuls", first, op.Dampening)
		r.call("aclnnInplaceAdds", b, 1-op.Dampening, 1.0)
		momentum := u.state[0]
		r.call("aclnnInplaceMul", momentum, a)
		r.call("aclnnInplaceAddcmul", momentum, u.grad, b, 1.0)
		direction = momentum
		if op.Nesterov {
			direction = r.to(r.float(u.grad.shape), "aclnnAdd", u.grad, momentum, op.Momentum)
		}
	}
	u.descend(u.lr, direction)
}

// adam lets the fused operator make the step from 0 with a learning rate of 1: its
// rate is fixed at phase one, ours is a tensor that changes from step to step.
func (r *recipe) adam(op device.Adam, in []operand) {
	decay := op.WeightDecay
	if op.Decoupled {
		decay = 0
	}
	u := r.newUpdate(in, decay)
	largest := none
	if op.AMSGrad {
		largest = u.state[2]
	}
	moved := r.float(u.param.shape)
	r.call("aclnnInplaceZero", moved)
	r.call("aclnnApplyAdamWV2", moved, u.state[0], u.state[1], largest, u.grad, u.step,
		float32(1), float32(op.Beta1), float32(op.Beta2), float32(0), float32(op.Epsilon), op.AMSGrad, false)
	if op.Decoupled && op.WeightDecay != 0 {
		kept := r.to(r.float(nil), "aclnnMuls", u.lr, -op.WeightDecay)
		r.call("aclnnInplaceAdds", kept, 1.0, 1.0)
		r.call("aclnnInplaceMul", u.param, kept)
	}
	r.call("aclnnInplaceAddcmul", u.param, moved, u.lr, 1.0)
	u.finish()
}

func (r *recipe) rmsprop(op device.RMSprop, in []operand) {
	u := r.newUpdate(in, op.WeightDecay)
	square, rest := u.state[0], u.state[1:]
	u.averageSquare(square, op.Alpha, u.grad)
	variance := r.float(square.shape)
	if op.Centered {
		mean := rest[0]
		rest = rest[1:]
		u.average(mean, op.Alpha, u.grad)
		r.call("aclnnAddcmul", square, mean, mean, -1.0, variance)
		r.call("aclnnRelu", variance, variance)
	} else {
		r.copy(square, variance)
	}
	direction := u.overRoot(variance, op.Epsilon)
	if op.Momentum != 0 {
		r.call("aclnnInplaceMuls", rest[0], op.Momentum)
		r.call("aclnnInplaceAdd", rest[0], direction, 1.0)
		direction = rest[0]
	}
	u.descend(u.lr, direction)
}

func (r *recipe) adagrad(op device.Adagrad, in []operand) {
	u := r.newUpdate(in, op.WeightDecay)
	sum, rate := u.state[0], u.lr
	r.call("aclnnInplaceAddcmul", sum, u.grad, u.grad, 1.0)
	if op.LRDecay != 0 {
		slower := r.to(r.float(nil), "aclnnAdds", u.step, -1.0, 1.0)
		r.call("aclnnInplaceMuls", slower, op.LRDecay)
		r.call("aclnnInplaceAdds", slower, 1.0, 1.0)
		rate = r.to(r.float(nil), "aclnnDiv", u.lr, slower)
	}
	root := r.float(sum.shape)
	r.copy(sum, root)
	u.descend(rate, u.overRoot(root, op.Epsilon))
}
