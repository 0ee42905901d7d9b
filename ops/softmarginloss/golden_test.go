package softmarginloss_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// TestPointwise compares single losses and gradients with 160-bit arithmetic.
func TestPointwise(t *testing.T) {
	for _, d := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
		var file struct{ Rows [][4]string }
		read(t, "pointwise_"+d.String()+".json", &file)
		require.NotEmpty(t, file.Rows)
		var columns [4][]float64
		for _, row := range file.Rows {
			for i, bits := range row {
				columns[i] = append(columns[i], number(bits, d))
			}
		}
		self, target := columns[0], columns[1]
		shape := []int{len(self)}
		for _, a := range accuracies {
			t.Run(d.String()+" "+a.device, func(t *testing.T) {
				b := newBench(t, a.device)
				c := call{forward: true, self: b.values(d, shape, self...), target: b.values(d, shape, target...)}
				loss := b.run(c, device.Type{DType: d, Shape: shape}, []int{1})
				c.forward, c.gradOutput = false, b.values(d, nil, 1)
				gradient := b.run(c, device.Type{DType: d, Shape: shape}, []int{1})
				for i := range self {
					m := self[i] * target[i]
					require.True(t, a.matches(loss[i], columns[2][i], softplus(-m), target[i], m, d),
						"loss of %v against %v: %v, want %v", self[i], target[i], loss[i], columns[2][i])
					require.True(t, a.matches(gradient[i], columns[3][i], -target[i]*sigmoid(-m), target[i], m, d),
						"gradient of %v against %v: %v, want %v", self[i], target[i], gradient[i], columns[3][i])
				}
			})
		}
	}
}

// matches reports whether got is near enough to want, which is rounded to the dtype. For a half, what want
// was rounded from decides which of its neighbours will do, so that is given too, from float64 arithmetic.
func (a accuracy) matches(got, want, exact, target, margin float64, d device.DType) bool {
	ulp := a.ulp
	switch {
	case d == device.Float16 || d == device.BFloat16:
		return devicetest.ULP(got, want, d) <= 1 && accepts(got, exact, ulp, d)
	case d == device.Float64:
		ulp = float64ULP
	}
	if (d == device.Float64 || ulp > 1) && math.Abs(target) != 1 {
		ulp += math.Abs(margin) // the product is rounded first, and e to the power of it takes on the error
	}
	return devicetest.ULP(got, want, d) <= ulp
}

// softplus and sigmoid are computed in float64, to about 1 ulp.
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sigmoid(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

// TestTensors makes 378 calls, forward and backward: every combination of
// reductions, dtypes, strides, offsets and broadcasts that the file has, into outputs of several layouts.
func TestTensors(t *testing.T) {
	var cases []struct {
		GradOutput, Self, Target, Loss, GradInput golden
		Reduction                                 device.Reduction
	}
	read(t, "tensors.json.gz", &cases)
	require.Len(t, cases, 378)
	for _, a := range accuracies {
		t.Run(a.device, func(t *testing.T) {
			b := newBench(t, a.device)
			for i, c := range cases {
				forward := call{forward: true, self: b.view(c.Self), target: b.view(c.Target), reduction: c.Reduction}
				backward := call{gradOutput: b.view(c.GradOutput), self: forward.self, target: forward.target, reduction: c.Reduction}
				for call, want := range map[*call]golden{&forward: c.Loss, &backward: c.GradInput} {
					for layout, strides := range layouts(want.Shape) {
						got := b.run(*call, want.typ(), strides)
						ulp := a.ulp
						if call.forward && c.Reduction != device.None {
							ulp += 0.5 // losses are float32 before they are summed
						}
						require.Len(t, got, len(want.Float64))
						for k, bits := range want.Float64 {
							exact := number(bits, device.Float64)
							require.True(t, accepts(got[k], exact, ulp, want.dtype()), "case %d, forward %v, %s output, element %d: %v, want %v",
								i, call.forward, layout, k, got[k], exact)
						}
					}
				}
				for v, g := range map[*device.View]golden{&forward.self: c.Self, &forward.target: c.Target, &backward.gradOutput: c.GradOutput} {
					require.Equal(t, b.download(b.view(g).Buffer), b.download(v.Buffer), "case %d: an input was written", i)
				}
			}
		})
	}
}

// norm is what a gradient of n elements is multiplied by, and a sum of n losses.
func norm(r device.Reduction, n int) float64 {
	if r == device.Mean {
		return 1 / float64(n)
	}
	return 1
}

// TestStatus compares the codes of phase one with CANN's. A wrong call must not
// write; of a right one the result is checked too: the mean of no losses is NaN, their sum 0.
func TestStatus(t *testing.T) {
	var cases []struct {
		Name, Op                         string
		GradOutput, Self, Target, Output *golden
		Reduction                        device.Reduction
		Code                             device.Code
	}
	read(t, "status.json", &cases)
	require.Len(t, cases, 48)
	b := newBench(t, "cpu")
	for _, c := range cases {
		// A tensor is given by its type and layout alone; its storage is filled with 1.
		var buffers []device.Buffer
		view := func(g *golden) device.View {
			if g == nil {
				return device.View{}
			}
			v := device.View{DType: g.dtype(), Shape: g.Shape, Strides: g.Strides, Offset: g.Offset}
			if v.Strides == nil {
				v.Strides = device.RowMajor(g.Shape)
			}
			storage := v.Offset + 1
			for i, d := range v.Shape {
				storage += max(d-1, 0) * v.Strides[i]
			}
			ones := make([]float64, storage)
			for i := range ones {
				ones[i] = 1
			}
			v.Buffer = b.upload(devicetest.Encode(ones, v.DType))
			buffers = append(buffers, v.Buffer)
			return v
		}
		call := call{forward: c.Op == "forward", gradOutput: view(c.GradOutput), self: view(c.Self), target: view(c.Target), reduction: c.Reduction}
		output := view(c.Output)
		var before [][]byte
		for _, buffer := range buffers {
			before = append(before, b.download(buffer))
		}
		size, executor, err := call.plan(b.device, output)
		if c.Code == 0 {
			require.NoError(t, err, c.Name)
			require.NoError(t, executor.Close(), c.Name)
			want := -sigmoid(-1) * norm(c.Reduction, output.Type().Elements())
			if call.forward {
				want = softplus(-1)
				if n := c.Self.typ().Elements(); c.Reduction != device.None { // no reduced case has a broadcast
					want *= float64(n) * norm(c.Reduction, n)
				}
			}
			got := b.run(call, output.Type(), output.Strides)
			require.Len(t, got, output.Type().Elements(), c.Name)
			for _, v := range got {
				require.True(t, accepts(v, want, 2, output.DType), "%s: %v, want %v", c.Name, v, want)
			}
		} else {
			var refusal *device.Error
			require.ErrorAs(t, err, &refusal, c.Name)
			require.Equal(t, c.Code, refusal.Code, c.Name)
			require.ErrorIs(t, err, c.Code, c.Name)
			require.Nil(t, executor, c.Name)
			require.Zero(t, size, c.Name)
		}
		require.NoError(t, b.stream.Synchronize(), c.Name)
		for i, buffer := range buffers {
			require.Equal(t, before[i], b.download(buffer), "%s: phase one wrote", c.Name)
		}
	}
}

// TestVendorSample has the arguments of the sample program in CANN's documentation of
// aclnnSoftMarginLossBackward, and the results that the formula gives for them to ten places.
func TestVendorSample(t *testing.T) {
	b := newBench(t, "cpu")
	x := b.values(device.Float32, []int{2, 2}, 0, 1, 2, 3)
	ones := b.values(device.Float32, []int{2, 2}, 1, 1, 1, 1)
	got := b.run(call{gradOutput: x, self: x, target: ones, reduction: device.Mean}, device.Type{DType: device.Float32, Shape: []int{2, 2}}, []int{2, 1})
	require.Zero(t, got[0])
	require.True(t, math.Signbit(got[0]), "-0")
	require.InDeltaSlice(t, []float64{-0.0672353553, -0.0596014610, -0.0355694049}, got[1:], 1e-8)
	got = b.run(call{forward: true, self: x, target: ones, reduction: device.Mean}, device.Type{DType: device.Float32}, nil)
	require.InDelta(t, 0.2954810577, got[0], 6e-8)
}
