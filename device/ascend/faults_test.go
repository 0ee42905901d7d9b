package ascend_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// train opens the device, trains a small network for three steps, closes
// everything, and returns the weights and the first error.
func train(name string) (weights []float32, err error) {
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

	mlp := nn.MLP{Name: "mlp", Sizes: []int{3, 4, 1}, Seed: 1}
	step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		loss := softmarginloss.Forward(mlp.Forward(in[0], true), in[1], device.Mean)
		params := g.Parameters()
		optim.NewAdamW(optim.Constant(0.01)).Update(params, optim.ClipNorm(graph.Gradients(loss, params...), 1))
		return []*graph.Node{loss}
	})
	x, y := make([]float32, 5*3), make([]float32, 5)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	for i := range y {
		y[i] = float32(1 - i%2*2)
	}
	for range 3 {
		if _, err := step.RunScalar(tensor.New(tensor.WithShape(5, 3), tensor.WithBacking(x)),
			tensor.New(tensor.WithShape(5, 1), tensor.WithBacking(y))); err != nil {
			return nil, err
		}
	}
	w, err := session.Value("mlp/0/weight")
	if err != nil {
		return nil, err
	}
	return w.Float32s(), nil
}

// trainInTime is train, or a failed test if it hangs.
func trainInTime(t *testing.T, name string) ([]float32, error) {
	t.Helper()
	type result struct {
		weights []float32
		err     error
	}
	done := make(chan result, 1)
	go func() {
		w, err := train(name)
		done <- result{w, err}
	}()
	select {
	case r := <-done:
		return r.weights, r.err
	case <-time.After(time.Minute):
		require.FailNow(t, "training hangs")
		return nil, nil
	}
}

// Every allocation, plan, launch, task and copy of a training run fails once: each
// time there is an error, nothing is left behind, and the device opens again.
func TestFaults(t *testing.T) {
	sim := requireSimulator(t)
	want, err := trainInTime(t, "ascend:sim")
	require.NoError(t, err)
	for _, kind := range []string{"malloc", "plan", "launch", "task", "copy", "lost"} {
		counted := map[string]string{"task": "launch", "lost": "launch"}[kind]
		if counted == "" {
			counted = kind
		}
		n := sim.counter(counted)
		require.Positive(t, n, kind)
		for i := range n {
			fault := fmt.Sprintf("%s=%d", kind, i+1)
			sim.setFaults(fault)
			_, err := trainInTime(t, "ascend:sim")
			var e *device.Error
			require.ErrorAs(t, err, &e, fault)
			require.Zero(t, sim.alive(), "%s: objects that are still alive", fault)
		}
		sim.setFaults("")
		got, err := trainInTime(t, "ascend:sim")
		require.NoError(t, err, "after the faults of %s", kind)
		require.Equal(t, want, got)
	}
	require.Zero(t, sim.alive())
}

// What a chip or a version of the library may lack.
func TestOtherChips(t *testing.T) {
	sim := requireSimulator(t)
	want, err := trainInTime(t, "ascend:sim")
	require.NoError(t, err)

	sim.setFaults("no-repeat") // phase one before every launch
	got, err := trainInTime(t, "ascend:sim")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, sim.alive())

	sim.setFaults("stall=2")
	got, err = trainInTime(t, "ascend:sim")
	require.NoError(t, err)
	require.Equal(t, want, got)

	sim.setFaults("no-bf16")
	dev := open(t, "ascend:sim")
	out, in := fill(t, dev, device.BFloat16, 1, 2), fill(t, dev, device.BFloat16, 1, 2)
	_, err = dev.Plan(device.Neg{}, []device.View{in}, out)
	require.ErrorIs(t, err, device.ErrParamInvalid)
	sim.setFaults("")
}

// The vendor's kernel overflows where a model is most wrong; loss=stable does not.
func TestStableLoss(t *testing.T) {
	sim := requireSimulator(t)
	sim.setFaults("exp-overflow")
	defer sim.setFaults("")
	for name, wrong := range map[string]func(float32) bool{
		"ascend:sim":             func(x float32) bool { return x != x },
		"ascend:sim?loss=stable": func(x float32) bool { return x == -1 },
	} {
		dev := open(t, name)
		one, self, target, out := fill(t, dev, device.Float32, 1), fill(t, dev, device.Float32, -100), fill(t, dev, device.Float32, 1), fill(t, dev, device.Float32, 0)
		got := launch(t, dev, device.SoftMarginLossBackward{}, out, one, self, target)
		require.True(t, wrong(got[0]), "%s: %v", name, got)
	}
}
