package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutputThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	cmd := exec.Command(binary, "-epochs", "1")
	cmd.Stdout = full
	require.Error(t, cmd.Run())
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
}

func TestResultThroughALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are Unix's")
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "target.json")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o640))
	require.NoError(t, os.Symlink(target, filepath.Join(dir, "link.json")))
	_, stderr, code := command(t, dir, nil, "-epochs", "1", "-json", "link.json")
	require.Zero(t, code, stderr)
	info, err := os.Lstat(filepath.Join(dir, "link.json"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
	info, err = os.Stat(target)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	require.True(t, json.Valid(data))

	// A report follows no link.
	rows := filepath.Join(dir, "my.csv")
	text := []byte("a,y\n1,0\n2,1\n")
	require.NoError(t, os.WriteFile(rows, text, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "report"), 0o700))
	require.NoError(t, os.Symlink(rows, filepath.Join(dir, "report", "roc.png")))
	for _, c := range []struct {
		data, want string
	}{
		{"my.csv", "-report cannot write report/roc.png: my.csv is the file of the data"},
		{"moons", "report/roc.png cannot be written: a report replaces nothing but a regular file"},
	} {
		_, stderr, code = command(t, dir, nil, "-epochs", "1", "-report", "report", "-data", c.data)
		require.Equal(t, 1, code)
		require.Equal(t, "train_binary: "+c.want+"\n", stderr)
	}
	data, err = os.ReadFile(rows)
	require.NoError(t, err)
	require.Equal(t, text, data)

	_, stderr, code = command(t, dir, nil, "-epochs", "1", "-json", os.DevNull)
	require.Zero(t, code, stderr)
	info, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular())
}

// What a file would get comes to the standard output, and nothing else does.
func TestStandardOutput(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "-data", "moons", "-epochs", "1", "-save", "model")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.csv"), []byte("x1,x2\n1,2\n0.5,-1\n"), 0o600))
	for _, args := range [][]string{
		{"predict", "-model", "model", "-data", "new.csv", "-out"},
		{"export", "-model", "model", "-onnx"},
		{"-folds", "2", "-epochs", "1", "-json"},
	} {
		usual, _ := succeed(t, dir, append(args, "file")...)
		stdout, stderr := succeed(t, dir, append(args, "-")...)
		want, err := os.ReadFile(filepath.Join(dir, "file"))
		require.NoError(t, err)
		require.Equal(t, string(want), stdout, args)
		require.Equal(t, usual, stderr, args)
	}
	stdout, stderr := succeed(t, dir, "-epochs", "1", "-json", "-") // which says how fast it was
	require.True(t, json.Valid([]byte(stdout)), stdout)
	require.Contains(t, stderr, "held-out loss")
	require.NoFileExists(t, filepath.Join(dir, "-"))
}

func TestAnOldResultSurvivesAFailedRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	_, _, code := command(t, dir, nil, "-json", path, "-batch", "-1")
	require.Equal(t, 1, code)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
}
