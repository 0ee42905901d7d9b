package device

import "slices"

// Copy: out = self, which makes a strided view contiguous.
type Copy struct{ unary }

// Reshape: out = the elements of self in row-major order, under the shape To,
// which has the same number of elements.
type Reshape struct {
	whole
	To Dims
}

// Transpose: out = self with its axes reordered: axis i of the result is axis
// Permutation[i] of self.
type Transpose struct {
	whole
	Permutation Dims
}

// BroadcastTo: out = self repeated to the shape To by NumPy's rule, see [Broadcast].
type BroadcastTo struct {
	whole
	To Dims
}

func (Copy) Name() string        { return "Copy" }
func (Reshape) Name() string     { return "Reshape" }
func (Transpose) Name() string   { return "Transpose" }
func (BroadcastTo) Name() string { return "BroadcastTo" }

func (op Copy) Infer(inputs []Type) (Type, error) { return elementwise(op, inputs, 1) }

// Infer refuses a shape with another number of elements.
func (op Reshape) Infer(inputs []Type) (Type, error) {
	dtype, err := checkInputs(op, inputs, 1)
	if err != nil {
		return Type{}, err
	}
	to := op.To.Slice()
	if reason := checkShape(to); reason != "" {
		return Type{}, invalidf(op.Name(), "shape", "%s", reason)
	}
	if from := inputs[0].Elements(); from != Elements(to) {
		return Type{}, invalidf(op.Name(), "shape", "%s holds %d elements, but %s has %d",
			ShapeString(to), Elements(to), ShapeString(inputs[0].Shape), from)
	}
	return Type{DType: dtype, Shape: to}, nil
}

// View returns the reshaped view where strides can express it.
func (op Reshape) View(input View) (View, bool) { return input.Reshape(op.To.Slice()) }

// Infer refuses a list that is not a permutation of the axes.
func (op Transpose) Infer(inputs []Type) (Type, error) {
	dtype, err := checkInputs(op, inputs, 1)
	if err != nil {
		return Type{}, err
	}
	permutation, rank := op.Permutation.Slice(), len(inputs[0].Shape)
	shape := make([]int, len(permutation))
	seen := AxisSet(0)
	for i, axis := range permutation {
		if axis >= 0 && axis < rank {
			shape[i] = inputs[0].Shape[axis]
			seen |= 1 << axis
		}
	}
	if len(permutation) != rank || seen != AllAxes(rank) {
		return Type{}, invalidf(op.Name(), "permutation", "%s is not a permutation of the %d axes of %s",
			ShapeString(permutation), rank, ShapeString(inputs[0].Shape))
	}
	return Type{DType: dtype, Shape: shape}, nil
}

// View returns the transposed view.
func (op Transpose) View(input View) (View, bool) {
	return input.Transpose(op.Permutation.Slice()), true
}

// Infer refuses a shape that self does not broadcast to.
func (op BroadcastTo) Infer(inputs []Type) (Type, error) {
	dtype, err := checkInputs(op, inputs, 1)
	if err != nil {
		return Type{}, err
	}
	to := op.To.Slice()
	if reason := checkShape(to); reason != "" {
		return Type{}, invalidf(op.Name(), "shape", "%s", reason)
	}
	if met, ok := Broadcast(inputs[0].Shape, to); !ok || !slices.Equal(met, to) {
		return Type{}, invalidf(op.Name(), "shape", "%s does not broadcast to %s", ShapeString(inputs[0].Shape), ShapeString(to))
	}
	return Type{DType: dtype, Shape: to}, nil
}

// View returns the repeated view, with stride 0 along the repeated axes.
func (op BroadcastTo) View(input View) (View, bool) { return input.BroadcastTo(op.To.Slice()), true }
