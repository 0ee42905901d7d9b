package cpu

import (
	"sync"

	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
)

// float is a type that kernels compute in: float64 for float64 tensors, float32 for all others.
type float interface {
	float32 | float64
}

// dtypeOf returns F as a dtype.
func dtypeOf[F float]() device.DType {
	if _, ok := any(F(0)).(float64); ok {
		return device.Float64
	}
	return device.Float32
}

// converters returns the functions that read elements of a buffer into a block of
// F, and that write a block of F to it, rounding to nearest even. The elements start
// at offset and lie stride apart.
func converters[F float](d device.DType, mem []byte) (read, write func(block []F, offset, stride int)) {
	switch d {
	case device.Float32:
		return floatConverters[F](typed[float32](mem))
	case device.Float64:
		return floatConverters[F](typed[float64](mem))
	case device.Float16:
		return float16Converters[F](typed[uint16](mem))
	default:
		return bfloat16Converters[F](typed[uint16](mem))
	}
}

func floatConverters[F, E float](mem []E) (read, write func(block []F, offset, stride int)) {
	same, _ := any(mem).([]F)
	read = func(dst []F, offset, stride int) {
		switch {
		case stride == 0:
			fill(dst, F(mem[offset]))
		case stride == 1 && same != nil:
			copy(dst, same[offset:])
		case stride == 1:
			for i, x := range mem[offset:][:len(dst)] {
				dst[i] = F(x)
			}
		default:
			for i := range dst {
				dst[i] = F(mem[offset+i*stride])
			}
		}
	}
	write = func(src []F, offset, stride int) {
		for i, x := range src {
			mem[offset+i*stride] = E(x)
		}
	}
	return read, write
}

// fill sets all elements to x, by copying what is filled already.
func fill[F float](dst []F, x F) {
	if len(dst) == 0 {
		return
	}
	dst[0] = x
	for n := 1; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

func float16Converters[F float](mem []uint16) (read, write func(block []F, offset, stride int)) {
	values := float16Values()
	read = func(dst []F, offset, stride int) {
		for i := range dst {
			dst[i] = F(values[mem[offset+i*stride]])
		}
	}
	write = func(src []F, offset, stride int) {
		for i, x := range src {
			mem[offset+i*stride] = encodeFloat16(float32(x))
		}
	}
	return read, write
}

func bfloat16Converters[F float](mem []uint16) (read, write func(block []F, offset, stride int)) {
	read = func(dst []F, offset, stride int) {
		for i := range dst {
			dst[i] = F(device.BFloat16Value(mem[offset+i*stride]))
		}
	}
	write = func(src []F, offset, stride int) {
		for i, x := range src {
			mem[offset+i*stride] = device.BFloat16Bits(float32(x))
		}
	}
	return read, write
}

// float16Values holds the value of every float16, by its bits. Looking one up
// takes a quarter of the time of decoding it.
var float16Values = sync.OnceValue(func() *[1 << 16]float32 {
	values := new([1 << 16]float32)
	for h := range values {
		values[h] = float16.Frombits(uint16(h)).Float32()
	}
	return values
})

func encodeFloat16(x float32) uint16 { return float16.Fromfloat32(x).Bits() }

// scalarOf returns a function that reads one element of a view, the one that lies
// offset elements from the first, whenever it is called.
func scalarOf(v device.View, offset int) func() float64 {
	mem := v.Buffer.(*buffer).mem
	at := v.Offset + offset
	switch v.DType {
	case device.Float32:
		x := typed[float32](mem)
		return func() float64 { return float64(x[at]) }
	case device.Float64:
		x := typed[float64](mem)
		return func() float64 { return x[at] }
	case device.Float16:
		x := typed[uint16](mem)
		return func() float64 { return float64(float16.Frombits(x[at]).Float32()) }
	default:
		x := typed[uint16](mem)
		return func() float64 { return float64(device.BFloat16Value(x[at])) }
	}
}

// vectorConverters returns functions that convert contiguous pieces by vector
// kernels, and leave the others to read and write.
func vectorConverters(read, write func(block []float32, offset, stride int), d device.DType, mem []uint16) (_, _ func(block []float32, offset, stride int)) {
	decode, encode := vectorHalves(d)
	return func(dst []float32, offset, stride int) {
			if stride == 1 {
				decode(dst, mem[offset:][:len(dst)])
			} else {
				read(dst, offset, stride)
			}
		}, func(src []float32, offset, stride int) {
			if stride == 1 {
				encode(mem[offset:][:len(src)], src)
			} else {
				write(src, offset, stride)
			}
		}
}
