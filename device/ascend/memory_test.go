package ascend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// What is freed is handed out again, also for a size that was not asked for before.
func TestPool(t *testing.T) {
	sim := requireSimulator(t)
	dev := open(t, "ascend:sim")
	before := sim.counter("malloc")
	for _, step := range []int64{1, 301, 7001} {
		for size := range int64(1000) {
			b, err := dev.Alloc(size * step)
			require.NoError(t, err)
			require.Equal(t, size*step, b.Size())
			require.NoError(t, b.Free())
			require.ErrorIs(t, b.Free(), device.ErrParamInvalid, "a second time")
		}
	}
	require.Less(t, sim.counter("malloc")-before, uint64(16+10*8)) // multiples of 512 to 8 KiB, then 8 sizes an octave to 8 MiB

	var live []device.Buffer
	for range 2 {
		for size := range int64(100) {
			b, err := dev.Alloc(1 + size*100)
			require.NoError(t, err)
			live = append(live, b)
		}
		seen := map[device.Buffer]bool{}
		for _, b := range live {
			require.False(t, seen[b])
			seen[b] = true
		}
		for _, b := range live[:50] {
			require.NoError(t, b.Free())
		}
		live = live[50:]
	}
}

// Freed memory is given back when the library has none left.
func TestPoolIsTrimmed(t *testing.T) {
	sim := requireSimulator(t)
	defer sim.setFaults("")
	dev := open(t, "ascend:sim")
	for size := range int64(10) {
		b, err := dev.Alloc(size << 10)
		require.NoError(t, err)
		require.NoError(t, b.Free())
	}
	alive := sim.alive()
	sim.setFaults("malloc=1")
	b, err := dev.Alloc(1 << 20)
	require.NoError(t, err)
	require.Less(t, sim.alive(), alive)
	launchNeg(t, dev)
	require.NoError(t, b.Free())

	dev = open(t, "ascend:sim")
	sim.setFaults("malloc=1")
	_, err = dev.Alloc(1 << 20)
	require.ErrorIs(t, err, device.ErrOutOfMemory, "there is nothing to give back")
	launchNeg(t, dev)
}
