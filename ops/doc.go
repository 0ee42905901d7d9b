// Package ops has the differentiable operations: functions that make nodes of a
// graph, each with the rule by which gradients flow back through it.
//
// An operation is two things: a builder, which applies a device descriptor to
// nodes, and a gradient rule, a function of the result and its gradient that
// returns the gradients of the operands, built with operations of this
// package. So gradients can be differentiated again, to any order.
//
//	func Exp(x *graph.Node) *graph.Node { return graph.Apply(device.Exp{}, expGradients, x) }
//
//	func expGradients(n, g *graph.Node) []*graph.Node { // d(eˣ) = eˣ dx
//		return []*graph.Node{Mul(g, n)}
//	}
//
// Operands broadcast as in NumPy: aligned at the right, an axis of dimension 1 is
// repeated. [SumTo] sums a gradient back to an operand's shape. Dtypes promote
// as package device says. A mistake is recorded in the graph, with the file
// and line of the call, see package graph.
package ops
