package optim_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

var long = flag.Bool("long", false, "let TestLongRun make a million steps")

// metered is a device that counts the bytes that are taken and not given back.
type metered struct {
	device.Fuser
	bytes *atomic.Int64
}

func (d metered) Alloc(size int64) (device.Buffer, error) {
	b, err := d.Fuser.Alloc(size)
	if err == nil {
		d.bytes.Add(size)
	}
	return b, err
}

// TestLongRun trains the same small classifier twice, step by step. Both see the same losses
// to the bit, and neither the heap nor the device's memory grows.
func TestLongRun(t *testing.T) {
	steps := 20_000
	if *long {
		steps = 1_000_000
	}
	dev, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	var bytes atomic.Int64

	const rows, features, batches = 16, 8, 10
	rng := rand.New(rand.NewPCG(1, 1))
	var xs, ys []*tensor.Dense
	for range batches {
		x, y := make([]float32, rows*features), make([]float32, rows)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		for i := range y {
			y[i] = 1
			if x[i*features]*x[i*features+1]+float32(rng.NormFloat64()) < 0 {
				y[i] = -1
			}
		}
		xs = append(xs, tensor.New(tensor.WithShape(rows, features), tensor.WithBacking(x)))
		ys = append(ys, tensor.New(tensor.WithShape(rows, 1), tensor.WithBacking(y)))
	}
	net := nn.MLP{Name: "net", Sizes: []int{features, 16, 1}, Dropout: 0.1, Seed: 1}
	var sessions []*graph.Session
	var train []*graph.Function
	for range 2 {
		s, err := graph.NewSession(metered{dev.(device.Fuser), &bytes})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		sessions = append(sessions, s)
		train = append(train, s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			loss := softmarginloss.Forward(net.Forward(in[0], true), in[1], device.Mean)
			optim.Minimize(g, optim.NewAdamW(optim.Cosine(0.01, 1e-4, 1000)), loss)
			return []*graph.Node{loss}
		}))
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var heapBefore, bytesBefore int64
	for step := range steps {
		if step == 100 {
			heapBefore, bytesBefore = heap(), bytes.Load()
		}
		first, err := train[0].RunScalar(xs[step%batches], ys[step%batches])
		require.NoError(t, err)
		second, err := train[1].RunScalar(xs[step%batches], ys[step%batches])
		require.NoError(t, err)
		if first != second || math.IsNaN(first) || math.IsInf(first, 0) {
			t.Fatalf("step %d: the loss is %v in one run and %v in the other", step, first, second)
		}
	}
	require.Equal(t, bytesBefore, bytes.Load(), "bytes of the device")
	require.Less(t, heap()-heapBefore, int64(256<<10), "bytes of the heap")
	for _, s := range sessions {
		require.EqualValues(t, steps, s.Step())
	}
	for _, name := range append(sessions[0].Parameters(), sessions[0].States()...) {
		require.Equal(t, value(t, sessions[0], name), value(t, sessions[1], name), name)
	}
	require.Equal(t, []float64{float64(steps)}, value(t, sessions[0], "AdamW/net/0/weight/step"))
}

// TestStepStopsCounting: a float32 cannot count beyond 2^24, where an optimizer's step stops.
// What it does there is what it would do with the true number of steps, which a float64
// counts, near there and a billion steps later.
func TestStepStopsCounting(t *testing.T) {
	const last = 1 << 24
	rate := optim.Constant(0.01)
	extreme := optim.NewAdam(rate)
	extreme.Beta1, extreme.Beta2 = 0.9999, 1-1e-6
	amsgrad := optim.NewAdam(rate)
	amsgrad.AMSGrad = true
	for name, c := range map[string]struct {
		op  string
		opt optim.Optimizer
	}{
		"SGD": {"SGD", optim.SGD{LR: rate, Momentum: 0.9, Dampening: 0.5}}, "Adam": {"Adam", optim.NewAdam(rate)}, "AMSGrad": {"Adam", amsgrad},
		"AdamW": {"AdamW", optim.NewAdamW(rate)}, "Adam with long memory": {"Adam", extreme},
		"RMSprop": {"RMSprop", optim.NewRMSprop(rate)}, "Adagrad": {"Adagrad", optim.NewAdagrad(rate)},
	} {
		for _, start := range []float64{last - 2, last + 1e9} {
			results := map[device.DType][]float64{}
			for _, dtype := range []device.DType{device.Float32, device.Float64} {
				s := newSession(t)
				step := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
					w := g.Parameter("w", device.Type{DType: dtype, Shape: []int{3}}, func(v []float64) { copy(v, []float64{1, -2, 3}) })
					optim.Minimize(g, c.opt, ops.Sum(ops.Mul(w, ops.Square(w))))
					return nil
				})
				require.NoError(t, step.RunInto(nil))
				counter := tensor.New(tensor.FromScalar(start))
				if dtype == device.Float32 {
					counter = tensor.New(tensor.FromScalar(float32(min(start, last))))
				}
				require.NoError(t, s.SetValue(c.op+"/w/step", counter))
				for range 5 {
					require.NoError(t, step.RunInto(nil))
				}
				results[dtype] = value(t, s, "w")
				if at := value(t, s, c.op+"/w/step")[0]; dtype == device.Float32 {
					require.EqualValues(t, last, at, name)
				} else {
					require.Equal(t, start+5, at, name)
				}
			}
			require.InEpsilonSlice(t, results[device.Float64], results[device.Float32], 1e-6, "%s from step %v", name, start)
		}
	}
}
