package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// elements returns the elements of a view as float64.
func elements(v device.View) []float64 {
	read, _ := converters[float64](v.DType, v.Buffer.(*buffer).mem)
	x := make([]float64, device.Elements(v.Shape))
	for i, at := range offsets(v) {
		read(x[i:i+1], at, 1)
	}
	return x
}

// What calls leave when they are fused is what they leave one after the other, up to
// a rounding or two.
func TestFusedCallsAgree(t *testing.T) {
	f := newFixture(t, 2)
	fuser := f.device.(device.Fuser)
	r := rand.New(rand.NewPCG(1, 2))
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
		tolerance := map[device.DType]float64{device.Float32: 1e-6, device.Float16: 2e-3, device.BFloat16: 2e-2}[dtype]
		for _, shape := range [][]int{{1}, {7}, {1024}, {40, 64}, {301, 77}} {
			typ, scalar := device.Type{DType: dtype, Shape: shape}, device.Type{DType: dtype, Shape: []int{}}
			for _, reduction := range []device.Reduction{device.Mean, device.Sum} {
				self, target, gradOutput := f.random(r, typ, true), f.random(r, typ, true), f.random(r, scalar, true)
				for _, spread := range []bool{false, true} {
					if spread {
						self, target = f.strided(self), f.strided(target)
					}
					calls := func() []device.Call {
						output := device.Contiguous(f.alloc(typ.Bytes()), 0, typ)
						if spread {
							output = f.strided(output)
						}
						return []device.Call{
							{Op: device.SoftMarginLoss{Reduction: reduction}, Inputs: []device.View{self, target},
								Output: device.Contiguous(f.alloc(scalar.Bytes()), 0, scalar)},
							{Op: device.SoftMarginLossBackward{Reduction: reduction}, Inputs: []device.View{gradOutput, self, target}, Output: output},
						}
					}
					f.agree(fuser, calls, tolerance)
				}
			}
		}
		for _, size := range [][3]int{{1, 1, 1}, {5, 7, 3}, {33, 30, 64}, {64, 300, 17}} {
			m, k, n := size[0], size[1], size[2]
			input := f.random(r, device.Type{DType: dtype, Shape: []int{m, k}}, true)
			weight := f.random(r, device.Type{DType: dtype, Shape: []int{k, n}}, true)
			bias := f.random(r, device.Type{DType: dtype, Shape: []int{n}}, true)
			f.agree(fuser, func() []device.Call {
				out := device.Type{DType: dtype, Shape: []int{m, n}}
				y := device.Contiguous(f.alloc(out.Bytes()), 0, out)
				return []device.Call{
					{Op: device.Linear{}, Inputs: []device.View{input, weight, bias}, Output: y},
					{Op: device.ReLU{}, Inputs: []device.View{y}, Output: y},
				}
			}, tolerance)
		}
	}
}

// agree launches the calls fused and one by one, and compares what they leave.
func (f *fixture) agree(fuser device.Fuser, calls func() []device.Call, tolerance float64) {
	fused, single := calls(), calls()
	n, exe, err := fuser.PlanFused(fused)
	require.NoError(f, err)
	if n == 0 {
		require.False(f, f.device.(*cpu).simd, "these calls are fused by vector kernels")
		return
	}
	require.Equal(f, len(fused), n)
	require.NoError(f, exe.Launch(f.alloc(exe.WorkspaceSize()), f.stream))
	for _, c := range single {
		f.run(c.Op, c.Inputs, c.Output)
	}
	for i, c := range single {
		want, got := elements(c.Output), elements(fused[i].Output)
		for j := range want {
			require.InDelta(f, want[j], got[j], tolerance*max(1, abs64(want[j])), "%s, element %d of %d", c.Op.Name(), j, len(want))
		}
	}
}

func abs64(x float64) float64 { return max(x, -x) }

// Calls that only look alike are not fused.
func TestOtherCallsAreNotFused(t *testing.T) {
	f := newFixture(t, 1)
	fuser := f.device.(device.Fuser)
	r := rand.New(rand.NewPCG(1, 2))
	typ, scalar := device.Type{DType: device.Float32, Shape: []int{8}}, device.Type{DType: device.Float32, Shape: []int{}}
	tensor := func(t device.Type) device.View { return f.random(r, t, true) }
	self, target, other, loss, out := tensor(typ), tensor(typ), tensor(typ), tensor(scalar), tensor(typ)
	forward := device.Call{Op: device.SoftMarginLoss{Reduction: device.Mean}, Inputs: []device.View{self, target}, Output: loss}
	backward := func(r device.Reduction, inputs ...device.View) device.Call {
		return device.Call{Op: device.SoftMarginLossBackward{Reduction: r}, Inputs: inputs, Output: out}
	}
	matrix := device.Type{DType: device.Float32, Shape: []int{8, 8}}
	y, z := tensor(matrix), tensor(matrix)
	linear := device.Call{Op: device.Linear{}, Inputs: []device.View{tensor(matrix), tensor(matrix), self}, Output: y}
	for name, calls := range map[string][]device.Call{
		"alone":                     {forward},
		"another reduction":         {forward, backward(device.Sum, tensor(scalar), self, target)},
		"of another tensor":         {forward, backward(device.Mean, tensor(scalar), other, target)},
		"exchanged":                 {forward, backward(device.Mean, tensor(scalar), target, self)},
		"a gradient of the loss":    {forward, backward(device.Mean, loss, self, target)},
		"many gradients":            {forward, backward(device.Mean, tensor(typ), self, target)},
		"the layer is read as well": {linear, {Op: device.ReLU{}, Inputs: []device.View{y}, Output: z}},
		"another activation":        {linear, {Op: device.Tanh{}, Inputs: []device.View{y}, Output: y}},
		"a wrong call":              {forward, {Op: device.ReLU{}}},
	} {
		n, exe, err := fuser.PlanFused(calls)
		require.NoError(t, err, name)
		require.Zero(t, n, name)
		require.Nil(t, exe, name)
	}
}
