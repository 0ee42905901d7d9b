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
