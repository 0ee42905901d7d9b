package ascend_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
	"github.com/pullback-go/pullback/device/ascend/simulator"
	"github.com/pullback-go/pullback/device/devicetest"
)

// simulated are the simulator's own controls.
type simulated struct {
	setFaults func(string)
	counter   func(string) uint64
	alive     func() int64 // 0 after the last device is closed, whatever that left: see requireNothingLeft
	report    string       // the file that aclFinalize writes what is left to
}

var loadSimulator = sync.OnceValues(func() (*simulated, error) {
	dir, err := simulator.Build(context.Background())
	if err != nil {
		return nil, err
	}
	lib, err := acl.Load(dir)
	if err != nil {
		return nil, err
	}
	s := &simulated{}
	for name, f := range map[string]any{"ascendsimSetFaults": &s.setFaults, "ascendsimCounter": &s.counter, "ascendsimAlive": &s.alive} {
		address, ok := lib.Symbol(name)
		if !ok {
			return nil, fmt.Errorf("the simulator does not export %s", name)
		}
		purego.RegisterFunc(f, address)
	}
	return s, nil
})

// requireSimulator skips the test on other systems than Linux, and where there is no C
// compiler, which is a failure in CI.
func requireSimulator(t testing.TB) *simulated {
	t.Helper()
	s, err := loadSimulator()
	if runtime.GOOS != "linux" || errors.Is(err, simulator.ErrNoCompiler) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
	sim := *s
	sim.report = filepath.Join(t.TempDir(), "left")
	sim.setFaults = func(faults string) { s.setFaults(faults + ";report=" + sim.report) }
	sim.setFaults("")
	t.Cleanup(func() { s.setFaults("") })
	return &sim
}

// requireNothingLeft fails the test if there were objects when the last device was closed.
func (s *simulated) requireNothingLeft(t testing.TB, message ...any) {
	t.Helper()
	left, err := os.ReadFile(s.report)
	require.NoError(t, err, message...)
	require.Equal(t, "ascendsim: alive at aclFinalize: 0\n", string(left), message...)
	require.NoError(t, os.Remove(s.report))
}

func open(t testing.TB, name string) device.Device {
	t.Helper()
	dev, err := device.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// fill returns a vector of the values on the device.
func fill(t testing.TB, dev device.Device, d device.DType, values ...float64) device.View {
	t.Helper()
	data := devicetest.Encode(values, d)
	b, err := dev.Alloc(int64(len(data)))
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	require.NoError(t, s.Upload(b, 0, data))
	require.NoError(t, s.Close())
	return device.Contiguous(b, 0, device.Type{DType: d, Shape: []int{len(values)}})
}

// launch runs an operation and returns its float32 output.
func launch(t testing.TB, dev device.Device, op device.Op, out device.View, in ...device.View) []float32 {
	t.Helper()
	exe, err := dev.Plan(op, in, out)
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	require.NoError(t, exe.Launch(workspaceOf(t, dev, exe), s))
	data := make([]byte, out.Type().Bytes())
	require.NoError(t, s.Download(data, out.Buffer, 0))
	require.NoError(t, s.Close())
	require.NoError(t, exe.Close())
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.NativeEndian.Uint32(data[4*i:]))
	}
	return values
}

// workspaceOf returns the memory to launch with, nil if none is needed.
func workspaceOf(t testing.TB, dev device.Device, exe device.Executor) device.Buffer {
	t.Helper()
	if exe.WorkspaceSize() == 0 {
		return nil
	}
	b, err := dev.Alloc(exe.WorkspaceSize())
	require.NoError(t, err)
	return b
}
