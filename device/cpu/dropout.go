package cpu

import "github.com/pullback-go/pullback/device"

// planDropout keeps or drops each element by its index, so the mask is the same
// however the elements lie in memory and whoever works on them.
func planDropout[F float](op device.Dropout, self, key, output device.View) *program {
	elements := device.Elements(output.Shape)
	if elements == 0 {
		return &program{}
	}
	in, out := newOperand[F](self), newOperand[F](output)
	key0, key1 := scalarOf(key, 0), scalarOf(key, key.Strides[0])
	run := func(lo, hi int, _ []byte, s scratch) {
		k0, k1 := float32(key0()), float32(key1())
		in.prepare(slot[F](s, inputSlot)[:min(blockSize, elements)])
		for b := lo; b < hi; b++ {
			start, n := blockAt(b, elements)
			x := in.block(start, slot[F](s, inputSlot)[:n])
			dst := out.target(start, slot[F](s, outputSlot)[:n])
			for i := range dst {
				kept := device.DropoutRandom(k0, k1, start+i) >= op.P
				dst[i] = F(choose(kept, float64(x[i])/(1-op.P), 0))
			}
			out.store(start, dst)
		}
	}
	return &program{phases: []phase{{parts: blocks(elements), cost: elements * moderate, run: run}}}
}
