package main_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
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
	b.Cleanup(func() {
		if err := dev.Close(); err != nil {
			b.Error(err)
		}
	})
	return dev
}

// operation measures a point as the command does, on inputs that go round, in ns for each of its elements or rows.
// What the device does not have is skipped.
func operation(b *testing.B, p measure.Point) {
	x, err := measure.Start(p, open(b), machine.Describe().LastLevelCache())
	if measure.Refused(err) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := x.Close(); err != nil {
			b.Error(err)
		}
	})
	step := func() {
		if err := x.Run(1); err != nil {
			b.Fatal(err)
		}
	}
	step() // the first touches new memory
	b.SetBytes(int64(x.Traffic))
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.N), "ns/element")
}

// BenchmarkOperations is every operation that the command measures, in every dtype.
func BenchmarkOperations(b *testing.B) {
	sizes := []int{1 << 14, 1 << 20}
	networks := []measure.Point{{Layout: "30-64-32-1", N: 32}, {Layout: "28-256-256-1", N: 1024}}
	for _, op := range measure.Ops {
		for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
			points := []measure.Point{{Layout: "contiguous", N: sizes[0]}, {Layout: "contiguous", N: sizes[1]}}
			if op == measure.TrainStep {
				points = slices.Clone(networks)
			}
			for _, p := range points {
				p.Op, p.DType, p.Reduction = op, dtype, "mean"
				name := fmt.Sprintf("%s/%s/%d", op, dtype, p.N)
				if op == measure.TrainStep {
					name = fmt.Sprintf("%s/%s/%s/%d", op, dtype, p.Layout, p.N)
				}
				b.Run(name, func(b *testing.B) { operation(b, p) })
			}
		}
	}
}
