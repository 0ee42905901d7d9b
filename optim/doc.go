// Package optim has the optimizers that train parameters, the learning-rate
// schedules that drive them, and gradient clipping.
//
// A training step is two things that stay apart in the graph: the gradients of the
// loss, and the updates that use them. Whatever belongs between them, such as
// clipping, is written between them:
//
//	params := g.Parameters()
//	gradients := graph.Gradients(loss, params...)
//	gradients = optim.ClipNorm(gradients, 1)
//	optim.NewAdam(optim.Cosine(1e-3, 0, 1000)).Update(params, gradients)
//
// and where nothing does, [Minimize] is both. Parameters that are to be treated
// differently, such as biases without weight decay, get an Update of their own with
// another optimizer.
//
// # Hyper-parameters
//
// Optimizers are small structs. A field means what it says, zero included, so the
// literal SGD{LR: lr} is plain gradient descent. Those whose usual hyper-parameters
// are not zero have a constructor that sets PyTorch's defaults, to be changed where
// needed:
//
//	adam := optim.NewAdam(optim.Constant(1e-3))
//	adam.Beta1 = 0
//
// A hyper-parameter outside its range is recorded as the graph's error.
//
// # Steps
//
// The learning rate is a function of the session's step counter, which counts the
// runs that updated something. It is computed on the host before every run and
// shared by all parameters of a call of Update. What depends on how often a parameter was updated,
// such as Adam's bias correction, follows a count of the parameter's own.
//
// # State
//
// What an optimizer remembers of a parameter, such as a momentum, lives on the
// device as the session's state "<optimizer>/<parameter>/<state>", such as
// "AdamW/w/expAvg", of the parameter's shape, in float64 for float64 parameters and
// float32 for all others; "<optimizer>/<parameter>/step" is its count of updates.
// [device.Optimizer] and its implementations name the states. A session that is
// given these values and the step counter goes on exactly where another stopped.
package optim
