// Package gemm multiplies float32 matrices with AVX2 and AVX-512 kernels: it
// computes activation(A·B + bias).
//
// A product is planned once for its shapes and strides, and run any number of times:
//
//	plan := gemm.NewPlan(product)
//	workspace := make([]float32, plan.Workspace())
//	plan.Pack(a, b, workspace, 0, plan.PackParts())
//	plan.Multiply(c, a, b, bias, workspace, 0, plan.Parts())
//
// Both steps fall into parts that threads can share. A run allocates nothing.
//
// # Tiles
//
// The FMA units of a core want some eight or more independent sums at any time, and each
// sum needs an element of A and one of B, more than a core can load. So C is
// computed in tiles that fit the registers, of 6 by 16 elements for AVX2 and of 12 by 32 for
// AVX-512: for each step along k a tile loads one row of B, and multiplies it with
// one element from each of its rows of A, repeated all over a register. That works
// for any strides of A, so transposing it is free. B must have contiguous rows;
// where it has not, it is packed first, that is copied to panels as wide as a tile. Partial
// vectors are masked, so there are no loops over left-over columns.
//
// Packing has another use in the literature (Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", 2008): panels stay in the cache whatever the
// strides are. Here it pays only where rows are multiples of 2 KiB apart and so
// compete for the same few sets of the first-level cache. All other matrices are used where they lie,
// blocked for the caches, and small ones cost no more than a function call.
//
// A product with one column is computed as one row, transposed, and a product with a
// single row goes eight vectors of columns at a time, since it has few sums.
//
// # Order of summation
//
// An element is summed over ascending k by fused multiply-adds, starting from the bias or
// from 0. Strides, blocks, packing, parts and the instruction set make no difference to
// the result, to the bit. No term is left out: 0 times infinity is NaN.
package gemm
