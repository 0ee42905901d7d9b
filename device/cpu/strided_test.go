package cpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

func TestLayoutMergesAxes(t *testing.T) {
	for _, c := range []struct {
		name                string
		shape, strides      []int
		dims, merged        []int
		contiguous, repeats bool
	}{
		{"scalar", nil, nil, []int{}, []int{}, true, false},
		{"one element", []int{1, 1}, []int{5, 7}, []int{}, []int{}, true, false},
		{"contiguous", []int{2, 3, 4}, []int{12, 4, 1}, []int{24}, []int{1}, true, false},
		{"contiguous with an axis of one", []int{2, 1, 4}, []int{4, 99, 1}, []int{8}, []int{1}, true, false},
		{"transposed", []int{4, 3}, []int{1, 4}, []int{4, 3}, []int{1, 4}, false, false},
		{"every other", []int{2, 3}, []int{6, 2}, []int{6}, []int{2}, false, false},
		{"columns of a wider matrix", []int{5, 3}, []int{8, 1}, []int{5, 3}, []int{8, 1}, false, false},
		{"leading axes contiguous", []int{2, 5, 3}, []int{40, 8, 1}, []int{10, 3}, []int{8, 1}, false, false},
		{"one element repeated", []int{2, 3, 4}, []int{0, 0, 0}, []int{24}, []int{0}, false, true},
		{"rows repeated", []int{2, 3, 4}, []int{0, 0, 1}, []int{6, 4}, []int{0, 1}, false, false},
		{"columns repeated", []int{2, 3, 4}, []int{3, 1, 0}, []int{6, 4}, []int{1, 0}, false, false},
	} {
		l := newLayout(c.shape, c.strides)
		require.Equal(t, c.dims, l.dims[:l.rank], c.name)
		require.Equal(t, c.merged, l.strides[:l.rank], c.name)
		require.Equal(t, c.contiguous, l.contiguous(), c.name)
		require.Equal(t, c.repeats, l.repeats(), c.name)
	}
}

// Every walk, from every element on and of every length, visits the elements that
// counting up the indices one by one does.
func TestWalk(t *testing.T) {
	for _, v := range []device.View{
		{},
		{Shape: []int{7}, Strides: []int{3}},
		{Shape: []int{2, 3, 4}, Strides: []int{12, 4, 1}},
		{Shape: []int{4, 3, 2}, Strides: []int{1, 4, 12}},
		{Shape: []int{3, 1, 4}, Strides: []int{0, 9, 2}},
		{Shape: []int{3, 4}, Strides: []int{5, 0}},
		{Shape: []int{2, 1, 2, 2, 1, 2, 3, 2}, Strides: []int{1, 0, 2, 4, 0, 50, 0, 8}},
	} {
		want := offsets(v)
		l := newLayout(v.Shape, v.Strides)
		for start := range want {
			require.Equal(t, want[start], l.at(start))
			for end := start + 1; end <= len(want); end++ {
				var got []int
				const base = 1000
				walk(&l, base, start, make([]float32, end-start), func(piece []float32, offset, stride int) {
					for i := range piece {
						got = append(got, offset-base+i*stride)
					}
				})
				require.True(t, slices.Equal(want[start:end], got), "%v from %d to %d", v, start, end)
			}
		}
	}
}

// The loss gradient of all numbers of a half type has the same bits however its operands are laid out.
func TestLayoutsAgreeOnHalves(t *testing.T) {
	f := newFixture(t, 1)
	for dtype, one := range map[device.DType]uint16{device.Float16: 0x3c00, device.BFloat16: 0x3f80} {
		matrix := device.Type{DType: dtype, Shape: []int{256, 256}}
		numbers, signs := device.Contiguous(f.alloc(matrix.Bytes()), 0, matrix), device.Contiguous(f.alloc(matrix.Bytes()), 0, matrix)
		for i := range 1 << 16 {
			typed[uint16](numbers.Buffer.(*buffer).mem)[i] = uint16(i)
			typed[uint16](signs.Buffer.(*buffer).mem)[i] = one | uint16(i%2<<15)
		}
		for _, gradOutput := range []device.View{device.Contiguous(signs.Buffer, 0, device.Type{DType: dtype, Shape: []int{}}), signs} {
			for _, op := range []device.Op{device.SoftMarginLossBackward{Reduction: device.Sum}, device.SoftMarginLossBackward{Reduction: device.Mean}} {
				inputs := []device.View{gradOutput, numbers, signs}
				want := f.output(op, inputs)
				f.run(op, inputs, want)
				for i := range inputs {
					if len(inputs[i].Shape) == 0 {
						continue
					}
					strided := slices.Clone(inputs)
					strided[i] = f.strided(inputs[i])
					got := f.output(op, strided)
					f.run(op, strided, got)
					require.Equal(t, bits(want), bits(got), "%s of %s, input %d strided", device.OpString(op), dtype, i)
				}
			}
		}
	}
}
