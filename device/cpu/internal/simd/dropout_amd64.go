package simd

import "math"

// Dropout stores src[i]/(1-p), rounded from float64, where device.DropoutRandom is at least p at
// position start+i of the sequence of the seed, else 0.
func Dropout(dst, src []float32, seed uint64, start int, p float64) {
	const increment = 0x9e3779b97f4a7c15 // of SplitMix64
	limit := int64(math.Ceil(p*(1<<24))) - 1
	dropout(dst, src, seed+uint64(start)*increment, limit, 1-p)
}
