package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// interrupted runs the binary until some epochs are over, and returns the last lines of stderr.
func interrupted(t *testing.T, dir string, epochs int, args ...string) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for range epochs {
		require.True(t, lines.Scan(), "an epoch is over")
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var last []string
	for lines.Scan() {
		last = append(last, lines.Text())
	}
	require.Error(t, cmd.Wait())
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	return last
}

func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	last := interrupted(t, dir, 1, "-epochs", "1000000", "-json", "result.json")
	require.Contains(t, last[len(last)-1], "train_binary: classifier: stopped after step")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
}

// A run that is stopped twice and goes on comes to the file of a run that was not stopped.
func TestInterruptAndResume(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-epochs", "4000", "-hidden", "8", "-dropout", "0.1", "-schedule", "cosine", "-seed=3"}
	succeed(t, dir, append(args, "-save", "whole", "-quiet")...)
	args = append(args, "-save", "model")
	for range 2 {
		last := interrupted(t, dir, 5, args...)
		require.Contains(t, last[len(last)-1], "train_binary: classifier: stopped after step")
		require.True(t, strings.HasSuffix(last[len(last)-1], "; to go on, repeat the command with -resume \"model\""), last)
		args = append(args, "-resume", "model")
	}
	succeed(t, dir, args...)
	whole, err := os.ReadFile(filepath.Join(dir, "whole"))
	require.NoError(t, err)
	resumed, err := os.ReadFile(filepath.Join(dir, "model"))
	require.NoError(t, err)
	require.True(t, string(whole) == string(resumed), "the weights differ")
}
