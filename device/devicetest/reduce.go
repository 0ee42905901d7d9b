package devicetest

import (
	"github.com/pullback-go/pullback/device"
)

func reduceCases() []opCase {
	sums := func(axes device.AxisSet, keep bool) device.Op { return device.ReduceSum{Axes: axes, KeepDims: keep} }
	means := func(axes device.AxisSet, keep bool) device.Op { return device.ReduceMean{Axes: axes, KeepDims: keep} }
	sumAxes := func(op device.Op) device.AxisSet { return op.(device.ReduceSum).Axes }
	meanAxes := func(op device.Op) device.AxisSet { return op.(device.ReduceMean).Axes }
	numbers := operand{draw: normal(1)}
	// One element in a few is not a finite number, so that some sums are Inf and some NaN.
	infinities := operand{draw: mixed(normal(1), normal(1), normal(1), oneOf(0, negZero, 1e-40, inf, inf, nan, -inf))}
	return []opCase{
		{calls: append(reduceCalls(sums), call{sums(0b10, true), [][]int{matrix}, true}), operands: []operand{numbers}, want: reduction(sumAxes, sum), ulp: 8},
		{calls: reduceCalls(sums)[:24], operands: []operand{infinities}, want: reduction(sumAxes, sum), ulp: 8},
		{calls: reduceCalls(means), operands: []operand{numbers}, want: reduction(meanAxes, mean), ulp: 8},
		{calls: reduceCalls(means)[:24], operands: []operand{infinities}, want: reduction(meanAxes, mean), ulp: 8},
	}
}

// reduceCalls reduces a tensor of rank 3 over every set of axes, and others over some.
func reduceCalls(op func(axes device.AxisSet, keep bool) device.Op) []call {
	var calls []call
	add := func(axes int, probe bool, shape ...int) {
		for _, keep := range []bool{false, true} {
			calls = append(calls, call{op(device.AxisSet(axes), keep), [][]int{shape}, probe})
		}
	}
	add(0, false)
	add(0b1, false, 0)
	add(0b1, false, 7)
	for axes := range 8 {
		add(axes, true, 2, 3, 5)
	}
	for axes := range 8 {
		add(axes, false, 3, 0, 2)
	}
	add(0b101, true, 1, 6, 1, 8)
	add(0b01101010, false, 2, 1, 2, 3, 1, 2, 2, 2)
	for _, axes := range []int{0b01, 0b10, 0b11} {
		add(axes, false, 64, 33)
		add(axes, false, 1037, 3)
		add(axes, false, 3, 1037)
	}
	for _, axes := range []int{0b01, 0b10, 0b11} {
		calls = append(calls, call{op(device.AxisSet(axes), false), [][]int{{363, 367}}, false})
	}
	return calls
}

// reduction is the reference: the elements of each output are gathered, then reduced.
func reduction(axes func(device.Op) device.AxisSet, reduce func([]number) number) func(device.Op, []tensor) [][]number {
	return func(op device.Op, in []tensor) [][]number {
		kept := make([]int, len(in[0].shape)) // the shape with 1 for the reduced axes
		for i, d := range in[0].shape {
			if kept[i] = d; axes(op).Contains(i) {
				kept[i] = 1
			}
		}
		strides := rowMajor(kept)
		for i := range strides {
			if axes(op).Contains(i) {
				strides[i] = 0
			}
		}
		groups := make([][]number, count(kept))
		i := 0
		eachIndex(in[0].shape, func(index []int) {
			to := dot(index, strides)
			groups[to] = append(groups[to], exactly(in[0].data[i]))
			i++
		})
		out := make([]number, len(groups))
		for i, group := range groups {
			out[i] = reduce(group)
		}
		return [][]number{out}
	}
}
