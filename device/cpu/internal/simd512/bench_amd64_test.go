package simd512

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkKernels reports the time for one element of every function, in slices from what
// fits in the first cache to what fits in none.
func BenchmarkKernels(b *testing.B) {
	for _, c := range calls() {
		for _, n := range []int{1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 24} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				s := c.ordinary(n)
				for b.Loop() {
					c.run(s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
	}
}

// ordinary returns n elements for each parameter: logits around 0 and targets ±1.
func (c call) ordinary(n int) []memory {
	r := rand.New(rand.NewPCG(1, 2))
	s := make([]memory, len(c.slices))
	for i, p := range c.slices {
		s[i] = make(memory, n*p.size)
		for j := range n {
			x := float32(r.NormFloat64())
			if i == len(s)-1 {
				x = float32(2*r.IntN(2) - 1)
			}
			p.set(s[i], j, x)
		}
	}
	return s
}
