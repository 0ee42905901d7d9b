package cpu

import "github.com/pullback-go/pullback/device"

// planDropout keeps or drops each element by its index, so the mask is the same
// however the elements lie in memory and whoever works on them.
func planDropout[F float](kernel func(dst, src []F, key0, key1 float32, start int, p float64), cost int, op device.Dropout, self, key, output device.View) *program {
	key0, key1 := scalarOf(key, 0), scalarOf(key, key.Strides[0])
	e := newElementwise[F](nil, []device.View{self}, output.Shape)
	return e.planBlocks(func(start int, dst []F, s scratch) {
		kernel(dst, e.blocks(start, len(dst), s)[0], float32(key0()), float32(key1()), start, op.P)
	}, cost, output)
}

// dropout is the kernel for the elements from start on.
func dropout[F float](dst, src []F, key0, key1 float32, start int, p float64) {
	for i, x := range src {
		kept := device.DropoutRandom(key0, key1, start+i) >= p
		dst[i] = F(choose(kept, float64(x)/(1-p), 0))
	}
}
