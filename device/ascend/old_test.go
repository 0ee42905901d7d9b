package ascend_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
	"github.com/pullback-go/pullback/device/ascend/simulator"
)

// An old CANN has no function that destroys executors, and none that tells what went wrong: training works all the
// same, and nothing is left that a launch destroys. It runs in a process of its own, as a process can use one
// installation.
func TestOldCANN(t *testing.T) {
	lacking := []string{"aclDestroyAclOpExecutor", "aclGetRecentErrMsg"}
	dir := os.Getenv("ASCEND_TEST_OLD_CANN")
	if dir == "" {
		requireSimulator(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestOldCANN$", "-test.v")
		cmd.Env = append(os.Environ(), "ASCEND_TEST_OLD_CANN="+without(t, lacking))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestOldCANN")
		return
	}
	lib, err := acl.Load(dir)
	require.NoError(t, err)
	for _, function := range lacking {
		_, ok := lib.Symbol(function)
		require.False(t, ok, function)
	}
	address, ok := lib.Symbol("ascendsimAlive")
	require.True(t, ok)
	var alive func() int64
	purego.RegisterFunc(&alive, address)

	name := "ascend:0?fallback=cpu&path=" + dir
	dev := open(t, name) // which keeps CANN initialised, and so what is left alive
	before := alive()
	got, err := small.run(name)
	require.NoError(t, err)
	require.Equal(t, before, alive(), "objects that are alive")
	want, err := small.run("cpu")
	require.NoError(t, err)
	require.InDeltaSlice(t, want, got, 1e-5)

	x := fill(t, dev, device.Float32, 1, 2)
	exe, err := dev.Plan(device.Neg{}, []device.View{x}, x)
	require.NoError(t, err)
	require.NoError(t, exe.Close(), "never launched, so that it stays")

	_, err = device.Open("ascend:7?path=" + dir)
	require.ErrorIs(t, err, device.ErrInvalidDevice)
	require.ErrorContains(t, err, "devices that the process can see: 1", "where CANN has no message, only the hints are there")
}

// without returns a folder with the simulator's libraries that lack the functions: there they have another name.
func without(t *testing.T, functions []string) string {
	built, err := simulator.Build(t.Context())
	require.NoError(t, err)
	libraries, err := filepath.Glob(filepath.Join(built, "lib", "*"))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, path := range libraries {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, name := range functions {
			other := append(bytes.Repeat([]byte("_"), len(name)), 0)
			content = bytes.ReplaceAll(content, append([]byte(name), 0), other)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(path)), content, 0o755))
	}
	return dir
}
