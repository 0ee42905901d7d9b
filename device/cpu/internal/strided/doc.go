// Package strided holds kernels for the CPU device that bring elements which lie apart in
// memory together, in AVX2 assembly, for machines where simd.Available holds. For others than amd64 there is
// nothing in the package.
//
// A slice's elements that lie between the strides are not elements of the view, but may be read: they lie
// between two that are. Nothing before the first or after the last is touched.
//
// The assembly is generated with avo by the program in the module _asm.
package strided
