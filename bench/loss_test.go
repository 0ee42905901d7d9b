package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
)

// open opens the device under test.
func open(b *testing.B) device.Device {
	b.Helper()
	name := os.Getenv("PULLBACK_DEVICE")
	if name == "" {
		name = "cpu?threads=1"
	}
	dev, err := device.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { dev.Close() })
	return dev
}

// values returns n numbers of the dtype as they lie in memory.
func values(dtype device.DType, n int, f func() float32) []byte {
	data := make([]byte, 0, n*dtype.Size())
	for range n {
		switch v := f(); dtype {
		case device.Float32:
			data = appendBits(data, 4, uint64(float32bits(v)))
		case device.Float16:
			data = appendBits(data, 2, uint64(float16.Fromfloat32(v).Bits()))
		case device.BFloat16:
			data = appendBits(data, 2, uint64(device.BFloat16Bits(v)))
		}
	}
	return data
}

// tensor returns a contiguous view of new memory that holds data.
func tensor(b *testing.B, dev device.Device, data []byte, t device.Type) device.View {
	b.Helper()
	buffer, err := dev.Alloc(max(t.Bytes(), 64))
	if err != nil {
		b.Fatal(err)
	}
	stream, err := dev.NewStream()
	if err == nil && data != nil {
		err = stream.Upload(buffer, 0, data)
	}
	if err != nil {
		b.Fatal(err)
	}
	return device.Contiguous(buffer, 0, t)
}

// launch measures the launches of one operation, in ns for each of n elements.
func launch(b *testing.B, dev device.Device, op device.Op, inputs []device.View, output device.View, n int) {
	b.Helper()
	launchAll(b, dev, []device.Call{{Op: op, Inputs: inputs, Output: output}}, n)
}

// launchAll plans calls, fused where the device can, and measures launching them
// one after the other, in ns for each of n elements.
func launchAll(b *testing.B, dev device.Device, calls []device.Call, n int) {
	b.Helper()
	var executors []device.Executor
	var workspaceSize int64
	for len(calls) > 0 {
		fused, exe, err := 0, device.Executor(nil), error(nil)
		if f, ok := dev.(device.Fuser); ok {
			fused, exe, err = f.PlanFused(calls)
		}
		if fused == 0 && err == nil {
			fused = 1
			exe, err = dev.Plan(calls[0].Op, calls[0].Inputs, calls[0].Output)
		}
		if err != nil {
			b.Fatal(err)
		}
		executors, calls = append(executors, exe), calls[fused:]
		workspaceSize = max(workspaceSize, exe.WorkspaceSize())
	}
	stream, err := dev.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	workspace, err := dev.Alloc(workspaceSize)
	if err != nil {
		b.Fatal(err)
	}
	launches := func() {
		for _, exe := range executors {
			if err := exe.Launch(workspace, stream); err != nil {
				b.Fatal(err)
			}
		}
	}
	launches() // the first touches new memory
	for b.Loop() {
		launches()
	}
	if err := stream.Synchronize(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
}

// scoresAndLabels returns the inputs of a loss: scores around 0 and targets ±1.
func scoresAndLabels(dtype device.DType, n int) (scores, labels []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	return values(dtype, n, func() float32 { return float32(r.NormFloat64()) }),
		values(dtype, n, func() float32 { return float32(2*r.IntN(2) - 1) })
}

var sizes = []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}

func BenchmarkSoftMarginLossBackward(b *testing.B) {
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", dtype, n), func(b *testing.B) {
				dev := open(b)
				t := device.Type{DType: dtype, Shape: []int{n}}
				scores, labels := scoresAndLabels(dtype, n)
				one := tensor(b, dev, values(dtype, 1, func() float32 { return 1 }), device.Type{DType: dtype, Shape: []int{}})
				inputs := []device.View{one, tensor(b, dev, scores, t), tensor(b, dev, labels, t)}
				launch(b, dev, device.SoftMarginLossBackward{Reduction: device.Mean}, inputs, tensor(b, dev, nil, t), n)
			})
		}
	}
}

func BenchmarkSoftMarginLoss(b *testing.B) {
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", dtype, n), func(b *testing.B) {
				dev := open(b)
				t := device.Type{DType: dtype, Shape: []int{n}}
				scores, labels := scoresAndLabels(dtype, n)
				inputs := []device.View{tensor(b, dev, scores, t), tensor(b, dev, labels, t)}
				out := tensor(b, dev, nil, device.Type{DType: dtype, Shape: []int{}})
				launch(b, dev, device.SoftMarginLoss{Reduction: device.Mean}, inputs, out, n)
			})
		}
	}
}

// BenchmarkLayouts is the gradient of the loss over 1024 by 1024 elements of which
// the scores are not contiguous.
func BenchmarkLayouts(b *testing.B) {
	const n = 1024
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
			dev := open(b)
			t := device.Type{DType: device.Float32, Shape: []int{n, n}}
			scores, labels := scoresAndLabels(device.Float32, 2*n*n)
			self := tensor(b, dev, scores, device.Type{DType: device.Float32, Shape: []int{2 * n * n}})
			self.Shape, self.Strides, self.Offset = t.Shape, c.strides, c.offset
			one := tensor(b, dev, values(device.Float32, 1, func() float32 { return 1 }), device.Type{DType: device.Float32, Shape: []int{}})
			launch(b, dev, device.SoftMarginLossBackward{Reduction: device.Mean},
				[]device.View{one, self, tensor(b, dev, labels[:4*n*n], t)}, tensor(b, dev, nil, t), n*n)
		})
	}
}

func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{128, 256, 512, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dev := open(b)
			t := device.Type{DType: device.Float32, Shape: []int{n, n}}
			x, y := scoresAndLabels(device.Float32, n*n)
			launch(b, dev, device.MatMul{}, []device.View{tensor(b, dev, x, t), tensor(b, dev, y, t)}, tensor(b, dev, nil, t), n*n)
			b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

// BenchmarkSoftMarginLossBoth is the loss and its gradient in one pass, where the
// device can fuse them, and one after the other where not.
func BenchmarkSoftMarginLossBoth(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("float32/%d", n), func(b *testing.B) {
			dev := open(b)
			t, scalar := device.Type{DType: device.Float32, Shape: []int{n}}, device.Type{DType: device.Float32, Shape: []int{}}
			scores, labels := scoresAndLabels(device.Float32, n)
			one := tensor(b, dev, values(device.Float32, 1, func() float32 { return 1 }), scalar)
			self, target := tensor(b, dev, scores, t), tensor(b, dev, labels, t)
			launchAll(b, dev, []device.Call{
				{Op: device.SoftMarginLoss{Reduction: device.Mean}, Inputs: []device.View{self, target}, Output: tensor(b, dev, nil, scalar)},
				{Op: device.SoftMarginLossBackward{Reduction: device.Mean}, Inputs: []device.View{one, self, target}, Output: tensor(b, dev, nil, t)},
			}, n)
		})
	}
}
