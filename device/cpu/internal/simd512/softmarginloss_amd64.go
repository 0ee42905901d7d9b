package simd512

import (
	"math"
	"unsafe"
)

// SoftMarginLossSum returns the sum of log(1 + e^(-target·self)). It is not the sum of the numbers
// that [SoftMarginLoss] stores, but closer to the exact one: terms are multiplied up to 32 at a time
// before a logarithm is taken. The order of the sum depends on the length alone.
func SoftMarginLossSum(self, target []float32) float64 {
	target = target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		t.trim(n)
		softMarginLossTerms(self[:n], target[:n], &t.products[0], &t.rests[0])
		sum += sumLogTerms(&t.products[0], &t.rests[0])
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

// SoftMarginLossBackwardPast is [SoftMarginLossBackward] for results that will not be read
// soon: it writes them past the caches, which then need not read them first.
func SoftMarginLossBackwardPast(dst, self, target []float32, factor float32) {
	if len(dst) == 0 || !aligned(dst) || !ordinary(factor) {
		SoftMarginLossBackward(dst, self, target, factor)
		return
	}
	softMarginLossBackwardPast(dst, self, target, -factor*unit)
}

// aligned reports whether the slice, which is not empty, starts at a multiple of a vector's size.
func aligned(x []float32) bool { return uintptr(unsafe.Pointer(&x[0]))%64 == 0 }

// SoftMarginLossBackwardVector stores -target · sigmoid(-target·self) · gradOutput · norm.
func SoftMarginLossBackwardVector(dst, gradOutput, self, target []float32, norm float32) {
	softMarginLossBackwardVector(dst, gradOutput, self, target, -norm)
}

// SoftMarginLossSumBackward does the work of [SoftMarginLossSum] and [SoftMarginLossBackward] in
// one pass. The last bits may differ from theirs.
func SoftMarginLossSumBackward(dst, self, target []float32, factor float32) float64 {
	if !ordinary(factor) || math.IsInf(float64(factor), 0) {
		sum := SoftMarginLossSum(self, target)
		SoftMarginLossBackward(dst, self, target, factor)
		return sum
	}
	dst, target = dst[:len(self)], target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		t.trim(n)
		softMarginLossTermsBackward(dst[:n], self[:n], target[:n], -factor*unit, &t.products[0], &t.rests[0])
		sum += sumLogTerms(&t.products[0], &t.rests[0])
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
const lossChunk = 1024

// lossTerms is room for the terms of a sum of losses, of which those that are left 0 do not count: a
// vector for each 128 elements and one for the rest.
type lossTerms struct{ products, rests [lossChunk / 8]float32 }

// trim takes away what earlier chunks have left behind the terms of n elements.
func (t *lossTerms) trim(n int) {
	if n < lossChunk {
		used := (n + 127) / 128 * 16
		clear(t.products[used:])
		clear(t.rests[used:])
	}
}
