package graph_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
)

// counting is a device that counts how often memory was asked for, and was had.
type counting struct {
	device.Device
	asked, had *int
}

func (d counting) Alloc(size int64) (device.Buffer, error) {
	*d.asked++
	b, err := d.Device.Alloc(size)
	if err == nil {
		*d.had++
	}
	return b, err
}

// TestShapesOutOfBounds gives shapes that no tensor has, and shapes of more memory than
// there is, to everything that takes one: each is an error before anything is allocated.
func TestShapesOutOfBounds(t *testing.T) {
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	asked, had := 0, 0
	s, err := graph.NewSession(counting{dev, &asked, &had})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()

	const vast = min(1<<53, math.MaxInt/8) - 1 // a number of elements that a tensor can just have
	entries := map[string]func(g *graph.Graph, t device.Type) *graph.Node{
		"Parameter": func(g *graph.Graph, t device.Type) *graph.Node { return g.Parameter("w", t, func([]float64) {}) },
		"State":     func(g *graph.Graph, t device.Type) *graph.Node { return g.State("w", t, nil) },
		"PerStep": func(g *graph.Graph, t device.Type) *graph.Node {
			x := g.Constant(t.DType, 0)
			for range 256 { // of 2^53 elements each they would have 2^64 bytes, which wraps round to 0
				x = ops.Add(x, ops.Sum(g.PerStep(t, func(int64, []float64) error { return nil })))
			}
			return x
		},
		"BroadcastTo": func(g *graph.Graph, t device.Type) *graph.Node {
			x := ops.BroadcastTo(g.Constant(t.DType, 1), t.Shape...)
			return ops.Sum(ops.Mul(ops.Exp(x), ops.Add(ops.Log(x), ops.Tanh(x))))
		},
		"Reshape": func(g *graph.Graph, t device.Type) *graph.Node {
			x := ops.BroadcastTo(g.Constant(t.DType, 1), vast)
			return ops.Exp(ops.Reshape(x, t.Shape...))
		},
	}
	for _, c := range []struct {
		shape []int
		code  device.Code
		text  string
	}{
		{[]int{math.MaxInt}, device.ErrParamInvalid, "more elements than can be counted"},
		{[]int{math.MaxInt, math.MaxInt}, device.ErrParamInvalid, "more elements than can be counted"},
		{[]int{math.MaxInt/2 + 1, 2, 2}, device.ErrParamInvalid, "more elements than can be counted"}, // 0 elements to an int
		{[]int{1 << 16, 1 << 16, 1 << 16, 1 << 16}, device.ErrParamInvalid, "more elements than can be counted"},
		{[]int{3, -2}, device.ErrParamInvalid, "is negative"},
		{[]int{-2, 0}, device.ErrParamInvalid, "is negative"},
		{[]int{math.MinInt}, device.ErrParamInvalid, "is negative"},
		{[]int{1, 1, 1, 1, 1, 1, 1, 1, 1}, device.ErrParamInvalid, "rank 9"},
		{[]int{vast}, device.ErrOutOfMemory, ""},
		{[]int{1, vast, 1}, device.ErrOutOfMemory, ""},
	} {
		typ := typ(device.Float64, c.shape...)
		for name, build := range entries {
			asked, had = 0, 0
			_, err := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node { return []*graph.Node{build(g, typ)} }).Run()
			require.ErrorIs(t, err, c.code, "%s %v", name, c.shape)
			require.ErrorContains(t, err, c.text, "%s %v", name, c.shape)
			if c.code == device.ErrParamInvalid {
				require.Zero(t, asked, "%s %v", name, c.shape)
			}
			require.LessOrEqual(t, had, 2, "%s %v: values and constants of the rest of the function", name, c.shape)
			require.Empty(t, s.Parameters())
			require.Empty(t, s.States())
		}
		_, err := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).Trace(typ)
		if c.code == device.ErrParamInvalid {
			require.ErrorIs(t, err, c.code)
			require.ErrorContains(t, err, "input 0: ")
		} else {
			require.NoError(t, err, "a type is no memory")
		}
		_, err = dev.Alloc(typ.Bytes())
		require.True(t, err != nil || c.code == device.ErrParamInvalid, "%v", c.shape)
	}

	// Tensors of the host without elements can have any other dimensions.
	for _, shape := range [][]int{{0, math.MaxInt}, {math.MaxInt, 0}, {0, 0}} {
		empty := tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
		f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Sum(ops.Add(in[0], g.Tensor(empty)))}
		})
		total, err := f.RunScalar(empty)
		require.NoError(t, err)
		require.Zero(t, total)
	}
}

// TestStepCannotOverflow: the last number that a counter of steps has is its last.
func TestStepCannotOverflow(t *testing.T) {
	s := openSession(t, "cpu")
	f := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.Float32), nil)
		sgd(1, w, ops.Cast(g.PerStep(typ(device.Float64), func(step int64, v []float64) error { v[0] = float64(step); return nil }), device.Float32))
		return nil
	})
	require.NoError(t, s.SetStep(math.MaxInt64-1))
	for range 3 {
		require.NoError(t, f.RunInto(nil))
	}
	require.Equal(t, int64(math.MaxInt64), s.Step())
	require.NoError(t, s.SetStep(s.Step()))
}

// broken is an operation of a user's that breaks the rules of its interface.
type broken struct {
	typ     device.Type
	updates []int
}

func (broken) Name() string                                   { return "Broken" }
func (b broken) Infer([]device.Type) (device.Type, error)     { return b.typ, nil }
func (b broken) Updates() []int                               { return b.updates }
func (broken) Compute(device.HostTensor, []device.HostTensor) {}

func TestBrokenOperations(t *testing.T) {
	s := openSession(t, "cpu")
	for want, typ := range map[string]device.Type{
		"Broken: its Infer gave a type that no tensor has: dtype: dtype(0) is not one of float32":  {},
		"Broken: its Infer gave a type that no tensor has: shape: dimension 0 of [-1] is negative": typ(device.Float32, -1),
		"Broken: its Infer gave a type that no tensor has: shape: rank 9 is more than":             typ(device.Float32, 1, 1, 1, 1, 1, 1, 1, 1, 1),
	} {
		_, err := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			return []*graph.Node{ops.Exp(graph.Apply(broken{typ: typ}, nil, in[0]))}
		}).Run(float32s([]int{1}, 1))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "limits_test.go:")
	}
	for want, updates := range map[string][]int{
		"Broken: its Updates gave [], but must name at least one of the 1 inputs":  nil,
		"Broken: its Updates gave [1], but must name at least one of the 1 inputs": {1},
		"Broken: its Updates gave [0 -1], but must name":                           {0, -1},
	} {
		_, err := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
			g.Update(broken{typ(device.Float32), updates}, g.Parameter("w", typ(device.Float32), nil))
			return nil
		}).Run()
		require.ErrorContains(t, err, want)
	}
}

// late is a device whose copies fail when they are waited for.
type late struct {
	device.Device
	uploads *int // until one fails
}

func (d late) NewStream() (device.Stream, error) {
	s, err := d.Device.NewStream()
	return &lateStream{Stream: s, uploads: d.uploads}, err
}

func (d late) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	e, err := d.Device.Plan(op, inputs, output)
	return lateExecutor{e}, err
}

type lateExecutor struct{ device.Executor }

func (e lateExecutor) Launch(workspace device.Buffer, s device.Stream) error {
	return e.Executor.Launch(workspace, s.(*lateStream).Stream)
}

type lateStream struct {
	device.Stream
	uploads *int
	err     error
}

func (s *lateStream) Upload(dst device.Buffer, offset int64, src []byte) error {
	if *s.uploads--; *s.uploads == 0 {
		s.err = device.ErrInternal
		return nil
	}
	return s.Stream.Upload(dst, offset, src)
}

func (s *lateStream) Synchronize() error {
	err := s.err
	s.err = nil
	return errors.Join(err, s.Stream.Synchronize())
}

// TestUploadsThatFailLate leaves nothing behind that a later run would take for good.
func TestUploadsThatFailLate(t *testing.T) {
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	for n := 1; n <= 6; n++ { // two constants, w, its momentum and step, and w again
		uploads := 0
		s, err := graph.NewSession(late{dev, &uploads})
		require.NoError(t, err)
		require.NoError(t, s.SetValue("w", float32s([]int{2}, 5, 6)))
		f := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
			w := g.Parameter("w", typ(device.Float32, 2), nil)
			y := ops.Mul(ops.Add(w, g.Constant(device.Float32, 1)), g.Tensor(float32s([]int{2}, 10, 100)))
			return []*graph.Node{y, g.State("m", typ(device.Float32), func(v []float64) { v[0] = 3 }), g.State("n", typ(device.Float32), func(v []float64) { v[0] = 4 })}
		})
		uploads = n
		if n < 6 {
			_, err = f.Run()
			require.ErrorIs(t, err, device.ErrInternal, "upload %d", n)
			require.Equal(t, []string{"w"}, s.Unclaimed())
		}
		out, err := f.Run()
		require.NoError(t, err)
		require.Equal(t, []float32{60, 700}, out[0].Data(), "upload %d", n)
		require.Equal(t, []any{float32(3), float32(4)}, []any{out[1].Data(), out[2].Data()})
		uploads = 1
		require.ErrorIs(t, s.SetValue("w", float32s([]int{2}, 7, 8)), device.ErrInternal)
		require.NoError(t, s.Close())
	}
}
