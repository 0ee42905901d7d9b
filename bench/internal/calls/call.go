package calls

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Call is an operation with its operands. What the output's storage holds before the
// launch is its Data; an optimizer's output is its first input, and Output is not looked at.
type Call struct {
	Op     device.Op
	Inputs []Tensor
	Output Tensor
}

// Result returns the tensor that the call writes: an optimizer's first input, or the output.
func (c Call) Result() Tensor {
	if u, ok := c.Op.(device.Updater); ok {
		return c.Inputs[u.Updates()[0]]
	}
	return c.Output
}

// Want returns what the reference says of the output.
func (c Call) Want() ([]reference.Number, error) {
	in := make([]reference.Tensor, len(c.Inputs))
	for i, t := range c.Inputs {
		in[i] = t.Reference()
	}
	return reference.Compute(c.Op, in, c.Result().DType)
}

// Tolerance returns the error that the result may have, in ulp, see [reference.Tolerance]. A
// gradient in float32 may have one more where the factor 1/N of a mean is no power of two, and one more
// where targets other than ±1 are multiplied by gradOutput: both products are rounded on the way.
func (c Call) Tolerance() float64 {
	terms, more := 1, 0.0
	switch rule, _ := reference.Lookup(c.Op.Name()); rule.Kind {
	case reference.Matrices:
		terms = c.Inputs[0].Shape[1]
		if op, ok := c.Op.(device.MatMul); ok && op.TransposeSelf {
			terms = c.Inputs[0].Shape[0]
		}
	case reference.Reduce, reference.Loss: // a loss without reduction has one term
		shape := c.Inputs[0].Shape
		for _, t := range c.Inputs[1:] {
			shape, _ = device.Broadcast(shape, t.Shape)
		}
		terms = device.Elements(shape) / max(device.Elements(c.Output.Shape), 1)
		if op, ok := c.Op.(device.SoftMarginLossBackward); ok && c.Output.DType == device.Float32 {
			if op.Reduction == device.Mean && bits.OnesCount(uint(device.Elements(shape))) != 1 {
				more++
			}
			if slices.ContainsFunc(c.Inputs[2].Values(), func(target float64) bool { return math.Abs(target) != 1 }) {
				more++
			}
		}
	}
	return reference.Tolerance(c.Op, c.Result().DType, terms) + more
}

// Tolerances returns the errors that the results of calls made one after the other may have. A reduced loss
// in float32 may have 1.5 more where a device can make it in one pass with its gradient, from the same exponential.
func Tolerances(list []Call) []float64 {
	allowed := make([]float64, len(list))
	for i, c := range list {
		allowed[i] = c.Tolerance()
		op, ok := c.Op.(device.SoftMarginLoss)
		if ok && len(list) > 1 && op.Reduction != device.None && c.Output.DType == device.Float32 {
			allowed[i] += 1.5
		}
	}
	return allowed
}
