package devicetest

import (
	"math"

	"github.com/pullback-go/pullback/device"
)

// optimizerCases are three steps of each optimizer with each of its options. Every
// step starts from what the device stored in the one before, rounded to its dtype.
func optimizerCases() []opCase {
	var sgd, adam, rmsprop, centered, adagrad []device.Optimizer
	sgd = []device.Optimizer{
		device.SGD{},
		device.SGD{WeightDecay: 0.1},
		device.SGD{Momentum: 0.9},
		device.SGD{Momentum: 0.9, Dampening: 0.3},
		device.SGD{Momentum: 0.9, Nesterov: true},
		device.SGD{Momentum: 0.9, Nesterov: true, WeightDecay: 0.1},
	}
	for i := range 8 {
		op := device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, AMSGrad: i&1 != 0, Decoupled: i&2 != 0}
		if i&4 != 0 {
			op.WeightDecay, op.Epsilon = 0.1, 1e-3
		}
		adam = append(adam, op)
		rms := device.RMSprop{Alpha: 0.99, Epsilon: 1e-8, Centered: i&1 != 0}
		if i&2 != 0 {
			rms.Momentum = 0.9
		}
		if i&4 != 0 {
			rms.WeightDecay, rms.Epsilon = 0.1, 1e-3
		}
		if rms.Centered {
			centered = append(centered, rms)
		} else {
			rmsprop = append(rmsprop, rms)
		}
	}
	adagrad = []device.Optimizer{
		device.Adagrad{Epsilon: 1e-10},
		device.Adagrad{Epsilon: 1e-10, LRDecay: 0.1},
		device.Adagrad{Epsilon: 1e-3, LRDecay: 0.1, WeightDecay: 0.1},
	}
	// State starts at 0, where the first gradients are all there is.
	vector := operand{draw: mixed(oneOf(0), normal(1))}
	positive := operand{draw: mixed(oneOf(0), uniform(1, 2))} // a sum of squares
	square := operand{draw: uniform(1, 2)}                    // one that gradAvg² stays away from
	small := operand{draw: uniform(-0.5, 0.5)}
	// An average of gradients whose square is more than that of their squares, which
	// only rounding can make.
	impossible := []device.Optimizer{device.RMSprop{Alpha: 0.99, Epsilon: 0.01, Centered: true}}
	return []opCase{
		optimizerCase(sgd, sgdStep, vector),
		optimizerCase(adam, adamStep, vector, positive, positive),
		optimizerCase(rmsprop, rmspropStep, positive, vector),
		optimizerCase(centered, rmspropStep, square, small, vector),
		optimizerCase(impossible, rmspropStep, operand{draw: uniform(1, 1.5)}, operand{draw: uniform(2, 3)}),
		optimizerCase(adagrad, adagradStep, positive),
	}
}

// optimizerCase is a row of an optimizer's step on elements: update returns the
// new parameter and state. It gets lr, the number of this step, param, grad and the state.
func optimizerCase(ops []device.Optimizer, update func(op device.Op, lr, step, param, grad float64, state []float64) []number, state ...operand) opCase {
	c := opCase{
		operands: append([]operand{
			{draw: normal(1)},
			{draw: normal(1)},
			{draw: uniform(0.01, 0.2)},
			{draw: oneOf(0, 0, 9)}, // the first steps of a training, and later ones
		}, state...),
		ulp:   8,
		steps: 3,
	}
	states := map[int]bool{}
	for i, op := range ops {
		// An option that adds no state meets the layouts and dtypes with all the others on.
		probe := i == len(ops)-1 || !states[len(op.State())]
		states[len(op.State())] = true
		for _, shape := range [][]int{{}, {0}, {1}, {7}, {64}, {2, 3, 4}, {1037}, {363, 367}} {
			if count(shape) >= largeCall && i > 0 {
				continue
			}
			shapes := [][]int{shape, shape, {}, {}}
			for range op.State() {
				shapes = append(shapes, shape)
			}
			c.calls = append(c.calls, call{op, shapes, probe && len(shape) == 3})
		}
	}
	c.want = func(op device.Op, in []tensor) [][]number {
		step := in[3].data[0] + 1
		out := make([][]number, 2+len(in)-4) // param, step, state…
		out[1] = []number{exactly(step)}
		for k := range in[0].data {
			var old []float64
			for _, t := range in[4:] {
				old = append(old, t.data[k])
			}
			for i, n := range update(op, in[2].data[0], step, in[0].data[k], in[1].data[k], old) {
				if i > 0 {
					i++
				}
				out[i] = append(out[i], n)
			}
		}
		return out
	}
	return c
}

// decayed is grad + weightDecay·param.
func decayed(grad, weightDecay, param float64) number {
	return number{grad + weightDecay*param, math.Abs(grad) + math.Abs(weightDecay*param)}
}

// plus is a·n + b·m, the scales added as in a sum.
func (n number) plus(a, b float64, m number) number {
	return number{a*n.value + b*m.value, math.Abs(a)*n.scale + math.Abs(b)*m.scale}
}

// times is n scaled by f.
func (n number) times(f float64) number { return number{n.value * f, n.scale * math.Abs(f)} }

// over is n divided by a denominator that was made from the root of v: what
// cancelled in v is as far off there.
func (n number) over(denominator float64, v number) number {
	cancelled := 1.0
	if v.value > 0 {
		cancelled = v.scale / v.value
	}
	return number{n.value / denominator, n.scale / denominator * cancelled}
}

func (n number) squared() number { return number{n.value * n.value, n.scale * n.scale} }

func sgdStep(op device.Op, lr, step, param, grad float64, state []float64) []number {
	o := op.(device.SGD)
	g := decayed(grad, o.WeightDecay, param)
	if o.Momentum == 0 {
		return []number{exactly(param).plus(1, -lr, g)}
	}
	buf := g
	if step > 1 {
		buf = exactly(state[0]).plus(o.Momentum, 1-o.Dampening, g)
	}
	update := buf
	if o.Nesterov {
		update = g.plus(1, o.Momentum, buf)
	}
	return []number{exactly(param).plus(1, -lr, update), buf}
}

func adamStep(op device.Op, lr, step, param, grad float64, state []float64) []number {
	o := op.(device.Adam)
	p, g := exactly(param), exactly(grad)
	if o.Decoupled {
		p = p.times(1 - lr*o.WeightDecay)
	} else {
		g = decayed(grad, o.WeightDecay, param)
	}
	m := exactly(state[0]).plus(o.Beta1, 1-o.Beta1, g)
	v := exactly(state[1]).plus(o.Beta2, 1-o.Beta2, g.squared())
	written := []number{{}, m, v}
	if o.AMSGrad {
		if state[2] > v.value {
			v = exactly(state[2])
		}
		written = append(written, v)
	}
	denominator := math.Sqrt(v.value)/math.Sqrt(1-math.Pow(o.Beta2, step)) + o.Epsilon
	written[0] = p.plus(1, -lr/(1-math.Pow(o.Beta1, step)), m.over(denominator, v))
	return written
}

func rmspropStep(op device.Op, lr, _, param, grad float64, state []float64) []number {
	o := op.(device.RMSprop)
	g := decayed(grad, o.WeightDecay, param)
	s := exactly(state[0]).plus(o.Alpha, 1-o.Alpha, g.squared())
	written := []number{{}, s}
	variance := s.value
	if o.Centered {
		a := exactly(state[1]).plus(o.Alpha, 1-o.Alpha, g)
		written = append(written, a)
		variance = max(variance-a.value*a.value, 0)
	}
	update := g.over(math.Sqrt(variance)+o.Epsilon, s)
	if o.Momentum != 0 {
		update = exactly(state[len(state)-1]).plus(o.Momentum, 1, update)
		written = append(written, update)
	}
	written[0] = exactly(param).plus(1, -lr, update)
	return written
}

func adagradStep(op device.Op, lr, step, param, grad float64, state []float64) []number {
	o := op.(device.Adagrad)
	g := decayed(grad, o.WeightDecay, param)
	s := exactly(state[0]).plus(1, 1, g.squared())
	rate := lr / (1 + (step-1)*o.LRDecay)
	return []number{exactly(param).plus(1, -rate, g.over(math.Sqrt(s.value)+o.Epsilon, s)), s}
}
