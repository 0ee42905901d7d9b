package dataset

import (
	"math"
	"slices"
)

const (
	chunkBits = 9
	chunkRows = 1 << chunkBits // values that are stored at once
	chunkMask = chunkRows - 1
)

// chunk is a stretch of numbers, NaN for missing ones, in as few bytes as hold them exactly: four
// where they are float32s, or decimals of up to nine digits or so, such as 0.1 and 12.345.
type chunk struct {
	f32     []float32
	decimal []int32 // times 1/scale
	scale   float64 // a power of ten
	f64     []float64
}

// missingDecimal stands for NaN.
const missingDecimal = math.MinInt32

// maxScale has as many zeros as a decimal of four bytes can have digits.
const maxScale = 1e9

func newChunk(values []float64) chunk {
	if c := (chunk{f32: make([]float32, len(values))}); c.take(values, func(i int, v float64) { c.f32[i] = float32(v) }) {
		return c
	}
	if c := (chunk{decimal: make([]int32, len(values)), scale: scaleOf(values)}); c.take(values, func(i int, v float64) {
		c.decimal[i] = missingDecimal
		if m := math.Round(v * c.scale); math.Abs(m) <= math.MaxInt32 {
			c.decimal[i] = int32(m)
		}
	}) {
		return c
	}
	return chunk{f64: slices.Clone(values)}
}

// take stores the values by put, and reports whether they come back to the bit.
func (c *chunk) take(values []float64, put func(i int, v float64)) bool {
	for i, v := range values {
		put(i, v)
		if got := c.at(i); math.Float64bits(got) != math.Float64bits(v) && (got == got || v == v) {
			return false
		}
	}
	return true
}

// at returns a number. The quotient of a whole number and a power of ten is rounded as the decimal is when it is read.
func (c *chunk) at(i int) float64 {
	switch {
	case c.f32 != nil:
		return float64(c.f32[i])
	case c.decimal == nil:
		return c.f64[i]
	case c.decimal[i] == missingDecimal:
		return nan
	}
	return float64(c.decimal[i]) / c.scale
}

// scaleOf returns the power of ten, up to maxScale, that makes all the values whole.
func scaleOf(values []float64) float64 {
	scale := 1.0
	for _, v := range values {
		for scale < maxScale && math.Round(v*scale)/scale != v && v == v {
			scale *= 10
		}
	}
	return scale
}
