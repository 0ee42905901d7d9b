package cpu

import (
	"math"

	"github.com/pullback-go/pullback/device"
)

// update is the arithmetic of an optimizer's step on one block of the parameter, its
// gradient and its state, in the order of the operation's State. The parameter and the
// state are updated in place.
type update[F float] func(k scalars, param, grad []F, state [3][]F)

// scalars are the numbers that are the same for a whole step.
type scalars struct {
	rate  float64 // of the step, any correction of bias included
	bias  float64 // Adam: what the root of the second moment is divided by
	keep  float64 // AdamW: what the parameter is multiplied by
	first bool    // SGD: this is step 1
}

// planOptimizer makes one pass over the parameter with a kernel, see [optimizerKernel].
func planOptimizer[F float](kernel func(device.Optimizer) (func(lr, step float64) scalars, update[F]), op device.Optimizer, inputs []device.View, output device.View) *program {
	prepare, update := kernel(op)
	if update == nil {
		return nil
	}
	count := phase{parts: 1, cost: 1, run: increment[F](inputs[3])}
	elements := device.Elements(output.Shape)
	if elements == 0 {
		return &program{phases: []phase{count}}
	}
	lr, step := scalarOf(inputs[2], 0), scalarOf(inputs[3], 0)
	var tensors []operand[F] // param, grad, state
	for i, v := range inputs {
		if i != 2 && i != 3 {
			tensors = append(tensors, newOperand[F](v))
		}
	}
	run := func(lo, hi int, _ []byte, s scratch) {
		k := prepare(lr(), step())
		tensors[1].prepare(slot[F](s, 1)[:min(blockSize, elements)])
		for b := lo; b < hi; b++ {
			start, n := blockAt(b, elements)
			var t [5][]F
			for i := range tensors {
				t[i] = tensors[i].block(start, slot[F](s, i)[:n])
			}
			update(k, t[0], t[1], [3][]F(t[2:]))
			for i := range tensors {
				if i != 1 {
					tensors[i].store(start, t[i])
				}
			}
		}
	}
	return &program{phases: []phase{
		count,
		{parts: blocks(elements), cost: elements * moderate, run: run},
	}}
}

// increment adds 1 to a scalar.
func increment[F float](v device.View) func(lo, hi int, workspace []byte, s scratch) {
	counter := newOperand[F](v)
	return func(_, _ int, _ []byte, s scratch) {
		value := slot[F](s, 0)[:1]
		counter.gather(value, 0)
		value[0]++
		counter.write(value, counter.base, 0)
	}
}

// optimizerKernel returns what computes an optimizer's scalars from its learning
// rate and step, and its update; nil if there is no such optimizer.
func optimizerKernel[F float](op device.Optimizer) (prepare func(lr, step float64) scalars, _ update[F]) {
	switch op := op.(type) {
	case device.SGD:
		prepare = func(lr, step float64) scalars { return scalars{rate: lr, first: step == 1} }
		return prepare, func(k scalars, param, grad []F, state [3][]F) { sgd(op, k, param, grad, state[0]) }
	case device.Adam:
		prepare = func(lr, step float64) scalars {
			return scalars{
				rate: lr / (1 - math.Pow(op.Beta1, step)),
				bias: math.Sqrt(1 - math.Pow(op.Beta2, step)),
				keep: 1 - float64(lr*op.WeightDecay),
			}
		}
		return prepare, func(k scalars, param, grad []F, state [3][]F) { adam(op, k, param, grad, state[0], state[1], state[2]) }
	case device.RMSprop:
		prepare = func(lr, _ float64) scalars { return scalars{rate: lr} }
		return prepare, func(k scalars, param, grad []F, state [3][]F) {
			mean, momentum := state[1], state[2]
			if !op.Centered {
				mean, momentum = nil, state[1]
			}
			rmsprop(op, k, param, grad, state[0], mean, momentum)
		}
	case device.Adagrad:
		prepare = func(lr, step float64) scalars { return scalars{rate: lr / (1 + float64((step-1)*op.LRDecay))} }
		return prepare, func(k scalars, param, grad []F, state [3][]F) { adagrad(op, k, param, grad, state[0]) }
	}
	return nil, nil
}

func sgd[F float](op device.SGD, k scalars, param, grad, buf []F) {
	decay, momentum, undamped, rate := F(op.WeightDecay), F(op.Momentum), F(1-op.Dampening), F(k.rate)
	for i, g := range grad {
		p := param[i]
		if decay != 0 {
			g += F(decay * p)
		}
		if momentum != 0 {
			m := g
			if !k.first {
				m = F(momentum*buf[i]) + F(undamped*g)
			}
			buf[i] = m
			if op.Nesterov {
				g += F(momentum * m)
			} else {
				g = m
			}
		}
		param[i] = p - F(rate*g)
	}
}

func adam[F float](op device.Adam, k scalars, param, grad, mean, square, largest []F) {
	beta1, rest1 := F(op.Beta1), F(1-op.Beta1)
	beta2, rest2 := F(op.Beta2), F(1-op.Beta2)
	decay, epsilon := F(op.WeightDecay), F(op.Epsilon)
	rate, bias, keep := F(k.rate), F(k.bias), F(k.keep)
	for i, g := range grad {
		p := param[i]
		if op.Decoupled {
			p *= keep
		} else if decay != 0 {
			g += F(decay * p)
		}
		m := F(beta1*mean[i]) + F(rest1*g)
		v := F(beta2*square[i]) + F(rest2*g*g)
		mean[i], square[i] = m, v
		if op.AMSGrad {
			v = max(v, largest[i])
			largest[i] = v
		}
		param[i] = p - rate*m/(root(v)/bias+epsilon)
	}
}

func rmsprop[F float](op device.RMSprop, k scalars, param, grad, square, mean, buf []F) {
	alpha, rest := F(op.Alpha), F(1-op.Alpha)
	decay, epsilon, momentum, rate := F(op.WeightDecay), F(op.Epsilon), F(op.Momentum), F(k.rate)
	for i, g := range grad {
		p := param[i]
		if decay != 0 {
			g += F(decay * p)
		}
		v := F(alpha*square[i]) + F(rest*g*g)
		square[i] = v
		if op.Centered {
			m := F(alpha*mean[i]) + F(rest*g)
			mean[i] = m
			v = max(v-F(m*m), 0) // a variance, which rounding may make negative
		}
		u := g / (root(v) + epsilon)
		if momentum != 0 {
			u += F(momentum * buf[i])
			buf[i] = u
		}
		param[i] = p - F(rate*u)
	}
}

func adagrad[F float](op device.Adagrad, k scalars, param, grad, square []F) {
	decay, epsilon, rate := F(op.WeightDecay), F(op.Epsilon), F(k.rate)
	for i, g := range grad {
		p := param[i]
		if decay != 0 {
			g += F(decay * p)
		}
		v := square[i] + F(g*g)
		square[i] = v
		param[i] = p - rate*g/(root(v)+epsilon)
	}
}

func root[F float](x F) F { return F(math.Sqrt(float64(x))) }
