package cpu

import (
	"math"

	"github.com/pullback-go/pullback/device"
)

// planLoss computes a loss by a kernel, at the given cost for one element, and adds it up block by block: the losses
// themselves never leave the scratch.
func planLoss[F float](loss func(dst, self, target []F), sum func([]F) float64, cost int, r device.Reduction, inputs []device.View, output device.View) *program {
	if r == device.None {
		return planElementwise(binary(loss), cost, inputs, output)
	}
	shape, _ := device.Broadcast(inputs[0].Shape, inputs[1].Shape)
	e := newElementwise(binary(loss), inputs, shape)
	return planSums(e, func(start, n int, s scratch) float64 {
		losses := slot[F](s, outputSlot)[:n]
		e.block(start, losses, s)
		return sum(losses)
	}, cost, r, output)
}

// planSums adds up what sum returns for n elements from start on, at the given cost for one element.
func planSums[F float](e *elementwise[F], sum func(start, n int, s scratch) float64, cost int, r device.Reduction, output device.View) *program {
	t := newTotals[F](1, e.elements, r == device.Mean, output)
	return t.plan(e.phase(cost, func(start, n int, workspace []byte, s scratch) {
		partial := slot[float64](s, sumSlot)[:1]
		partial[0] = sum(start, n, s)
		t.put(0, start/blockSize, partial, workspace, s)
	}))
}

// lossNorm is the factor by which a mean scales the gradient, 1 for other reductions.
func lossNorm(r device.Reduction, output device.View) float64 {
	if r == device.Mean {
		return 1 / float64(device.Elements(output.Shape))
	}
	return 1
}

// planLossBackward passes the kernel the factor by which a mean scales the gradient.
func planLossBackward[F float](gradient func(norm float64, dst, gradOutput, self, target []F), r device.Reduction, inputs []device.View, output device.View) *program {
	norm := lossNorm(r, output)
	k := func(dst, gradOutput, self, target []F) { gradient(norm, dst, gradOutput, self, target) }
	return planElementwise(k, costly, inputs, output)
}

// softMarginLoss is softplus(z) with z = -target·self. For float32 z is exact,
// because the product is taken in float64.
func softMarginLoss[F float](dst, self, target []F) {
	target = target[:len(self)]
	for i, x := range self {
		dst[i] = F(softplus(-float64(target[i]) * float64(x)))
	}
}

// softMarginLossBackward is -target · sigmoid(z) · gradOutput · norm, with z as in softMarginLoss.
func softMarginLossBackward[F float](norm float64, dst, gradOutput, self, target []F) {
	self, target = self[:len(gradOutput)], target[:len(gradOutput)]
	for i, g := range gradOutput {
		t := float64(target[i])
		dst[i] = F(-t * sigmoid(-t*float64(self[i])) * float64(g) * norm)
	}
}

// bceWithLogits is max(self, 0) - self·target + log1p(e^-|self|). The first two
// are taken together, because they cancel exactly where target is 1.
func bceWithLogits[F float](dst, self, target []F) {
	target = target[:len(self)]
	for i, v := range self {
		x := float64(v)
		linear := max(x, 0) - float64(x*float64(target[i]))
		dst[i] = F(linear + math.Log1p(exp(-math.Abs(x))))
	}
}

// bceWithLogitsBackward is (sigmoid(self) - target) · gradOutput · norm. For self
// above 0 the difference is taken as (1 - target) - sigmoid(-self), which keeps its
// accuracy where target is 1.
func bceWithLogitsBackward[F float](norm float64, dst, gradOutput, self, target []F) {
	self, target = self[:len(gradOutput)], target[:len(gradOutput)]
	for i, g := range gradOutput {
		x, t := float64(self[i]), float64(target[i])
		difference := sigmoid(-math.Abs(x))
		if x > 0 {
			difference = (1 - t) - difference
		} else {
			difference -= t
		}
		dst[i] = F(difference * float64(g) * norm)
	}
}
