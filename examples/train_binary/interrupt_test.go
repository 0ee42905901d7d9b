package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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

// Whoever waits for rows that do not come can stop at once.
func TestInterruptWhileReading(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	dir := t.TempDir()
	rows := "age,ill\n" + strings.Repeat("1,0\n2,1\n", 50000) // more than a pipe holds, so that some were read
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(rows[:800]), 0o600))
	succeed(t, dir, "-data", "my.csv", "-epochs", "1", "-save", "model")
	for _, args := range [][]string{
		{"-save", "new", "-json", "result.json", "-report", "report"},
		{"-folds", "2"},
		{"evaluate", "-model", "model"},
		{"predict", "-model", "model", "-out", "out.csv"},
		{"predict", "-model", "model"},
	} {
		for _, data := range []string{"-", "/dev/stdin"} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, binary, append(args, "-data", data)...)
			var stderr strings.Builder
			cmd.Dir, cmd.Stderr = dir, &stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = stdin.Write([]byte(rows))
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			require.Error(t, cmd.Wait())
			require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%v: %s", args, &stderr)
			require.Regexp(t, "^train_binary: stopped: .*\n$", stderr.String(), args)
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 2, "nothing is left behind")
		}
	}
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
