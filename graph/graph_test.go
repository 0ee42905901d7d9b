package graph_test

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"go.uber.org/goleak"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openSession(t testing.TB, name string) *graph.Session {
	t.Helper()
	dev, err := device.Open(name)
	require.NoError(t, err)
	s, err := graph.NewSession(dev)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, dev.Close())
	})
	return s
}

func float64s(shape []int, values ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

func float32s(shape []int, values ...float32) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

func typ(dtype device.DType, shape ...int) device.Type {
	return device.Type{DType: dtype, Shape: shape}
}

// sgd appends param -= lr·gradient.
func sgd(lr float64, param, gradient *graph.Node) {
	g := param.Graph()
	step := g.State(param.Name()+"/step", typ(param.DType()), nil)
	g.Update(device.SGD{}, param, gradient, g.Constant(param.DType(), lr), step)
}

// here returns the position n lines above its call.
func here(n int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line-n)
}

func TestRunReadsAnyHostTensor(t *testing.T) {
	s := openSession(t, "cpu")
	twice := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{ops.Add(in[0], in[0])}
	})
	slice := func(d *tensor.Dense, by ...tensor.Slice) *tensor.Dense {
		v, err := d.Slice(by...)
		require.NoError(t, err)
		return v.(*tensor.Dense)
	}
	matrix := func() *tensor.Dense { return float32s([]int{3, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) }
	transposed := matrix()
	require.NoError(t, transposed.T())
	for name, c := range map[string]struct {
		in   *tensor.Dense
		want []float32
	}{
		"contiguous":          {matrix(), []float32{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}},
		"rows":                {slice(matrix(), tensor.S(1, 3)), []float32{8, 10, 12, 14, 16, 18, 20, 22}},
		"columns":             {slice(matrix(), nil, tensor.S(1, 3)), []float32{2, 4, 10, 12, 18, 20}},
		"one column":          {slice(matrix(), nil, tensor.S(1)), []float32{2, 10, 18}},
		"every second":        {slice(matrix(), nil, tensor.S(0, 4, 2)), []float32{0, 4, 8, 12, 16, 20}},
		"one element":         {slice(matrix(), tensor.S(1), tensor.S(1)), []float32{10}},
		"transposed":          {transposed, []float32{0, 8, 16, 2, 10, 18, 4, 12, 20, 6, 14, 22}},
		"slice of transpose":  {slice(transposed, tensor.S(1, 3)), []float32{2, 10, 18, 4, 12, 20}},
		"scalar":              {tensor.New(tensor.FromScalar(float32(4))), []float32{8}},
		"empty":               {tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float32)), []float32{}},
		"column-major vector": {tensor.New(tensor.WithShape(3, 1), tensor.AsFortran([]float32{1, 2, 3})), []float32{2, 4, 6}},
		"column-major":        {tensor.New(tensor.WithShape(2, 2), tensor.AsFortran([]float32{1, 2, 3, 4})), []float32{2, 4, 6, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := twice.Run(c.in)
			require.NoError(t, err)
			require.Equal(t, []int(c.in.Shape()), []int(out[0].Shape()))
			require.Equal(t, c.want, append([]float32{}, out[0].Float32s()...))
		})
	}

	out, err := twice.Run(tensor.New(tensor.WithShape(2), tensor.WithBacking([]float16.Float16{float16.Fromfloat32(1.5), float16.Fromfloat32(-2)})))
	require.NoError(t, err)
	require.Equal(t, []float16.Float16{float16.Fromfloat32(3), float16.Fromfloat32(-4)}, out[0].Data())

	into := matrix() // an output of any strides
	view := slice(into, nil, tensor.S(1, 3))
	require.NoError(t, twice.RunInto([]*tensor.Dense{view}, float32s([]int{3, 2}, 1, 2, 3, 4, 5, 6)))
	require.Equal(t, []float32{0, 2, 4, 3, 4, 6, 8, 7, 8, 10, 12, 11}, into.Data())
}

func TestBFloat16ComesBackAsFloat32(t *testing.T) {
	s := openSession(t, "cpu")
	round := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.BFloat16, 2), func(v []float64) { v[0], v[1] = 1.00390625, 3 })
		return []*graph.Node{ops.Cast(in[0], device.BFloat16), w}
	})
	out, err := round.Run(float32s([]int{3}, 1.00390625, 1.01171875, float32(math.Inf(-1)))) // the first two are ties
	require.NoError(t, err)
	require.Equal(t, []float32{1, 1.015625, float32(math.Inf(-1))}, out[0].Data())
	require.Equal(t, []float32{1, 3}, out[1].Data())
	require.NoError(t, s.SetValue("w", float32s([]int{2}, -1, 1.01171875)))
	w, err := s.Value("w")
	require.NoError(t, err)
	require.Equal(t, []float32{-1, 1.015625}, w.Data())
}

func TestParametersAreSharedByName(t *testing.T) {
	s := openSession(t, "cpu")
	double := typ(device.Float64, 2)
	read := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{g.Parameter("w", double, func(v []float64) { v[0], v[1] = 1, 2 })}
	})
	inits := 0
	step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		w := g.Parameter("w", double, func([]float64) { inits++ })
		loss := ops.Sum(ops.Mul(w, in[0]))
		sgd(0.5, w, graph.Gradients(loss, w)[0])
		return []*graph.Node{loss, w, ops.Reshape(w, 2, 1), ops.Neg(w)}
	})
	out, err := read.Run()
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2}, out[0].Data())

	// What a program reads is the value before its updates, whatever it returns.
	out, err = step.Run(float64s([]int{2}, 10, 20))
	require.NoError(t, err)
	require.Equal(t, []float64{50}, out[0].Float64s())
	for i, want := range [][]float64{{1, 2}, {1, 2}, {-1, -2}} {
		require.Equal(t, want, out[1+i].Data())
	}
	require.Zero(t, inits, "the parameter exists, so it is not initialised again")
	require.EqualValues(t, 1, s.Step(), "reading is no step")

	out, err = read.Run()
	require.NoError(t, err)
	require.Equal(t, []float64{-4, -8}, out[0].Data())

	require.NoError(t, s.SetValue("w", float64s([]int{2}, 7, 8)))
	w, err := s.Value("w")
	require.NoError(t, err)
	require.Equal(t, []float64{7, 8}, w.Data())
	require.Equal(t, []string{"w"}, s.Parameters())
	require.Equal(t, []string{"w/step"}, s.States())

	clash := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{g.Parameter("w", typ(device.Float64, 3), nil)}
	})
	_, err = clash.Run()
	require.EqualError(t, err, "graph: "+here(3)+`: parameter "w" is float64[3] here, but in another function of the session float64[2]; give one of them another name`)
}

func TestUpdateReadsParametersBeforeAnyUpdate(t *testing.T) {
	// Two parameters exchange places: a -= a - b, b -= b - a, each by the other's old value,
	// where each gradient is a view of a parameter.
	s := openSession(t, "cpu")
	scalar := typ(device.Float64, 1)
	swap := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		a := g.Parameter("a", scalar, func(v []float64) { v[0] = 3 })
		b := g.Parameter("b", scalar, func(v []float64) { v[0] = 5 })
		sgd(1, a, ops.Reshape(ops.Reshape(b, 1, 1), 1))
		sgd(1, b, a)
		return nil
	})
	require.NoError(t, swap.RunInto(nil))
	for name, want := range map[string]float64{"a": -2, "b": 2} {
		v, err := s.Value(name)
		require.NoError(t, err)
		require.Equal(t, []float64{want}, v.Float64s(), name)
	}
}

func TestPerStep(t *testing.T) {
	s := openSession(t, "cpu")
	step := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.Float64, 1), nil)
		lr := g.PerStep(typ(device.Float64), func(step int64, v []float64) error { v[0] = float64(10 * (step + 1)); return nil })
		both := g.PerStep(typ(device.Float32, 2), func(step int64, v []float64) error {
			require.Equal(t, []float64{0, 0}, v)
			v[1] = float64(step)
			return nil
		})
		one := g.Constant(device.Float64, 1)
		g.Update(device.SGD{}, w, ops.Reshape(one, 1), lr, g.State("w/step", typ(device.Float64), nil))
		return []*graph.Node{lr, both}
	})
	for i := range 3 {
		out, err := step.Run()
		require.NoError(t, err)
		require.Equal(t, []float64{float64(10 * (i + 1))}, out[0].Float64s())
		require.Equal(t, []float32{0, float32(i)}, out[1].Data())
	}
	w, err := s.Value("w")
	require.NoError(t, err)
	require.Equal(t, []float64{-60}, w.Float64s())
	require.NoError(t, s.SetStep(41))
	require.EqualValues(t, 41, s.Step())
	require.EqualError(t, s.SetStep(-1), "graph: step -1; a session counts its steps from 0")
}

func TestMistakesAreReportedWithTheirLine(t *testing.T) {
	s := openSession(t, "cpu")
	x := float32s([]int{2, 3}, 1, 2, 3, 4, 5, 6)
	var other *graph.Node
	_, err := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		other = in[0]
		return in
	}).Run(x)
	require.NoError(t, err)

	var at string
	for want, model := range map[string]graph.Model{
		"Add: other: shape [3,2] does not broadcast with [2,3] (161002 ACLNN_ERR_PARAM_INVALID)": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := ops.Add(in[0], ops.Transpose(in[0]))
			at = here(1)
			return []*graph.Node{ops.Sum(ops.MatMul(ops.Exp(bad), in[0]))} // inert, and no other error
		},
		"Exp: self: the tensor is missing (161001 ACLNN_ERR_PARAM_NULLPTR)": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := ops.Exp(nil)
			at = here(1)
			return []*graph.Node{ops.Mul(in[0], ops.Neg(bad))}
		},
		"Mul: input 1 belongs to another graph; nodes can be used only within the function call that made them": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := ops.Mul(in[0], other)
			at = here(1)
			return []*graph.Node{bad}
		},
		"Gradients: Mul has shape [2,3], but only a value of one element can be differentiated; reduce it with Sum or Mean": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := graph.Gradients(ops.Mul(in[0], in[0]), in[0])
			at = here(1)
			return bad
		},
		"Gradients: ReduceSum is not computed from x 0, w, so there is no gradient for it": func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			w := g.Parameter("w", typ(device.Float32, 1), nil)
			bad := graph.Gradients(ops.Sum(in[0]), w)
			at = here(1)
			return bad
		},
		"SGD: input 0, Exp, is not a parameter or state, so it cannot be updated": func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			one := g.Constant(device.Float32, 1)
			g.Update(device.SGD{}, ops.Exp(in[0]), in[0], one, one)
			at = here(1)
			return nil
		},
		`parameter "w" is declared as float32[2], but at POSITION it was declared as float32[1]; give one of them another name`: func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			g.Parameter("w", typ(device.Float32, 1), nil)
			g.Parameter("w", typ(device.Float32, 2), nil)
			at = here(1)
			return in
		},
		`state "w" was declared as a parameter at POSITION; give one of them another name`: func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			g.Parameter("w", typ(device.Float32, 1), nil)
			g.State("w", typ(device.Float32, 1), nil)
			at = here(1)
			return in
		},
		"custom: input 1 is nil": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := graph.Apply(careless{}, nil, in[0], nil)
			at = here(1)
			return []*graph.Node{bad}
		},
		"Gradients: x 1 is nil": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			gradients := graph.Gradients(ops.Sum(in[0]), in[0], nil)
			at = here(1)
			return gradients
		},
		"the model, called with 1 inputs, panicked: runtime error: index out of range [1] with length 1": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			at = here(-1)
			return []*graph.Node{ops.Mul(in[0], in[len(in)])}
		},
		"Gradients: custom at POSITION has no gradient rule; give graph.Apply one, graph.ZeroGradient if the derivative is zero": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := graph.Apply(custom{device.Exp{}}, nil, in[0])
			gradients := graph.Gradients(ops.Sum(bad), in[0])
			at = here(1)
			return gradients
		},
		"custom: its gradient rule gave 1 gradients for 2 inputs": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := graph.Apply(custom{device.Add{}}, func(_, g *graph.Node) []*graph.Node { return []*graph.Node{g} }, in[0], in[0])
			at = here(1)
			return graph.Gradients(ops.Sum(bad), in[0])
		},
		"custom: its gradient rule gave float32[] for input 0, which is float32[2,3]": func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
			bad := graph.Apply(custom{device.Exp{}}, func(_, g *graph.Node) []*graph.Node { return []*graph.Node{ops.Sum(g)} }, in[0])
			at = here(1)
			return graph.Gradients(ops.Sum(bad), in[0])
		},
	} {
		_, err := s.Function(model).Run(x)
		file, line, _ := strings.Cut(at, ".go:")
		n, _ := strconv.Atoi(line)
		want = strings.ReplaceAll(want, "POSITION", fmt.Sprintf("%s.go:%d", file, n-1))
		require.EqualError(t, err, "graph: "+at+": "+want)
	}

	_, err = s.Function(func(*graph.Graph, []*graph.Node) []*graph.Node { return nil }).Run(x)
	require.EqualError(t, err, "graph: the function has no outputs and updates nothing")
	_, err = s.Function(func(*graph.Graph, []*graph.Node) []*graph.Node { return []*graph.Node{nil} }).Run(x)
	require.EqualError(t, err, "graph: output 0 of the function is nil")
	_, err = s.Function(func(*graph.Graph, []*graph.Node) []*graph.Node { return []*graph.Node{{}} }).Run(x)
	require.EqualError(t, err, "graph: output 0 of the function is nil")
	_, err = s.Function(func(*graph.Graph, []*graph.Node) []*graph.Node { return []*graph.Node{ops.Exp(&graph.Node{})} }).Run(x)
	require.ErrorContains(t, err, "Exp: self: the tensor is missing")
	_, err = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).Run(nil)
	require.EqualError(t, err, "graph: input 0: the tensor is nil")
	_, err = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).Run(tensor.New(tensor.WithBacking([]int{1})))
	require.EqualError(t, err, "graph: input 0: a tensor of int cannot be used; convert it to float32, float64 or float16")
	_, err = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).RunScalar(x)
	require.EqualError(t, err, "graph: RunScalar needs a function with one output of one element, but this one has 1 outputs: float32[2,3]")
	_, err = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).Run(&tensor.Dense{})
	require.EqualError(t, err, "graph: input 0: the tensor is empty; make one with NewTensor or tensor.New")
	masked := float32s([]int{2}, 1, 2)
	masked.MaskedEqual(float32(1))
	_, err = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return in }).Run(masked)
	require.EqualError(t, err, "graph: input 0: the tensor has a mask, which would be ignored; fill the masked elements, or clear the mask")
	deep := tensor.New(tensor.WithShape(1, 1, 1, 1, 1, 1, 1, 1, 1), tensor.WithBacking([]float32{1}))
	_, err = s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node { return []*graph.Node{g.Tensor(deep)} }).Run()
	require.ErrorContains(t, err, "constant tensor: shape [1 1 1 1 1 1 1 1 1] has more than the 8 dimensions that are supported")
	_, err = s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{g.Parameter("huge", typ(device.Float64, min(1<<50, math.MaxInt/8-1)), nil)}
	}).Run()
	require.ErrorIs(t, err, device.ErrOutOfMemory)
	_, err = s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		huge := ops.BroadcastTo(g.Constant(device.Float64, 1), min(1<<50, math.MaxInt/16))
		return []*graph.Node{ops.Sum(ops.Add(ops.Exp(huge), ops.Add(ops.Log(huge), ops.Add(ops.Sqrt(huge), ops.Tanh(huge)))))}
	}).Run()
	require.ErrorIs(t, err, device.ErrOutOfMemory)
	_, err = s.Value("nobody")
	require.EqualError(t, err, `graph: no function that has run declares a parameter "nobody"`)
}

// custom is an operation of another name.
type custom struct{ device.Op }

func (custom) Name() string { return "custom" }

// careless is an operation that does not look at its inputs' types.
type careless struct{ custom }

func (careless) Infer([]device.Type) (device.Type, error) {
	return device.Type{DType: device.Float32}, nil
}

func TestRefusedOutputsChangeNothing(t *testing.T) {
	s := openSession(t, "cpu")
	step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.Float32, 2), nil)
		sgd(1, w, in[0])
		return []*graph.Node{ops.Sum(in[0])}
	})
	x := float32s([]int{2}, 1, 2)
	err := step.RunInto([]*tensor.Dense{float32s([]int{2}, 0, 0)}, x)
	require.EqualError(t, err, "graph: output 0: a tensor of float32[2] cannot hold the value float32[]")
	require.Error(t, step.RunInto(nil, x))
	require.Zero(t, s.Step())
	w, err := s.Value("w")
	require.NoError(t, err)
	require.Equal(t, []float32{0, 0}, w.Data())
}

// chain builds a long computation with values of several sizes that live for different times.
func chain(_ *graph.Graph, in []*graph.Node) []*graph.Node {
	x := in[0]
	var kept []*graph.Node
	for i := range 40 {
		x = ops.Tanh(ops.Add(x, ops.Mul(x, x)))
		if i%7 == 0 {
			kept = append(kept, ops.Sum(x, 0), ops.Transpose(x))
		}
		if i%5 == 0 {
			x = ops.Mul(x, ops.SumKeepDims(x, 1))
		}
	}
	y := ops.Sum(x)
	for _, k := range kept {
		y = ops.Add(y, ops.Sum(ops.Square(k)))
	}
	return []*graph.Node{y, graph.Gradients(y, in[0])[0], kept[1]}
}

func TestResultsDoNotDependOnRunsOrThreads(t *testing.T) {
	x := tensor.New(tensor.WithShape(130, 70), tensor.WithBacking(tensor.Random(tensor.Float32, 130*70)))
	var want []*tensor.Dense
	for _, name := range []string{"cpu?threads=1", "cpu?threads=2", "cpu?threads=3", "cpu?threads=7"} {
		f := openSession(t, name).Function(chain)
		for range 2 {
			got, err := f.Run(x)
			require.NoError(t, err)
			if want == nil {
				want = got
			}
			for i := range want {
				require.Equal(t, want[i].Float32s(), got[i].Float32s(), name)
			}
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	s := openSession(t, "cpu?threads=2")
	for _, dtype := range []device.DType{device.Float64, device.Float32, device.Float16, device.BFloat16} {
		step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			x, y := ops.Cast(in[0], dtype), in[1]
			w := g.Parameter("w "+dtype.String(), typ(dtype, 4, 1), nil)
			loss := softmarginloss.Forward(ops.Dropout(ops.MatMul(x, w), 0.1, 1), ops.Cast(y, dtype), device.Mean)
			sgd(0.1, w, graph.Gradients(loss, w)[0])
			return []*graph.Node{loss}
		})
		backing := make([]float64, 32*4)
		for i := range backing {
			backing[i] = math.Sin(float64(i))
		}
		x, y := float64s([]int{32, 4}, backing...), float64s([]int{32, 1}, backing[:32]...)
		strided, err := x.Slice(nil, tensor.S(0, 4))
		require.NoError(t, err)
		loss := []*tensor.Dense{graph.NewTensor(typ(dtype))}
		require.Zero(t, testing.AllocsPerRun(50, func() {
			if _, err := step.RunScalar(x, y); err != nil {
				t.Error(err)
			}
			if err := step.RunInto(loss, strided.(*tensor.Dense), y); err != nil {
				t.Error(err)
			}
		}), dtype)
	}
}

func TestSessionsRunAtOnceAndCloseWhileRunning(t *testing.T) {
	dev, err := device.Open("cpu?threads=2")
	require.NoError(t, err)
	var wg sync.WaitGroup
	x := tensor.New(tensor.WithShape(130, 70), tensor.WithBacking(tensor.Random(tensor.Float32, 130*70)))
	for range 3 {
		s, err := graph.NewSession(dev)
		require.NoError(t, err)
		f := s.Function(chain)
		first, err := f.Run(x)
		require.NoError(t, err)
		for i := range 3 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for j := range 5 {
					if i == 0 && j == 3 {
						if err := s.Close(); err != nil {
							t.Error(err)
						}
					}
					out, err := f.Run(x)
					switch {
					case err != nil:
						if err.Error() != "graph: the session is closed" {
							t.Error(err)
						}
					case out[0].Float32s()[0] != first[0].Float32s()[0]:
						t.Error("results differ between goroutines")
					}
				}
			}()
		}
	}
	wg.Wait()
	require.NoError(t, dev.Close())
}

func TestProfile(t *testing.T) {
	s := openSession(t, "cpu")
	var at string
	f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		y := ops.Sum(ops.Exp(in[0]))
		at = here(1)
		return []*graph.Node{graph.Gradients(y, in[0])[0], y}
	})
	x := float32s([]int{2}, 1, 2)
	_, err := f.Run(x)
	require.NoError(t, err)
	require.Empty(t, f.Profile(), "nothing is measured before it is asked for")
	f.SetProfiling(true)
	for range 3 {
		_, err := f.Run(x)
		require.NoError(t, err)
	}
	rows := f.Profile()
	var names []string
	for _, r := range rows {
		names = append(names, r.Op)
		require.EqualValues(t, 3, r.Launches)
		require.Positive(t, r.Total)
		require.Equal(t, at, r.Position, "a gradient's operations belong to the line of the forward ones")
	}
	require.Equal(t, []string{"Exp", "ReduceSum", "Mul"}, names)
}

func TestChecking(t *testing.T) {
	s := openSession(t, "cpu")
	var exp, update string
	f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		w := g.Parameter("w", device.Type{DType: device.Float32}, nil)
		y := ops.Exp(in[0])
		exp = here(1)
		loss := ops.Sum(ops.Mul(ops.Neg(y), w))
		optim.Minimize(g, optim.SGD{LR: optim.Constant(1e10)}, loss)
		update = here(1)
		return []*graph.Node{loss}
	})
	f.SetChecking(true)
	_, err := f.RunScalar(float32s([]int{2}, -30, -31))
	require.NoError(t, err)
	_, err = f.RunScalar(float32s([]int{3}, 1, 2, 100))
	require.EqualError(t, err, "graph: "+exp+": Exp wrote float32[3], of which element 2 is +Inf")
	_, err = f.RunScalar(float32s([]int{2}, 1, float32(math.NaN())))
	require.EqualError(t, err, "graph: input 0: element 1 is NaN")
	_, err = f.RunScalar(float32s([]int{2}, 70, 1))
	require.ErrorContains(t, err, update+": SGD wrote float32[], of which element 0 is +Inf")
	f.SetChecking(false)
	loss, err := f.RunScalar(float32s([]int{2}, 70, 1))
	require.NoError(t, err)
	require.True(t, math.IsInf(loss, -1), "what is infinite stays so")

	// A linear layer and the ReLU that hides its infinity are one call otherwise.
	layer := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		y := ops.Linear(in[0], ops.Reshape(in[0], 2, 1), ops.Reshape(g.Constant(device.Float32, math.Inf(-1)), 1))
		exp = here(1)
		return []*graph.Node{ops.ReLU(y)}
	})
	_, err = layer.Run(float32s([]int{1, 2}, 1, 2))
	require.NoError(t, err)
	layer.SetChecking(true)
	_, err = layer.Run(float32s([]int{1, 2}, 1, 2))
	require.EqualError(t, err, "graph: "+exp+": Linear wrote float32[1,1], of which element 0 is -Inf")

	// What a run reads besides its inputs.
	var line string
	bad := math.Inf(1)
	f = s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		rate := g.PerStep(typ(device.Float64), func(_ int64, v []float64) error { v[0] = bad; return nil })
		line = here(1)
		return []*graph.Node{ops.Reshape(g.State("w2", typ(device.Float64, 2), func(v []float64) { v[1] = math.NaN() }), 2, 1), rate}
	})
	f.SetChecking(true)
	_, err = f.Run()
	require.EqualError(t, err, "graph: "+line+": the per-step value for step 2: element 0 is +Inf")
	bad = 1
	file, n, _ := strings.Cut(line, ".go:")
	at, _ := strconv.Atoi(n)
	_, err = f.Run()
	require.EqualError(t, err, fmt.Sprintf("graph: %s.go:%d: state \"w2\", before step 2: element 1 is NaN", file, at+2))
}

// TestMistakesOfSchedules ends runs before anything is computed.
func TestMistakesOfSchedules(t *testing.T) {
	s := openSession(t, "cpu")
	rate := 0.5
	var at string
	step := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.Float64), func(v []float64) { v[0] = 1 })
		optim.Minimize(g, optim.SGD{LR: func(step int64) float64 { return []float64{rate, 0.5}[min(step, 1)] / (1 - float64(step/2)) }}, ops.Square(w))
		at = here(1)
		return nil
	})
	for range 2 {
		_, err := step.Run()
		require.NoError(t, err)
	}
	for want, next := range map[string]int64{"+Inf": 2, "-0.5": 4} {
		require.NoError(t, s.SetStep(next))
		_, err := step.Run()
		require.EqualError(t, err, fmt.Sprintf("graph: %s: step %d: SGD: the schedule gives a learning rate of %s, but it must be finite and at least 0", at, next, want))
		w, err := s.Value("w")
		require.NoError(t, err)
		require.Equal(t, []float64{0}, w.Float64s())
		require.Equal(t, next, s.Step())
	}
}

// TestConstantsAreApart differentiates for constants of the values that gradients start from.
func TestConstantsAreApart(t *testing.T) {
	s := openSession(t, "cpu")
	for x, want := range map[float64]float64{1: 2, 0: 2, 3: 2, 2: 2} { // (x²)''
		out, err := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
			x := g.Constant(device.Float64, x)
			first := graph.Gradients(ops.Mul(x, x), x)[0]
			return graph.Gradients(ops.Add(first, ops.Mul(g.Constant(device.Float64, 0), x)), x)
		}).Run()
		require.NoError(t, err)
		require.Equal(t, want, out[0].Data(), "at %v", x)
	}
}

// TestUnclaimed lists the values that were set for names that nothing declares.
func TestUnclaimed(t *testing.T) {
	s := openSession(t, "cpu")
	for _, name := range []string{"weigth", "bias", "weight"} {
		require.NoError(t, s.SetValue(name, float32s([]int{1}, 7)))
	}
	_, err := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{g.Parameter("weight", typ(device.Float32, 1), nil)}
	}).Run()
	require.NoError(t, err)
	require.Equal(t, []string{"bias", "weigth"}, s.Unclaimed())
}
