package optim

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Optimizer appends one training step to a graph.
type Optimizer interface {
	// Update appends the operation that updates each of the params from the
	// gradient at its place in gradients, of the same shape. A mistake is recorded
	// as the graph's error.
	Update(params, gradients []*graph.Node)
}

// Minimize appends to g a training step that makes loss, a value of one element,
// smaller: the gradients of loss for the parameters, all of the graph's if none are
// given, and the optimizer's updates with them. Every parameter must have a part in
// loss, see [graph.Gradients].
func Minimize(g *graph.Graph, opt Optimizer, loss *graph.Node, params ...*graph.Node) {
	if len(params) == 0 {
		params = g.Parameters()
	}
	switch {
	case loss == nil:
		g.Fail(errors.New("Minimize: the loss is nil"))
	case loss.Graph() != g:
		if err := loss.Graph().Err(); err != nil {
			g.Fail(err)
			return
		}
		g.Fail(fmt.Errorf("Minimize: the loss, %s, belongs to another graph", loss.Name()))
	case opt == nil:
		g.Fail(errors.New("Minimize: the optimizer is nil"))
	case len(params) == 0:
		g.Fail(errors.New("Minimize: the graph has no parameters to train; declare them with Graph.Parameter before the loss"))
	default:
		opt.Update(params, graph.Gradients(loss, params...))
	}
}

// update appends op for each of the params, unless ranges, what is wrong with the
// hyper-parameters, is an error. The name is the optimizer's; its state is called after it.
func update(name string, op device.Optimizer, lr Schedule, ranges error, params, gradients []*graph.Node) {
	if len(params) == 0 {
		return
	}
	g := graphOf(append(params[:len(params):len(params)], gradients...))
	if err := cmp.Or(ranges, checkRate(lr), checkPairs(params, gradients)); err != nil {
		g.Fail(fmt.Errorf("%s: %w", name, err))
		return
	}
	rates := map[device.DType]*graph.Node{}
	for i, p := range params {
		if !p.Valid() {
			return // the graph has an error
		}
		dtype := p.DType().Compute()
		if rates[dtype] == nil {
			rates[dtype] = g.PerStep(device.Type{DType: dtype}, func(step int64, values []float64) error {
				values[0] = lr(step)
				return checkRateAt(name, values[0])
			})
		}
		prefix := name + "/" + p.Name() + "/"
		inputs := []*graph.Node{p, gradients[i], rates[dtype], g.State(prefix+"step", device.Type{DType: dtype}, nil)}
		for _, state := range op.State() {
			inputs = append(inputs, g.State(prefix+state, device.Type{DType: dtype, Shape: p.Shape()}, nil))
		}
		g.Update(op, inputs...)
	}
}

// graphOf returns the graph of the first node that is not nil.
func graphOf(nodes []*graph.Node) *graph.Graph {
	for _, n := range nodes {
		if n != nil {
			return n.Graph()
		}
	}
	return nodes[0].Graph()
}

// checkPairs returns an error unless there is a gradient for each parameter.
func checkPairs(params, gradients []*graph.Node) error {
	if len(params) != len(gradients) {
		return fmt.Errorf("%d gradients for %d parameters; give one for each", len(gradients), len(params))
	}
	for i, p := range params {
		if p == nil {
			return fmt.Errorf("parameter %d is nil", i)
		}
		if gradients[i] == nil {
			return fmt.Errorf("the gradient of parameter %d, %s, is nil", i, p.Name())
		}
	}
	return nil
}

// checkRate returns an error unless the schedule's first learning rate can be one.
func checkRate(lr Schedule) error {
	if lr == nil {
		return errors.New("LR is nil, but must be a schedule, such as optim.Constant(0.01)")
	}
	first := lr(0)
	if math.IsNaN(first) {
		return errors.New("LR is NaN at step 0, as a schedule made with arguments out of range is; see the documentation of its constructor")
	}
	return notNegative("LR at step 0", first)
}

// checkRateAt returns an error unless a later learning rate can be one.
func checkRateAt(name string, rate float64) error {
	if isRate(rate) {
		return nil
	}
	return fmt.Errorf("%s: the schedule gives a learning rate of %v, but it must be finite and at least 0", name, rate)
}

// belowOne returns an error unless x is in [0, 1).
func belowOne(name string, x float64) error {
	if x >= 0 && x < 1 {
		return nil
	}
	return fmt.Errorf("%s is %v, but must be at least 0 and below 1", name, x)
}

// atMostOne returns an error unless x is in [0, 1].
func atMostOne(name string, x float64) error {
	if isShare(x) {
		return nil
	}
	return fmt.Errorf("%s is %v, but must be at least 0 and at most 1", name, x)
}

// notNegative returns an error unless x is finite and at least 0.
func notNegative(name string, x float64) error {
	if isRate(x) {
		return nil
	}
	return fmt.Errorf("%s is %v, but must be finite and at least 0", name, x)
}

// aboveZero returns an error unless x, which keeps a quotient from being 0/0, is
// finite and above 0. The constructor is the one that sets it.
func aboveZero(name string, x float64, constructor string) error {
	if x > 0 && !math.IsInf(x, 1) {
		return nil
	}
	return fmt.Errorf("%s is %v, but must be finite and above 0; %s sets the usual value", name, x, constructor)
}
