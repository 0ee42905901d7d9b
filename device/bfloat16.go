package device

import "math"

// BFloat16Bits returns the bits of v rounded to bfloat16, to nearest even. NaN
// stays NaN.
func BFloat16Bits(v float32) uint16 {
	b := math.Float32bits(v)
	if v != v {
		return uint16(b>>16) | 0x40 // quiet, as the lower bits that made it a NaN may be cut off
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// BFloat16Value returns the value of a bfloat16, which is exact.
func BFloat16Value(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }
