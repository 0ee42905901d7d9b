package simd

import (
	"math"
	"unsafe"
)

// SoftMarginLoss holds the kernels of the soft margin loss for one instruction set, on elements of
// type E: float32, or the bits of a half type, for which arithmetic is float32 arithmetic, rounded once in the
// end.
type SoftMarginLoss[E float32 | uint16] struct {
	loss           func(dst, self, target []E)
	sums           func(self, target []E, sums []float64)
	backward       func(dst, self, target []E, factor float32)
	backwardVector func(dst, gradOutput, self, target []E, norm float32)
	sumsBackward   func(dst, self, target []E, factor float32, sums []float64)
	ones           []E

	// The same for a norm whose products with gradOutput are rounded; nil for halves, where that does not count.
	backwardVectorNorm func(dst, gradOutput, self, target []E, norm float32)

	// The same past the caches, at addresses that are multiples of a vector's bytes; nil for halves.
	backwardPast     func(dst, self, target []E, factor float32)
	sumsBackwardPast func(dst, self, target []E, factor float32, sums []float64)
	vector           uintptr
}

// softMarginSet are the kernels for one instruction set.
type softMarginSet struct {
	name              string
	float32, decoded  SoftMarginLoss[float32]
	float16, bfloat16 SoftMarginLoss[uint16]
}

func softMarginSets() []softMarginSet {
	ones, onesFloat16, onesBFloat16 := repeat[float32](1), repeat[uint16](0x3c00), repeat[uint16](0x3f80)
	sets := []softMarginSet{{
		"AVX2",
		SoftMarginLoss[float32]{softMarginLossAVX2, softMarginLossSumsAVX2, softMarginLossBackwardAVX2,
			softMarginLossBackwardVectorAVX2, softMarginLossSumsBackwardAVX2, ones,
			softMarginLossBackwardVectorNormAVX2, softMarginLossBackwardPastAVX2, softMarginLossSumsBackwardPastAVX2, 32},
		SoftMarginLoss[float32]{softMarginLossAVX2, softMarginLossSumsAVX2, softMarginLossBackwardRoughAVX2,
			softMarginLossBackwardVectorAVX2, softMarginLossSumsBackwardAVX2, ones, nil, nil, nil, 32},
		SoftMarginLoss[uint16]{softMarginLossFloat16AVX2, softMarginLossSumsFloat16AVX2, softMarginLossBackwardFloat16AVX2,
			softMarginLossBackwardVectorFloat16AVX2, softMarginLossSumsBackwardFloat16AVX2, onesFloat16, nil, nil, nil, 32},
		SoftMarginLoss[uint16]{softMarginLossBFloat16AVX2, softMarginLossSumsBFloat16AVX2, softMarginLossBackwardBFloat16AVX2,
			softMarginLossBackwardVectorBFloat16AVX2, softMarginLossSumsBackwardBFloat16AVX2, onesBFloat16, nil, nil, nil, 32},
	}}
	if avx512 {
		sets = append(sets, softMarginSet{
			"AVX512",
			SoftMarginLoss[float32]{softMarginLossAVX512, softMarginLossSumsAVX512, softMarginLossBackwardAVX512,
				softMarginLossBackwardVectorAVX512, softMarginLossSumsBackwardAVX512, ones,
				softMarginLossBackwardVectorNormAVX512, softMarginLossBackwardPastAVX512, softMarginLossSumsBackwardPastAVX512, 64},
			SoftMarginLoss[float32]{softMarginLossAVX512, softMarginLossSumsAVX512, softMarginLossBackwardRoughAVX512,
				softMarginLossBackwardVectorAVX512, softMarginLossSumsBackwardAVX512, ones, nil, nil, nil, 64},
			SoftMarginLoss[uint16]{softMarginLossFloat16AVX512, softMarginLossSumsFloat16AVX512, softMarginLossBackwardFloat16AVX512,
				softMarginLossBackwardVectorFloat16AVX512, softMarginLossSumsBackwardFloat16AVX512, onesFloat16, nil, nil, nil, 64},
			SoftMarginLoss[uint16]{softMarginLossBFloat16AVX512, softMarginLossSumsBFloat16AVX512, softMarginLossBackwardBFloat16AVX512,
				softMarginLossBackwardVectorBFloat16AVX512, softMarginLossSumsBackwardBFloat16AVX512, onesBFloat16, nil, nil, nil, 64},
		})
	}
	return sets
}

// SoftMarginFloat32, SoftMarginFloat16 and SoftMarginBFloat16 are the fastest kernels of the soft margin
// loss that the processor can run. SoftMarginDecoded is for halves that were converted to float32, such as
// strided ones: rounded, its results are those of SoftMarginFloat16 and SoftMarginBFloat16 to the bit.
var SoftMarginFloat32, SoftMarginDecoded, SoftMarginFloat16, SoftMarginBFloat16 = func() (_, _ SoftMarginLoss[float32], _, _ SoftMarginLoss[uint16]) {
	sets := softMarginSets()
	best := sets[len(sets)-1]
	return best.float32, best.decoded, best.float16, best.bfloat16
}()

// Loss stores log(1 + e^(-target·self)).
func (k *SoftMarginLoss[E]) Loss(dst, self, target []E) { k.loss(dst, self, target) }

// Part is the number of elements over which losses are summed up.
const Part = 1024

// Sums stores the sums of log(1 + e^(-target·self)), one for every [Part] elements and one for the rest. It
// is not the sum of the numbers that Loss stores, but closer to the exact one: the terms' factors are
// multiplied, up to 64 of them, before a logarithm is taken. The order depends on the length alone.
func (k *SoftMarginLoss[E]) Sums(self, target []E, sums []float64) { k.sums(self, target, sums) }

// Backward stores -target · sigmoid(-target·self) · factor.
func (k *SoftMarginLoss[E]) Backward(dst, self, target []E, factor float32) {
	if ordinary(factor) {
		k.backward(dst, self, target, -quiet(factor)*unit)
		return
	}
	for len(self) > 0 {
		n := min(len(self), len(k.ones))
		k.backwardVector(dst[:n], k.ones[:n], self[:n], target[:n], -quiet(factor))
		dst, self, target = dst[n:], self[n:], target[n:]
	}
}

// BackwardPast is Backward for results that will not be read soon: of float32, it writes them past the
// caches, which then need not read them first.
func (k *SoftMarginLoss[E]) BackwardPast(dst, self, target []E, factor float32) {
	if k.canGoPast(dst, factor) {
		k.backwardPast(dst, self, target, -factor*unit)
		return
	}
	k.Backward(dst, self, target, factor)
}

func (k *SoftMarginLoss[E]) canGoPast(dst []E, factor float32) bool {
	return k.backwardPast != nil && ordinary(factor) && uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%k.vector == 0
}

// BackwardVector stores -target · sigmoid(-target·self) · gradOutput · norm.
func (k *SoftMarginLoss[E]) BackwardVector(dst, gradOutput, self, target []E, norm float32) {
	if mantissa := math.Float32bits(norm) & (1<<23 - 1); mantissa != 0 && k.backwardVectorNorm != nil {
		k.backwardVectorNorm(dst, gradOutput, self, target, -norm)
		return
	}
	k.backwardVector(dst, gradOutput, self, target, -quiet(norm))
}

// SumsBackward does the work of Sums and Backward in one pass. The last bits may differ from
// theirs.
func (k *SoftMarginLoss[E]) SumsBackward(dst, self, target []E, factor float32, sums []float64) {
	if ordinary(factor) {
		k.sumsBackward(dst, self, target, -quiet(factor)*unit, sums)
		return
	}
	k.Sums(self, target, sums)
	k.Backward(dst, self, target, factor)
}

// SumsBackwardPast is to SumsBackward what BackwardPast is to Backward.
func (k *SoftMarginLoss[E]) SumsBackwardPast(dst, self, target []E, factor float32, sums []float64) {
	if k.canGoPast(dst, factor) {
		k.sumsBackwardPast(dst, self, target, -factor*unit, sums)
		return
	}
	k.SumsBackward(dst, self, target, factor, sums)
}

// unit is what the kernels multiply 1 + e^|margin| with, so that it is not infinite where the
// gradient is not 0.
const unit = 0x1p-40

// ordinary reports whether factor·unit·target is a normal number for targets that are not
// tiny themselves, or 0 or NaN. Other factors are for the kernels with a vector of
// gradients, which take any.
func ordinary(factor float32) bool {
	f := math.Abs(float64(factor))
	return !(0 < f && f < 0x1p-32 || f > 0x1p12)
}

// quiet returns x, with no payload in the lower half of a NaN: kernels of bfloat16 round it away
// as that of a number.
func quiet(x float32) float32 {
	if x != x {
		return float32(math.NaN())
	}
	return x
}

func repeat[E float32 | uint16](x E) []E {
	s := make([]E, 256)
	for i := range s {
		s[i] = x
	}
	return s
}
