package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkKernels reports the time for one element of every function on slices, in arrays
// from what fits in the first cache to what fits in none.
func BenchmarkKernels(b *testing.B) {
	for _, c := range calls() {
		for _, n := range []int{1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22} {
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

// ordinary returns n elements for each parameter: numbers around 1, such as one meets.
func (c call) ordinary(n int) []memory {
	r := rand.New(rand.NewPCG(1, 2))
	s := make([]memory, len(c.slices))
	for i, p := range c.slices {
		s[i] = make(memory, n*p.size)
		switch p.size {
		case 2:
			for j := range s[i].uint16s() {
				s[i].uint16s()[j] = 0x3c00 | uint16(r.Uint32()&0x83ff)
			}
		case 4:
			for j := range s[i].float32s() {
				s[i].float32s()[j] = float32(r.NormFloat64())
			}
		}
	}
	return s
}
