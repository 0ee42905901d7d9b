package device

// Element-wise operations. The inputs promote and broadcast against each other;
// the result has the promoted dtype and the broadcast shape.

// Neg: out = -self.
type Neg struct{ unary }

// Exp: out = e^self.
type Exp struct{ unary }

// Log: out = ln(self): -Inf at 0, NaN below.
type Log struct{ unary }

// Sqrt: out = √self: NaN below 0, -0 at -0.
type Sqrt struct{ unary }

// Square: out = self².
type Square struct{ unary }

// Abs: out = |self|.
type Abs struct{ unary }

// Sign: out = -1, 0 or 1 with the sign of self; NaN at NaN.
type Sign struct{ unary }

// Tanh: out = tanh(self).
type Tanh struct{ unary }

// Sigmoid: out = 1 / (1 + e^-self), without overflow.
type Sigmoid struct{ unary }

// ReLU: out = max(self, 0); NaN at NaN.
type ReLU struct{ unary }

// GELU: out = self · Φ(self) with Φ the standard normal distribution function, NaN or 0 at -Inf; the exact
// form by erf (Hendrycks and Gimpel, 2016, arXiv:1606.08415).
type GELU struct{ unary }

// Softplus: out = ln(1 + e^self), computed as max(self, 0) + log1p(e^-|self|), so
// finite and accurate for every finite input.
type Softplus struct{ unary }

// LeakyReLU: out = self where self > 0, else NegativeSlope · self.
type LeakyReLU struct {
	unary
	NegativeSlope float64
}

// Add: out = self + other.
type Add struct{ binary }

// Sub: out = self - other.
type Sub struct{ binary }

// Mul: out = self · other.
type Mul struct{ binary }

// Div: out = self / other.
type Div struct{ binary }

// Maximum: out = the larger of self and other; NaN if either is.
type Maximum struct{ binary }

// ReLUBackward: out = gradOutput where output > 0, else 0: the gradient of [ReLU]
// from its output, 0 at 0.
type ReLUBackward struct{ backwardOutput }

// TanhBackward: out = gradOutput · (1 - output²): the gradient of [Tanh] from its output.
type TanhBackward struct{ backwardOutput }

// SigmoidBackward: out = gradOutput · output · (1 - output): the gradient of [Sigmoid] from its output.
type SigmoidBackward struct{ backwardOutput }

// GELUBackward: out = gradOutput · (Φ(self) + self·φ(self)): the gradient of [GELU], with Φ the
// standard normal distribution function and φ its density.
type GELUBackward struct{ backwardSelf }

// LeakyReLUBackward: out = gradOutput where self > 0, else NegativeSlope · gradOutput:
// the gradient of [LeakyReLU], NegativeSlope at 0.
type LeakyReLUBackward struct {
	backwardSelf
	NegativeSlope float64
}

// MaximumBackward: out = gradOutput where self > other, half of it where they are
// equal, else 0: the gradient of [Maximum] for self, and with self and other
// exchanged the one for other.
type MaximumBackward struct{}

func (MaximumBackward) args() []string { return []string{"gradOutput", "self", "other"} }
func (MaximumBackward) Elementwise()   {}

// Dropout: out = self / (1 - P) where [DropoutRandom] of key and the element's
// row-major index is at least P, else 0 (inverted dropout, Srivastava et al.,
// 2014). key holds two integers in [0, 2^24) as float32, so that the mask depends on
// nothing but the key and is the same on every device. Dropout is linear in self: its
// gradient is Dropout with the same key.
type Dropout struct{ P float64 }

func (Dropout) args() []string { return []string{"self", "key"} }
func (Dropout) Elementwise()   {}

// Infer takes self of any type and key float32[2], and refuses P outside [0, 1).
func (op Dropout) Infer(inputs []Type) (Type, error) {
	if err := checkPresent(op, inputs, 2); err != nil {
		return Type{}, err
	}
	if _, err := promoteInputs(op, inputs[:1]); err != nil {
		return Type{}, err
	}
	if key := (Type{Float32, []int{2}}); !inputs[1].Equal(key) {
		return Type{}, invalidf(op.Name(), "key", "%s where %s is needed", inputs[1], key)
	}
	if !(op.P >= 0 && op.P < 1) {
		return Type{}, invalidf(op.Name(), "P", "the dropped share is %v, but must be in [0, 1)", op.P)
	}
	return inputs[0], checkShapes(op, inputs)
}

// DropoutRandom returns the random number in [0, 1), a multiple of 2^-24, that
// decides whether [Dropout] keeps element i: the high bits of SplitMix64
// (Steele, Lea and Flood, 2014) at position i of the sequence that a hash of
// key0 + 2^24·key1 starts.
func DropoutRandom(key0, key1 float32, i int) float64 {
	z := uint64(key0) | uint64(key1)<<24
	z = mix64(z*0xd1342543de82ef95 + 1) // spread the key, so that sequences of neighbouring keys do not overlap
	z = mix64(z + uint64(i)*0x9e3779b97f4a7c15)
	return float64(z>>40) / (1 << 24)
}

// mix64 is SplitMix64's finaliser, a bijection of 64 bits.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Cast: out = self in another dtype, rounded to nearest even. It is the only
// operation that goes between float64 and the rest.
type Cast struct {
	unary
	To DType
}

// Infer refuses a To that is no dtype.
func (op Cast) Infer(inputs []Type) (Type, error) {
	if _, err := checkInputs(op, inputs, 1); err != nil {
		return Type{}, err
	}
	if !op.To.Valid() {
		return Type{}, invalidf(op.Name(), "To", "%s is not one of float32, float16, bfloat16, float64", op.To)
	}
	return Type{DType: op.To, Shape: inputs[0].Shape}, nil
}

func (Neg) Name() string               { return "Neg" }
func (Exp) Name() string               { return "Exp" }
func (Log) Name() string               { return "Log" }
func (Sqrt) Name() string              { return "Sqrt" }
func (Square) Name() string            { return "Square" }
func (Abs) Name() string               { return "Abs" }
func (Sign) Name() string              { return "Sign" }
func (Tanh) Name() string              { return "Tanh" }
func (Sigmoid) Name() string           { return "Sigmoid" }
func (ReLU) Name() string              { return "ReLU" }
func (GELU) Name() string              { return "GELU" }
func (Softplus) Name() string          { return "Softplus" }
func (LeakyReLU) Name() string         { return "LeakyReLU" }
func (Add) Name() string               { return "Add" }
func (Sub) Name() string               { return "Sub" }
func (Mul) Name() string               { return "Mul" }
func (Div) Name() string               { return "Div" }
func (Maximum) Name() string           { return "Maximum" }
func (ReLUBackward) Name() string      { return "ReLUBackward" }
func (TanhBackward) Name() string      { return "TanhBackward" }
func (SigmoidBackward) Name() string   { return "SigmoidBackward" }
func (GELUBackward) Name() string      { return "GELUBackward" }
func (LeakyReLUBackward) Name() string { return "LeakyReLUBackward" }
func (MaximumBackward) Name() string   { return "MaximumBackward" }
func (Dropout) Name() string           { return "Dropout" }
func (Cast) Name() string              { return "Cast" }

func (op Neg) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 1) }
func (op Exp) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 1) }
func (op Log) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 1) }
func (op Sqrt) Infer(inputs []Type) (Type, error)              { return elementwise(op, inputs, 1) }
func (op Square) Infer(inputs []Type) (Type, error)            { return elementwise(op, inputs, 1) }
func (op Abs) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 1) }
func (op Sign) Infer(inputs []Type) (Type, error)              { return elementwise(op, inputs, 1) }
func (op Tanh) Infer(inputs []Type) (Type, error)              { return elementwise(op, inputs, 1) }
func (op Sigmoid) Infer(inputs []Type) (Type, error)           { return elementwise(op, inputs, 1) }
func (op ReLU) Infer(inputs []Type) (Type, error)              { return elementwise(op, inputs, 1) }
func (op GELU) Infer(inputs []Type) (Type, error)              { return elementwise(op, inputs, 1) }
func (op Softplus) Infer(inputs []Type) (Type, error)          { return elementwise(op, inputs, 1) }
func (op LeakyReLU) Infer(inputs []Type) (Type, error)         { return elementwise(op, inputs, 1) }
func (op Add) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 2) }
func (op Sub) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 2) }
func (op Mul) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 2) }
func (op Div) Infer(inputs []Type) (Type, error)               { return elementwise(op, inputs, 2) }
func (op Maximum) Infer(inputs []Type) (Type, error)           { return elementwise(op, inputs, 2) }
func (op ReLUBackward) Infer(inputs []Type) (Type, error)      { return elementwise(op, inputs, 2) }
func (op TanhBackward) Infer(inputs []Type) (Type, error)      { return elementwise(op, inputs, 2) }
func (op SigmoidBackward) Infer(inputs []Type) (Type, error)   { return elementwise(op, inputs, 2) }
func (op GELUBackward) Infer(inputs []Type) (Type, error)      { return elementwise(op, inputs, 2) }
func (op LeakyReLUBackward) Infer(inputs []Type) (Type, error) { return elementwise(op, inputs, 2) }
func (op MaximumBackward) Infer(inputs []Type) (Type, error)   { return elementwise(op, inputs, 3) }
