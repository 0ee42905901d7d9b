package nn_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
	"pgregory.net/rapid"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// TestTrainingOnEdges trains on data with infinities and NaN. It comes to an end, and what is not
// finite shows in the loss and in every weight that it reached: nothing turns it back into a number.
func TestTrainingOnEdges(t *testing.T) {
	watchdog := time.AfterFunc(time.Minute, func() { panic("training does not end") })
	defer watchdog.Stop()
	for _, edge := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, opt := range map[string]optim.Optimizer{
			"SGD": optim.SGD{LR: optim.Constant(0.1), Momentum: 0.9}, "Adam": optim.NewAdam(optim.Constant(0.1)),
			"RMSprop": optim.NewRMSprop(optim.Constant(0.1)), "Adagrad": optim.NewAdagrad(optim.Constant(0.1)),
		} {
			s := newSession(t)
			net := nn.MLP{Name: "net", Sizes: []int{3, 4, 1}, Seed: 1}
			step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				loss := softmarginloss.Forward(net.Forward(in[0], true), in[1], device.Mean)
				optim.Minimize(g, opt, loss)
				return []*graph.Node{loss}
			})
			x := randomValues(15, 1)
			good := matrix(5, 3, append([]float64{}, x...))
			y := matrix(5, 1, []float64{1, -1, 1, 1, -1})
			x[7] = edge
			_, err := step.RunScalar(good, y)
			require.NoError(t, err)
			for range 3 {
				_, err = step.RunScalar(matrix(5, 3, x), y)
				require.NoError(t, err)
			}
			loss, err := step.RunScalar(good, y)
			require.NoError(t, err)
			require.True(t, math.IsNaN(loss), "%s with %v: the loss is %v", name, edge, loss)
			require.True(t, math.IsNaN(value(t, s, "net/1/bias").Float64s()[0]), "%s with %v", name, edge)
		}
	}
}

// TestNetworkOfPermutedRows: a network's results are those of each row by itself, to the bit,
// whatever rows are around it.
func TestNetworkOfPermutedRows(t *testing.T) {
	s := newSession(t)
	net := nn.MLP{Name: "net", Sizes: []int{5, 9, 2}, Seed: 1}
	f := forward(s, func(x *graph.Node) *graph.Node { return net.Forward(x, false) })
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.IntRange(1, 30).Draw(r, "rows")
		values := rapid.SliceOfN(rapid.Float32Range(-3, 3), 5*rows, 5*rows).Draw(r, "x")
		order := rapid.Permutation(indices(rows)).Draw(r, "order")
		var permuted []float32
		for _, i := range order {
			permuted = append(permuted, values[5*i:5*i+5]...)
		}
		out := run(t, f, matrix(rows, 5, values))[0].Float32s()
		got := run(t, f, matrix(rows, 5, permuted))[0].Float32s()
		alone := run(t, f, matrix(1, 5, values[:5]))[0].Float32s()
		for to, from := range order {
			if got[2*to] != out[2*from] || got[2*to+1] != out[2*from+1] {
				r.Fatalf("row %d is %v, and %v as row %d", from, out[2*from:2*from+2], got[2*to:2*to+2], to)
			}
		}
		if alone[0] != out[0] || alone[1] != out[1] {
			r.Fatalf("the first row is %v, and %v by itself", out[:2], alone)
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestHugeNetworks: layers of more weights than memory holds, or than can be counted, are an error.
func TestHugeNetworks(t *testing.T) {
	s := newSession(t)
	x := tensor.New(tensor.WithShape(1, 2), tensor.Of(tensor.Float64))
	for _, c := range []struct {
		sizes []int
		code  device.Code
	}{
		{[]int{2, math.MaxInt}, device.ErrParamInvalid},
		{[]int{2, min(1<<50, math.MaxInt/16)}, device.ErrOutOfMemory},
	} {
		_, err := forward(s, func(x *graph.Node) *graph.Node { return nn.MLP{Name: "huge", Sizes: c.sizes}.Forward(x, false) }).Run(x)
		require.ErrorIs(t, err, c.code, "%v", c.sizes)
		require.Empty(t, s.Parameters())
	}
}
