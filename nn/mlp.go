package nn

import (
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// MLP is a multi-layer perceptron: [Linear] layers named "<Name>/0", "<Name>/1" and
// so on, with an activation, and dropout if asked for, after each but the last. The
// hidden layers' weights start as [KaimingUniform] gives them, the last one's as
// [XavierUniform] does. Two sizes make it a linear model, whose weights start at 0: there is
// no symmetry to break, and a random start would only have to be unlearnt.
type MLP struct {
	Name       string
	Sizes      []int                         // features of the input, of each hidden layer, of the output; at least 1 each
	Activation func(*graph.Node) *graph.Node // nil is ops.ReLU
	Dropout    float64                       // in [0, 1): the share of hidden activations that is dropped in training
	Seed       uint64                        // of the initial weights and of dropout
}

// Forward returns the network applied to x [n,Sizes[0]]: a node [n,Sizes[last]] of
// x's dtype. Only in training does it drop activations, others at every step.
func (m MLP) Forward(x *graph.Node, training bool) *graph.Node {
	if err := m.check(); err != nil {
		return x.Graph().Fail(err)
	}
	activation := m.Activation
	if activation == nil {
		activation = ops.ReLU
	}
	last := len(m.Sizes) - 2
	for i := range last {
		hidden := m.layer(i, KaimingUniform)
		x = activation(hidden.Forward(x))
		if training && m.Dropout > 0 {
			x = ops.Dropout(x, m.Dropout, source(m.Seed, hidden.Name+"/dropout").Uint64())
		}
	}
	init := XavierUniform
	if last == 0 {
		init = Zeros
	}
	return m.layer(last, init).Forward(x)
}

func (m MLP) layer(i int, init Init) Linear {
	return Linear{Name: fmt.Sprintf("%s/%d", m.Name, i), In: m.Sizes[i], Out: m.Sizes[i+1], Init: init, Seed: m.Seed}
}

func (m MLP) check() error {
	if m.Name == "" {
		return errors.New("MLP: Name is empty, but must be given: the parameters are known by it")
	}
	if len(m.Sizes) < 2 {
		return fmt.Errorf("MLP %q: Sizes is %d, but needs at least two entries, the features of the input and of the output", m.Name, m.Sizes)
	}
	for i, size := range m.Sizes {
		if size < 1 {
			return fmt.Errorf("MLP %q: size %d of %d is %d, but must be at least 1", m.Name, i, m.Sizes, size)
		}
	}
	if !(m.Dropout >= 0 && m.Dropout < 1) {
		return fmt.Errorf("MLP %q: Dropout is %v, but must be at least 0 and below 1", m.Name, m.Dropout)
	}
	return nil
}
