//go:build !amd64

package strided

// Available reports false: there are kernels for amd64 only.
func Available() bool { return false }
