package simd

import "math"

// SoftMarginLossSum returns the sum of log(1 + e^(-target·self)). It is not the sum of the numbers
// that [SoftMarginLoss] stores, but as close to the exact one: one logarithm is taken of the product of four
// terms 1 + e^(-target·self), which saves a good part of the time.
func SoftMarginLossSum(self, target []float32) float64 {
	target = target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		products, rests := t.of(n)
		softMarginLossTerms(self[:n], target[:n], products, rests)
		sum += sumLogTerms(products, rests)
		self, target = self[n:], target[n:]
	}
	return sum
}

// SoftMarginLossBackward stores -target · sigmoid(-target·self) · factor.
func SoftMarginLossBackward(dst, self, target []float32, factor float32) {
	if !ordinary(factor) {
		dst, target = dst[:len(self)], target[:len(self)]
		ones := ones[float32](1)
		for len(self) > 0 {
			n := min(len(self), len(ones))
			softMarginLossBackwardVector(dst[:n], ones[:n], self[:n], target[:n], -factor)
			dst, self, target = dst[n:], self[n:], target[n:]
		}
		return
	}
	softMarginLossBackward(dst, self, target, -factor*unit)
}

// SoftMarginLossBackwardVector stores -target · sigmoid(-target·self) · gradOutput · norm.
func SoftMarginLossBackwardVector(dst, gradOutput, self, target []float32, norm float32) {
	softMarginLossBackwardVector(dst, gradOutput, self, target, -norm)
}

// SoftMarginLossSumBackward does the work of [SoftMarginLossSum] and [SoftMarginLossBackward] in
// one pass. It stores the same gradients; the last bits of the sum may differ.
func SoftMarginLossSumBackward(dst, self, target []float32, factor float32) float64 {
	if !ordinary(factor) {
		sum := SoftMarginLossSum(self, target)
		SoftMarginLossBackward(dst, self, target, factor)
		return sum
	}
	dst, target = dst[:len(self)], target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		products, rests := t.of(n)
		softMarginLossTermsBackward(dst[:n], self[:n], target[:n], -factor*unit, products, rests)
		sum += sumLogTerms(products, rests)
		dst, self, target = dst[n:], self[n:], target[n:]
	}
	return sum
}

// unit is what the kernels multiply 1 + e^margin with, so that it is not infinite where the
// gradient is not 0.
const unit = 0x1p-40

// ordinary reports whether factor·unit·target is a normal number for targets that are not
// tiny themselves, or 0, ±Inf or NaN. Other factors are for the kernels with a vector of
// gradients, which take any.
func ordinary(factor float32) bool {
	f := math.Abs(float64(factor))
	return !(0 < f && f < 0x1p-32) && !(0x1p12 < f && f <= math.MaxFloat32)
}

func ones[E float32 | uint16](one E) (a [256]E) {
	for i := range a {
		a[i] = one
	}
	return a
}

// lossChunk is the number of elements for which terms are held at a time.
const lossChunk = 256

// lossTerms is room for the terms of a sum of losses.
type lossTerms struct{ products, rests [lossChunk / 4]float32 }

// of returns room for n elements: a vector for each 32 and one for the rest.
func (t *lossTerms) of(n int) (products, rests []float32) {
	n = (n + 31) / 32 * 8
	return t.products[:n], t.rests[:n]
}
