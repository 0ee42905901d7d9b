package simd

// An optimizer's update overwrites the parameter and the optimizer's state in place. The
// numbers of a step are rounded to float32 beforehand; then every operation of the formula is
// rounded by itself, in order, so the results are those of plain float32 arithmetic. A Decay of 0 means none.

// SGD holds the numbers of a step of stochastic gradient descent:
//
//	g = grad + Decay·param
//	buf = Momentum·buf + Undamped·g, or g if First
//	param -= Rate·buf, or Rate·(g + Momentum·buf) if Nesterov
//
// and param -= Rate·g without buf.
type SGD struct {
	Rate, Decay, Momentum, Undamped float32
	First, Nesterov                 bool
}

// Update makes the step. buf is nil without momentum.
func (k SGD) Update(param, grad, buf []float32) {
	if buf == nil {
		sgd(param, grad, k.Rate, k.Decay, mask(k.Decay != 0))
		return
	}
	sgdMomentum(param, grad, buf, k.Rate, k.Decay, k.Momentum, k.Undamped, mask(k.Decay != 0), mask(k.First), mask(k.Nesterov))
}

// Adam holds the numbers of a step of Adam, or of AdamW with a Keep other than 1:
//
//	g = grad + Decay·param
//	mean = Beta1·mean + Rest1·g
//	square = Beta2·square + Rest2·g·g
//	largest = max(square, largest)
//	param = Keep·param - Rate·mean / (√largest/Bias + Epsilon)
//
// with square in place of largest without AMSGrad.
type Adam struct {
	Rate, Decay, Beta1, Rest1, Beta2, Rest2, Bias, Epsilon, Keep float32
}

// Update makes the step. largest is nil without AMSGrad.
func (k Adam) Update(param, grad, mean, square, largest []float32) {
	if largest == nil {
		adam(param, grad, mean, square, k.Rate, k.Decay, k.Beta1, k.Rest1, k.Beta2, k.Rest2, k.Bias, k.Epsilon, k.Keep, mask(k.Decay != 0))
		return
	}
	adamAMSGrad(param, grad, mean, square, largest, k.Rate, k.Decay, k.Beta1, k.Rest1, k.Beta2, k.Rest2, k.Bias, k.Epsilon, k.Keep, mask(k.Decay != 0))
}

// RMSprop holds the numbers of a step of RMSprop:
//
//	g = grad + Decay·param
//	square = Alpha·square + Rest·g·g
//	mean = Alpha·mean + Rest·g
//	u = g / (√max(square - mean², 0) + Epsilon)
//	buf = u + Momentum·buf
//	param -= Rate·buf
//
// with √square without mean, and u in place of buf without buf.
type RMSprop struct {
	Rate, Decay, Alpha, Rest, Epsilon, Momentum float32
}

// Update makes the step. mean is nil unless it is centered, buf without momentum.
func (k RMSprop) Update(param, grad, square, mean, buf []float32) {
	decays := mask(k.Decay != 0)
	switch {
	case mean == nil && buf == nil:
		rmsprop(param, grad, square, k.Rate, k.Decay, k.Alpha, k.Rest, k.Epsilon, k.Momentum, decays)
	case mean == nil:
		rmspropMomentum(param, grad, square, buf, k.Rate, k.Decay, k.Alpha, k.Rest, k.Epsilon, k.Momentum, decays)
	case buf == nil:
		rmspropCentered(param, grad, square, mean, k.Rate, k.Decay, k.Alpha, k.Rest, k.Epsilon, k.Momentum, decays)
	default:
		rmspropCenteredMomentum(param, grad, square, mean, buf, k.Rate, k.Decay, k.Alpha, k.Rest, k.Epsilon, k.Momentum, decays)
	}
}

// Adagrad holds the numbers of a step of Adagrad:
//
//	g = grad + Decay·param
//	square += g·g
//	param -= Rate·g / (√square + Epsilon)
type Adagrad struct {
	Rate, Decay, Epsilon float32
}

// Update makes the step.
func (k Adagrad) Update(param, grad, square []float32) {
	adagrad(param, grad, square, k.Rate, k.Decay, k.Epsilon, mask(k.Decay != 0))
}

// mask returns all ones if b holds, else 0.
func mask(b bool) uint32 {
	if b {
		return 1<<32 - 1
	}
	return 0
}
