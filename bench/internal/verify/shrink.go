package verify

import (
	"context"
	"math"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// mostTries bounds the work of shrinking.
const mostTries = 3000

// Shrink returns calls that fail as list does and are smaller: fewer elements, plainer
// layouts, rounder values. fails makes calls and says whether they fail. When the context ends it returns
// what it has got to.
func Shrink(ctx context.Context, list []calls.Call, fails func([]calls.Call) bool) []calls.Call {
	for i := range list { // the loss or its gradient may fail by itself
		if alone := list[i : i+1]; len(list) > 1 && ctx.Err() == nil && fails(alone) {
			list = alone
			break
		}
	}
	tries := 0
	for again := true; again; {
		again = false
		for candidate := range candidates(list[len(list)-1]) {
			if tries++; tries > mostTries || ctx.Err() != nil {
				return list
			}
			if smaller := with(list, candidate); fails(smaller) {
				list, again = smaller, true
				break
			}
		}
	}
	return list
}

// with returns the list with another last call; a loss before it has its scores and targets.
func with(list []calls.Call, last calls.Call) []calls.Call {
	list = slices.Clone(list)
	list[len(list)-1] = last
	if len(list) > 1 {
		list[0].Inputs = last.Inputs[1:]
	}
	return list
}

// candidates yields calls that are smaller than c, the much smaller ones first.
func candidates(c calls.Call) func(yield func(calls.Call) bool) {
	return func(yield func(calls.Call) bool) {
		for _, axis := range axes(c) {
			for _, part := range parts(axis.n) {
				if !yield(crop(c, axis, part[0], part[1])) {
					return
				}
			}
		}
		for i, t := range c.Inputs {
			if !slices.Equal(t.Strides, device.RowMajor(t.Shape)) || t.Offset != 0 || len(t.Data) > device.Elements(t.Shape)*t.DType.Size() {
				if !yield(withInput(c, i, t.Packed())) {
					return
				}
			}
			if first := t.Offset * t.DType.Size(); first > 0 && len(t.Data) > first { // what lies before and behind
				need, _ := calls.Need(t.Shape, t.Strides, 0)
				t.Data, t.Offset = slices.Clone(t.Data[first:first+need*t.DType.Size()]), 0
				if !yield(withInput(c, i, t)) {
					return
				}
			}
		}
		if plain := blank(c.Output.DType, c.Output.Shape); !slices.Equal(c.Output.Strides, plain.Strides) || c.Output.Offset != 0 ||
			len(c.Output.Data) != len(plain.Data) {
			smaller := c
			smaller.Output = plain
			if !yield(smaller) {
				return
			}
		}
		for i, t := range c.Inputs {
			if !simplerValues(c, i, t, yield) {
				return
			}
		}
	}
}

// simplerValues yields calls with one element rounder than it is: 1, 0, then fewer digits.
func simplerValues(c calls.Call, i int, t calls.Tensor, yield func(calls.Call) bool) bool {
	if len(t.Shape) > 0 && device.Elements(t.Shape) > 64 {
		return true
	}
	values, size := t.Values(), t.DType.Size()
	for k, p := range t.Positions() {
		x := values[k]
		for _, simple := range []float64{1, 0, devicetest.Round(x, device.BFloat16)} {
			if x == 0 || x == 1 || simple == x || math.IsNaN(x) {
				continue
			}
			smaller := t
			smaller.Data = slices.Clone(t.Data)
			copy(smaller.Data[p*size:], devicetest.Encode([]float64{simple}, t.DType))
			if !yield(withInput(c, i, smaller)) {
				return false
			}
		}
	}
	return true
}

// parts are the ranges [start, length] of n indices to try in its place.
func parts(n int) [][2]int {
	var list [][2]int
	if n > 1 {
		list = append(list, [2]int{0, n / 2}, [2]int{n / 2, n - n/2})
	}
	if n > 2 {
		list = append(list, [2]int{0, n - 1}, [2]int{1, n - 1})
	}
	return list
}

func withInput(c calls.Call, i int, t calls.Tensor) calls.Call {
	c.Inputs = slices.Clone(c.Inputs)
	c.Inputs[i] = t
	return c
}

func blank(d device.DType, shape []int) calls.Tensor {
	t := calls.New(d, shape, make([]float64, device.Elements(shape)))
	for i := range t.Data {
		t.Data[i] = 0xa5
	}
	return t
}

// axis is one dimension of a call: the axes of its tensors that have it in common.
type axis struct {
	n      int
	of     [][2]int // input, axis
	output int      // its axis in the output, -1 if it is not there
}

// axes returns the dimensions of a call that can be cut short.
func axes(c calls.Call) []axis {
	rule, _ := reference.Lookup(c.Op.Name())
	switch rule.Kind {
	case reference.Reduce:
		return reduceAxes(c)
	case reference.Matrices:
		return matrixAxes(c)
	}
	rank := 0
	for _, t := range c.Inputs {
		rank = max(rank, len(t.Shape))
	}
	list := make([]axis, rank)
	for a := range list {
		list[a] = axis{n: 1, output: a}
		if len(c.Output.Shape) != rank {
			list[a].output = -1 // reduced away
		}
		for i, t := range c.Inputs {
			if k := a - (rank - len(t.Shape)); k >= 0 && t.Shape[k] != 1 {
				list[a].of, list[a].n = append(list[a].of, [2]int{i, k}), t.Shape[k]
			}
		}
	}
	return list
}

func reduceAxes(c calls.Call) []axis {
	var set device.AxisSet
	keep := false
	switch op := c.Op.(type) {
	case device.ReduceSum:
		set, keep = op.Axes, op.KeepDims
	case device.ReduceMean:
		set, keep = op.Axes, op.KeepDims
	}
	var list []axis
	at := 0
	for a, n := range c.Inputs[0].Shape {
		x := axis{n: n, of: [][2]int{{0, a}}, output: -1}
		if !set.Contains(a) {
			x.output = at
		}
		if keep || !set.Contains(a) {
			at++
		}
		list = append(list, x)
	}
	return list
}

func matrixAxes(c calls.Call) []axis {
	rows, inner, innerB, columns := 0, 1, 0, 1
	if op, ok := c.Op.(device.MatMul); ok {
		if op.TransposeSelf {
			rows, inner = 1, 0
		}
		if op.TransposeOther {
			innerB, columns = 1, 0
		}
	}
	shape := c.Inputs[0].Shape
	list := []axis{
		{n: shape[rows], of: [][2]int{{0, rows}}, output: 0},
		{n: shape[inner], of: [][2]int{{0, inner}, {1, innerB}}, output: -1},
		{n: c.Inputs[1].Shape[columns], of: [][2]int{{1, columns}}, output: 1},
	}
	if len(c.Inputs) == 3 {
		list[2].of = append(list[2].of, [2]int{2, 0})
	}
	return list
}

// crop keeps n indices of a dimension, from lo on.
func crop(c calls.Call, x axis, lo, n int) calls.Call {
	c.Inputs = slices.Clone(c.Inputs)
	for _, at := range x.of {
		c.Inputs[at[0]] = c.Inputs[at[0]].Crop(at[1], lo, n)
	}
	if x.output >= 0 {
		c.Output = c.Output.Crop(x.output, lo, n)
	}
	return c
}
