package device

// Custom is an operation that brings a kernel of its own, written in Go. Package
// graph takes it like any other operation:
//
//	y := graph.Apply(MyOp{}, gradients, x)
//
// The kernel runs on the host, in the goroutine that launches it: on the CPU
// device, and beside an NPU if its name has fallback=cpu. Elements reach it as
// float64 whatever the tensors' dtypes and strides are, and its results are rounded
// to the output's dtype, for the half types by way of float32. So one kernel serves
// every dtype, and can be checked with float64 by package gradcheck.
type Custom interface {
	Op

	// Compute writes every element of the output, whose shape is the one that Infer
	// gave; the inputs have the shapes that Infer was given, so broadcasting is up to the kernel. An
	// [Updater] can update one tensor, whose new elements are the output. Compute must not keep or change what it is given, must depend on nothing
	// else, and may be called by several goroutines at once.
	Compute(output HostTensor, inputs []HostTensor)
}

// HostTensor is a tensor as a [Custom] kernel sees it.
type HostTensor struct {
	Shape []int
	Data  []float64 // in row-major order
}
