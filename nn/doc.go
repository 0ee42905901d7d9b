// Package nn has the layers of small networks, and the initialisers of their
// parameters.
//
// A layer is a struct that says what it is, and a Forward method that appends its
// nodes to the graph of its input. It holds no values: its parameters are the
// session's, by name, so a layer that is built again, in another function or for
// another batch size, finds the same ones.
//
//	net := nn.MLP{Name: "net", Sizes: []int{30, 16, 1}, Seed: 1}
//	train := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
//		loss := softmarginloss.Forward(net.Forward(in[0], true), in[1], device.Mean)
//		optim.Minimize(g, optim.NewAdam(optim.Constant(1e-3)), loss)
//		return []*graph.Node{loss}
//	})
//	predict := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
//		return []*graph.Node{net.Forward(in[0], false)}
//	})
//
// # Precision
//
// Parameters are float64 where the input is float64, and float32 everywhere else.
// Where the input is float16 or bfloat16, the layer computes with its parameters
// rounded to that dtype; the gradients arrive at the float32 values, so that
// updates too small for a float16 to show still add up (Micikevicius et al., 2018,
// arXiv:1710.03740).
//
// # Randomness
//
// The initial values of a parameter follow from the seed and the parameter's name
// alone: they are the same in every run, and do not change when other layers are
// added.
package nn
