package devicetest

import (
	"github.com/pullback-go/pullback/device"
)

// dims returns the list as Dims; the table's lists are short enough.
func dims(list ...int) device.Dims {
	d, err := device.MakeDims(list)
	if err != nil {
		panic(err)
	}
	return d
}

// layoutCases are the rows of the operations that move elements as they are.
func layoutCases() []opCase {
	anything := operand{draw: mixed(normal(1), anyFinite, oneOf(special...)), special: special}
	moved := func(calls []call, source func(op device.Op, in, index []int) int) opCase {
		return opCase{
			calls:    calls,
			operands: []operand{{draw: anything.draw}},
			want: func(op device.Op, in []tensor) [][]number {
				result, err := op.Infer([]device.Type{{DType: device.Float32, Shape: in[0].shape}})
				if err != nil {
					panic(err)
				}
				var out []number
				eachIndex(result.Shape, func(index []int) { out = append(out, exactly(in[0].data[source(op, in[0].shape, index)])) })
				return [][]number{out}
			},
			ulp:        0.5,
			signedZero: true,
		}
	}
	reshape := func(from, to []int, probe bool) call {
		return call{device.Reshape{To: dims(to...)}, [][]int{from}, probe}
	}
	transpose := func(shape, permutation []int, probe bool) call {
		return call{device.Transpose{Permutation: dims(permutation...)}, [][]int{shape}, probe}
	}
	broadcast := func(from, to []int, probe bool) call {
		return call{device.BroadcastTo{To: dims(to...)}, [][]int{from}, probe}
	}

	return []opCase{
		withSignedZero(opCase{
			calls:    elementwiseCalls(1, device.Copy{}),
			operands: []operand{anything},
			want:     each(func(_ device.Op, x []float64) number { return exactly(x[0]) }),
			ulp:      0.5,
		}),
		moved([]call{
			reshape([]int{}, []int{}, false), reshape([]int{1, 1}, []int{}, false), reshape([]int{}, []int{1, 1, 1}, false),
			reshape([]int{0, 3}, []int{5, 0}, false), reshape([]int{6}, []int{2, 3}, false), reshape([]int{2, 3}, []int{6}, false),
			reshape([]int{2, 3, 4}, []int{4, 6}, true), reshape([]int{1, 6, 1, 8}, []int{2, 1, 3, 8}, true),
			reshape([]int{2, 2, 2, 2, 2, 2, 2, 2}, []int{16, 16}, false), reshape([]int{1037}, []int{17, 61}, false),
			reshape([]int{363, 367}, []int{367, 363}, false),
		}, func(op device.Op, in, index []int) int { // the same place in row-major order
			return dot(index, rowMajor(op.(device.Reshape).To.Slice()))
		}),
		moved([]call{
			transpose([]int{}, []int{}, false), transpose([]int{5}, []int{0}, false), transpose([]int{0, 3}, []int{1, 0}, false),
			transpose([]int{2, 3}, []int{1, 0}, false), transpose([]int{2, 3, 4}, []int{2, 0, 1}, true),
			transpose([]int{1, 6, 1, 8}, []int{3, 0, 1, 2}, true), transpose([]int{2, 1, 2, 3, 2, 1, 2, 2}, []int{7, 2, 0, 1, 6, 5, 3, 4}, false),
			transpose([]int{33, 65}, []int{1, 0}, false), transpose([]int{363, 367}, []int{1, 0}, false),
		}, func(op device.Op, in, index []int) int {
			source := make([]int, len(in))
			for i, axis := range op.(device.Transpose).Permutation.Slice() {
				source[axis] = index[i]
			}
			return dot(source, rowMajor(in))
		}),
		moved([]call{
			broadcast([]int{}, []int{}, false), broadcast([]int{}, []int{3}, false), broadcast([]int{1}, []int{0}, false),
			broadcast([]int{0}, []int{2, 0}, false), broadcast([]int{3}, []int{2, 3}, false), broadcast([]int{2, 1, 4}, []int{2, 3, 4}, true),
			broadcast([]int{6, 1, 1}, []int{1, 6, 1, 8}, true), broadcast([]int{1, 2}, []int{2, 1, 2, 1, 3, 1, 2, 2}, false),
			broadcast([]int{61}, []int{17, 61}, false), broadcast([]int{1, 100_003}, []int{2, 100_003}, false),
		}, func(op device.Op, in, index []int) int {
			source := append([]int{}, index[len(index)-len(in):]...)
			for i, d := range in {
				if d == 1 {
					source[i] = 0
				}
			}
			return dot(source, rowMajor(in))
		}),
	}
}
