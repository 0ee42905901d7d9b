package ascend_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// Attributes that float32 does not hold are refused, and leave nothing behind.
func TestAttributesBeyondFloat32(t *testing.T) {
	sim := requireSimulator(t)
	dev := open(t, "ascend:sim")
	x, y, lr, step := fill(t, dev, device.Float32, -1, 0), fill(t, dev, device.Float32, 1, 1), fill(t, dev, device.Float32, 1), fill(t, dev, device.Float32, 0)
	lr.Shape, lr.Strides, step.Shape, step.Strides = nil, nil, nil, nil
	alive := sim.alive()
	for _, attribute := range []float64{1e300, -1e39, math.MaxFloat64} {
		for _, c := range []device.Call{
			{Op: device.LeakyReLU{NegativeSlope: attribute}, Inputs: []device.View{x}, Output: y},
			{Op: device.LeakyReLUBackward{NegativeSlope: attribute}, Inputs: []device.View{x, x}, Output: y},
			{Op: device.SGD{WeightDecay: attribute}, Inputs: []device.View{x, y, lr, step}, Output: x},
		} {
			_, err := dev.Plan(c.Op, c.Inputs, c.Output)
			require.ErrorIs(t, err, device.ErrParamInvalid)
			require.ErrorContains(t, err, "too large for float32")
			require.ErrorContains(t, err, c.Op.Name())
		}
	}
	require.LessOrEqual(t, sim.alive(), alive+1) // the pool may keep one
	require.Equal(t, []float32{float32(-math.MaxFloat32), 0}, launch(t, dev, device.LeakyReLU{NegativeSlope: math.MaxFloat32}, y, x))
	require.True(t, math.IsInf(float64(launch(t, dev, device.LeakyReLU{NegativeSlope: math.Inf(1)}, y, x)[0]), -1))
}
