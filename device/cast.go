package device

// Cast: out = self in another dtype, rounded to nearest even. It is the only
// operation that goes between float64 and the rest.
type Cast struct {
	unary
	To DType
}

func (Cast) Name() string { return "Cast" }

// Infer refuses a To that is no dtype.
func (op Cast) Infer(inputs []Type) (Type, error) {
	if _, err := checkInputs(op, inputs, 1); err != nil {
		return Type{}, err
	}
	if !op.To.Valid() {
		return Type{}, invalidf(op.Name(), "To", "%s", noDType(op.To.String()))
	}
	return Type{DType: op.To, Shape: inputs[0].Shape}, nil
}
