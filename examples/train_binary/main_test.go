package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// binary is the built command. That it starts at all is part of the test: a
// dependency that panics at import time on a new Go release cannot hide.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "train_binary")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "train_binary.exe")
	if out, err := exec.Command("go", "build", "-tags", "noascend", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// command runs the binary in the directory.
func command(t testing.TB, dir string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &errs
	if err := cmd.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// succeed is command for what must end well.
func succeed(t testing.TB, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := command(t, dir, nil, args...)
	require.Zero(t, code, "%v: %s", args, stderr)
	return stdout, stderr
}

// TestStaticBinary: pure Go needs no loader, so that the binary runs where it is put.
func TestStaticBinary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this looks into an ELF file")
	}
	f, err := elf.Open(binary)
	require.NoError(t, err)
	defer f.Close()
	require.Nil(t, f.Section(".interp"), "the binary is dynamically linked: a dependency brings cgo in")
}

// BenchmarkStartup is the time from starting the program to the end of its first epoch of 13 steps and
// the evaluation after it.
func BenchmarkStartup(b *testing.B) {
	for b.Loop() {
		succeed(b, b.TempDir(), "-epochs", "1", "-quiet")
	}
}
