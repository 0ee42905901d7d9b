package device

// Optimizer is an optimizer's step: one operation over one parameter that reads the
// parameter, its gradient and the learning rate, and overwrites the parameter and the
// optimizer's state in place.
//
//	inputs   param, grad, lr, step, state…
//	output   the same view as param
//
// grad and state have param's shape, lr and step the shape []. step is the number
// of updates made; the operation adds 1 to it, and the formulas have the new value.
// All state starts at 0. The formulas are those of PyTorch's torch.optim, in its order
// of operations.
//
// Dtypes are float64 together with a float64 parameter, otherwise any of the others.
// step should be float32, as the half types cannot count far. A float32 stops counting at
// 2^24. That changes one formula: LRDecay of Adagrad lowers the rate no further. Adam's
// corrections of bias are 1 by then, within rounding, for betas up to 1 - 10^-6.
type Optimizer interface {
	Updater

	// State names the state tensors of param's shape, the inputs that follow step.
	State() []string
}

// SGD is stochastic gradient descent, g = grad + WeightDecay·param:
//
//	without momentum   param -= lr·g
//	with it            momentum = g at step 1, later Momentum·momentum + (1-Dampening)·g
//	                   param -= lr·momentum, or lr·(g + Momentum·momentum) if Nesterov
//
// State: momentum if Momentum is not 0, else none.
type SGD struct {
	Momentum, Dampening, WeightDecay float64
	Nesterov                         bool
}

// Adam is Adam (Kingma and Ba, 2015), and AdamW (Loshchilov and Hutter, 2019) if Decoupled:
//
//	g = grad + WeightDecay·param, or param *= 1 - lr·WeightDecay if Decoupled
//	expAvg = Beta1·expAvg + (1-Beta1)·g
//	expAvgSq = Beta2·expAvgSq + (1-Beta2)·g²
//	param -= lr/(1-Beta1^step) · expAvg / (√expAvgSq/√(1-Beta2^step) + Epsilon)
//
// with AMSGrad, maxExpAvgSq, the largest expAvgSq so far, takes its place in the
// last line (Reddi et al., 2018).
//
// State: expAvg, expAvgSq, and maxExpAvgSq if AMSGrad.
type Adam struct {
	Beta1, Beta2, Epsilon, WeightDecay float64
	AMSGrad, Decoupled                 bool
}

// RMSprop is RMSprop (Tieleman and Hinton, 2012), g = grad + WeightDecay·param:
//
//	squareAvg = Alpha·squareAvg + (1-Alpha)·g²
//	gradAvg = Alpha·gradAvg + (1-Alpha)·g                  if Centered
//	u = g / (√max(squareAvg - gradAvg², 0) + Epsilon)      without gradAvg² unless Centered
//	momentum = Momentum·momentum + u                       if Momentum is not 0
//	param -= lr·momentum, or lr·u without momentum
//
// The maximum, which PyTorch does not take, keeps rounding from making a root of a negative number.
//
// State: squareAvg, gradAvg if Centered, momentum if Momentum is not 0.
type RMSprop struct {
	Alpha, Epsilon, WeightDecay, Momentum float64
	Centered                              bool
}

// Adagrad is Adagrad (Duchi et al., 2011), g = grad + WeightDecay·param:
//
//	sum += g²
//	param -= lr/(1 + (step-1)·LRDecay) · g / (√sum + Epsilon)
//
// State: sum.
type Adagrad struct {
	LRDecay, WeightDecay, Epsilon float64
}

func (SGD) Name() string     { return "SGD" }
func (Adam) Name() string    { return "Adam" }
func (RMSprop) Name() string { return "RMSprop" }
func (Adagrad) Name() string { return "Adagrad" }

func (op SGD) State() []string {
	if op.Momentum == 0 {
		return nil
	}
	return []string{"momentum"}
}

func (op Adam) State() []string {
	state := []string{"expAvg", "expAvgSq"}
	if op.AMSGrad {
		state = append(state, "maxExpAvgSq")
	}
	return state
}

func (op RMSprop) State() []string {
	state := []string{"squareAvg"}
	if op.Centered {
		state = append(state, "gradAvg")
	}
	if op.Momentum != 0 {
		state = append(state, "momentum")
	}
	return state
}

func (Adagrad) State() []string { return []string{"sum"} }

func (op SGD) Infer(inputs []Type) (Type, error)     { return inferOptimizer(op, inputs, 0) }
func (op Adam) Infer(inputs []Type) (Type, error)    { return inferOptimizer(op, inputs, op.Epsilon) }
func (op RMSprop) Infer(inputs []Type) (Type, error) { return inferOptimizer(op, inputs, op.Epsilon) }
func (op Adagrad) Infer(inputs []Type) (Type, error) { return inferOptimizer(op, inputs, op.Epsilon) }

func (op SGD) Updates() []int     { return optimizerUpdates(op) }
func (op Adam) Updates() []int    { return optimizerUpdates(op) }
func (op RMSprop) Updates() []int { return optimizerUpdates(op) }
func (op Adagrad) Updates() []int { return optimizerUpdates(op) }

func (op SGD) args() []string     { return optimizerArgs(op) }
func (op Adam) args() []string    { return optimizerArgs(op) }
func (op RMSprop) args() []string { return optimizerArgs(op) }
func (op Adagrad) args() []string { return optimizerArgs(op) }

func optimizerArgs(op Optimizer) []string {
	return append([]string{"param", "grad", "lr", "step"}, op.State()...)
}

// optimizerUpdates returns the parameter, the step and the state.
func optimizerUpdates(op Optimizer) []int {
	updated := []int{0, 3}
	for i := range op.State() {
		updated = append(updated, 4+i)
	}
	return updated
}

func inferOptimizer(op Optimizer, inputs []Type, epsilon float64) (Type, error) {
	dtype, err := checkInputs(op, inputs, 4+len(op.State()))
	if err != nil {
		return Type{}, err
	}
	if dtype != Float64 && epsilon > 0 && float32(epsilon) == 0 {
		return Type{}, invalidf(op.Name(), "Epsilon", "%v is 0 in float32, so a gradient of 0 would make the parameter NaN; use at least 1e-45", epsilon)
	}
	for i := range inputs {
		want := inputs[0].Shape
		if i == 2 || i == 3 {
			want = nil // lr and step are scalars
		}
		if err := checkSameShape(op, inputs, i, want); err != nil {
			return Type{}, err
		}
	}
	return inputs[0], nil
}
