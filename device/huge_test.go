package device_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// TestPlanHugeViews plans calls on one element that is repeated as often as can be counted:
// planning looks at no element, so it takes no time and no memory, and does not lose count.
func TestPlanHugeViews(t *testing.T) {
	watchdog := time.AfterFunc(time.Minute, func() { panic("planning does not end") })
	defer watchdog.Stop()
	const largest = min(1<<53-1, math.MaxInt/8)
	for _, name := range []string{"cpu?threads=2", "cpu?threads=2&simd=off"} {
		dev, err := device.Open(name)
		require.NoError(t, err)
		defer func() { require.NoError(t, dev.Close()) }()
		b, err := dev.Alloc(64)
		require.NoError(t, err)
		out, err := dev.Alloc(64)
		require.NoError(t, err)
		for _, dtype := range []device.DType{f32, f16, f64} {
			repeated := func(shape ...int) device.View {
				return device.View{Buffer: b, DType: dtype, Shape: shape, Strides: make([]int, len(shape))}
			}
			const root = 1 << 14
			for _, c := range []struct {
				op     device.Op
				inputs []device.View
			}{
				{device.ReduceSum{Axes: 1}, []device.View{repeated(largest)}},
				{device.ReduceMean{Axes: 1}, []device.View{repeated(largest - 1)}},
				{device.ReduceSum{Axes: 3}, []device.View{repeated(root, largest/root)}},
				{device.ReduceSum{Axes: 1}, []device.View{repeated(largest/4, 4)}},
				{device.ReduceSum{Axes: 2}, []device.View{repeated(4, largest/4)}},
				{device.ReduceMean{Axes: 5}, []device.View{repeated(largest/root/4, 4, root)}},
				{device.SoftMarginLoss{Reduction: device.Mean}, []device.View{repeated(largest), repeated(largest)}},
				{device.SoftMarginLoss{Reduction: device.Sum}, []device.View{repeated(root, largest/root), repeated(1)}},
				{device.BCEWithLogits{Reduction: device.Mean}, []device.View{repeated(largest), repeated(1)}},
				{device.MatMul{}, []device.View{repeated(1, largest), repeated(largest, 1)}},
				{device.MatMul{}, []device.View{repeated(2, largest/2), repeated(largest/2, 2)}},
				{device.MatMul{TransposeSelf: true, TransposeOther: true}, []device.View{repeated(largest/2, 2), repeated(2, largest/2)}},
				{device.Linear{}, []device.View{repeated(2, largest/2), repeated(largest/2, 1), repeated(1)}},
			} {
				types := make([]device.Type, len(c.inputs))
				for i, v := range c.inputs {
					types[i] = v.Type()
				}
				result, err := c.op.Infer(types)
				require.NoError(t, err)
				exe, err := dev.Plan(c.op, c.inputs, device.Contiguous(out, 0, result))
				if err != nil {
					requireCoded(t, err)
					continue
				}
				require.GreaterOrEqual(t, exe.WorkspaceSize(), int64(0), "%s on %s: %s of %v", name, dtype, device.OpString(c.op), types)
				require.NoError(t, exe.Close())
			}
		}
	}
}
