package ascend_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
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

// training is a small network and how it is trained.
type training struct {
	mlp       nn.MLP
	dtype     device.DType // that the network computes in
	optimizer optim.Optimizer
	steps     int
	after     func(step int, loss float64) // if not nil
}

var small = training{
	mlp:       nn.MLP{Name: "mlp", Sizes: []int{3, 4, 1}, Dropout: 0.2, Seed: 1}, // dropout is fallback's
	dtype:     device.Float32,
	optimizer: optim.NewAdamW(optim.Constant(0.01)),
	steps:     3,
}

// run opens the device, trains, closes everything, and returns the first layer's
// weights and the first error.
func (tr training) run(name string) (weights []float32, err error) {
	dev, err := device.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	session, err := graph.NewSession(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		logits := tr.mlp.Forward(ops.Cast(in[0], tr.dtype), true)
		loss := softmarginloss.Forward(logits, in[1], device.Mean)
		params := g.Parameters()
		tr.optimizer.Update(params, optim.ClipNorm(graph.Gradients(loss, params...), 1))
		return []*graph.Node{loss}
	})
	x, y := make([]float32, 5*3), make([]float32, 5)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	for i := range y {
		y[i] = float32(1 - i%2*2)
	}
	for i := range tr.steps {
		loss, err := step.RunScalar(tensor.New(tensor.WithShape(5, 3), tensor.WithBacking(x)),
			tensor.New(tensor.WithShape(5, 1), tensor.WithBacking(y)))
		if err != nil {
			return nil, err
		}
		if tr.after != nil {
			tr.after(i, loss)
		}
	}
	w, err := session.Value("mlp/0/weight")
	if err != nil {
		return nil, err
	}
	return w.Float32s(), nil
}

// Every optimizer and activation trains as it does on the CPU, in every dtype.
func TestTrainingAsOnCPU(t *testing.T) {
	requireSimulator(t)
	lr := optim.Constant(0.05)
	adam, rms := optim.NewAdam(lr), optim.NewRMSprop(lr)
	adam.AMSGrad, adam.WeightDecay = true, 0.1
	rms.Centered, rms.Momentum, rms.WeightDecay = true, 0.9, 0.1
	adagrad := optim.NewAdagrad(lr)
	adagrad.LRDecay = 0.1
	optimizers := []optim.Optimizer{
		optim.SGD{LR: lr},
		optim.SGD{LR: lr, Momentum: 0.9, Dampening: 0.1, WeightDecay: 0.1},
		optim.SGD{LR: lr, Momentum: 0.9, Nesterov: true},
		optim.NewAdam(lr), adam, optim.NewAdamW(lr), optim.NewRMSprop(lr), rms, optim.NewAdagrad(lr), adagrad,
	}
	activations := []func(*graph.Node) *graph.Node{
		nil, ops.Tanh, ops.Sigmoid, ops.GELU, ops.Softplus,
		func(x *graph.Node) *graph.Node { return ops.LeakyReLU(x, 0.1) },
	}
	tolerance := map[device.DType]float64{device.Float32: 1e-5, device.Float16: 0.01, device.BFloat16: 0.05}
	for i, optimizer := range optimizers {
		for dtype, tolerance := range tolerance {
			tr := small
			tr.optimizer, tr.dtype, tr.steps = optimizer, dtype, 40
			tr.mlp.Activation = activations[i%len(activations)]
			name := fmt.Sprintf("%T %d, %s", optimizer, i, dtype)
			var losses [2][]float64
			var weights [2][]float32
			for d, dev := range []string{"cpu", falling + "&loss=stable"} {
				tr.after = func(_ int, loss float64) { losses[d] = append(losses[d], loss) }
				var err error
				weights[d], err = tr.run(dev)
				require.NoError(t, err, name)
			}
			require.InDeltaSlice(t, losses[0], losses[1], tolerance, name)
			require.InDeltaSlice(t, weights[0], weights[1], 10*tolerance, name)
			require.Less(t, losses[0][39], losses[0][0], name)
		}
	}
}

// A long run takes no more memory than a short one, on either side.
func TestTrainingLeaksNothing(t *testing.T) {
	sim := requireSimulator(t)
	type use struct {
		alive  int64
		malloc uint64
		heap   uint64
	}
	for _, faults := range []string{"", "no-repeat"} {
		sim.setFaults(faults)
		used := map[int]use{}
		tr := small
		tr.steps = 2001
		tr.after = func(step int, _ float64) {
			if step%1000 == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				used[step] = use{sim.alive(), sim.counter("malloc"), m.HeapAlloc}
			}
		}
		_, err := tr.run(falling)
		require.NoError(t, err)
		require.Equal(t, used[1000].alive, used[2000].alive)
		require.Equal(t, used[1000].malloc, used[2000].malloc)
		require.Less(t, used[2000].heap, used[1000].heap+64<<10)
		sim.requireNothingLeft(t)
	}
	sim.setFaults("")
}
