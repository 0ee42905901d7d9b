// Package graph builds computations as graphs of nodes, differentiates them,
// and compiles them into programs for a device.
//
// Work happens at three times:
//
//   - Describe. A model is a Go function that makes nodes. Each node is one
//     device operation; its type, dtype and shape, is inferred and checked as it is
//     made. [Gradients] appends the nodes that compute derivatives, and
//     [Graph.Update] an optimizer's step: both are ordinary nodes, so gradients can be
//     differentiated again.
//   - Plan. The first time a [Function] meets inputs of certain types, the session
//     traces the model for them and compiles the graph: it lays out memory, with
//     buffers reused as soon as nothing reads them any more, and plans every
//     operation on the device. Whatever can be refused is refused here.
//   - Launch. Every later run uploads the inputs, launches the planned
//     executors and reads back the outputs. It allocates nothing on the Go heap.
//
// A [Session] holds what outlives a run: parameters and optimizer state, by
// name, on the device, shared by all functions of the session, and the step counter.
//
//	session, err := graph.NewSession(dev)
//	step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
//		x, y := in[0], in[1]
//		w := g.Parameter("w", device.Type{DType: device.Float32, Shape: []int{30, 1}}, nil)
//		loss := softmarginloss.Forward(ops.MatMul(x, w), y, device.Mean)
//		optim.Minimize(g, optim.SGD{LR: optim.Constant(0.1)}, loss, w)
//		return []*graph.Node{loss}
//	})
//	loss, err := step.RunScalar(x, y) // *tensor.Dense in, float64 out
//
// # Errors
//
// Building never panics on a mistake. The graph keeps the first error, with the
// file and line of the call that made it; nodes made after it are inert: they may
// be passed on, but have no type. Running the function returns the error.
//
// # Order
//
// Everything a program reads of a parameter is its value before the program's
// updates, which run last, in the order in which they were made.
package graph
