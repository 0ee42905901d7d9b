//go:build !windows

package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whoever writes into a pipe that nobody reads can stop at once.
func TestInterruptWhileWriting(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("my.csv"), []byte("age,ill\n"+strings.Repeat("1,0\n2,1\n", 40)), 0o600))
	succeed(t, dir, "-data", "my.csv", "-epochs", "1", "-save", "model")
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"predict", "-model", at("model"), "-data", at("my.csv"), "-out", at("pipe")},
		{"export", "-model", at("model"), "-onnx", at("pipe")},
	} {
		done := make(chan int, 1)
		var stderr strings.Builder
		go func() { done <- run(ended, args, nil, &stderr) }()
		select {
		case code := <-done:
			require.Equal(t, 1, code, args)
			require.Equal(t, "train_binary: stopped: context canceled\n", stderr.String(), args)
		case <-time.After(time.Minute):
			require.Fail(t, "it waits for a reader", args)
		}
	}

	for _, args := range [][]string{{}, {"-folds", "2"}} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, append(args, "-data", "my.csv", "-epochs", "1", "-json", "pipe")...)
		cmd.Dir = dir
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		for lines := bufio.NewScanner(stdout); ; {
			require.True(t, lines.Scan(), "the last line comes")
			if strings.HasPrefix(lines.Text(), "held-out loss") || strings.HasPrefix(lines.Text(), "AUC") {
				break
			}
		}
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.Error(t, cmd.Wait())
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), args)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 3, "nothing is left behind")
}
