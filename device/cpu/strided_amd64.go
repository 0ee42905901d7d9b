package cpu

import (
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/cpu/internal/strided"
)

// vectorGather returns a function that reads elements which lie apart by vector
// kernels, and leaves others to read.
func vectorGather(read func(dst []float32, offset, stride int), d device.DType, mem []byte) func(dst []float32, offset, stride int) {
	var gather func(dst []float32, offset, stride int)
	switch d {
	case device.Float32:
		mem := typed[float32](mem)
		gather = func(dst []float32, offset, stride int) { strided.Gather(dst, mem[offset:], stride) }
	case device.Float16:
		mem := typed[uint16](mem)
		gather = func(dst []float32, offset, stride int) { strided.GatherFloat16(dst, mem[offset:], stride) }
	default:
		mem := typed[uint16](mem)
		gather = func(dst []float32, offset, stride int) { strided.GatherBFloat16(dst, mem[offset:], stride) }
	}
	return func(dst []float32, offset, stride int) {
		if stride > 1 && len(dst) >= strided.Lanes {
			gather(dst, offset, stride)
		} else {
			read(dst, offset, stride)
		}
	}
}

// transposeVectors is [transpose] by vector kernels.
func transposeVectors(dst []float32, pitch int, src []float32, stride, rows, columns int) {
	if rows >= strided.LeastRows && columns >= strided.Lanes {
		strided.Transpose(dst, pitch, src, stride, rows, columns)
	} else {
		transpose(dst, pitch, src, stride, rows, columns)
	}
}
