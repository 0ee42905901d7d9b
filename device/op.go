package device

import (
	"fmt"
	"regexp"
	"slices"
)

// Op describes one device operation: a small comparable struct that holds the
// operation's attributes, such as SoftMarginLossBackward{Reduction: Mean}.
type Op interface {
	// Name returns the operation's name, such as "MatMul".
	Name() string

	// Infer checks the inputs' types and the attributes, and returns the type of
	// the output: the one place where the operation's rules live. A missing input
	// is the zero Type. Checks are made in CANN's order: missing arguments
	// ([ErrParamNull]), then dtype, rank, attributes and shapes ([ErrParamInvalid]).
	Infer(inputs []Type) (Type, error)
}

// ViewOp is an operation that moves no data if its input can be seen through
// other strides.
type ViewOp interface {
	Op

	// View returns the result as a view of the input's memory, and false where a
	// copy is needed. The input must have passed Infer.
	View(input View) (View, bool)
}

// Elementwise is an operation whose output at an index depends on nothing but the
// inputs there, so that the output may be the same view as an input.
type Elementwise interface {
	Op
	Elementwise()
}

// Updater is an operation that overwrites some of its inputs, such as an
// optimizer's step.
type Updater interface {
	Op

	// Updates returns the indices of the inputs that are overwritten. The output
	// is the same view as the first of them.
	Updates() []int
}

// OpString returns the operation's name with its attributes where it has some, as
// "LeakyReLU{NegativeSlope:0.1}".
func OpString(op Op) string {
	s := embedded.ReplaceAllString(fmt.Sprintf("%+v", op), "")
	if s == "{}" {
		return op.Name()
	}
	return op.Name() + s
}

// embedded matches what Printf shows of the types that descriptors embed to name their operands.
var embedded = regexp.MustCompile(`\b\w+:\{\} ?`)

// Check is the part of phase one that is the same on every device. It returns
// the first rule that the call breaks, as an *Error:
//
//   - a missing argument is [ErrParamNull];
//   - whatever op.Infer refuses;
//   - an output whose dtype the result cannot be stored in, whose shape is not
//     the result's, or whose elements overlap one another;
//   - a view with negative strides or offset, or that reaches outside its buffer;
//   - an output that shares memory with an input, unless it is the same view and
//     the operation is [Elementwise], or an [Updater] that overwrites the input.
func Check(op Op, inputs []View, output View) error {
	if op == nil {
		return nullf("", "op", "the operation is missing")
	}
	types := make([]Type, len(inputs))
	for i, v := range inputs {
		if v.Buffer == nil {
			return nullf(op.Name(), ArgName(op, i), "the tensor is missing")
		}
		types[i] = v.Type()
	}
	if output.Buffer == nil {
		return nullf(op.Name(), "output", "the tensor is missing")
	}
	result, err := op.Infer(types)
	if err != nil {
		return err
	}
	if !Converts(result.DType, output.DType) {
		return invalidf(op.Name(), "output", "a result of %s cannot be stored as %s", result.DType, output.DType)
	}
	if !result.Equal(Type{DType: result.DType, Shape: output.Shape}) {
		return invalidf(op.Name(), "output", "shape %s is not the result's shape %s",
			ShapeString(output.Shape), ShapeString(result.Shape))
	}
	for i, v := range inputs {
		if reason := v.check(); reason != "" {
			return invalidf(op.Name(), ArgName(op, i), "%s", reason)
		}
	}
	if reason := output.check(); reason != "" {
		return invalidf(op.Name(), "output", "%s", reason)
	}
	if output.overlapsItself() {
		return invalidf(op.Name(), "output", "strides %s of shape %s make elements overlap; an output cannot be a broadcast view",
			ShapeString(output.Strides), ShapeString(output.Shape))
	}
	return checkOverlaps(op, inputs, output)
}

// checkOverlaps refuses calls that write what they, or another thread, may still read.
func checkOverlaps(op Op, inputs []View, output View) error {
	updater, _ := op.(Updater)
	if updater == nil {
		_, inPlace := op.(Elementwise)
		for i, in := range inputs {
			if !(inPlace && output.Same(in)) && output.overlaps(in) {
				return invalidf(op.Name(), "output", "it shares memory with %s; give it memory of its own%s",
					ArgName(op, i), inPlaceHint(inPlace))
			}
		}
		return nil
	}
	updated := updater.Updates()
	if len(updated) == 0 || slices.Min(updated) < 0 || slices.Max(updated) >= len(inputs) {
		return invalidf(op.Name(), "", "its Updates gave %v, but must name at least one of the %d inputs, counted from 0", updated, len(inputs))
	}
	if !output.Same(inputs[updated[0]]) {
		return invalidf(op.Name(), "output", "the operation updates its input in place, so the output must be the same view as %s",
			ArgName(op, updated[0]))
	}
	for _, i := range updated {
		if inputs[i].overlapsItself() {
			return invalidf(op.Name(), ArgName(op, i), "strides %s of shape %s make elements overlap; an updated tensor cannot be a broadcast view",
				ShapeString(inputs[i].Strides), ShapeString(inputs[i].Shape))
		}
		for j, in := range inputs {
			if j != i && inputs[i].overlaps(in) {
				return invalidf(op.Name(), ArgName(op, i), "it shares memory with %s, but is overwritten; give it memory of its own", ArgName(op, j))
			}
		}
	}
	return nil
}

func inPlaceHint(inPlace bool) string {
	if inPlace {
		return ", or make it the very same view"
	}
	return ""
}
