package device

// ReduceSum: out = the sum of self over Axes, in a fixed blocked order that does not depend
// on the number of threads. The axes are dropped, or kept with dimension 1 if
// KeepDims is set. Without elements the sum is 0.
type ReduceSum struct {
	whole
	Axes     AxisSet
	KeepDims bool
}

// ReduceMean: out = the sum of self over Axes divided by the number of elements
// summed. Without elements the mean is NaN.
type ReduceMean struct {
	whole
	Axes     AxisSet
	KeepDims bool
}

func (ReduceSum) Name() string  { return "ReduceSum" }
func (ReduceMean) Name() string { return "ReduceMean" }

func (op ReduceSum) Infer(inputs []Type) (Type, error) {
	return inferReduce(op, inputs, op.Axes, op.KeepDims)
}

func (op ReduceMean) Infer(inputs []Type) (Type, error) {
	return inferReduce(op, inputs, op.Axes, op.KeepDims)
}

func inferReduce(op Op, inputs []Type, axes AxisSet, keepDims bool) (Type, error) {
	dtype, err := checkInputs(op, inputs, 1)
	if err != nil {
		return Type{}, err
	}
	rank := len(inputs[0].Shape)
	if axes&^AllAxes(rank) != 0 {
		return Type{}, invalidf(op.Name(), "axes", "%s reaches beyond the %d axes of %s", axes, rank, ShapeString(inputs[0].Shape))
	}
	shape := ReducedShape(inputs[0].Shape, axes, keepDims)
	if reason := checkShape(shape); reason != "" { // what is left of an empty tensor may be huge
		return Type{}, invalidf(op.Name(), "", "the result: %s", reason)
	}
	return Type{DType: dtype, Shape: shape}, nil
}

// ReducedShape returns the shape that is left when the axes are reduced: without
// them, or with 1 in their place if keepDims is set.
func ReducedShape(shape []int, axes AxisSet, keepDims bool) []int {
	reduced := make([]int, 0, len(shape))
	for i, d := range shape {
		switch {
		case !axes.Contains(i):
			reduced = append(reduced, d)
		case keepDims:
			reduced = append(reduced, 1)
		}
	}
	return reduced
}
