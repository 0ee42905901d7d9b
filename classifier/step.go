package classifier

import (
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// step runs training steps in a session. Once compiled, it allocates nothing.
type step struct {
	recipe recipe
	whole  *graph.Function // nil in float16

	// In float16 the host looks at the gradients before they are used.
	backward, apply *graph.Function
	scale           lossScale
	factor, inverse []float32       // the scale and 1/scale, as tensors below
	loss            []float32       // of the batch
	in              []*tensor.Dense // of backward: rows, labels, scale
	out             []*tensor.Dense // of backward: loss, gradients
	gradients       []*tensor.Dense // of apply: 1/scale, gradients
}

func newStep(session *graph.Session, r recipe) *step {
	if r.dtype != device.Float16 {
		return &step{recipe: r, whole: session.Function(r.step)}
	}
	scalar := func() (*tensor.Dense, []float32) {
		t := graph.NewTensor(device.Type{DType: device.Float32, Shape: []int{}})
		return t, t.Float32s()
	}
	s := &step{recipe: r, backward: session.Function(r.backward), apply: session.Function(r.apply), scale: lossScale{scale: firstScale}}
	s.in, s.out, s.gradients = make([]*tensor.Dense, 3), make([]*tensor.Dense, 1), make([]*tensor.Dense, 1)
	s.in[2], s.factor = scalar()
	s.out[0], s.loss = scalar()
	s.gradients[0], s.inverse = scalar()
	for _, p := range r.parameters() {
		gradient := graph.NewTensor(p.typ)
		s.out, s.gradients = append(s.out, gradient), append(s.gradients, gradient)
	}
	return s
}

// functions returns what a step runs, in order.
func (s *step) functions() []*graph.Function {
	if s.whole != nil {
		return []*graph.Function{s.whole}
	}
	return []*graph.Function{s.backward, s.apply}
}

// inputs returns the types of what the first function takes, for so many rows.
func (s *step) inputs(rows int) []device.Type {
	dtype := s.recipe.dtype.Compute()
	types := []device.Type{s.recipe.rows(rows), {DType: dtype, Shape: []int{rows, 1}}}
	if s.whole == nil {
		types = append(types, device.Type{DType: dtype, Shape: []int{}})
	}
	return types
}

// run makes a step and returns the mean loss of its rows before it. It reports whether
// the step was skipped, since its gradients are not finite.
func (s *step) run(x, y *tensor.Dense) (loss float64, skipped bool, err error) {
	if s.whole != nil {
		loss, err = s.whole.RunScalar(x, y)
		return loss, false, err
	}
	s.in[0], s.in[1] = x, y
	s.factor[0], s.inverse[0] = float32(s.scale.scale), float32(1/s.scale.scale)
	if err := s.backward.RunInto(s.out, s.in...); err != nil {
		return 0, false, err
	}
	finite := true
	for _, gradient := range s.out[1:] {
		finite = finite && allFinite(gradient.Float32s())
	}
	if finite {
		err = s.apply.RunInto(nil, s.gradients...)
	}
	s.scale.adjust(finite)
	return float64(s.loss[0]), !finite, err
}
