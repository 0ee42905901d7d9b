package report

import (
	"image/color"
	"math"
)

// blend mixes share of one colour into another.
func blend(from, to color.NRGBA, share float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 0xff}
}

func translucent(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}
