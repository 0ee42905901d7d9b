package device

// MatMul: out[i,j] = Σ_k self[i,k] · other[k,j] over matrices (rank 2). Each
// operand may be transposed first. The sum runs over k in a fixed order that
// does not depend on the number of threads. Without terms it is 0.
type MatMul struct {
	matrices
	TransposeSelf, TransposeOther bool
}

// Linear: out[i,j] = Σ_k input[i,k] · weight[k,j] + bias[j], a matrix product with
// its bias added before the result is rounded.
type Linear struct{}

func (Linear) args() []string { return []string{"input", "weight", "bias"} }

func (MatMul) Name() string { return "MatMul" }
func (Linear) Name() string { return "Linear" }

// Infer takes matrices of shapes [m,k] and [k,n], after transposing, and gives [m,n].
func (op MatMul) Infer(inputs []Type) (Type, error) {
	dtype, err := checkInputs(op, inputs, 2)
	if err != nil {
		return Type{}, err
	}
	return inferMatMul(op, dtype, inputs, op.TransposeSelf, op.TransposeOther)
}

// Infer takes shapes [m,k], [k,n] and [n], and gives [m,n].
func (op Linear) Infer(inputs []Type) (Type, error) {
	dtype, err := checkInputs(op, inputs, 3)
	if err != nil {
		return Type{}, err
	}
	t, err := inferMatMul(op, dtype, inputs, false, false)
	if err != nil {
		return Type{}, err
	}
	return t, checkSameShape(op, inputs, 2, t.Shape[1:])
}

func inferMatMul(op Op, dtype DType, inputs []Type, transposeA, transposeB bool) (Type, error) {
	var dims [2][2]int
	for i, transpose := range []bool{transposeA, transposeB} {
		shape := inputs[i].Shape
		if len(shape) != 2 {
			return Type{}, invalidf(op.Name(), ArgName(op, i), "shape %s is not a matrix; rank 2 is needed", ShapeString(shape))
		}
		dims[i] = [2]int(shape)
		if transpose {
			dims[i] = [2]int{shape[1], shape[0]}
		}
	}
	if dims[0][1] != dims[1][0] {
		return Type{}, invalidf(op.Name(), ArgName(op, 1), "%s by %s: the inner dimensions %d and %d differ",
			ShapeString(dims[0][:]), ShapeString(dims[1][:]), dims[0][1], dims[1][0])
	}
	shape := []int{dims[0][0], dims[1][1]}
	if reason := checkShape(shape); reason != "" {
		return Type{}, invalidf(op.Name(), "", "the product: %s", reason)
	}
	return Type{DType: dtype, Shape: shape}, nil
}
