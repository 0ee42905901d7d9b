package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// benchProduct is a matrix product to be measured: one of a training step, or a square one.
type benchProduct struct {
	name                   string
	m, k, n                int
	transposeA, transposeB bool
	bias                   bool
	activation             Activation
}

// layerProducts returns the products of a layer: forward, and the gradients of its weights and of its input.
func layerProducts(batch, in, out int) []benchProduct {
	activation := ReLU
	if out == 1 {
		activation = Identity
	}
	name := func(s string) string { return fmt.Sprintf("%s/%dx%dx%d", s, batch, in, out) }
	return []benchProduct{
		{name("forward"), batch, in, out, false, false, true, activation},
		{name("dW"), in, batch, out, true, false, false, Identity},
		{name("dX"), batch, out, in, false, true, false, Identity},
	}
}

func benchProducts() []benchProduct {
	var list []benchProduct
	for _, n := range []int{128, 256, 512, 1024} {
		list = append(list, benchProduct{name: fmt.Sprint("square/", n), m: n, k: n, n: n})
	}
	for _, layer := range [][3]int{
		{32, 30, 1}, {32, 30, 64}, {32, 64, 32}, {32, 32, 1},
		{256, 30, 64}, {256, 64, 32}, {256, 32, 1},
		{1024, 28, 256}, {1024, 256, 256}, {1024, 256, 1},
	} {
		list = append(list, layerProducts(layer[0], layer[1], layer[2])...)
	}
	return list
}

// One thread packs what is packed, and multiplies. The program testdata/openblas.c measures
// OpenBLAS on the same products.
//
//	go test -run '^$' -bench . -benchtime 0.2s ./device/cpu/internal/gemm
func BenchmarkMultiply(b *testing.B) {
	for _, p := range benchProducts() {
		for _, kernels := range available() {
			b.Run(p.name+"/"+kernels.name, func(b *testing.B) { p.run(b, kernels) })
		}
	}
}

// run reports the rates of the fastest and of the median of many short rounds, which a
// busy machine disturbs less than their mean.
func (p benchProduct) run(b *testing.B, kernels *kernels) {
	run := p.prepare(kernels)
	flops := 2 * float64(p.m) * float64(p.k) * float64(p.n)
	repeat := int(5e6/flops) + 1
	var rounds []float64
	for b.Loop() {
		start := time.Now()
		for range repeat {
			run()
		}
		rounds = append(rounds, float64(time.Since(start).Nanoseconds())/float64(repeat))
	}
	slices.Sort(rounds)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rounds[0], "ns/product")
	b.ReportMetric(flops/rounds[0], "GFLOP/s")
	b.ReportMetric(flops/rounds[len(rounds)/2], "median-GFLOP/s")
}

// prepare plans the product, and returns a function that runs it on random numbers.
func (p benchProduct) prepare(kernels *kernels) func() {
	x := Product{M: p.m, K: p.k, N: p.n, ARow: p.k, ACol: 1, BRow: p.n, BCol: 1, CRow: p.n, Activation: p.activation}
	if p.transposeA {
		x.ARow, x.ACol = 1, p.m
	}
	if p.transposeB {
		x.BRow, x.BCol = 1, p.k
	}
	plan := newPlan(x, kernels)
	r := rand.New(rand.NewPCG(1, 2))
	floats := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = r.Float32() - 0.5
		}
		return s
	}
	a, w, c, workspace := floats(p.m*p.k), floats(p.k*p.n), floats(p.m*p.n), floats(plan.Workspace())
	var bias []float32
	if p.bias {
		bias = floats(p.n)
	}
	return func() {
		plan.Pack(a, w, workspace, 0, plan.PackParts())
		plan.Multiply(c, a, w, bias, workspace, 0, plan.Parts())
	}
}
