package ascend_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

const falling = "ascend:sim?fallback=cpu"

// every2 returns the view of every second element, from the first on.
func every2(v device.View, first int) device.View {
	v.Shape, v.Strides, v.Offset = []int{v.Shape[0] / 2}, []int{2}, first
	return v
}

// interrupted copies its input, and has something else done meanwhile.
type interrupted struct{ meanwhile *func() }

func (interrupted) Name() string { return "Interrupted" }

func (interrupted) Infer(inputs []device.Type) (device.Type, error) { return inputs[0], nil }

func (op interrupted) Compute(output device.HostTensor, inputs []device.HostTensor) {
	(*op.meanwhile)()
	copy(output.Data, inputs[0].Data)
}

// What lies between the elements of an output is not the fallback's to write: another
// stream may, while the CPU computes.
func TestFallbackKeepsGaps(t *testing.T) {
	requireSimulator(t)
	dev := open(t, falling)
	x, in := fill(t, dev, device.Float32, 0, 0, 0, 0), fill(t, dev, device.Float32, 1, 2)
	meanwhile := func() { launch(t, dev, device.Neg{}, every2(x, 1), in) }
	launch(t, dev, interrupted{&meanwhile}, every2(x, 0), in)
	require.Equal(t, []float32{1, -1, 2, -2}, launch(t, dev, device.Copy{}, fill(t, dev, device.Float32, 0, 0, 0, 0), x))
}

// Operands that overlap, are the same, are broadcast or empty.
func TestFallbackOperands(t *testing.T) {
	requireSimulator(t)
	dev := open(t, falling)
	x := fill(t, dev, device.Float32, 3, 4, 12, 5, 0)
	part := func(offset, stride, n int) device.View {
		v := x
		v.Offset, v.Strides, v.Shape = offset, []int{stride}, []int{n}
		return v
	}
	nothing := device.View{Buffer: x.Buffer, DType: device.Float32, Shape: []int{0}, Strides: []int{7}, Offset: 1 << 30}
	hypotenuse := devicetest.Hypotenuse{}
	for name, c := range map[string]struct {
		in   []device.View
		want []float32
	}{
		"overlapping": {[]device.View{part(0, 1, 4), part(1, 1, 4)}, []float32{5, float32(math.Hypot(4, 12)), 13, 5}},
		"the same":    {[]device.View{part(1, 1, 2), part(1, 1, 2)}, []float32{float32(4 * math.Sqrt2), float32(12 * math.Sqrt2)}},
		"broadcast":   {[]device.View{part(0, 0, 2), part(1, 3, 2)}, []float32{5, 3}},
		"empty":       {[]device.View{nothing, nothing}, []float32{}},
	} {
		out := fill(t, dev, device.Float32, make([]float64, len(c.want))...)
		require.Equal(t, c.want, launch(t, dev, hypotenuse, out, c.in...), name)
	}
}

// An executor outlives what it needs: it returns errors, and can be closed.
func TestFallbackAfterClose(t *testing.T) {
	sim := requireSimulator(t)
	dev := open(t, falling)
	x, key := fill(t, dev, device.Float32, 1, 2, 3, 4), fill(t, dev, device.Float32, 0, 0)
	in, out := every2(x, 0), every2(x, 1)
	plan := func() device.Executor {
		exe, err := dev.Plan(device.Dropout{}, []device.View{in, key}, out)
		require.NoError(t, err)
		return exe
	}
	s, err := dev.NewStream()
	require.NoError(t, err)
	closed, err := dev.NewStream()
	require.NoError(t, err)
	require.NoError(t, closed.Close())

	exe := plan()
	workspace := workspaceOf(t, dev, exe)
	require.NoError(t, exe.Launch(workspace, s))
	require.ErrorIs(t, exe.Launch(workspace, closed), device.ErrStream)
	require.NoError(t, exe.Close())
	require.NoError(t, exe.Close())
	require.ErrorIs(t, exe.Launch(workspace, s), device.ErrExecutorInvalid)
	alive := sim.alive() // among it what the pool keeps
	for range 10 {
		require.NoError(t, plan().Close())
	}
	require.Equal(t, alive, sim.alive())

	exe = plan()
	require.NoError(t, key.Buffer.Free())
	require.ErrorIs(t, exe.Launch(workspace, s), device.ErrParamInvalid)
	require.NoError(t, dev.Close())
	require.ErrorIs(t, exe.Launch(workspace, s), device.ErrUninitialized)
	require.NoError(t, exe.Close())
	sim.requireNothingLeft(t)
}
