package gradcheck

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// DefaultTolerance is the largest relative error that is accepted if Options has none.
const DefaultTolerance = 1e-8

// Model builds the function under test and returns its result, float64 of any
// shape. It must build the same thing each time it is called.
type Model func(g *graph.Graph, inputs []*graph.Node) *graph.Node

// Options narrows a check. The zero value checks every input, at both orders.
type Options struct {
	// Inputs lists the inputs, by position, to differentiate; nil means all. The
	// others are held fixed and may have any dtype, such as a dropout key.
	Inputs []int

	// FirstOrderOnly leaves out the second derivatives, for an operation whose
	// gradient rule is not itself differentiable.
	FirstOrderOnly bool

	// Tolerance is the largest relative error to accept, [DefaultTolerance] if it is 0.
	Tolerance float64
}

var errNoElements = errors.New("the inputs to check have no elements, so there is nothing to compare")

// Check compares the gradients of model at the inputs with finite differences,
// see the package comment for what is computed and how exactly. It evaluates the
// model and its gradients six times for each element checked. The inputs may
// have any strides and are not changed.
//
// An error means that the check could not be made: the model does not build or
// run, a checked input or the result is not float64, the result is not computed from
// a checked input, or there is no element to check. Whether the gradients are right is for
// [Report.Err] to say.
func Check(dev device.Device, model Model, inputs []*tensor.Dense, o Options) (report *Report, err error) {
	defer func() {
		if err != nil {
			report, err = nil, fmt.Errorf("gradcheck: %w", err)
		}
	}()
	switch {
	case len(inputs) == 0:
		return nil, errNoElements
	case model == nil:
		return nil, errors.New("the model is nil")
	case !(o.Tolerance >= 0):
		return nil, fmt.Errorf("the tolerance is %v, but must be at least 0", o.Tolerance)
	}
	session, err := graph.NewSession(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	// The checker moves elements of its own, contiguous copies.
	inputs, err = session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).Run(inputs...)
	if err != nil {
		return nil, err
	}
	checked, err := o.checked(inputs)
	if err != nil {
		return nil, err
	}
	c := &checker{inputs: inputs, checked: checked, order: 2}
	if o.FirstOrderOnly {
		c.order = 1
	}
	c.function = session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node { return c.build(g, model, in) })
	entries, err := c.run()
	if err != nil {
		return nil, err
	}
	report = &Report{Entries: entries, Tolerance: o.Tolerance}
	if o.Tolerance == 0 {
		report.Tolerance = DefaultTolerance
	}
	return report, nil
}

// checked returns the positions of the inputs to differentiate.
func (o Options) checked(inputs []*tensor.Dense) ([]int, error) {
	list := o.Inputs
	if list == nil {
		for j := range inputs {
			list = append(list, j)
		}
	}
	elements := 0
	for i, j := range list {
		switch {
		case j < 0 || j >= len(inputs):
			return nil, fmt.Errorf("there is no input %d to check; the function has %d inputs, counted from 0", j, len(inputs))
		case slices.Contains(list[:i], j):
			return nil, fmt.Errorf("input %d is listed twice; list each input to check once", j)
		case inputs[j].Dtype() != tensor.Float64:
			return nil, fmt.Errorf("input %d is %v, too coarse for differences; give it as float64 and cast it in the model, or leave it out of Options.Inputs",
				j, inputs[j].Dtype())
		}
		elements += inputs[j].Shape().TotalSize()
	}
	if elements == 0 {
		return nil, errNoElements
	}
	return list, nil
}
