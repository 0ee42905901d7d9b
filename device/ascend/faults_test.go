package ascend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// trainInTime trains the small network, or fails the test if that hangs.
func trainInTime(t *testing.T) (weights []float32, err error) {
	t.Helper()
	inTime(t, func() { weights, err = small.run(falling) })
	return weights, err
}

// Every allocation, plan, launch, task and copy of a training run fails once: each
// time there is an error, nothing is left behind, and the device opens again.
func TestFaults(t *testing.T) {
	sim := requireSimulator(t)
	defer sim.setFaults("")
	want, err := trainInTime(t)
	require.NoError(t, err)
	for _, c := range []struct{ always, fault, counter string }{
		{"", "malloc", "malloc"},
		{"no-repeat;", "plan", "plan"}, // also those before a launch
		{"", "launch", "launch"},
		{"", "task", "launch"},
		{"", "copy", "copy"},
		{"", "lost", "launch"},
	} {
		sim.setFaults(c.always)
		got, err := trainInTime(t)
		require.NoError(t, err, "after other faults than those of %s", c.fault)
		require.Equal(t, want, got)
		n := sim.counter(c.counter)
		require.Positive(t, n, c.fault)
		for i := range n {
			fault := fmt.Sprintf("%s%s=%d", c.always, c.fault, i+1)
			sim.setFaults(fault)
			_, err := trainInTime(t)
			var e *device.Error
			require.ErrorAs(t, err, &e, fault)
			sim.requireNothingLeft(t, fault)
		}
	}
	sim.setFaults("")
	got, err := trainInTime(t)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// What a chip or a version of the library may lack.
func TestOtherChips(t *testing.T) {
	sim := requireSimulator(t)
	want, err := trainInTime(t)
	require.NoError(t, err)

	sim.setFaults("no-repeat") // phase one before every launch
	got, err := trainInTime(t)
	require.NoError(t, err)
	require.Equal(t, want, got)
	sim.requireNothingLeft(t)

	sim.setFaults("stall=2")
	got, err = trainInTime(t)
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
