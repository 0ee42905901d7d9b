package nn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
)

// newSession returns a session on a CPU device of its own.
func newSession(t testing.TB) *graph.Session {
	t.Helper()
	dev, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	s, err := graph.NewSession(dev)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, dev.Close())
	})
	return s
}

// forward returns a function of the session that applies a layer to its input.
func forward(s *graph.Session, apply func(*graph.Node) *graph.Node) *graph.Function {
	return s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return []*graph.Node{apply(in[0])} })
}

// run returns the function's outputs.
func run(t testing.TB, f *graph.Function, inputs ...*tensor.Dense) []*tensor.Dense {
	t.Helper()
	out, err := f.Run(inputs...)
	require.NoError(t, err)
	return out
}

// value returns the session's parameter.
func value(t testing.TB, s *graph.Session, name string) *tensor.Dense {
	t.Helper()
	v, err := s.Value(name)
	require.NoError(t, err)
	return v
}

func matrix[T float32 | float64 | float16.Float16](rows, columns int, values []T) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))
}

// randomValues returns n normal numbers.
func randomValues(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([]float64, n)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}
