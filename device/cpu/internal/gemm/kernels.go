package gemm

// kernels is the assembly for one instruction set.
type kernels struct {
	name  string
	lanes int // the float32s of a vector
	rows  int // the rows of a full tile

	tiles8        tileKernel // of 8 vectors of columns, for one row
	tiles2        tileKernel // of 2 vectors of columns
	tiles2Partial tileKernel // of 1 vector of columns and lanes more
	tiles1Partial tileKernel // of lanes columns

	copy, transposed copyKernel
}

// columns returns the columns of a full tile.
func (k *kernels) columns() int { return 2 * k.lanes }

// tileKernel computes tiles of C, rows by as many columns as the kernel is made for:
//
//	c[i,j] = max(floor, from[i,j] + Σ_l a[i,l]·b[l,j])
//
// summed from l = 0 to k-1 in this order, with fused multiply-adds. Strides count
// elements. The rows of b, from and c are contiguous; a stride of 0 makes from the
// same for all rows. It may be c itself. Neither rows nor k may be less than 1.
type tileKernel func(a *float32, aRow, aCol int, b *float32, bRow int, from *float32, fromRow int,
	c *float32, cRow int, rows, k, lanes int, floor float32)

// copyKernel copies a matrix of so many rows and columns, neither less than 1, to
// dst[i·dstRow + j]. It comes from src[i·stride + j], or transposed from
// src[i + j·stride]; the transposed kernel fills up each row of dst to a multiple of 8 columns.
type copyKernel func(dst *float32, dstRow int, src *float32, stride, rows, cols int)
