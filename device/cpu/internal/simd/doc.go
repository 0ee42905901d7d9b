// Package simd holds vector kernels for the CPU device: arithmetic on contiguous slices,
// eight float32 at a time, in AVX2 assembly. [Available] says whether the machine has what they
// need. For other machines than amd64 there is nothing else in the package.
//
// # What holds for every kernel
//
// The slices of a call have one length; if not, the kernel stops with the shortest one or panics. It
// touches no memory outside them. They may lie anywhere, and dst may be the same slice as an input, but
// not overlap one otherwise.
//
// What comes out for an element depends on the same element of the inputs only: not on its index,
// nor on how a buffer is cut up. So the last elements, fewer than a vector, go through the same
// arithmetic in a vector of which the rest is masked off. Sums are taken in float64 in an order that
// depends on nothing but the length.
//
// Halves, float16 and bfloat16, are converted to float32 as they are read, and rounded once, to nearest even, as
// they are written.
//
// # How the kernels are made
//
// The programs in the module _asm generate the assembly with avo. Its package vec has a
// vocabulary for vectors, and elementary functions in it: exp, log, log1p, the normal
// distribution's tail. A kernel is a formula in these words. It comes out three times: for several
// vectors side by side, for one, and for the masked one.
//
// # Accuracy
//
// Errors are in units in the last place of the exact result, or of the smallest number where
// that is subnormal. Those with two decimals are the largest over all 2^32 numbers, which
// TestExhaustive finds: over all margins, for the loss and its gradient, with targets ±1.
//
//	SoftMarginLoss, Softplus                   1.86
//	SoftMarginLossBackward and …SumBackward    1.81 for a factor of 1, 1.93 for ⅓; below 2 for any
//	Exp 0.89, Log 0.88, Tanh 1.34, Sigmoid 1.81
//	GELU                                       4.19 at -12.22; below 2.1 from -1 on
//	GELUBackward, BCEWithLogitsBackward        4 of the terms that may cancel
//	BCEWithLogits                              2; 3 of the terms that may cancel for targets between 0 and 1
//	TanhBackward, SigmoidBackward              2
//
// With other targets than ±1 the rounding of the margin m counts too: it moves e^m by up to |m|/2 units.
// All other kernels give the exact result, rounded once; updates round once for every operation.
package simd
