package optim_test

import (
	"encoding/json"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/optim"
)

// newSession returns a session on a CPU device of its own.
func newSession(t testing.TB) *graph.Session {
	t.Helper()
	dev, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	return sessionOn(t, dev)
}

func sessionOn(t testing.TB, dev device.Device) *graph.Session {
	t.Helper()
	s, err := graph.NewSession(dev)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, dev.Close())
	})
	return s
}

func vector[T float32 | float64](values ...T) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(values))
}

// value returns a parameter or state of the session as float64s.
func value(t testing.TB, s *graph.Session, name string) []float64 {
	t.Helper()
	v, err := s.Value(name)
	require.NoError(t, err)
	if v.Dtype() == tensor.Float64 {
		return v.Float64s()
	}
	return widen(v.Float32s())
}

func widen(narrow []float32) []float64 {
	wide := make([]float64, len(narrow))
	for i, v := range narrow {
		wide[i] = float64(v)
	}
	return wide
}

func narrow(wide []float64) []float32 {
	narrow := make([]float32, len(wide))
	for i, v := range wide {
		narrow[i] = float32(v)
	}
	return narrow
}

// trajectory is a run of PyTorch 1.13 in float64.
type trajectory struct {
	Optimizer string
	Options   struct {
		LR          float64
		Momentum    float64
		Dampening   float64
		Nesterov    bool
		WeightDecay *float64 `json:"weight_decay"`
		Betas       *[2]float64
		Eps         *float64
		AMSGrad     bool
		Alpha       *float64
		Centered    bool
	}
	Start      floats
	Gradients  []floats
	Parameters []floats `json:"parameters_after_each_step"`
}

// floats are float64s written as the hexadecimal digits of their bits.
type floats []float64

func (f *floats) UnmarshalJSON(data []byte) error {
	var digits []string
	if err := json.Unmarshal(data, &digits); err != nil {
		return err
	}
	for _, d := range digits {
		bits, err := strconv.ParseUint(d, 16, 64)
		if err != nil {
			return err
		}
		*f = append(*f, math.Float64frombits(bits))
	}
	return nil
}

func trajectories(t testing.TB) []trajectory {
	t.Helper()
	data, err := os.ReadFile("testdata/optimizers.json")
	require.NoError(t, err)
	var list []trajectory
	require.NoError(t, json.Unmarshal(data, &list))
	require.Len(t, list, 11)
	return list
}

// name tells the trajectories of one optimizer apart in test names.
func (r trajectory) name(i int) string { return strconv.Itoa(i) + " " + r.Optimizer }

// optimizer returns ours with the options of the recorded run; those that it does
// not give are left at our defaults, which must be PyTorch's.
func (r trajectory) optimizer(t testing.TB) optim.Optimizer {
	lr, o := optim.Constant(r.Options.LR), r.Options
	set := func(field *float64, option *float64) {
		if option != nil {
			*field = *option
		}
	}
	adam := func(a *optim.Adam) {
		if o.Betas != nil {
			a.Beta1, a.Beta2 = o.Betas[0], o.Betas[1]
		}
		set(&a.Epsilon, o.Eps)
		set(&a.WeightDecay, o.WeightDecay)
		a.AMSGrad = o.AMSGrad
	}
	switch r.Optimizer {
	case "SGD":
		opt := optim.SGD{LR: lr, Momentum: o.Momentum, Dampening: o.Dampening, Nesterov: o.Nesterov}
		set(&opt.WeightDecay, o.WeightDecay)
		return opt
	case "Adam":
		opt := optim.NewAdam(lr)
		adam(&opt)
		return opt
	case "AdamW":
		opt := optim.NewAdamW(lr)
		adam((*optim.Adam)(&opt))
		return opt
	case "RMSprop":
		opt := optim.NewRMSprop(lr)
		set(&opt.Alpha, o.Alpha)
		opt.Momentum, opt.Centered = o.Momentum, o.Centered
		return opt
	case "Adagrad":
		return optim.NewAdagrad(lr)
	}
	require.Fail(t, "no optimizer "+r.Optimizer)
	return nil
}

// follow returns a function that updates the parameter "p" with the gradient it is
// given.
func (r trajectory) follow(t testing.TB, s *graph.Session) *graph.Function {
	opt := r.optimizer(t)
	return s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		p := g.Parameter("p", in[0].Type(), func(values []float64) { copy(values, r.Start) })
		opt.Update([]*graph.Node{p}, in)
		return nil
	})
}

func run(t testing.TB, f *graph.Function, inputs ...*tensor.Dense) {
	t.Helper()
	_, err := f.Run(inputs...)
	require.NoError(t, err)
}

// The three ways to the same trajectory: one function; two functions in turn, which
// share state and step counter; and a new session for every step, which is given
// what the one before it held.
func TestOptimizersFollowPyTorch(t *testing.T) {
	for i, r := range trajectories(t) {
		matches := func(t *testing.T, s *graph.Session, step int) {
			t.Helper()
			for k, got := range value(t, s, "p") {
				within(t, r.Parameters[step][k], got, 1e-12, "element %d after step %d", k, step+1)
			}
		}
		t.Run(r.name(i), func(t *testing.T) {
			require.Len(t, r.Gradients, 12)

			t.Run("one function", func(t *testing.T) {
				s := newSession(t)
				f := r.follow(t, s)
				for step, gradient := range r.Gradients {
					run(t, f, vector(gradient...))
					matches(t, s, step)
				}
			})
			t.Run("two functions", func(t *testing.T) {
				s := newSession(t)
				f := []*graph.Function{r.follow(t, s), r.follow(t, s)}
				for step, gradient := range r.Gradients {
					run(t, f[step%2], vector(gradient...))
					matches(t, s, step)
				}
			})
			t.Run("resumed", func(t *testing.T) {
				var last *graph.Session
				for step, gradient := range r.Gradients {
					s := newSession(t)
					f := r.follow(t, s)
					if last != nil {
						for _, name := range append(last.Parameters(), last.States()...) {
							v, err := last.Value(name)
							require.NoError(t, err)
							require.NoError(t, s.SetValue(name, v))
						}
						require.NoError(t, s.SetStep(last.Step()))
					}
					run(t, f, vector(gradient...))
					matches(t, s, step)
					last = s
				}
			})
		})
	}
}

// The options that the recorded runs do not use. Epsilon is too small to show.
func TestOptionsByHand(t *testing.T) {
	lr := optim.Constant(1)
	for name, c := range map[string]struct {
		opt       optim.Optimizer
		gradients []float64
		want      []float64 // the parameter after each step, from 10 on
	}{
		// g = 2 + 0.1·10 = 3, s = 9; then g = 3.1 + 0.1·9 = 4, s = 25, lr = 1/1.5
		"Adagrad": {optim.Adagrad{LR: lr, LRDecay: 0.5, WeightDecay: 0.1, Epsilon: 1e-20}, []float64{2, 3.1}, []float64{10 - 3./3, 9 - 4./5/1.5}},
		// g = -0.5 + 0.1·10 = 0.5, s = 0.5·0.25
		"RMSprop": {optim.RMSprop{LR: lr, Alpha: 0.5, WeightDecay: 0.1, Epsilon: 1e-20}, []float64{-0.5}, []float64{10 - math.Sqrt2}},
		// m = (1-0)·g, v = (1-0)·g²: steps of lr whatever the gradient
		"Adam with betas of 0": {optim.Adam{LR: lr, Epsilon: 1e-20}, []float64{1e-3, -7}, []float64{9, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				c.opt.Update([]*graph.Node{g.Parameter("p", in[0].Type(), func(p []float64) { p[0] = 10 })}, in)
				return nil
			})
			for i, gradient := range c.gradients {
				run(t, f, vector(gradient))
				within(t, c.want[i], value(t, s, "p")[0], 1e-12, "step %d", i+1)
			}
		})
	}
}

// The defaults in PyTorch's documentation of torch.optim.
func TestDefaults(t *testing.T) {
	require.Equal(t, optim.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, optim.NewAdam(nil))
	require.Equal(t, optim.AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01}, optim.NewAdamW(nil))
	require.Equal(t, optim.RMSprop{Alpha: 0.99, Epsilon: 1e-8}, optim.NewRMSprop(nil))
	require.Equal(t, optim.Adagrad{Epsilon: 1e-10}, optim.NewAdagrad(nil))
}

// With float32 parameters, 12 steps stay within a few roundings of the float64
// trajectory.
func TestFloat32FollowsFloat64(t *testing.T) {
	for i, r := range trajectories(t) {
		t.Run(r.name(i), func(t *testing.T) {
			s := newSession(t)
			f := r.follow(t, s)
			for step, gradient := range r.Gradients {
				run(t, f, vector(narrow(gradient)...))
				require.InDeltaSlice(t, []float64(r.Parameters[step]), value(t, s, "p"), 1e-5, "after step %d", step+1)
			}
		})
	}
}

// A bfloat16 parameter has float32 state: it takes the steps of a float32 one and
// is rounded after each.
func TestHalfPrecisionParameters(t *testing.T) {
	s := newSession(t)
	f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		p := g.Parameter("p", device.Type{DType: device.BFloat16, Shape: []int{2}}, nil)
		optim.SGD{LR: optim.Constant(1), Momentum: 0.5}.Update([]*graph.Node{p}, []*graph.Node{ops.Cast(in[0], device.BFloat16)})
		return nil
	})
	const tiny = 1. / (1 << 12) // of 8 bits, 1 + tiny keeps none
	run(t, f, vector(float32(1), 1))
	run(t, f, vector(float32(tiny), 1))
	require.Equal(t, []float64{0.5 + tiny, 1.5}, value(t, s, "SGD/p/momentum"))
	require.Equal(t, []float64{-1.5, -2.5}, value(t, s, "p")) // -1 - (0.5 + tiny) is rounded to -1.5
}

// State is kept under the parameter's name.
func TestStateNames(t *testing.T) {
	lr := optim.Constant(0.5)
	amsgrad := optim.NewAdam(lr)
	amsgrad.AMSGrad = true
	rmsprop := optim.NewRMSprop(lr)
	rmsprop.Momentum, rmsprop.Centered = 0.5, true
	for name, c := range map[string]struct {
		opt    optim.Optimizer
		states map[string]float64 // after one step with gradient 2
	}{
		"SGD":          {optim.SGD{LR: lr}, map[string]float64{}},
		"SGD momentum": {optim.SGD{LR: lr, Momentum: 0.9}, map[string]float64{"SGD/a/w/momentum": 2}},
		"Adam":         {amsgrad, map[string]float64{"Adam/a/w/expAvg": 0.2, "Adam/a/w/expAvgSq": 0.004, "Adam/a/w/maxExpAvgSq": 0.004}},
		"AdamW":        {optim.NewAdamW(lr), map[string]float64{"AdamW/a/w/expAvg": 0.2, "AdamW/a/w/expAvgSq": 0.004}},
		"RMSprop":      {rmsprop, map[string]float64{"RMSprop/a/w/squareAvg": 0.04, "RMSprop/a/w/gradAvg": 0.02, "RMSprop/a/w/momentum": 2 / math.Sqrt(0.0396)}},
		"Adagrad":      {optim.NewAdagrad(lr), map[string]float64{"Adagrad/a/w/sum": 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			run(t, s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				c.opt.Update([]*graph.Node{g.Parameter("a/w", in[0].Type(), nil)}, in)
				return nil
			}), vector(2.))
			require.Equal(t, []string{"a/w"}, s.Parameters())
			require.Len(t, s.States(), len(c.states)+1, "and the count of updates")
			for name, want := range c.states {
				require.InDelta(t, want, value(t, s, name)[0], 1e-6, name)
			}
		})
	}
}

// The step counter, and so the schedule, advances with runs that update, once a
// run, whatever the number of parameters and functions.
func TestStepCounter(t *testing.T) {
	s := newSession(t)
	double := device.Type{DType: device.Float64, Shape: []int{1}}
	train := func(names ...string) *graph.Function {
		return s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			var params, gradients []*graph.Node
			for _, name := range names {
				params = append(params, g.Parameter(name, double, nil))
				gradients = append(gradients, in[0])
			}
			powersOfTen := func(step int64) float64 { return math.Pow(10, float64(step)) }
			optim.SGD{LR: powersOfTen}.Update(params, gradients)
			return nil
		})
	}
	both, one := train("a", "b"), train("a")
	look := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{g.Parameter("a", double, nil)}
	})
	gradient := vector(-1.)
	for _, f := range []*graph.Function{both, look, one, look, look, both} {
		if f == look {
			run(t, f)
		} else {
			run(t, f, gradient)
		}
	}
	require.EqualValues(t, 3, s.Step())
	require.Equal(t, []float64{111}, value(t, s, "a"))
	require.Equal(t, []float64{101}, value(t, s, "b"))

	s.SetStep(5)
	run(t, one, gradient)
	require.Equal(t, []float64{100111}, value(t, s, "a"))
}

// A parameter that joins late starts from its own first step: Adam's is lr, whatever the gradient.
func TestUpdatesAreCountedPerParameter(t *testing.T) {
	s := newSession(t)
	adam := optim.NewAdam(optim.Constant(0.5))
	adam.Epsilon = 1e-300
	step := func(name string) *graph.Function {
		return s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			adam.Update([]*graph.Node{g.Parameter(name, in[0].Type(), nil)}, in)
			return nil
		})
	}
	early, late := step("early"), step("late")
	for range 10 {
		run(t, early, vector(3.))
	}
	run(t, late, vector(-7.))
	within(t, 0.5, value(t, s, "late")[0], 1e-12, "the late parameter")
	require.Equal(t, []float64{10}, value(t, s, "Adam/early/step"))
	require.Equal(t, []float64{1}, value(t, s, "Adam/late/step"))
	require.EqualValues(t, 11, s.Step())
}

// One learning rate serves all parameters of a dtype.
func TestScalarsAreShared(t *testing.T) {
	s := newSession(t)
	asked := 0
	lr := func(int64) float64 { asked++; return 1 }
	f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		var params, gradients []*graph.Node
		for i, gradient := range []*graph.Node{in[0], in[0], in[1], in[1]} {
			params = append(params, g.Parameter(strconv.Itoa(i), gradient.Type(), nil))
			gradients = append(gradients, gradient)
		}
		optim.SGD{LR: lr}.Update(params, gradients)
		return nil
	})
	run(t, f, vector(1.), vector(float32(2)))
	asked = 0
	run(t, f, vector(1.), vector(float32(2)))
	require.Equal(t, 2, asked, "one for float64, one for float32")
	require.Equal(t, []float64{-2}, value(t, s, "1"))
	require.Equal(t, []float64{-4}, value(t, s, "3"))
}

// countingDevice counts the memory it hands out.
type countingDevice struct {
	device.Device
	allocations int
}

func (d *countingDevice) Alloc(size int64) (device.Buffer, error) {
	d.allocations++
	return d.Device.Alloc(size)
}

func TestStepsAllocateNothing(t *testing.T) {
	const steps = 10_000
	cpu, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	dev := &countingDevice{Device: cpu}
	s := sessionOn(t, dev)
	step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		w := g.Parameter("w", device.Type{DType: device.Float32, Shape: []int{3, 1}}, nil)
		b := g.Parameter("b", device.Type{DType: device.Float32, Shape: []int{1}}, nil)
		loss := ops.Mean(ops.Square(ops.Linear(in[0], w, b)))
		gradients := optim.ClipNorm(graph.Gradients(loss, w, b), 1)
		lr := optim.LinearWarmup(0.1, 100, optim.Cosine(1e-3, 0, steps))
		optim.NewAdamW(lr).Update([]*graph.Node{w, b}, gradients)
		return []*graph.Node{loss}
	})
	x := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking([]float32{1, 2, 3, -1, 0, 1, 4, -2, 0.5, -3, 1, 1}))
	_, err = step.RunScalar(x)
	require.NoError(t, err)

	// AllocsPerRun divides and rounds down, so the whole run is measured as one.
	before, heap := dev.allocations, liveHeap()
	allocations := testing.AllocsPerRun(1, func() {
		for range steps {
			if _, err := step.RunScalar(x); err != nil {
				t.Error(err)
			}
		}
	})
	require.Less(t, allocations, 10., "10,000 steps; the runtime may make a few of its own")
	require.Equal(t, before, dev.allocations, "device memory")
	require.Less(t, liveHeap(), heap+64<<10, "the heap")
	require.EqualValues(t, 2*steps+1, s.Step())
	runtime.KeepAlive(x)
}

// liveHeap returns the bytes of the Go heap that are in use.
func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Every optimizer finds the minimum of ½Σ cᵢ(pᵢ - tᵢ)² of condition 10.
func TestOptimizersConverge(t *testing.T) {
	const steps = 2000
	decaying := optim.Cosine(0.1, 0, steps)
	for name, opt := range map[string]optim.Optimizer{
		"SGD":          optim.SGD{LR: decaying},
		"SGD momentum": optim.SGD{LR: decaying, Momentum: 0.9},
		"SGD Nesterov": optim.SGD{LR: decaying, Momentum: 0.9, Nesterov: true},
		"Adam":         optim.NewAdam(decaying),
		"AdamW":        optim.AdamW{LR: decaying, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		"RMSprop":      optim.NewRMSprop(decaying),
		"Adagrad":      optim.NewAdagrad(optim.Constant(1)),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			target, curvature := []float64{3, -2, 0.5}, []float64{1, 3, 10}
			step := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
				p := g.Parameter("p", device.Type{DType: device.Float64, Shape: []int{3}}, nil)
				off := ops.Sub(p, g.Tensor(vector(target...)))
				loss := ops.Mul(g.Constant(device.Float64, 0.5), ops.Sum(ops.Mul(g.Tensor(vector(curvature...)), ops.Square(off))))
				optim.Minimize(g, opt, loss)
				return []*graph.Node{loss}
			})
			var loss float64
			for range steps {
				var err error
				loss, err = step.RunScalar()
				require.NoError(t, err)
			}
			require.InDeltaSlice(t, target, value(t, s, "p"), 1e-4)
			require.Less(t, loss, 1e-7)
		})
	}
}

// Parameters that are not given are left alone.
func TestMinimizeGivenParameters(t *testing.T) {
	s := newSession(t)
	run(t, s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		a := g.Parameter("a", in[0].Type(), nil)
		b := g.Parameter("b", in[0].Type(), nil)
		optim.Minimize(g, optim.SGD{LR: optim.Constant(0.5)}, ops.Sum(ops.Add(ops.Mul(in[0], a), b)), a)
		return []*graph.Node{b}
	}), vector(2., 3))
	require.Equal(t, []float64{-1, -1.5}, value(t, s, "a"))
	require.Equal(t, []float64{0, 0}, value(t, s, "b"))
}

func TestMistakes(t *testing.T) {
	lr := optim.Constant(0.1)
	adam := func(change func(*optim.Adam)) optim.Optimizer {
		a := optim.NewAdam(lr)
		change(&a)
		return a
	}
	rmsprop := func(change func(*optim.RMSprop)) optim.Optimizer {
		r := optim.NewRMSprop(lr)
		change(&r)
		return r
	}
	minimize := func(opt optim.Optimizer) func(p, gradient *graph.Node) {
		return func(p, gradient *graph.Node) { optim.Minimize(p.Graph(), opt, ops.Sum(ops.Mul(p, gradient)), p) }
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		model func(p, gradient *graph.Node)
		want  string
	}{
		"negative momentum": {minimize(optim.SGD{LR: lr, Momentum: -0.1}), "SGD: Momentum is -0.1, but must be at least 0 and below 1"},
		"momentum 1":        {minimize(optim.SGD{LR: lr, Momentum: 1}), "SGD: Momentum is 1, but must be at least 0 and below 1"},
		"dampening":         {minimize(optim.SGD{LR: lr, Dampening: 2}), "SGD: Dampening is 2, but must be at least 0 and at most 1"},
		"weight decay":      {minimize(optim.SGD{LR: lr, WeightDecay: -1}), "SGD: WeightDecay is -1, but must be finite and at least 0"},
		"Nesterov":          {minimize(optim.SGD{LR: lr, Nesterov: true}), "SGD: with Nesterov, Momentum must be above 0 and Dampening 0, but they are 0 and 0"},
		"Nesterov dampened": {minimize(optim.SGD{LR: lr, Momentum: 0.9, Dampening: 0.1, Nesterov: true}), "SGD: with Nesterov, Momentum must be above 0 and Dampening 0, but they are 0.9 and 0.1"},
		"no LR":             {minimize(optim.SGD{}), "SGD: LR is nil, but must be a schedule, such as optim.Constant(0.01)"},
		"negative LR":       {minimize(optim.SGD{LR: optim.Constant(-1)}), "SGD: LR at step 0 is -1, but must be finite and at least 0"},
		"invalid schedule":  {minimize(optim.NewAdam(optim.Cosine(1, 0, 0))), "Adam: LR is NaN at step 0, as a schedule made with arguments out of range is; see the documentation of its constructor"},
		"Adam literal":      {minimize(optim.Adam{LR: lr}), "Adam: Epsilon is 0, but must be finite and above 0; NewAdam sets the usual value"},
		"Beta1":             {minimize(adam(func(a *optim.Adam) { a.Beta1 = 1 })), "Adam: Beta1 is 1, but must be at least 0 and below 1"},
		"Beta2":             {minimize(adam(func(a *optim.Adam) { a.Beta2 = nan })), "Adam: Beta2 is NaN, but must be at least 0 and below 1"},
		"AdamW literal":     {minimize(optim.AdamW{LR: lr}), "AdamW: Epsilon is 0, but must be finite and above 0; NewAdamW sets the usual value"},
		"AdamW decay":       {minimize(optim.AdamW{LR: lr, Epsilon: 1, WeightDecay: nan}), "AdamW: WeightDecay is NaN, but must be finite and at least 0"},
		"Alpha":             {minimize(rmsprop(func(r *optim.RMSprop) { r.Alpha = -1 })), "RMSprop: Alpha is -1, but must be at least 0 and below 1"},
		"RMSprop literal":   {minimize(optim.RMSprop{LR: lr}), "RMSprop: Epsilon is 0, but must be finite and above 0; NewRMSprop sets the usual value"},
		"RMSprop momentum":  {minimize(rmsprop(func(r *optim.RMSprop) { r.Momentum = 1.5 })), "RMSprop: Momentum is 1.5, but must be at least 0 and below 1"},
		"RMSprop decay":     {minimize(rmsprop(func(r *optim.RMSprop) { r.WeightDecay = math.Inf(1) })), "RMSprop: WeightDecay is +Inf, but must be finite and at least 0"},
		"LRDecay":           {minimize(optim.Adagrad{LR: lr, LRDecay: -1, Epsilon: 1}), "Adagrad: LRDecay is -1, but must be finite and at least 0"},
		"Adagrad literal":   {minimize(optim.Adagrad{LR: lr}), "Adagrad: Epsilon is 0, but must be finite and above 0; NewAdagrad sets the usual value"},

		"no optimizer": {minimize(nil), "Minimize: the optimizer is nil"},
		"no parameters": {func(_, gradient *graph.Node) { optim.Minimize(gradient.Graph(), optim.SGD{LR: lr}, ops.Sum(gradient)) },
			"Minimize: the graph has no parameters to train; declare them with Graph.Parameter before the loss"},
		"a gradient too few": {func(p, _ *graph.Node) { optim.SGD{LR: lr}.Update([]*graph.Node{p}, nil) },
			"SGD: 0 gradients for 1 parameters; give one for each"},
		"a nil gradient": {func(p, _ *graph.Node) { optim.SGD{LR: lr}.Update([]*graph.Node{p}, []*graph.Node{nil}) },
			"SGD: the gradient of parameter 0, p, is nil"},
		"a nil parameter": {func(p, gradient *graph.Node) {
			optim.SGD{LR: lr}.Update([]*graph.Node{p, nil}, []*graph.Node{gradient, gradient})
		}, "SGD: parameter 1 is nil"},
		"not a parameter": {func(_, gradient *graph.Node) {
			optim.SGD{LR: lr}.Update([]*graph.Node{ops.Neg(gradient)}, []*graph.Node{gradient})
		}, "SGD: input 0, Neg, is not a parameter or state"},
		"clip at 0":   {func(_, gradient *graph.Node) { optim.ClipNorm([]*graph.Node{gradient}, 0) }, "ClipNorm: the maximum is 0, but must be finite and above 0"},
		"clip at NaN": {func(_, gradient *graph.Node) { optim.ClipValue([]*graph.Node{gradient}, nan) }, "ClipValue: the maximum is NaN, but must be finite and above 0"},
		"clip at Inf": {func(_, gradient *graph.Node) { optim.ClipNorm([]*graph.Node{gradient}, math.Inf(1)) }, "ClipNorm: the maximum is +Inf, but must be finite and above 0"},
		"clip a mixture": {func(_, gradient *graph.Node) {
			optim.ClipNorm([]*graph.Node{gradient, ops.Cast(gradient, device.Float32)}, 1)
		}, "float32 does not mix with float64"},
		"clip nil": {func(_, gradient *graph.Node) { optim.ClipValue([]*graph.Node{gradient, nil}, 1) }, "ClipValue: gradient 1 is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newSession(t).Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				p := in[0]
				if name != "no parameters" {
					p = g.Parameter("p", in[0].Type(), nil)
				}
				c.model(p, in[0])
				return in
			})
			_, err := f.Trace(device.Type{DType: device.Float64, Shape: []int{2}})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "optimizer_test.go:", "it says where")
		})
	}
}
