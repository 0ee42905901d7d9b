//go:build !amd64

package cpu

import "github.com/pullback-go/pullback/device"

// vectorsAvailable reports whether there are vector kernels for this machine.
func vectorsAvailable() bool { return false }

// planVector has no kernels to plan with.
func planVector(op device.Op, inputs []device.View, output device.View) *program { return nil }

func planVectorLossBoth(r device.Reduction, inputs []device.View, loss, gradInput device.View) *program {
	return nil
}

func planVectorLinear(inputs []device.View, output device.View) *program { return nil }

func vectorHalves(d device.DType) (decode func(dst []float32, src []uint16), encode func(dst []uint16, src []float32)) {
	return nil, nil
}
