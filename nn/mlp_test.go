package nn_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// naive applies the session's MLP to a row with loops.
func naive(t testing.TB, s *graph.Session, m nn.MLP, row []float64, activation func(float64) float64) []float64 {
	for i := range m.Sizes[1:] {
		layer := fmt.Sprint(m.Name, "/", i)
		w, next := value(t, s, layer+"/weight").Float64s(), value(t, s, layer+"/bias").Float64s()
		for j := range next {
			for k, v := range row {
				next[j] += v * w[k*len(next)+j]
			}
			if i < len(m.Sizes)-2 {
				next[j] = activation(next[j])
			}
		}
		row = next
	}
	return row
}

// setBiases makes the biases, which start at 0, show.
func setBiases(t testing.TB, s *graph.Session) {
	t.Helper()
	for i, name := range s.Parameters() {
		if strings.HasSuffix(name, "/bias") {
			b := value(t, s, name)
			copy(b.Float64s(), randomValues(b.Shape()[0], uint64(i)))
			require.NoError(t, s.SetValue(name, b))
		}
	}
}

func TestMLPForward(t *testing.T) {
	for name, c := range map[string]struct {
		sizes      []int
		activation func(*graph.Node) *graph.Node
		scalar     func(float64) float64
	}{
		"linear":      {[]int{3, 2}, nil, nil},
		"ReLU":        {[]int{3, 5, 1}, nil, func(v float64) float64 { return max(v, 0) }},
		"two of tanh": {[]int{3, 4, 6, 2}, ops.Tanh, math.Tanh},
	} {
		t.Run(name, func(t *testing.T) {
			m := nn.MLP{Name: "net", Sizes: c.sizes, Activation: c.activation, Seed: 7}
			s := newSession(t)
			f := forward(s, func(x *graph.Node) *graph.Node { return m.Forward(x, false) })
			for _, rows := range []int{4, 1} {
				x := randomValues(3*rows, 1)
				run(t, f, matrix(rows, 3, x))
				setBiases(t, s)
				out := run(t, f, matrix(rows, 3, x))[0]
				outputs := c.sizes[len(c.sizes)-1]
				require.Equal(t, []int{rows, outputs}, []int(out.Shape()))
				for i := range rows {
					want := naive(t, s, m, x[3*i:3*i+3], c.scalar)
					require.InDeltaSlice(t, want, out.Float64s()[outputs*i:outputs*(i+1)], 1e-14)
				}
			}
		})
	}
}

// A layer's initial weights do not depend on the layers around it; hidden layers
// start for ReLU, the last for none.
func TestMLPParameters(t *testing.T) {
	x := matrix(1, 3, []float64{1, 2, 3})
	small := nn.MLP{Name: "net", Sizes: []int{3, 4, 5, 1}, Seed: 3}
	large := nn.MLP{Name: "net", Sizes: []int{3, 4, 5, 6, 2}, Seed: 3}
	first := nn.Linear{Name: "first", In: 3, Out: 3}
	s, deeper := newSession(t), newSession(t)
	run(t, forward(s, func(x *graph.Node) *graph.Node { return small.Forward(x, false) }), x)
	run(t, forward(deeper, func(x *graph.Node) *graph.Node { return large.Forward(first.Forward(x), false) }), x)

	require.Equal(t, []string{"net/0/weight", "net/0/bias", "net/1/weight", "net/1/bias", "net/2/weight", "net/2/bias"}, s.Parameters())
	require.Len(t, deeper.Parameters(), 10)
	for name, want := range map[string][]float64{
		"net/0/weight": fill(nn.KaimingUniform, 3, "net/0/weight", 3, 4),
		"net/1/weight": fill(nn.KaimingUniform, 3, "net/1/weight", 4, 5),
	} {
		require.Equal(t, want, value(t, s, name).Float64s())
		require.Equal(t, want, value(t, deeper, name).Float64s())
	}
	require.Equal(t, fill(nn.XavierUniform, 3, "net/2/weight", 5, 1), value(t, s, "net/2/weight").Float64s())
	require.Equal(t, fill(nn.XavierUniform, 3, "net/3/weight", 6, 2), value(t, deeper, "net/3/weight").Float64s())
	require.Equal(t, []float64{0, 0, 0, 0}, value(t, s, "net/0/bias").Float64s())
}

// The activation gives 1 and the last layer passes on what it gets, so the output
// is the mask of the last dropout.
func TestMLPDropout(t *testing.T) {
	const n, rows = 64, 32
	const p, elements = 0.25, n * rows
	x := matrix(rows, 1, randomValues(rows, 1))
	identity := make([]float64, n*n)
	for i := range n {
		identity[i*n+i] = 1
	}
	mask := func(seed uint64, hidden int, training bool, step int64) []float64 {
		m := nn.MLP{Name: "net", Sizes: []int{1}, Dropout: p, Seed: seed,
			Activation: func(x *graph.Node) *graph.Node { return ops.Exp(ops.Sub(x, x)) }}
		for range hidden + 1 {
			m.Sizes = append(m.Sizes, n)
		}
		s := newSession(t)
		f := forward(s, func(x *graph.Node) *graph.Node { return m.Forward(x, training) })
		run(t, f, x)
		require.NoError(t, s.SetValue(fmt.Sprintf("net/%d/weight", hidden), matrix(n, n, identity)))
		s.SetStep(step)
		return run(t, f, x)[0].Float64s()
	}

	first := mask(1, 1, true, 0)
	kept := 0.
	for _, v := range first {
		if v != 0 {
			require.InDelta(t, 1/(1-p), v, 1e-15)
			kept++
		}
	}
	require.InDelta(t, 1-p, kept/elements, 4*math.Sqrt(p*(1-p)/elements))
	require.Equal(t, first, mask(1, 1, true, 0), "it can be repeated")

	const chance = p*p + (1-p)*(1-p) // that two independent masks agree about an element
	for name, other := range map[string][]float64{
		"seed": mask(2, 1, true, 0), "layer": mask(1, 2, true, 0), "step": mask(1, 1, true, 1),
	} {
		same := 0.
		for i, v := range other {
			if v == first[i] {
				same++
			}
		}
		require.InDelta(t, chance, same/elements, 4*math.Sqrt(chance*(1-chance)/elements), "another %s", name)
	}

	for _, v := range mask(1, 2, false, 0) {
		require.Equal(t, 1., v, "nothing is dropped in prediction")
	}
}

// Central differences with step h are off by about h²/6 times the third derivative,
// and by the rounding of the loss divided by h.
func TestMLPGradients(t *testing.T) {
	const h, tolerance = 1e-5, 1e-9
	y := matrix(5, 1, []float64{1, -1, -1, 1, -1})
	for name, m := range map[string]nn.MLP{
		"linear":       {Name: "net", Sizes: []int{3, 1}},
		"ReLU":         {Name: "net", Sizes: []int{3, 6, 1}},
		"deep tanh":    {Name: "net", Sizes: []int{3, 4, 5, 1}, Activation: ops.Tanh},
		"GELU dropout": {Name: "net", Sizes: []int{3, 8, 1}, Activation: ops.GELU, Dropout: 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			x := matrix(5, 3, randomValues(15, 1))
			s := newSession(t)
			f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				loss := softmarginloss.Forward(m.Forward(in[0], true), in[1], device.Mean)
				return append([]*graph.Node{loss}, graph.Gradients(loss, append(g.Parameters(), in[0])...)...)
			})
			run(t, f, x, y)
			setBiases(t, s)
			gradients := run(t, f, x, y)[1:]

			// check compares the gradient for the values, which set puts in place.
			check := func(what string, values, gradient []float64, set func()) {
				require.Len(t, gradient, len(values), what)
				lossAt := func(i int, v float64) float64 {
					values[i] = v
					set()
					return run(t, f, x, y)[0].Float64s()[0]
				}
				for i, v := range values {
					difference := (lossAt(i, v+h) - lossAt(i, v-h)) / (2 * h)
					values[i] = v
					require.InDelta(t, difference, gradient[i], tolerance, "%s, element %d", what, i)
				}
				set()
			}
			names := s.Parameters()
			for i, name := range names {
				p := value(t, s, name)
				check(name, p.Float64s(), gradients[i].Float64s(), func() { require.NoError(t, s.SetValue(name, p)) })
			}
			check("input", x.Float64s(), gradients[len(names)].Float64s(), func() {})
		})
	}
}

// The best that a linear model can do is the loss ln 2 of saying 0 to all four.
func TestXORIsLearned(t *testing.T) {
	x := matrix(4, 2, []float32{-1, -1, -1, 1, 1, -1, 1, 1})
	y := matrix(4, 1, []float32{-1, 1, 1, -1})
	for seed := range uint64(5) {
		s := newSession(t)
		net := nn.MLP{Name: "xor", Sizes: []int{2, 8, 1}, Activation: ops.Tanh, Seed: seed}
		step := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			loss := softmarginloss.Forward(net.Forward(in[0], true), in[1], device.Mean)
			optim.Minimize(loss.Graph(), optim.NewAdam(optim.Constant(0.05)), loss)
			return []*graph.Node{loss}
		})
		var loss float64
		for range 500 {
			var err error
			loss, err = step.RunScalar(x, y)
			require.NoError(t, err)
		}
		require.Less(t, loss, 0.01, "seed %d", seed)
	}
}

func TestMistakes(t *testing.T) {
	linear := func(l nn.Linear) func(x *graph.Node) *graph.Node { return l.Forward }
	mlp := func(m nn.MLP) func(x *graph.Node) *graph.Node {
		return func(x *graph.Node) *graph.Node { return m.Forward(x, false) }
	}
	for name, c := range map[string]struct {
		apply func(x *graph.Node) *graph.Node
		want  string
	}{
		"width": {linear(nn.Linear{Name: "layer", In: 30, Out: 1}),
			`Linear "layer": the input has shape [8,3], but must have [n,30], one row of In features for each example`},
		"rank": {func(x *graph.Node) *graph.Node {
			return nn.Linear{Name: "layer", In: 24, Out: 1}.Forward(ops.Reshape(x, -1))
		}, `Linear "layer": the input has shape [24], but must have [n,24], one row of In features for each example`},
		"no name":      {linear(nn.Linear{In: 3, Out: 1}), "Linear: Name is empty, but must be given: the parameters are known by it"},
		"no In":        {linear(nn.Linear{Name: "layer", Out: 1}), `Linear "layer": In is 0 and Out 1, but both must be at least 1`},
		"negative Out": {linear(nn.Linear{Name: "layer", In: 3, Out: -1}), `Linear "layer": In is 3 and Out -1, but both must be at least 1`},
		"nil input": {func(x *graph.Node) *graph.Node {
			return ops.Add(x, nn.Linear{Name: "layer", In: 3, Out: 1}.Forward(nil))
		}, `Linear "layer": the input is nil`},
		"one name twice": {func(x *graph.Node) *graph.Node {
			nn.Linear{Name: "layer", In: 3, Out: 1}.Forward(x)
			return nn.Linear{Name: "layer", In: 3, Out: 2}.Forward(x)
		}, `parameter "layer/weight" is declared as float32[3,2], but at`},

		"MLP width":    {mlp(nn.MLP{Name: "net", Sizes: []int{4, 2, 1}}), `Linear "net/0": the input has shape [8,3], but must have [n,4], one row of In features for each example`},
		"MLP no name":  {mlp(nn.MLP{Sizes: []int{3, 1}}), "MLP: Name is empty, but must be given: the parameters are known by it"},
		"no sizes":     {mlp(nn.MLP{Name: "net"}), `MLP "net": Sizes is [], but needs at least two entries, the features of the input and of the output`},
		"one size":     {mlp(nn.MLP{Name: "net", Sizes: []int{3}}), `MLP "net": Sizes is [3], but needs at least two entries, the features of the input and of the output`},
		"size 0":       {mlp(nn.MLP{Name: "net", Sizes: []int{3, 0, 1}}), `MLP "net": size 1 of [3 0 1] is 0, but must be at least 1`},
		"dropout 1":    {mlp(nn.MLP{Name: "net", Sizes: []int{3, 2, 1}, Dropout: 1}), `MLP "net": Dropout is 1, but must be at least 0 and below 1`},
		"dropout NaN":  {mlp(nn.MLP{Name: "net", Sizes: []int{3, 1}, Dropout: math.NaN()}), `MLP "net": Dropout is NaN, but must be at least 0 and below 1`},
		"dropout -0.1": {mlp(nn.MLP{Name: "net", Sizes: []int{3, 1}, Dropout: -0.1}), `MLP "net": Dropout is -0.1, but must be at least 0 and below 1`},
	} {
		t.Run(name, func(t *testing.T) {
			f := forward(newSession(t), c.apply)
			_, err := f.Trace(device.Type{DType: device.Float32, Shape: []int{8, 3}})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "_test.go:", "it says where")
		})
	}
}
