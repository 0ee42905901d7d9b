package simd512

import "math"

// The same for slices of halves. Arithmetic is float32 arithmetic, rounded once in the end.

// SoftMarginLossSumFloat16 is [SoftMarginLossSum] of float16 numbers.
func SoftMarginLossSumFloat16(self, target []uint16) float64 {
	target = target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		t.trim(n)
		softMarginLossTermsFloat16(self[:n], target[:n], &t.products[0], &t.rests[0])
		sum += sumLogTerms(&t.products[0], &t.rests[0])
		self, target = self[n:], target[n:]
	}
	return sum
}

// SoftMarginLossBackwardFloat16 is [SoftMarginLossBackward] of float16 numbers.
func SoftMarginLossBackwardFloat16(dst, self, target []uint16, factor float32) {
	if !ordinary(factor) {
		dst, target = dst[:len(self)], target[:len(self)]
		ones := ones[uint16](0x3c00)
		for len(self) > 0 {
			n := min(len(self), len(ones))
			softMarginLossBackwardVectorFloat16(dst[:n], ones[:n], self[:n], target[:n], -factor)
			dst, self, target = dst[n:], self[n:], target[n:]
		}
		return
	}
	softMarginLossBackwardFloat16(dst, self, target, -factor*unit)
}

// SoftMarginLossBackwardVectorFloat16 is [SoftMarginLossBackwardVector] of float16 numbers.
func SoftMarginLossBackwardVectorFloat16(dst, gradOutput, self, target []uint16, norm float32) {
	softMarginLossBackwardVectorFloat16(dst, gradOutput, self, target, -norm)
}

// SoftMarginLossSumBackwardFloat16 is [SoftMarginLossSumBackward] of float16 numbers.
func SoftMarginLossSumBackwardFloat16(dst, self, target []uint16, factor float32) float64 {
	if !ordinary(factor) || math.IsInf(float64(factor), 0) {
		sum := SoftMarginLossSumFloat16(self, target)
		SoftMarginLossBackwardFloat16(dst, self, target, factor)
		return sum
	}
	dst, target = dst[:len(self)], target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		t.trim(n)
		softMarginLossTermsBackwardFloat16(dst[:n], self[:n], target[:n], -factor*unit, &t.products[0], &t.rests[0])
		sum += sumLogTerms(&t.products[0], &t.rests[0])
		dst, self, target = dst[n:], self[n:], target[n:]
	}
	return sum
}

// SoftMarginLossSumBFloat16 is [SoftMarginLossSum] of bfloat16 numbers.
func SoftMarginLossSumBFloat16(self, target []uint16) float64 {
	target = target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		t.trim(n)
		softMarginLossTermsBFloat16(self[:n], target[:n], &t.products[0], &t.rests[0])
		sum += sumLogTerms(&t.products[0], &t.rests[0])
		self, target = self[n:], target[n:]
	}
	return sum
}

// SoftMarginLossBackwardBFloat16 is [SoftMarginLossBackward] of bfloat16 numbers.
func SoftMarginLossBackwardBFloat16(dst, self, target []uint16, factor float32) {
	if !ordinary(factor) {
		dst, target = dst[:len(self)], target[:len(self)]
		ones := ones[uint16](0x3f80)
		for len(self) > 0 {
			n := min(len(self), len(ones))
			softMarginLossBackwardVectorBFloat16(dst[:n], ones[:n], self[:n], target[:n], -quiet(factor))
			dst, self, target = dst[n:], self[n:], target[n:]
		}
		return
	}
	softMarginLossBackwardBFloat16(dst, self, target, -quiet(factor)*unit)
}

// SoftMarginLossBackwardVectorBFloat16 is [SoftMarginLossBackwardVector] of bfloat16 numbers.
func SoftMarginLossBackwardVectorBFloat16(dst, gradOutput, self, target []uint16, norm float32) {
	softMarginLossBackwardVectorBFloat16(dst, gradOutput, self, target, -quiet(norm))
}

// SoftMarginLossSumBackwardBFloat16 is [SoftMarginLossSumBackward] of bfloat16 numbers.
func SoftMarginLossSumBackwardBFloat16(dst, self, target []uint16, factor float32) float64 {
	if !ordinary(factor) || math.IsInf(float64(factor), 0) {
		sum := SoftMarginLossSumBFloat16(self, target)
		SoftMarginLossBackwardBFloat16(dst, self, target, factor)
		return sum
	}
	dst, target = dst[:len(self)], target[:len(self)]
	var t lossTerms
	sum := 0.0
	for len(self) > 0 {
		n := min(len(self), lossChunk)
		t.trim(n)
		softMarginLossTermsBackwardBFloat16(dst[:n], self[:n], target[:n], -quiet(factor)*unit, &t.products[0], &t.rests[0])
		sum += sumLogTerms(&t.products[0], &t.rests[0])
		dst, self, target = dst[n:], self[n:], target[n:]
	}
	return sum
}

// quiet returns x, with no payload in the lower half of a NaN: the kernels round it away
// as that of a number.
func quiet(x float32) float32 {
	if x != x {
		return float32(math.NaN())
	}
	return x
}
