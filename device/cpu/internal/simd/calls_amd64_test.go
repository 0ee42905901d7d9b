package simd

import (
	"math/rand/v2"
	"unsafe"
)

// call is a row of the table of all functions on slices: what they do with memory.
type call struct {
	name   string
	slices []slice
	run    func(s []memory) float64 // 0 unless the function returns a sum

	// wholesale says that a result depends on all elements. Otherwise an element of the output
	// depends on the same elements of the inputs only.
	wholesale bool
}

// slice describes a parameter.
type slice struct {
	size    int // of an element, in bytes
	written bool
	fill    func(r *rand.Rand, m memory) // nil for what is only written
}

// memory is a parameter's elements.
type memory []byte

func (m memory) float32s() []float32 { return elements[float32](m) }
func (m memory) uint16s() []uint16   { return elements[uint16](m) }
func (m memory) float64s() []float64 { return elements[float64](m) }

func elements[E any](m memory) []E {
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(m))), len(m)/int(unsafe.Sizeof(e)))
}

var (
	in32     = slice{4, false, anyFloats}
	out32    = slice{4, true, nil}
	inOut32  = slice{4, true, anyFloats}
	square32 = slice{4, true, func(r *rand.Rand, m memory) {
		for i := range m.float32s() {
			m.float32s()[i] = float32(r.ExpFloat64())
		}
	}}
	in16 = slice{2, false, func(r *rand.Rand, m memory) {
		for i := range m.uint16s() {
			m.uint16s()[i] = uint16(r.Uint32())
		}
	}}
	out16   = slice{2, true, nil}
	inOut64 = slice{8, true, func(r *rand.Rand, m memory) {
		for i := range m.float64s() {
			m.float64s()[i] = r.NormFloat64()
		}
	}}
)

func anyFloats(r *rand.Rand, m memory) {
	for i := range m.float32s() {
		m.float32s()[i] = anyFloat(r)
	}
}

func calls() []call {
	var list []call
	for _, k := range kernels() {
		c := call{name: k.name, slices: []slice{out32}}
		for range k.inputs {
			c.slices = append(c.slices, in32)
		}
		in := make([][]float32, k.inputs) // here, lest benchmarks measure its allocation
		c.run = func(s []memory) float64 {
			for i, m := range s[1:] {
				in[i] = m.float32s()
			}
			k.run(s[0].float32s(), in)
			return 0
		}
		list = append(list, c)
	}

	// Losses of halves, and sums of losses.
	const factor = 0x1p-7
	type halves = []uint16
	for _, h := range []struct {
		name           string
		loss           func(dst, self, target halves)
		sum            func(self, target halves) float64
		backward       func(dst, self, target halves, factor float32)
		backwardVector func(dst, gradOutput, self, target halves, norm float32)
		sumBackward    func(dst, self, target halves, factor float32) float64
	}{
		{"Float16", SoftMarginLossFloat16, SoftMarginLossSumFloat16, SoftMarginLossBackwardFloat16, SoftMarginLossBackwardVectorFloat16, SoftMarginLossSumBackwardFloat16},
		{"BFloat16", SoftMarginLossBFloat16, SoftMarginLossSumBFloat16, SoftMarginLossBackwardBFloat16, SoftMarginLossBackwardVectorBFloat16, SoftMarginLossSumBackwardBFloat16},
	} {
		list = append(list,
			call{name: "SoftMarginLoss" + h.name, slices: []slice{out16, in16, in16}, run: func(s []memory) float64 {
				h.loss(s[0].uint16s(), s[1].uint16s(), s[2].uint16s())
				return 0
			}},
			call{name: "SoftMarginLossBackward" + h.name, slices: []slice{out16, in16, in16}, run: func(s []memory) float64 {
				h.backward(s[0].uint16s(), s[1].uint16s(), s[2].uint16s(), factor)
				return 0
			}},
			call{name: "SoftMarginLossBackwardVector" + h.name, slices: []slice{out16, in16, in16, in16}, run: func(s []memory) float64 {
				h.backwardVector(s[0].uint16s(), s[1].uint16s(), s[2].uint16s(), s[3].uint16s(), factor)
				return 0
			}},
			call{name: "SoftMarginLossSum" + h.name, slices: []slice{in16, in16}, wholesale: true, run: func(s []memory) float64 {
				return h.sum(s[0].uint16s(), s[1].uint16s())
			}},
			call{name: "SoftMarginLossSumBackward" + h.name, slices: []slice{out16, in16, in16}, wholesale: true, run: func(s []memory) float64 {
				return h.sumBackward(s[0].uint16s(), s[1].uint16s(), s[2].uint16s(), factor)
			}})
	}
	list = append(list,
		call{name: "SoftMarginLossSum", slices: []slice{in32, in32}, wholesale: true, run: func(s []memory) float64 {
			return SoftMarginLossSum(s[0].float32s(), s[1].float32s())
		}},
		call{name: "SumFloat64", slices: []slice{in32}, wholesale: true, run: func(s []memory) float64 { return SumFloat64(s[0].float32s()) }},
		call{name: "AddFloat64", slices: []slice{inOut64, in32}, run: func(s []memory) float64 {
			AddFloat64(s[0].float64s(), s[1].float32s())
			return 0
		}},
		call{name: "Float16ToFloat32", slices: []slice{out32, in16}, run: func(s []memory) float64 {
			Float16ToFloat32(s[0].float32s(), s[1].uint16s())
			return 0
		}},
		call{name: "Float32ToFloat16", slices: []slice{out16, in32}, run: func(s []memory) float64 {
			Float32ToFloat16(s[0].uint16s(), s[1].float32s())
			return 0
		}},
		call{name: "BFloat16ToFloat32", slices: []slice{out32, in16}, run: func(s []memory) float64 {
			BFloat16ToFloat32(s[0].float32s(), s[1].uint16s())
			return 0
		}},
		call{name: "Float32ToBFloat16", slices: []slice{out16, in32}, run: func(s []memory) float64 {
			Float32ToBFloat16(s[0].uint16s(), s[1].float32s())
			return 0
		}})

	for _, u := range updates() {
		c := call{name: u.name, slices: []slice{inOut32, in32}}
		for range u.state {
			c.slices = append(c.slices, square32)
		}
		state := make([][]float32, u.state)
		c.run = func(s []memory) float64 {
			for i, m := range s[2:] {
				state[i] = m.float32s()
			}
			u.run(s[0].float32s(), s[1].float32s(), state)
			return 0
		}
		list = append(list, c)
	}
	return list
}
