package main_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/measure"
	"github.com/pullback-go/pullback/device"
)

// losses measures an operation of the mean loss, from sizes of a few cache lines to far more than the caches hold.
func losses(b *testing.B, op string, dtypes ...device.DType) {
	for _, dtype := range dtypes {
		for n := 1 << 10; n <= 1<<24; n <<= 2 {
			b.Run(fmt.Sprintf("%s/%d", dtype, n), func(b *testing.B) {
				operation(b, measure.Point{Op: op, DType: dtype, Reduction: "mean", Layout: "contiguous", N: n})
			})
		}
	}
}

func BenchmarkSoftMarginLossBackward(b *testing.B) {
	losses(b, measure.Backward, device.Float32, device.Float16, device.BFloat16)
}

func BenchmarkSoftMarginLoss(b *testing.B) {
	losses(b, measure.Forward, device.Float32, device.Float16, device.BFloat16)
}

// BenchmarkSoftMarginLossBoth is the loss and its gradient in one pass, where the
// device can fuse them, and one after the other where not.
func BenchmarkSoftMarginLossBoth(b *testing.B) { losses(b, measure.Both, device.Float32) }

func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{128, 256, 512, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			operation(b, measure.Point{Op: measure.MatMul, DType: device.Float32, Layout: "contiguous", N: n * n})
			b.ReportMetric(2*math.Pow(float64(n), 3)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

// BenchmarkLayouts is the gradient of the loss over 1024 by 1024 elements of which
// the scores are not contiguous, in more layouts than the command has.
func BenchmarkLayouts(b *testing.B) {
	const n = 1024
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(shape []int, f func() float64) calls.Tensor {
		values := make([]float64, device.Elements(shape))
		for i := range values {
			values[i] = f()
		}
		return calls.New(device.Float32, shape, values)
	}
	scores := draw([]int{2 * n, n}, r.NormFloat64)
	labels := draw([]int{n, n}, func() float64 { return float64(2*r.IntN(2) - 1) })
	gradient := draw([]int{n, n}, func() float64 { return 0 })
	for _, c := range []struct {
		name    string
		strides []int
		offset  int
	}{
		{"contiguous", []int{n, 1}, 0},
		{"columns", []int{2 * n, 1}, 5},
		{"every second", []int{2 * n, 2}, 0},
		{"transposed", []int{1, n}, 0},
		{"row repeated", []int{0, 1}, 0},
		{"column repeated", []int{1, 0}, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			self := scores
			self.Shape, self.Strides, self.Offset = []int{n, n}, c.strides, c.offset
			launch(b, calls.Call{
				Op:     device.SoftMarginLossBackward{Reduction: device.Mean},
				Inputs: []calls.Tensor{calls.New(device.Float32, []int{}, []float64{1}), self, labels},
				Output: gradient,
			})
		})
	}
}

// launch measures the launches of a call, in ns for each element of its output.
func launch(b *testing.B, c calls.Call) {
	dev := open(b) // whose end is that of all that is made here
	stream, err := dev.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	view := func(t calls.Tensor) device.View {
		buffer, err := dev.Alloc(int64(len(t.Data)))
		if err == nil {
			err = stream.Upload(buffer, 0, t.Data)
		}
		if err != nil {
			b.Fatal(err)
		}
		return device.View{Buffer: buffer, DType: t.DType, Shape: t.Shape, Strides: t.Strides, Offset: t.Offset}
	}
	var inputs []device.View
	for _, t := range c.Inputs {
		inputs = append(inputs, view(t))
	}
	exe, err := dev.Plan(c.Op, inputs, view(c.Output))
	if err != nil {
		b.Fatal(err)
	}
	workspace, err := dev.Alloc(exe.WorkspaceSize())
	if err != nil {
		b.Fatal(err)
	}
	step := func() {
		if err := exe.Launch(workspace, stream); err != nil {
			b.Fatal(err)
		}
	}
	step() // the first touches new memory
	for b.Loop() {
		step()
	}
	if err := stream.Synchronize(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(device.Elements(c.Output.Shape)), "ns/element")
}
