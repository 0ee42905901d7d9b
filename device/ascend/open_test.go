package ascend_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/simulator"
)

func TestOpenRefuses(t *testing.T) {
	requireSimulator(t)
	for name, sentence := range map[string]string{
		"ascend:x":                     "write ascend:0 for the first",
		"ascend:-1":                    "write ascend:0 for the first",
		"ascend:+1":                    "write ascend:0 for the first",
		"ascend:1.5":                   "write ascend:0 for the first",
		"ascend:4294967296":            "write ascend:0 for the first", // 0 in 32 bits
		"ascend:sim?path=/tmp":         "the simulator has no option path",
		"ascend:sim?path=":             "the simulator has no option path",
		"ascend:sim?loss=":             "loss= is not stable",
		"ascend:sim?loss=naive":        "loss=naive is not stable",
		"ascend:sim?fallback=":         "fallback= is not cpu",
		"ascend:sim?fallback=ascend:0": "fallback=ascend:0 is not cpu",
		"ascend:sim?threads=2":         "ascend has fallback, loss, path",
	} {
		_, err := device.Open(name)
		require.ErrorIs(t, err, device.ErrInvalidDevice, name)
		require.ErrorContains(t, err, sentence, name)
	}
}

// Where CANN is not installed, the error says what to do, and nothing is left behind.
func TestOpenWithoutCANN(t *testing.T) {
	empty := t.TempDir()
	for _, name := range []string{"ascend:0?fallback=cpu&path=" + empty, "ascend?path=" + filepath.Join(empty, "none")} {
		for range 3 {
			_, err := device.Open(name)
			var e *device.Error
			require.ErrorAs(t, err, &e, name)
			require.Equal(t, device.Code(100003), e.Code)
			require.Equal(t, "Open", e.Op)
			require.Contains(t, e.Reason, empty, name)
			require.Contains(t, e.Reason, "name the root of an installation", name)
			require.NotContains(t, e.Reason, "set_env.sh", "which has no say in a path: %s", name)
		}
	}
}

// That the simulator cannot be built is no failure of a device, and has none of its codes.
func TestOpenWithoutCompiler(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the simulator needs Linux")
	}
	refused := func(sentence string) error {
		_, err := device.Open("ascend:sim")
		require.ErrorContains(t, err, `device "ascend:sim": simulator: `+sentence)
		var code device.Code
		require.False(t, errors.As(err, &code), err)
		return err
	}
	t.Setenv("CC", "/nonexistent/cc")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	require.ErrorIs(t, refused("there is no C compiler"), simulator.ErrNoCompiler)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	_ = refused("there is no cache folder to build in; set XDG_CACHE_HOME")
}

// There is one NPU, number 0, on the simulator; what is set up before that is found is undone.
func TestOpenMissingNPU(t *testing.T) {
	sim := requireSimulator(t)
	root, err := simulator.Build(context.Background())
	require.NoError(t, err)
	_, err = device.Open("ascend:1?path=" + root)
	require.ErrorIs(t, err, device.ErrInvalidDevice)
	require.ErrorContains(t, err, "devices that the process can see: 1, numbered from 0")
	sim.requireNothingLeft(t)
	launchNeg(t, open(t, "ascend:sim"))
}

// launchNeg uses the device.
func launchNeg(t *testing.T, dev device.Device) {
	t.Helper()
	x := fill(t, dev, device.Float32, 1, 2)
	require.Equal(t, []float32{-1, -2}, launch(t, dev, device.Neg{}, x, x))
}

// Devices that reach the same libraries by different paths share them.
func TestPathsToOneLibrary(t *testing.T) {
	requireSimulator(t)
	root, err := simulator.Build(context.Background())
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	first := open(t, "ascend:0?path="+root)
	for _, path := range []string{filepath.Join(root, "lib"), filepath.Join(root, "lib", "libascendcl.so"), link} {
		second := open(t, "ascend:0?path="+path)
		launchNeg(t, second)
		require.NoError(t, second.Close())
		launchNeg(t, first)
	}
}

func TestOpenAtOnce(t *testing.T) {
	sim := requireSimulator(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 3 {
				dev, err := device.Open("ascend:sim?fallback=cpu")
				if !assert.NoError(t, err) {
					return
				}
				assert.NoError(t, useOnce(dev))
				assert.NoError(t, dev.Close())
			}
		})
	}
	inTime(t, all.Wait)
	sim.requireNothingLeft(t)
}
