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

	for _, set := range softMarginSets() {
		list = append(append(list, callsOfHalves("Float16"+set.name, &set.float16)...), callsOfHalves("BFloat16"+set.name, &set.bfloat16)...)
		sums := make([]float64, 1<<12)
		list = append(list, call{name: "SoftMarginLossSums" + set.name, slices: []slice{in32, in32}, wholesale: true, run: func(s []memory) float64 {
			return total(sums, len(s[0].float32s()), func(sums []float64) { set.float32.Sums(s[0].float32s(), s[1].float32s(), sums) })
		}})
	}
	list = append(list,
		call{name: "Dropout", slices: []slice{out32, in32}, wholesale: true, run: func(s []memory) float64 {
			Dropout(s[0].float32s(), s[1].float32s(), 1, 3, 0.3)
			return 0
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

// total returns the sum of what f stores for n elements.
func total(sums []float64, n int, f func(sums []float64)) (sum float64) {
	sums = sums[:(n+Part-1)/Part]
	f(sums)
	for _, x := range sums {
		sum += x
	}
	return sum
}

// callsOfHalves returns the functions on a half type.
func callsOfHalves(name string, of *SoftMarginLoss[uint16]) []call {
	const factor = 0x1p-7
	sums := make([]float64, 1<<12) // here, lest benchmarks measure its allocation
	return []call{
		{name: "SoftMarginLoss" + name, slices: []slice{out16, in16, in16}, run: func(s []memory) float64 {
			of.Loss(s[0].uint16s(), s[1].uint16s(), s[2].uint16s())
			return 0
		}},
		{name: "SoftMarginLossBackward" + name, slices: []slice{out16, in16, in16}, run: func(s []memory) float64 {
			of.Backward(s[0].uint16s(), s[1].uint16s(), s[2].uint16s(), factor)
			return 0
		}},
		{name: "SoftMarginLossBackwardVector" + name, slices: []slice{out16, in16, in16, in16}, run: func(s []memory) float64 {
			of.BackwardVector(s[0].uint16s(), s[1].uint16s(), s[2].uint16s(), s[3].uint16s(), factor)
			return 0
		}},
		{name: "SoftMarginLossSums" + name, slices: []slice{in16, in16}, wholesale: true, run: func(s []memory) float64 {
			return total(sums, len(s[0].uint16s()), func(sums []float64) { of.Sums(s[0].uint16s(), s[1].uint16s(), sums) })
		}},
		{name: "SoftMarginLossSumsBackward" + name, slices: []slice{out16, in16, in16}, wholesale: true, run: func(s []memory) float64 {
			return total(sums, len(s[0].uint16s()), func(sums []float64) { of.SumsBackward(s[0].uint16s(), s[1].uint16s(), s[2].uint16s(), factor, sums) })
		}},
	}
}
