package nn

import (
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// Linear is a fully connected layer, x·w + b. Its parameters are the weight w
// [In,Out], named "<Name>/weight", and the bias b [Out], named "<Name>/bias".
type Linear struct {
	Name    string
	In, Out int    // features, at least 1
	Init    Init   // of the weight; nil is XavierUniform. The bias starts at 0.
	Seed    uint64 // of the initial weight
}

// Forward returns the layer applied to x [n,In]: a node [n,Out] of x's dtype.
func (l Linear) Forward(x *graph.Node) *graph.Node {
	if x == nil {
		return x.Graph().Fail(fmt.Errorf("Linear %q: the input is nil", l.Name))
	}
	if !x.Valid() {
		return x
	}
	g := x.Graph()
	if err := l.check(x.Shape()); err != nil {
		return g.Fail(err)
	}
	init := l.Init
	if init == nil {
		init = XavierUniform
	}
	dtype := x.DType().Compute()
	name := l.Name + "/weight"
	w := g.Parameter(name, device.Type{DType: dtype, Shape: []int{l.In, l.Out}}, init(l.Seed, name, l.In, l.Out))
	b := g.Parameter(l.Name+"/bias", device.Type{DType: dtype, Shape: []int{l.Out}}, nil)
	return ops.Linear(x, ops.Cast(w, x.DType()), ops.Cast(b, x.DType()))
}

// check returns an error unless the layer can be applied to an input of the given
// shape.
func (l Linear) check(shape []int) error {
	switch {
	case l.Name == "":
		return errors.New("Linear: Name is empty, but must be given: the parameters are known by it")
	case l.In < 1 || l.Out < 1:
		return fmt.Errorf("Linear %q: In is %d and Out %d, but both must be at least 1", l.Name, l.In, l.Out)
	case len(shape) != 2 || shape[1] != l.In:
		return fmt.Errorf("Linear %q: the input has shape %s, but must have [n,%d], one row of In features for each example",
			l.Name, device.ShapeString(shape), l.In)
	}
	return nil
}
