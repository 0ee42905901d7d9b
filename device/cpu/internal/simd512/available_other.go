//go:build !amd64

package simd512

// Available reports false: there are kernels for amd64 only.
func Available() bool { return false }
