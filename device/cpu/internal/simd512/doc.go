// Package simd512 holds the kernels of the soft margin loss that package simd has in AVX2, in
// AVX-512: sixteen float32 at a time. [Available] says whether the machine has what they need. On
// other machines than amd64 there is nothing else in the package.
//
// What holds for kernels in package simd holds here: a kernel works on as many elements as its
// shortest slice has and touches no memory outside its slices, which may lie anywhere; dst may be the
// same slice as an input, but not overlap one otherwise; an element's result does not depend on its index; and
// sums are taken in an order that depends on the length alone.
//
// # What the wider instructions change
//
// Opmasks take the last elements of a slice through the same arithmetic as the others. Thirty-two registers
// hold the constants of a formula and four vectors beside them. An exponent is put in place by one
// instruction, subnormal results included. A reciprocal to 14 bits and a step of Newton's give e^-|m| for the
// sum of losses out of 1 + e^|m|, which the gradient needs anyway.
//
// # Accuracy
//
// Errors are below 2 ulp, units in the last place of the exact result, for targets ±1. A factor
// not within 2^-32 and 2^12, and a vector of gradients, take one more rounding: below 3 ulp.
// Kernels of halves compute in float32, within 3 ulp, and round once in the end.
//
// An infinite target gives NaN, or a gradient's limit. A product of factor and target beyond the range of float32
// gives infinity, and so may the sum of losses if a margin is below -10^37: up to 32 are added in float32.
package simd512
