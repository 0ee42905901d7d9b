//go:build !amd64

package cpu

import "github.com/pullback-go/pullback/device"

func vectorGather(read func(dst []float32, offset, stride int), d device.DType, mem []byte) func(dst []float32, offset, stride int) {
	return read
}

func transposeVectors(dst []float32, pitch int, src []float32, stride, rows, columns int) {
	transpose(dst, pitch, src, stride, rows, columns)
}
