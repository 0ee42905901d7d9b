//go:build !amd64

package simd

// Available reports false: there are kernels for amd64 only.
func Available() bool { return false }
