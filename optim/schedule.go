package optim

import "math"

// Schedule gives the learning rate of a step from the number of steps completed
// before it, 0 for the first. It must depend on nothing but step, and be finite and
// not negative.
//
// The schedules of this package are PyTorch's of the same purpose in closed form. A
// constructor whose arguments are out of range returns a schedule that is NaN at
// every step, which every optimizer refuses when the graph is built.
type Schedule func(step int64) float64

// invalid is what constructors return for arguments that are out of range.
var invalid = Constant(math.NaN())

// Constant returns a schedule that is lr at every step.
func Constant(lr float64) Schedule {
	return func(int64) float64 { return lr }
}

// StepDecay returns lr · gamma^⌊step/every⌋: the learning rate is multiplied by
// gamma, in [0, 1], after every so many steps, at least 1. It is PyTorch's StepLR.
func StepDecay(lr, gamma float64, every int64) Schedule {
	if !isRate(lr) || !isShare(gamma) || every < 1 {
		return invalid
	}
	return func(step int64) float64 { return lr * math.Pow(gamma, float64(step/every)) }
}

// Exponential returns lr · gamma^step with gamma in [0, 1]. It is PyTorch's
// ExponentialLR.
func Exponential(lr, gamma float64) Schedule { return StepDecay(lr, gamma, 1) }

// Cosine returns minimum + (lr - minimum)·(1 + cos(π·step/steps))/2: half a cosine
// wave from lr down to minimum after the given number of steps, at least 1
// (Loshchilov and Hutter, 2017, arXiv:1608.03983). Beyond them the wave goes on, up
// again to lr after as many steps more, as in PyTorch's CosineAnnealingLR.
func Cosine(lr, minimum float64, steps int64) Schedule {
	if !isRate(lr) || !isRate(minimum) || steps < 1 {
		return invalid
	}
	return func(step int64) float64 { return cosine(lr, minimum, float64(step)/float64(steps)) }
}

// LinearWarmup returns a schedule that rises from start·then(0), with start in [0,
// 1], in equal parts to then(0) during the given number of steps, and goes on as
// then does from its step 0. With 0 steps it is then. It is PyTorch's LinearLR
// followed by another schedule.
//
//	optim.LinearWarmup(0.1, 100, optim.Cosine(1e-3, 0, 900)) // 1000 steps in all
func LinearWarmup(start float64, steps int64, then Schedule) Schedule {
	if !isShare(start) || steps < 0 || then == nil {
		return invalid
	}
	return func(step int64) float64 {
		if step >= steps {
			return then(step - steps)
		}
		return then(0) * (start + (1-start)*float64(step)/float64(steps))
	}
}

// OneCycle returns the one-cycle policy for a run of the given number of steps, at
// least 1 (Smith and Topin, 2018, arXiv:1708.07120): a rise along half a cosine
// wave from peak/25 to peak within the first 30% of the steps, and a fall along
// another to peak/250000 at the last step, where it stays. It is PyTorch's
// OneCycleLR with its defaults.
func OneCycle(peak float64, steps int64) Schedule {
	if !isRate(peak) || steps < 1 {
		return invalid
	}
	first := peak / 25
	final := first / 1e4
	top, last := 0.3*float64(steps)-1, float64(steps-1) // top is below 0 if there are few steps: no rise
	return func(step int64) float64 {
		s := min(float64(step), last)
		if s <= top {
			return cosine(first, peak, s/top)
		}
		return cosine(peak, final, (s-top)/(last-top))
	}
}

// cosine goes from a to b along half a cosine wave as t goes from 0 to 1.
func cosine(a, b, t float64) float64 { return b + (a-b)*(1+math.Cos(math.Pi*t))/2 }

// isRate reports whether x can be a learning rate.
func isRate(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// isShare reports whether x is in [0, 1].
func isShare(x float64) bool { return x >= 0 && x <= 1 }
