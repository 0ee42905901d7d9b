package simd

import "math"

// Dropout stores src[i]/(1-p), rounded from float64, where device.DropoutRandom(key0, key1, start+i) is at least p, else 0.
func Dropout(dst, src []float32, key0, key1 float32, start int, p float64) {
	const spread, increment = 0xd1342543de82ef95, 0x9e3779b97f4a7c15
	seed := mix64((uint64(key0)|uint64(key1)<<24)*spread + 1)
	limit := int64(math.Ceil(p*(1<<24))) - 1
	dropout(dst, src, seed+uint64(start)*increment, limit, 1-p)
}

// mix64 is SplitMix64's finaliser.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
