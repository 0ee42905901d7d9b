package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

func TestModelMayCallTheSession(t *testing.T) {
	s := openSession(t, "cpu")
	f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		require.Zero(t, s.Step())
		require.Empty(t, s.Parameters())
		return in
	})
	_, err := f.Run(float32s([]int{1}, 1))
	require.NoError(t, err)
}

// refusing is a device that cannot do one operation.
type refusing struct {
	device.Device
	op device.Op
}

func (d refusing) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	if op == d.op {
		return nil, &device.Error{Code: device.ErrUnsupported, Op: op.Name(), Reason: "this device has no such operation"}
	}
	return d.Device.Plan(op, inputs, output)
}

func TestFailedCompileLeavesNothing(t *testing.T) {
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	s, err := graph.NewSession(refusing{dev, device.Tanh{}})
	require.NoError(t, err)
	defer s.Close()
	build := func(op func(*graph.Node) *graph.Node, dtype device.DType) *graph.Function {
		return s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
			return []*graph.Node{op(g.Parameter("w", typ(dtype, 2), nil))}
		})
	}
	_, err = build(ops.Tanh, device.Float64).Run()
	require.EqualError(t, err, "graph: "+here(4)+": Tanh: this device has no such operation (200001 ACL_ERROR_API_NOT_SUPPORT)")
	require.ErrorIs(t, err, device.ErrUnsupported)
	require.Empty(t, s.Parameters())
	_, err = build(ops.Exp, device.Float32).Run() // the name is free
	require.NoError(t, err)
	require.Equal(t, []string{"w"}, s.Parameters())
}

func TestValuesSetBeforeTheirDeclaration(t *testing.T) {
	s := openSession(t, "cpu")
	saved := float64s([]int{2, 2}, 1, 2, 3, 4)
	require.NoError(t, saved.T()) // any strides; a copy is kept
	require.NoError(t, s.SetValue("w", saved))
	saved.Float64s()[0] = 99
	require.NoError(t, s.SetValue("half", float32s([]int{1}, 1.01171875)))
	require.NoError(t, s.SetValue("other", float32s([]int{1}, 1)))
	f := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		never := func([]float64) { t.Error("the value is known, so it is not initialised") }
		return []*graph.Node{g.Parameter("w", typ(device.Float64, 2, 2), never), g.Parameter("half", typ(device.BFloat16, 1), never)}
	})
	out, err := f.Run()
	require.NoError(t, err)
	require.Equal(t, []float64{1, 3, 2, 4}, out[0].Data())
	require.Equal(t, []float32{1.015625}, out[1].Float32s())

	_, err = s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{g.Parameter("other", typ(device.Float64, 1), nil)}
	}).Run()
	require.ErrorContains(t, err, `parameter "other" was set before it was declared: a tensor of float32[1] cannot hold the value float64[1]`)
}

func TestUpdateByItself(t *testing.T) {
	s := openSession(t, "cpu")
	f := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.Float64, 2), func(v []float64) { v[0], v[1] = 4, 8 })
		sgd(0.25, w, w)
		return nil
	})
	require.NoError(t, f.RunInto(nil))
	w, err := s.Value("w")
	require.NoError(t, err)
	require.Equal(t, []float64{3, 6}, w.Data())
}

func TestShapesAreTheGraphsOwn(t *testing.T) {
	s := openSession(t, "cpu")
	shape := []int{2}
	_, err := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		w := g.Parameter("w", device.Type{DType: device.Float32, Shape: shape}, nil)
		p := g.PerStep(device.Type{DType: device.Float32, Shape: shape}, func(int64, []float64) error { return nil })
		shape[0] = 5
		require.Equal(t, []int{2}, w.Shape())
		require.Equal(t, []int{2}, p.Shape())
		return []*graph.Node{w}
	}).Run()
	require.NoError(t, err)
}

// poisoned is a device whose memory starts as NaN, and that notes how much there is.
type poisoned struct {
	device.Device
	bytes *int64
}

func (d poisoned) Alloc(size int64) (device.Buffer, error) {
	b, err := d.Device.Alloc(size)
	if err != nil {
		return nil, err
	}
	*d.bytes += size
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	nan := make([]byte, size)
	for i := range nan {
		nan[i] = 0xff
	}
	return b, s.Upload(b, 0, nan)
}

// TestMemoryIsReused: a long chain of values that die one after the other takes
// the memory of a few, and computes what it should.
func TestMemoryIsReused(t *testing.T) {
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	var bytes int64
	s, err := graph.NewSession(poisoned{dev, &bytes})
	require.NoError(t, err)
	defer s.Close()
	const n, length = 1000, 100
	f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		x, y := in[0], ops.Transpose(in[0])
		for range length {
			x = ops.Mul(ops.Add(x, y), g.Constant(device.Float32, 0.5)) // element-wise, in place
			y = ops.Transpose(ops.Neg(ops.Neg(x)))
		}
		return []*graph.Node{ops.Sum(x)}
	})
	x := tensor.New(tensor.WithShape(n, n), tensor.WithBacking(tensor.Range(tensor.Float32, 0, n*n)))
	got, err := f.RunScalar(x)
	require.NoError(t, err)
	require.InEpsilon(t, float64(n*n)*(n*n-1)/2, got, 1e-4)
	require.Less(t, bytes, int64(4*n*n*4), "not %d matrices", 3*length)
	require.False(t, math.IsNaN(got))
}
