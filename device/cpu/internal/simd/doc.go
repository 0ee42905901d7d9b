// Package simd holds vector kernels for the CPU device: arithmetic on contiguous slices,
// eight float32 at a time in AVX2 assembly, and sixteen in AVX-512 assembly for the soft margin loss, where the
// processor has that. [Available] says whether the machine has what they
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
// vocabulary for vectors of either instruction set, and elementary functions in it: exp, log, log1p, the normal
// distribution's tail. A kernel is a formula in these words. It comes out three times: for several
// vectors side by side, for one, and for the masked one, which in AVX-512 does for single ones as well.
//
// AVX-512 looks up a power of two among sixteen by one instruction, so its exponential has a shorter polynomial than
// AVX2's; opmasks take the place of blends; and twice as many registers hold the constants of a formula beside
// four vectors.
//
// A loss and its gradient share their work. With E = e^|m| for a margin m, sigmoid(-|m|) is y = 1/(1 + E), to which
// the gradient comes down; and the sum of losses comes of ∏(1 + e^-|m|) = 1/∏(1 - y), of which one logarithm
// serves 64 vectors. That is a division and a few products more than the gradient takes.
//
// # Accuracy
//
// Errors are in units in the last place of the exact result, or of the smallest number where
// that is subnormal. Those with decimals are the largest over all 2^32 numbers, which
// TestExhaustive finds: over all margins, for the loss and its gradient, with targets ±1.
//
//	                                          AVX2   AVX-512
//	soft margin loss                          1.864  1.864
//	its gradient, for a factor of 1           1.810  1.530
//	its gradient, for a factor of ⅓           1.934  1.283
//	the same with sums of losses, of 1        1.999  1.999
//	the same with sums of losses, of ⅓        1.934  1.609
//	its gradient, gradOutput and norm of ⅓    1.660  1.419
//	Softplus 1.86, Exp 0.89, Log 0.88, Tanh 1.34, Sigmoid 1.81
//	GELU                                       4.19 at -12.22; below 2.1 from -1 on
//	GELUBackward, BCEWithLogitsBackward        4 of the terms that may cancel
//	BCEWithLogits                              2; 3 of the terms that may cancel for targets between 0 and 1
//	TanhBackward, SigmoidBackward              2
//
// With other targets than ±1 the product with the factor is rounded, and the rounding of the margin m counts too: it
// moves e^m by up to |m|/2 units. An infinite target gives NaN, or a gradient's limit. Where the product of factor and
// target is beyond the range of float32 the gradient is infinite, of either sign, or NaN, and where it is below 2^-86 it loses bits. Halves are what a float32 within 8 ulp
// rounds to. Sums of losses are within 2^-22 of the exact ones, or 2^-21 if all margins are the same; one may be infinite if
// a margin is below -10^36, as up to 72 are added in float32.
//
// All other kernels give the exact result, rounded once; updates round once for every operation.
package simd
