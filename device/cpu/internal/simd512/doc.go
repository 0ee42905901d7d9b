// Package simd512 holds the kernels of the soft margin loss that package simd has in AVX2, in
// AVX-512: sixteen float32 at a time, opmasks for the last elements of a slice, and registers enough
// for the constants of a formula. [Available] says whether the machine has what they need. On
// other machines than amd64 there is nothing else in the package.
package simd512
