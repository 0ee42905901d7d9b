// Package cpu is the CPU device: plain Go that runs wherever Go does, and vector
// kernels in assembly for amd64 processors with AVX2, FMA and F16C.
//
// Importing it registers the driver "cpu" for [device.Open]:
//
//	cpu              as many threads as GOMAXPROCS allows
//	cpu?threads=2    1 to 256 threads
//	cpu?simd=off     plain Go kernels; simd=auto, the default, uses vector kernels where it can
//
// # How a launch goes
//
// Plan turns an operation into an executor: a short list of phases that run one
// after the other, such as "pack the operands" and "multiply". A phase falls into
// parts that do not depend on each other. The pool shares the parts out among the
// threads, the caller being one of them; a small phase stays with the caller.
// What a part computes does not depend on who computes it, or when, so results
// are the same to the bit for every number of threads.
//
// Most operations are walks over blocks of [blockSize] elements in row-major order:
//
//	load     an input's block becomes a contiguous slice of the compute type: float64
//	         for float64 tensors, else float32. A contiguous tensor of the compute type
//	         is used where it lies; any other is gathered and converted into scratch, a
//	         transposed one many rows at a time.
//	compute  a block kernel, a plain function over contiguous slices, does the arithmetic.
//	store    the result is scattered and rounded, unless the kernel wrote it in place.
//
// So strides and dtypes are dealt with once, in strided.go, transpose.go,
// operand.go and convert.go, and an operation is no more than its kernel. Everything is resolved
// when the operation is planned; a launch allocates nothing.
//
// Vector kernels take the place of block kernels of float32, behind the same
// seams: vector_amd64.go says which, and strided_amd64.go how elements are gathered; matrix products go by package gemm. They are not
// bit-identical with the plain ones, but meet the same promise of accuracy and are
// as deterministic. The plain kernels are the reference that they are tested against.
//
// PlanFused runs the loss with its gradient, and a linear layer with ReLU, as one.
//
// # Numbers
//
// In plain Go, functions that float32 arithmetic does not give exactly (exponentials, losses,
// scaled gradients) are computed in float64 and rounded once. Sums are taken over
// fixed blocks in float64. Matrix products and optimizer steps run in the compute
// type. Products that are added to something are rounded first, so that no machine
// fuses the two into one instruction where another does not.
package cpu
