package gemm

import "math"

// The blocks of multiplyTiles. A panel of kBlock rows of B stays in the first-level
// cache, or close to it, while a block of A with rowBlock rows passes by it; that block
// stays in the second-level cache while it passes by all panels of B. Sizes some way
// off do as well: a block may get nearly twice as large, so that none is left over that is small.
const (
	kBlock   = 320
	rowBlock = 96
)

// columnsPerCall is the number of columns that are shared out together.
func (p *Plan) columnsPerCall() int {
	if p.m == 1 {
		return 8 * p.kernels.lanes
	}
	return p.kernels.columns()
}

// multiplyTiles computes a rectangle of C by tiles. As the sums of a block of k go on
// where those of the block before ended, an element is the sum over ascending k,
// whatever the blocks are.
func (p *Plan) multiplyTiles(c, a, b, workspace []float32, s start, r rectangle) {
	floor := float32(math.Inf(-1))
	for l := 0; l < p.k; {
		k := blockSize(p.k-l, kBlock)
		if l+k == p.k {
			floor = p.floor
		}
		for i := r.i0; i < r.i1; {
			rows := blockSize(r.i1-i, rowBlock)
			if p.a.width > 0 {
				rows = min(r.i1-i, p.a.width-i%p.a.width)
			}
			a, aCol, aRow := p.a.at(a, workspace, l, i)
			for j := r.j0; j < r.j1; {
				b, bRow, _ := p.b.at(b, workspace, l, j)
				from := &s.data[i*s.row+j*s.col]
				kernel, cols, lanes := p.tiles(r.j1 - j)
				kernel(a, aRow, aCol, b, bRow, from, s.row, &c[i*p.cRow+j], p.cRow, rows, k, lanes, floor)
				j += cols
			}
			i += rows
		}
		l += k
		s = start{c, p.cRow, 1}
	}
}

// blockSize returns how many of the elements left make up the next block.
func blockSize(left, block int) int {
	if left < 2*block {
		return left
	}
	return block
}

// tiles returns a kernel for the next of n columns, how many it takes, and how many
// of them make up its partial vector.
func (p *Plan) tiles(n int) (kernel tileKernel, cols, lanes int) {
	k := p.kernels
	switch {
	case p.m == 1 && p.b.width == 0 && n >= 8*k.lanes:
		return k.tiles8, 8 * k.lanes, 0
	case n >= 2*k.lanes:
		return k.tiles2, 2 * k.lanes, 0
	case n > k.lanes:
		return k.tiles2Partial, n, n - k.lanes
	default:
		return k.tiles1Partial, n, n
	}
}
