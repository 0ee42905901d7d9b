package devicetest

import (
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// losses are large on the wrong side of these margins, tiny on the right one.
var margins = slices.Concat([]float64{0, negZero}, both(0x1p-149, 1e-40, 0x1p-24, 0.5, 1, 15, 17, 50, 87, 88.75, 100, 103, 104, 1e4, 65504, 1e38, 0x1.fep127, math.MaxFloat32))

func lossCases() []opCase {
	logit := operand{draw: mixed(normal(1), normal(30), anyFinite), special: append(slices.Clone(margins), inf, -inf, nan)}
	sign := operand{draw: oneOf(-1, 1), special: []float64{-1, 1}}
	anyTarget := operand{draw: mixed(oneOf(-1, 1), normal(3)), special: slices.Concat([]float64{0, nan}, both(0.5, 2, 1e38, inf))}
	label := operand{draw: oneOf(0, 1), special: []float64{0, 1}}
	share := operand{draw: uniform(0, 1), special: []float64{0, 0.25, 1, nan}}
	one := operand{draw: oneOf(1), special: []float64{1}}
	gradient := operand{draw: normal(2), special: slices.Concat([]float64{0, nan}, both(0.5, 1e-10, 1e30, inf))}

	return []opCase{
		// The framework's own promise: 2 ulp for targets ±1 and every logit.
		softMargin(2, logit, sign, device.None),
		softMargin(2, logit, anyTarget, device.None),
		softMargin(8, operand{draw: normal(10)}, operand{draw: mixed(oneOf(-1, 1), normal(3))}, device.Mean, device.Sum),
		softMarginBackward(2, one, logit, sign, device.None),
		softMarginBackward(4, gradient, logit, anyTarget, device.None),
		softMarginBackward(5, operand{draw: normal(2)}, operand{draw: normal(10)}, operand{draw: mixed(oneOf(-1, 1), normal(3))}, device.Mean, device.Sum),
		bce(2, logit, label, device.None),
		bce(3, logit, share, device.None),
		bce(8, operand{draw: normal(10)}, operand{draw: mixed(oneOf(0, 1), uniform(0, 1))}, device.Mean, device.Sum),
		bceBackward(4, gradient, logit, share, device.None),
		bceBackward(5, operand{draw: normal(2)}, operand{draw: normal(10)}, operand{draw: mixed(oneOf(0, 1), uniform(0, 1))}, device.Mean, device.Sum),
	}
}

// reduced is the reference of a loss with the elements that f gives.
func reduced(reduction func(device.Op) device.Reduction, f func(x []float64) number) func(device.Op, []tensor) [][]number {
	return func(op device.Op, in []tensor) [][]number {
		losses := eachOf(op, in, func(_ device.Op, x []float64) number { return f(x) })
		switch reduction(op) {
		case device.Mean:
			losses = []number{mean(losses)}
		case device.Sum:
			losses = []number{sum(losses)}
		}
		return [][]number{losses}
	}
}

// normed is the reference of a loss's gradient with the elements that f gives.
func normed(reduction func(device.Op) device.Reduction, f func(x []float64) number) func(device.Op, []tensor) [][]number {
	return func(op device.Op, in []tensor) [][]number {
		gradients := eachOf(op, in, func(_ device.Op, x []float64) number { return f(x) })
		if reduction(op) == device.Mean {
			for i, g := range gradients {
				n := float64(len(gradients))
				gradients[i] = number{g.value / n, g.scale / n}
			}
		}
		return [][]number{gradients}
	}
}

func lossCalls(n int, op func(device.Reduction) device.Op, reductions []device.Reduction) []call {
	var ops []device.Op
	for _, r := range reductions {
		ops = append(ops, op(r))
	}
	return elementwiseCalls(n, ops...)
}

// softMargin: log(1 + exp(-target·self)). With other targets than ±1 the margin
// target·self is rounded, which moves the loss by margin·sigmoid(-margin) half ulps.
func softMargin(ulp float64, self, target operand, reductions ...device.Reduction) opCase {
	return opCase{
		calls:    lossCalls(2, func(r device.Reduction) device.Op { return device.SoftMarginLoss{Reduction: r} }, reductions),
		operands: []operand{self, target},
		want: reduced(func(op device.Op) device.Reduction { return op.(device.SoftMarginLoss).Reduction }, func(x []float64) number {
			margin := x[1] * x[0]
			loss := softplus(-margin)
			if math.Abs(x[1]) == 1 || math.IsInf(margin, 0) {
				return exactly(loss)
			}
			return number{loss, loss + math.Abs(margin)*sigmoid(-margin)}
		}),
		ulp: ulp,
	}
}

func softMarginBackward(ulp float64, gradOutput, self, target operand, reductions ...device.Reduction) opCase {
	return opCase{
		calls:    lossCalls(3, func(r device.Reduction) device.Op { return device.SoftMarginLossBackward{Reduction: r} }, reductions),
		operands: []operand{gradOutput, self, target},
		want: normed(func(op device.Op) device.Reduction { return op.(device.SoftMarginLossBackward).Reduction }, func(x []float64) number {
			g, margin := x[0], x[2]*x[1]
			gradient := -x[2] * sigmoid(-margin) * g
			if math.Abs(x[2]) == 1 || math.IsInf(margin, 0) {
				return exactly(gradient)
			}
			return number{gradient, math.Abs(gradient) * (1 + math.Abs(margin)*sigmoid(margin))}
		}),
		ulp: ulp,
		// A factor that float32 holds as a subnormal or as 0, made large again by the
		// gradient or the target.
		open: func(x []float64) bool {
			s := sigmoid(-x[2] * x[1])
			return s < 0x1p-126 && (math.Abs(x[0]) > 1 || math.Abs(x[2]) > 1)
		},
	}
}

// bce: max(self, 0) - self·target + log(1 + exp(-|self|)), of which terms cancel
// unless the target is 0 or 1.
func bce(ulp float64, self, target operand, reductions ...device.Reduction) opCase {
	return opCase{
		calls:    lossCalls(2, func(r device.Reduction) device.Op { return device.BCEWithLogits{Reduction: r} }, reductions),
		operands: []operand{self, target},
		want: reduced(func(op device.Op) device.Reduction { return op.(device.BCEWithLogits).Reduction }, func(x []float64) number {
			self, target := x[0], x[1]
			if math.IsInf(self, 0) { // Inf - Inf in the formula
				return unspecified
			}
			l := math.Log1p(math.Exp(-math.Abs(self)))
			loss := max(self, 0) - self*target + l
			if target == 0 || target == 1 {
				return exactly(loss)
			}
			return number{loss, max(self, 0) + math.Abs(self*target) + l}
		}),
		ulp: ulp,
	}
}

func bceBackward(ulp float64, gradOutput, self, target operand, reductions ...device.Reduction) opCase {
	return opCase{
		calls:    lossCalls(3, func(r device.Reduction) device.Op { return device.BCEWithLogitsBackward{Reduction: r} }, reductions),
		operands: []operand{gradOutput, self, target},
		want: normed(func(op device.Op) device.Reduction { return op.(device.BCEWithLogitsBackward).Reduction }, func(x []float64) number {
			s := sigmoid(x[1])
			return number{(s - x[2]) * x[0], (s + math.Abs(x[2])) * math.Abs(x[0])}
		}),
		ulp: ulp,
		// sigmoid(self) - target is 0 in float32 where float64 still sees a difference.
		open: func(x []float64) bool {
			return math.Abs(x[0]) > 1 && math.Abs(sigmoid(x[1])-x[2]) < 0x1p-20
		},
	}
}

// checkLossesAreFinite holds the losses to their documentation at margins where
// the literal formula gives Inf and NaN.
func checkLossesAreFinite(f *fixture) {
	type losses struct {
		targets           []float64
		forward, backward func(device.Reduction) device.Op
	}
	for _, l := range []losses{
		{[]float64{-1, 1},
			func(r device.Reduction) device.Op { return device.SoftMarginLoss{Reduction: r} },
			func(r device.Reduction) device.Op { return device.SoftMarginLossBackward{Reduction: r} }},
		{[]float64{0, 1},
			func(r device.Reduction) device.Op { return device.BCEWithLogits{Reduction: r} },
			func(r device.Reduction) device.Op { return device.BCEWithLogitsBackward{Reduction: r} }},
	} {
		if slices.Contains(f.o.Without, l.forward(0).Name()) || slices.Contains(f.o.Without, l.backward(0).Name()) {
			continue
		}
		for _, d := range dtypes {
			if !f.o.has(d) {
				continue
			}
			var logits, targets []float64
			for _, x := range margins {
				if math.IsInf(Round(x, d), 0) {
					continue
				}
				for _, t := range l.targets {
					logits, targets = append(logits, x), append(targets, t)
				}
			}
			n := len(logits)
			self, target := f.tensor(d, logits, n), f.tensor(d, targets, n)
			one := f.tensor(d, []float64{1})
			each, single := f.tensor(d, make([]float64, n), n), f.tensor(d, make([]float64, 1))
			check := func(op device.Op, output device.View, inputs ...device.View) {
				f.launch(op, output, inputs...)
				for i, x := range f.read(output) {
					require.False(f.t, math.IsNaN(x) || math.IsInf(x, 0),
						"%s in %s: element %d is %v for logit %v and target %v", device.OpString(op), d, i, x, logits[i], targets[i])
				}
			}
			check(l.forward(device.None), each, self, target)
			check(l.forward(device.Mean), single, self, target)
			for r := device.None; r <= device.Sum; r++ {
				check(l.backward(r), each, one, self, target)
			}
			f.free()
		}
	}
}

// checkDropoutMask checks what the row of Dropout does not: that the share of
// dropped elements is P, and that one executor makes another mask for another key.
func checkDropoutMask(f *fixture) {
	if slices.Contains(f.o.Without, device.Dropout{}.Name()) || !f.o.has(device.Float32) {
		return
	}
	const n, p = 100_000, 0.3
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	self, out := f.tensor(device.Float32, ones, n), f.tensor(device.Float32, ones, n)
	key := f.tensor(device.Float32, []float64{0, 0}, 2)
	exe, workspace := f.plan(device.Dropout{P: p}, out, self, key)
	keys := [][]float64{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1<<24 - 1, 1<<24 - 1}}
	var masks [][]float64
	for _, k := range keys {
		f.upload(key.Buffer, Encode(k, device.Float32))
		f.ok(exe.Launch(workspace, f.stream))
		masks = append(masks, f.read(out))
	}
	f.ok(exe.Close())
	for i, a := range masks {
		dropped := 0.0
		for _, x := range a {
			if x == 0 {
				dropped++
			}
		}
		// Five standard deviations of a binomial distribution.
		require.InDelta(f.t, p, dropped/n, 5*math.Sqrt(p*(1-p)/n), "the share that key %v drops", keys[i])
		for j, b := range masks[:i] {
			same := 0.0
			for k := range a {
				if a[k] == b[k] {
					same++
				}
			}
			const q = p*p + (1-p)*(1-p)
			require.InDelta(f.t, q, same/n, 5*math.Sqrt(q*(1-q)/n), "the share on which keys %v and %v agree", keys[i], keys[j])
		}
	}
}
