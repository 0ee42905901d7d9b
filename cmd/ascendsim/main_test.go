//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/device/ascend/simulator"
)

// TestMain lets the test binary be the command, for tests of what only a process shows.
func TestMain(m *testing.M) {
	if os.Getenv("BE_ASCENDSIM") != "" {
		os.Unsetenv("BE_ASCENDSIM")
		main()
	}
	goleak.VerifyTestMain(m)
}

// command returns the command with arguments, as a process.
func command(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), "BE_ASCENDSIM=1")
	return cmd
}

func TestArguments(t *testing.T) {
	for _, row := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"-h"}, 0, "Usage:", ""},
		{[]string{"-help"}, 0, "run -- PROGRAM", ""},
		{nil, 2, "", "say where to write, by -o DIR"},
		{[]string{"-o"}, 2, "", "flag needs an argument"},
		{[]string{"-x"}, 2, "", "not defined: -x"},
		{[]string{"build"}, 2, "", `"build" is not a command`},
		{[]string{"-o", "dir", "more"}, 2, "", `"more" is not a command`},
		{[]string{"run"}, 2, "", "run needs a program"},
		{[]string{"run", "--"}, 2, "", "run needs a program"},
		{[]string{"run", "--", "/nonexistent"}, 1, "", "cannot find the program"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, row.code, run(t.Context(), row.args, &stdout, &stderr), row.args)
		require.Contains(t, stdout.String(), row.stdout, row.args)
		require.Contains(t, stderr.String(), row.stderr, row.args)
		if row.stderr == "" {
			require.Empty(t, stderr.String(), row.args)
		}
	}
	t.Setenv("CC", "/nonexistent/cc")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, run(t.Context(), []string{"-o", t.TempDir()}, &stdout, &stderr))
	require.Contains(t, stderr.String(), simulator.ErrNoCompiler.Error())
}

// A program is compiled against what -o writes and run by run, which passes arguments, the
// environment, the exit status and signals.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	written := command(t, "-o", dir)
	out, err := written.CombinedOutput()
	if bytes.Contains(out, []byte(simulator.ErrNoCompiler.Error())) {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no C compiler")
		}
		t.Skip("there is no C compiler")
	}
	require.NoError(t, err, string(out))
	require.Empty(t, out)

	source := filepath.Join(dir, "program.c")
	require.NoError(t, os.WriteFile(source, []byte(`
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "acl/acl.h"
int main(int argc, char **argv)
{
    if (aclInit(NULL) != 0) return 99;
    printf("%s %s\n", aclrtGetSocName(), argv[argc - 1]);
    fflush(stdout);
    if (argc > 2) pause();
    aclFinalize();
    return atoi(argv[1]);
}
`), 0o600))
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	program := filepath.Join(dir, "program")
	out, err = exec.Command("sh", "-c", cc+` -I"$1/include" "$1/program.c" -o "$1/program" -L"$1/lib" -lascendcl`, "sh", dir).CombinedOutput()
	require.NoError(t, err, string(out))

	for _, separator := range [][]string{{"run", "--"}, {"run"}} {
		out, err = command(t, append(separator, program, "37")...).CombinedOutput()
		require.Equal(t, "Ascend-Simulator 37\n", string(out))
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 37, exit.ExitCode())
	}

	waiting := command(t, "run", "--", program, "0", "-o")
	stdout, err := waiting.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, waiting.Start())
	buffer := make([]byte, 64)
	n, err := stdout.Read(buffer)
	require.NoError(t, err)
	require.Equal(t, "Ascend-Simulator -o\n", string(buffer[:n]))
	require.NoError(t, waiting.Process.Signal(syscall.SIGTERM))
	err = waiting.Wait()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit))
	require.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
}
