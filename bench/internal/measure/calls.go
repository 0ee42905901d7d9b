package measure

import (
	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/device"
)

// Calls returns what is launched at the point, on one copy of its tensors. The
// outputs have no contents yet. Transfers and training steps are no calls.
func (p Point) Calls(copyNumber int) []calls.Call {
	rows, columns := p.shape()
	shape := []int{rows, columns}
	contiguous := func(s source, shape ...int) calls.Tensor {
		return calls.Tensor{DType: p.DType, Shape: shape, Strides: device.RowMajor(shape), Data: draw(s, p.DType, device.Elements(shape), copyNumber)}
	}
	output := func(shape ...int) calls.Tensor {
		if shape == nil {
			shape = []int{}
		}
		return calls.Tensor{DType: p.DType, Shape: shape, Strides: device.RowMajor(shape), Data: make([]byte, device.Elements(shape)*p.DType.Size())}
	}
	scalar := func(d device.DType, x float64) calls.Tensor { return calls.New(d, []int{}, []float64{x}) }
	self := p.first(shape, copyNumber)
	all := device.AllAxes(2)

	switch p.Op {
	case Forward, Backward, Both:
		r := p.reduction()
		target := contiguous(labels, shape...)
		loss, gradOutput := output(), scalar(p.DType, 1)
		if r == device.None {
			loss, gradOutput = output(shape...), contiguous(gradients, shape...)
		}
		forward := calls.Call{Op: device.SoftMarginLoss{Reduction: r}, Inputs: []calls.Tensor{self, target}, Output: loss}
		backward := calls.Call{Op: device.SoftMarginLossBackward{Reduction: r}, Inputs: []calls.Tensor{gradOutput, self, target}, Output: output(shape...)}
		switch p.Op {
		case Forward:
			return []calls.Call{forward}
		case Backward:
			return []calls.Call{backward}
		}
		return []calls.Call{forward, backward}
	case MatMul:
		return []calls.Call{{Op: device.MatMul{}, Inputs: []calls.Tensor{self, contiguous(weights, columns, columns)}, Output: output(shape...)}}
	case Linear:
		return []calls.Call{{Op: device.Linear{}, Inputs: []calls.Tensor{self, contiguous(weights, columns, columns), contiguous(gradients, columns)}, Output: output(shape...)}}
	case ReLU:
		return []calls.Call{{Op: device.ReLU{}, Inputs: []calls.Tensor{self}, Output: output(shape...)}}
	case Sum:
		return []calls.Call{{Op: device.ReduceSum{Axes: all}, Inputs: []calls.Tensor{self}, Output: output()}}
	case AdamW:
		return []calls.Call{{
			Op: device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01, Decoupled: true},
			Inputs: []calls.Tensor{self, contiguous(gradients, shape...), scalar(p.DType, 1e-3), scalar(p.DType.Compute(), 10),
				contiguous(weights, shape...), contiguous(squares, shape...)},
		}}
	}
	return nil
}

// first is the first input, in the point's layout.
func (p Point) first(shape []int, copyNumber int) calls.Tensor {
	rows, columns := shape[0], shape[1]
	t := calls.Tensor{DType: p.DType, Shape: shape}
	n := rows * columns
	switch p.Layout {
	case "strided": // every second column
		t.Strides = []int{2 * columns, 2}
		n *= 2
	case "transposed":
		t.Strides = []int{1, rows}
	case "broadcast": // one row repeated
		t.Strides = []int{0, 1}
		n = columns
	default:
		t.Strides = []int{columns, 1}
	}
	t.Data = draw(scores, p.DType, n, copyNumber)
	return t
}

// traffic is how many bytes the calls must move at least: every element of their tensors that
// is read, once, and every one that is written; a repeated row is read once.
func traffic(list []calls.Call) float64 {
	bytes, seen := 0, map[*byte]bool{}
	for _, c := range list {
		for i, t := range c.Inputs {
			if len(t.Data) == 0 || seen[&t.Data[0]] {
				continue // the gradient's inputs are the loss's
			}
			seen[&t.Data[0]] = true
			bytes += distinct(t)
			if u, ok := c.Op.(device.Updater); ok {
				for _, k := range u.Updates() {
					if k == i {
						bytes += distinct(t)
					}
				}
			}
		}
		if _, ok := c.Op.(device.Updater); !ok {
			bytes += distinct(c.Output)
		}
	}
	return float64(bytes)
}

func distinct(t calls.Tensor) int {
	n := t.DType.Size()
	for i, d := range t.Shape {
		if t.Strides[i] != 0 || d == 0 {
			n *= d
		}
	}
	return n
}

// footprint is how many bytes of memory one copy of the tensors takes.
func footprint(list []calls.Call) int {
	bytes, seen := 0, map[*byte]bool{}
	for _, c := range list {
		for _, t := range append([]calls.Tensor{c.Output}, c.Inputs...) {
			if len(t.Data) > 0 && !seen[&t.Data[0]] {
				seen[&t.Data[0]] = true
				bytes += len(t.Data)
			}
		}
	}
	return bytes
}
