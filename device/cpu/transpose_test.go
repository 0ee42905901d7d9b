package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// spread returns a copy of a contiguous tensor of which the axes lie in memory in the given order, the
// last one with a step, some way into a buffer that ends with the last element.
func (f *fixture) spread(v device.View, order []int, step, offset int) device.View {
	s := device.View{DType: v.DType, Shape: v.Shape, Strides: make([]int, len(order)), Offset: offset}
	stride := step
	for _, axis := range slices.Backward(order) {
		s.Strides[axis] = stride
		stride *= v.Shape[axis]
	}
	at := offsets(s)
	size := v.DType.Size()
	s.Buffer = f.alloc(int64(slices.Max(at)+1) * int64(size))
	for i, at := range at {
		copy(s.Buffer.(*buffer).mem[at*size:][:size], bits(v)[i*size:][:size])
	}
	return s
}

// What an operation computes does not depend on how its inputs lie in memory.
func TestLayoutsAgree(t *testing.T) {
	layouts := []struct {
		shape, order []int
		step         int
	}{
		{[]int{16, 16}, []int{1, 0}, 1},
		{[]int{17, 5}, []int{1, 0}, 1},
		{[]int{40, 64}, []int{1, 0}, 1},
		{[]int{131, 304}, []int{1, 0}, 1},
		{[]int{3001, 3}, []int{1, 0}, 1},
		{[]int{1500, 30}, []int{1, 0}, 1}, // several bands and tiles
		{[]int{100, 256}, []int{1, 0}, 1}, // smaller tiles
		{[]int{50, 512}, []int{1, 0}, 1},  // and smaller still
		{[]int{40, 1024}, []int{1, 0}, 1}, // padded rows
		{[]int{17, 2048}, []int{1, 0}, 1}, // longer than a block
		{[]int{16, 4500}, []int{1, 0}, 1}, // too wide for a band
		{[]int{3, 50, 48}, []int{0, 2, 1}, 1},
		{[]int{2, 70, 100}, []int{0, 2, 1}, 1}, // a band ends with a matrix
		{[]int{20, 30, 40}, []int{2, 0, 1}, 1},
		{[]int{20, 30, 40}, []int{1, 0, 2}, 1},
		{[]int{4, 3, 20, 10}, []int{3, 1, 2, 0}, 1}, // not a matrix
		{[]int{7}, []int{0}, 2},
		{[]int{5003}, []int{0}, 2},
		{[]int{5003}, []int{0}, 3},
		{[]int{100, 30}, []int{0, 1}, 7},
		{[]int{100, 30}, []int{1, 0}, 2},
	}
	operations := []struct {
		op     device.Op
		inputs int // of the shape
		loss   bool
	}{
		{op: device.Copy{}, inputs: 1},
		{op: device.Sub{}, inputs: 2},
		{op: device.MaximumBackward{}, inputs: 3},
		{op: device.SoftMarginLoss{Reduction: device.Mean}, inputs: 2, loss: true},
		{op: device.SoftMarginLossBackward{Reduction: device.Sum}, inputs: 2, loss: true},
	}
	for _, simd := range []bool{true, false} {
		f := newFixture(t, 3)
		d := f.device.(*cpu)
		d.simd = d.simd && simd
		r := rand.New(rand.NewPCG(1, 2))
		for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
			for _, l := range layouts {
				typ := device.Type{DType: dtype, Shape: l.shape}
				plain := []device.View{f.random(r, typ, true), f.random(r, typ, true), f.random(r, typ, true)}
				lying := make([]device.View, len(plain))
				for i, v := range plain {
					lying[i] = f.spread(v, l.order, l.step, r.IntN(20))
				}
				for _, o := range operations {
					op, n := o.op, o.inputs
					if o.loss && dtype.Size() == 2 {
						continue // contiguous halves have kernels of their own
					}
					var first []device.View
					if op.Name() == "SoftMarginLossBackward" {
						first = []device.View{f.random(r, device.Type{DType: dtype, Shape: []int{}}, true)}
					}
					for among := 1; among < 1<<n; among++ { // the inputs that lie otherwise
						name := fmt.Sprintf("%s of %s%v, order %v, step %d, inputs %b, simd %t", op.Name(), dtype, l.shape, l.order, l.step, among, d.simd)
						same, other := slices.Clone(first), slices.Clone(first)
						for i := range n {
							same = append(same, plain[i])
							other = append(other, []device.View{plain[i], lying[i]}[among>>i&1])
						}
						want, got := f.output(op, same), f.output(op, same)
						f.run(op, same, want)
						f.run(op, other, got)
						require.True(t, bytes.Equal(bits(want), bits(got)), name)
						if op == (device.Sub{}) && among == 1 {
							self := f.spread(plain[0], l.order, l.step, 5)
							f.run(op, []device.View{self, plain[1]}, self)
							require.True(t, bytes.Equal(bits(want), bits(self)), "%s, in place", name)
						}
					}
				}
			}
		}
	}
}
