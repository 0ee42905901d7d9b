package measure

import "github.com/pullback-go/pullback/device"

// maxMemory is how many bytes a measurement may take, on the host and the device together, besides the copies
// that keep small tensors out of the caches.
const maxMemory = 4 << 30

// Stored returns how many elements lie in the storage of the inputs of the point's calls, and how many there are
// in their results. An optimizer's result lies in an input.
func (p Point) Stored() (inputs, results int) {
	_, columns := p.shape()
	n := p.N
	first := n
	switch p.Layout {
	case "strided":
		first = 2 * n
	case "broadcast":
		first = columns
	}
	reduced := 1
	if p.reduction() == device.None {
		reduced = n
	}
	switch p.Op {
	case Forward:
		return first + n, reduced
	case Backward:
		return first + n + reduced, n // gradOutput is as large as the loss
	case Both:
		return first + n + reduced, n + reduced
	case MatMul:
		return first + columns*columns, n
	case Linear:
		return first + columns*columns + columns, n
	case ReLU:
		return first, n
	case Sum:
		return first, 1
	case AdamW:
		return 4*n + 2, n
	}
	return n, 0
}

// memory is how many bytes the point takes: its tensors on the host and on the device, and a
// result that is brought back.
func (p Point) memory() float64 {
	if p.Op == TrainStep {
		return p.trainMemory()
	}
	inputs, results := p.Stored()
	return float64(2*inputs+3*results) * float64(p.DType.Size())
}

// trainMemory counts the mini-batches, of a parameter its value, gradient and moments, the value that the host has
// and that of the reference, and what every row leaves in the layers.
func (p Point) trainMemory() float64 {
	widths, err := p.Network()
	if err != nil {
		return 0
	}
	size := float64(p.DType.Compute().Size())
	units, parameters := 0.0, 0.0
	for i, w := range widths {
		units += float64(w)
		if i > 0 {
			parameters += float64(w) * float64(widths[i-1]+1)
		}
	}
	return batches*float64(p.N)*float64(widths[0]+1)*size + parameters*(5*size+8) + float64(p.N)*units*(3*size+16)
}
