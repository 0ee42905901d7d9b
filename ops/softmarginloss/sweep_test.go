package softmarginloss_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// TestSweep compares losses and gradients for targets -1 and +1 with float64 arithmetic: for all
// float16 and bfloat16 scores, and for every 262,147th float32, which reaches every exponent.
func TestSweep(t *testing.T) {
	for _, sweep := range []struct {
		dtype device.DType
		step  uint32
	}{
		{device.Float16, 1}, {device.BFloat16, 1}, {device.Float32, 262147},
	} {
		d := sweep.dtype
		last := uint32(math.MaxUint32) >> (32 - 8*d.Size())
		var self, target []float64
		for bits := uint32(0); ; bits += sweep.step {
			x := fromBits(uint64(bits), d)
			self = append(self, x, x)
			target = append(target, 1, -1)
			if last-bits < sweep.step {
				break
			}
		}
		for _, a := range accuracies {
			t.Run(d.String()+" "+a.device, func(t *testing.T) {
				b := newBench(t, a.device)
				typ := device.Type{DType: d, Shape: []int{len(self)}}
				c := call{forward: true, self: b.values(d, typ.Shape, self...), target: b.values(d, typ.Shape, target...)}
				loss := b.run(c, typ, []int{1})
				c.forward, c.gradOutput = false, b.values(d, nil, 1)
				gradient := b.run(c, typ, []int{1})
				for i, x := range self {
					z := -target[i] * x
					if want := softplus(z); !accepts(loss[i], want, a.ulp, d) {
						require.Fail(t, "loss", "of %v against %v: %v, want %v", x, target[i], loss[i], want)
					}
					if want := -target[i] * sigmoid(z); !accepts(gradient[i], want, a.ulp, d) {
						require.Fail(t, "gradient", "of %v against %v: %v, want %v", x, target[i], gradient[i], want)
					}
				}
			})
		}
	}
}
