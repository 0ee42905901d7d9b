package cpu

import "github.com/pullback-go/pullback/device"

// layout says where the elements of a strided tensor lie, relative to the first.
// Axes of one element are left out, and axes that continue each other in memory
// are merged, so that the last axis is as long as it can be.
type layout struct {
	rank          int
	dims, strides [device.MaxRank]int
}

// newLayout returns the layout of a tensor that is not empty.
func newLayout(shape, strides []int) layout {
	var l layout
	for i, d := range shape {
		switch last := l.rank - 1; {
		case d == 1:
		case last >= 0 && l.strides[last] == d*strides[i]:
			l.dims[last] *= d
			l.strides[last] = strides[i]
		default:
			l.dims[l.rank], l.strides[l.rank] = d, strides[i]
			l.rank++
		}
	}
	return l
}

// row returns the length and the stride of the last axis.
func (l *layout) row() (n, stride int) {
	if l.rank == 0 {
		return 1, 0
	}
	return l.dims[l.rank-1], l.strides[l.rank-1]
}

// contiguous reports whether the elements lie one after the other.
func (l *layout) contiguous() bool {
	return l.rank == 0 || l.rank == 1 && l.strides[0] == 1
}

// repeats reports whether all of several elements are the same one.
func (l *layout) repeats() bool { return l.rank == 1 && l.strides[0] == 0 }

// at returns where element i in row-major order lies.
func (l *layout) at(i int) int {
	offset := 0
	for axis := l.rank - 1; axis >= 0; axis-- {
		offset += i % l.dims[axis] * l.strides[axis]
		i /= l.dims[axis]
	}
	return offset
}

// walk calls visit for the rows, or pieces of rows, that hold the elements from
// start on in row-major order, one for each element of block. It passes the part of block
// that belongs to the piece, where its first element lies, counted from base, and the stride.
func walk[F float](l *layout, base, start int, block []F, visit func(piece []F, offset, stride int)) {
	n, stride := l.row()
	col := start % n
	if len(block) <= n-col {
		visit(block, base+l.at(start), stride)
		return
	}
	var index [device.MaxRank]int
	offset := base + l.at(start-col)
	for i, axis := start/n, l.rank-2; axis >= 0; axis-- {
		index[axis] = i % l.dims[axis]
		i /= l.dims[axis]
	}
	for {
		piece := min(n-col, len(block))
		visit(block[:piece], offset+col*stride, stride)
		if block = block[piece:]; len(block) == 0 {
			return
		}
		col = 0
		for axis := l.rank - 2; axis >= 0; axis-- {
			index[axis]++
			offset += l.strides[axis]
			if index[axis] < l.dims[axis] {
				break
			}
			offset -= index[axis] * l.strides[axis]
			index[axis] = 0
		}
	}
}
