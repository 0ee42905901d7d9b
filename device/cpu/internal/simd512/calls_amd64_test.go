package simd512

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device/cpu/internal/simd"
)

// call is a row of the table of all functions, with slices as bytes. Its last slices are
// those of the logits and the targets.
type call struct {
	name   string
	slices []slice
	run    func(s []memory) float64 // 0 unless the function returns a sum
	sums   bool                     // says that it does
}

// slice describes a parameter.
type slice struct {
	format
	size    int // of an element, in bytes
	written bool
	fill    func(r *rand.Rand, m memory) // nil for what is only written
}

// format is how numbers are stored.
type format int

const (
	format32 format = iota
	formatFloat16
	formatBFloat16
)

// set stores x as element i.
func (f format) set(m memory, i int, x float32) {
	switch f {
	case format32:
		m.float32s()[i] = x
	case formatFloat16:
		m.uint16s()[i] = float16.Fromfloat32(x).Bits()
	case formatBFloat16:
		m.uint16s()[i] = uint16(math.Float32bits(x) >> 16)
	}
}

// get returns element i.
func (f format) get(m memory, i int) float64 {
	switch f {
	case formatFloat16:
		return float64(float16.Frombits(m.uint16s()[i]).Float32())
	case formatBFloat16:
		return float64(math.Float32frombits(uint32(m.uint16s()[i]) << 16))
	}
	return float64(m.float32s()[i])
}

// memory is a parameter's elements.
type memory []byte

func (m memory) float32s() []float32 { return elements[float32](m) }
func (m memory) uint16s() []uint16   { return elements[uint16](m) }

func elements[E any](m memory) []E {
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(m))), len(m)/int(unsafe.Sizeof(e)))
}

// memoryOf returns the elements as bytes.
func memoryOf(s []uint16) memory {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 2*len(s))
}

// functions are the package's, or those of package simd, for one format.
type functions[E float32 | uint16] struct {
	loss           func(dst, self, target []E)
	sum            func(self, target []E) float64
	backward       func(dst, self, target []E, factor float32)
	backwardVector func(dst, gradOutput, self, target []E, norm float32)
	sumBackward    func(dst, self, target []E, factor float32) float64
}

var (
	functions32   = functions[float32]{SoftMarginLoss, SoftMarginLossSum, SoftMarginLossBackward, SoftMarginLossBackwardVector, SoftMarginLossSumBackward}
	functionsF16  = functions[uint16]{SoftMarginLossFloat16, SoftMarginLossSumFloat16, SoftMarginLossBackwardFloat16, SoftMarginLossBackwardVectorFloat16, SoftMarginLossSumBackwardFloat16}
	functionsBF16 = functions[uint16]{SoftMarginLossBFloat16, SoftMarginLossSumBFloat16, SoftMarginLossBackwardBFloat16, SoftMarginLossBackwardVectorBFloat16, SoftMarginLossSumBackwardBFloat16}

	avx2FunctionsF16  = functions[uint16]{simd.SoftMarginLossFloat16, simd.SoftMarginLossSumFloat16, simd.SoftMarginLossBackwardFloat16, simd.SoftMarginLossBackwardVectorFloat16, simd.SoftMarginLossSumBackwardFloat16}
	avx2FunctionsBF16 = functions[uint16]{simd.SoftMarginLossBFloat16, simd.SoftMarginLossSumBFloat16, simd.SoftMarginLossBackwardBFloat16, simd.SoftMarginLossBackwardVectorBFloat16, simd.SoftMarginLossSumBackwardBFloat16}
)

// factor is that of the calls.
const factor = 0x1p-7

func calls() []call {
	return append(append(callsOf("", format32, functions32), callsOf("Float16", formatFloat16, functionsF16)...), callsOf("BFloat16", formatBFloat16, functionsBF16)...)
}

func callsOf[E float32 | uint16](suffix string, f format, of functions[E]) []call {
	size := int(unsafe.Sizeof(E(0)))
	in := slice{f, size, false, func(r *rand.Rand, m memory) {
		for i := range len(m) / size {
			if r.IntN(2) == 0 {
				f.set(m, i, float32(2*r.IntN(2)-1))
				continue
			}
			for j := range size {
				m[i*size+j] = byte(r.Uint32())
			}
			if r.IntN(2) == 0 {
				f.set(m, i, float32(r.NormFloat64()*30))
			}
		}
	}}
	out := slice{f, size, true, nil}
	e := elements[E]
	return []call{
		{name: "SoftMarginLoss" + suffix, slices: []slice{out, in, in}, run: func(s []memory) float64 {
			of.loss(e(s[0]), e(s[1]), e(s[2]))
			return 0
		}},
		{name: "SoftMarginLossSum" + suffix, slices: []slice{in, in}, sums: true, run: func(s []memory) float64 {
			return of.sum(e(s[0]), e(s[1]))
		}},
		{name: "SoftMarginLossBackward" + suffix, slices: []slice{out, in, in}, run: func(s []memory) float64 {
			of.backward(e(s[0]), e(s[1]), e(s[2]), factor)
			return 0
		}},
		{name: "SoftMarginLossBackwardVector" + suffix, slices: []slice{out, in, in, in}, run: func(s []memory) float64 {
			of.backwardVector(e(s[0]), e(s[1]), e(s[2]), e(s[3]), factor)
			return 0
		}},
		{name: "SoftMarginLossSumBackward" + suffix, slices: []slice{out, in, in}, sums: true, run: func(s []memory) float64 {
			return of.sumBackward(e(s[0]), e(s[1]), e(s[2]), factor)
		}},
	}
}
