//go:build !amd64

package gemm

// available returns no kernels: there are none for this architecture.
func available() []*kernels { return nil }
