package device

import (
	"fmt"
	"slices"
)

// The operands of most operations have the names that CANN and PyTorch give
// them; embedding one of these in a descriptor states them, for error messages,
// and makes the operation [Elementwise]. The last two are for operations that are not.
type (
	unary          struct{} // self
	binary         struct{} // self, other
	backwardSelf   struct{} // gradOutput, self
	backwardOutput struct{} // gradOutput, output
	loss           struct{} // self, target
	lossBackward   struct{} // gradOutput, self, target
	whole          struct{} // self
	matrices       struct{} // self, other
)

func (unary) Elementwise()          {}
func (binary) Elementwise()         {}
func (backwardSelf) Elementwise()   {}
func (backwardOutput) Elementwise() {}
func (loss) Elementwise()           {} // with a reduction only a scalar can be the same view
func (lossBackward) Elementwise()   {}

func (unary) args() []string          { return []string{"self"} }
func (binary) args() []string         { return []string{"self", "other"} }
func (backwardSelf) args() []string   { return []string{"gradOutput", "self"} }
func (backwardOutput) args() []string { return []string{"gradOutput", "output"} }
func (loss) args() []string           { return []string{"self", "target"} }
func (lossBackward) args() []string   { return []string{"gradOutput", "self", "target"} }
func (whole) args() []string          { return []string{"self"} }
func (matrices) args() []string       { return []string{"self", "other"} }

// ArgName returns the name of input i, "input i" where the operation states none.
func ArgName(op Op, i int) string {
	if named, ok := op.(interface{ args() []string }); ok {
		if names := named.args(); i < len(names) {
			return names[i]
		}
	}
	return fmt.Sprintf("input %d", i)
}

// checkInputs makes the checks that most operations start with, in CANN's order:
// number of inputs, missing inputs, dtypes that mix, ranks and shapes. It
// returns the dtype in which the inputs meet.
func checkInputs(op Op, inputs []Type, n int) (DType, error) {
	if err := checkPresent(op, inputs, n); err != nil {
		return 0, err
	}
	dtype, err := promoteInputs(op, inputs)
	if err != nil {
		return 0, err
	}
	return dtype, checkShapes(op, inputs)
}

// checkPresent refuses a wrong number of inputs, and missing ones.
func checkPresent(op Op, inputs []Type, n int) error {
	if len(inputs) != n {
		return nullf(op.Name(), "", "%d inputs where %d are needed", len(inputs), n)
	}
	for i, t := range inputs {
		if t.missing() {
			return nullf(op.Name(), ArgName(op, i), "the tensor is missing")
		}
	}
	return nil
}

// promoteInputs returns the dtype in which the inputs meet, and refuses those that do not mix.
func promoteInputs(op Op, inputs []Type) (DType, error) {
	dtype := inputs[0].DType
	for i, t := range inputs {
		if !t.DType.Valid() {
			return 0, invalidf(op.Name(), ArgName(op, i), "%s", noDType(t.DType.String()))
		}
		promoted, ok := Promote(dtype, t.DType)
		if !ok {
			return 0, invalidf(op.Name(), ArgName(op, i), "%s does not mix with %s; float64 goes only with float64, so cast one of them",
				t.DType, dtype)
		}
		dtype = promoted
	}
	return dtype, nil
}

// checkShapes refuses shapes that no tensor can have.
func checkShapes(op Op, inputs []Type) error {
	for i, t := range inputs {
		if reason := checkShape(t.Shape); reason != "" {
			return invalidf(op.Name(), ArgName(op, i), "%s", reason)
		}
	}
	return nil
}

// broadcastInputs returns the shape in which all inputs meet.
func broadcastInputs(op Op, inputs []Type) ([]int, error) {
	shape := inputs[0].Shape
	for i, t := range inputs[1:] {
		met, ok := Broadcast(shape, t.Shape)
		if !ok {
			return nil, invalidf(op.Name(), ArgName(op, i+1), "shape %s does not broadcast with %s",
				ShapeString(t.Shape), ShapeString(shape))
		}
		shape = met
	}
	if reason := checkShape(shape); reason != "" { // (n,1) with (1,n) can overflow where neither does
		return nil, invalidf(op.Name(), "", "the broadcast of the inputs: %s", reason)
	}
	return shape, nil
}

// elementwise infers the type of an operation on elements: the inputs promote and broadcast.
func elementwise(op Op, inputs []Type, n int) (Type, error) {
	dtype, err := checkInputs(op, inputs, n)
	if err != nil {
		return Type{}, err
	}
	shape, err := broadcastInputs(op, inputs)
	if err != nil {
		return Type{}, err
	}
	return Type{DType: dtype, Shape: shape}, nil
}

// checkSameShape refuses input i if its shape is not want.
func checkSameShape(op Op, inputs []Type, i int, want []int) error {
	if !slices.Equal(inputs[i].Shape, want) {
		return invalidf(op.Name(), ArgName(op, i), "shape %s is not %s", ShapeString(inputs[i].Shape), ShapeString(want))
	}
	return nil
}
