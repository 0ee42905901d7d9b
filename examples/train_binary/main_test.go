package main_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// command runs the binary in an empty directory of its own, or in dir.
func command(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &errs
	if err := cmd.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

type result struct {
	Seed                          uint64
	Device, DType                 string
	Epochs                        int
	TrainLoss                     float64 `json:"train_loss"`
	TestLoss                      float64 `json:"test_loss"`
	Accuracy, AUC, StepsPerSecond float64
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

func TestDefaultRun(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, code := command(t, dir, nil, "-json", "result.json")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "wdbc.csv: 569 rows, 30 features; diagnosis: 212 malignant (+1), 357 benign (-1)\n")
	require.Contains(t, stdout, "training on 456 rows, holding out 113; seed 1, float32\n")
	require.Regexp(t, `held-out loss 0\.\d{4}, accuracy 0\.\d{4}, AUC 0\.\d{4}\n$`, stdout)
	require.Len(t, strings.Split(strings.TrimSpace(stderr), "\n"), 15, "a line an epoch, as stderr is no terminal")

	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(data, &fields))
	for _, key := range []string{"seed", "device", "dtype", "epochs", "train_loss", "test_loss", "accuracy", "auc", "steps_per_second"} {
		require.Contains(t, fields, key)
		delete(fields, key)
	}
	require.Empty(t, fields)
	var r result
	require.NoError(t, json.Unmarshal(data, &r))
	require.Equal(t, result{Seed: 1, Device: "cpu", DType: "float32", Epochs: 15, TrainLoss: r.TrainLoss, TestLoss: r.TestLoss, Accuracy: r.Accuracy, AUC: r.AUC}, r)
	require.Greater(t, r.Accuracy, 0.95)
	require.Less(t, r.TrainLoss, 0.1)

	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left but the result")
}

func TestOutputDependsOnTheSeedAlone(t *testing.T) {
	dir := t.TempDir()
	want, progress, code := command(t, dir, nil, "-epochs", "3", "-seed", "7")
	require.Zero(t, code)
	for _, variant := range [][]string{{"GOMAXPROCS=1", "cpu"}, {"GOMAXPROCS=2", "cpu?threads=1"}, {"GOMAXPROCS=1", "cpu?threads=3"}, {"GOMAXPROCS=4", "cpu?threads=7"}} {
		stdout, stderr, code := command(t, dir, variant[:1], "-epochs", "3", "-seed", "7", "-device", variant[1])
		require.Zero(t, code)
		require.Equal(t, want, stdout, variant)
		require.Equal(t, progress, stderr, variant)
	}
	stdout, _, code := command(t, dir, nil, "-epochs", "3", "-seed", "8")
	require.Zero(t, code)
	require.NotEqual(t, want, stdout)
}

func TestOwnData(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("paid,age,income\n")
	for i := range 40 {
		label := "no"
		if i%4 > 1 {
			label = "yes"
		}
		b.WriteString(label + "," + string(rune('0'+i%10)) + "," + string(rune('0'+i%4)) + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(b.String()), 0o600))
	for _, args := range [][]string{
		{"-hidden", "none", "-optimizer", "sgd", "-lr", "0.1", "-dtype", "float64"},
		{"-hidden", "8", "-optimizer", "adam", "-batch", "64"},
		{"-optimizer", "rmsprop", "-dtype", "bfloat16"},
		{"-optimizer", "adagrad", "-dtype", "float16", "-positive", "no"},
	} {
		stdout, stderr, code := command(t, dir, nil, append([]string{"-data", "my.csv", "-label", "paid", "-epochs", "2"}, args...)...)
		require.Zero(t, code, stderr)
		require.Contains(t, stdout, "my.csv: 40 rows, 2 features; paid: 20 ")
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("empty.csv", "")
	write("header.csv", "a,b,y\n")
	write("ragged.csv", "a,b,y\n1,2,0\n1,2\n")
	write("word.csv", "a,b,y\n1,2,0\n1,two,1\n")
	write("nan.csv", "a,b,y\n1,2,0\nNaN,2,1\n")
	write("inf.csv", "a,b,y\n1,2,0\n1,-Inf,1\n")
	write("one.csv", "a,b,y\n1,2,0\n1,2,0\n")
	write("three.csv", "a,b,y\n1,2,0\n1,2,1\n1,2,2\n")
	write("noheader.csv", "1,2,0\n1,3,1\n")
	write("tiny.csv", "a,b,y\n1,2,0\n1,2,1\n")
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, c := range []struct {
		args  []string
		names []string // what the sentence must name
	}{
		{[]string{"-data", "missing.csv"}, []string{"missing.csv"}},
		{[]string{"-data", "empty.csv"}, []string{"empty.csv", "empty"}},
		{[]string{"-data", "header.csv"}, []string{"header.csv"}},
		{[]string{"-data", "ragged.csv"}, []string{"ragged.csv:3"}},
		{[]string{"-data", "word.csv"}, []string{"word.csv:3", `"b"`, `"two"`}},
		{[]string{"-data", "nan.csv"}, []string{"nan.csv:3", `"a"`, "NaN"}},
		{[]string{"-data", "inf.csv"}, []string{"inf.csv:3", `"b"`, "Inf"}},
		{[]string{"-data", "one.csv"}, []string{"one.csv", `"y"`}},
		{[]string{"-data", "three.csv"}, []string{"three.csv:4", `"y"`}},
		{[]string{"-data", "tiny.csv"}, []string{"tiny.csv"}},
		{[]string{"-data", "three.csv", "-label", "z"}, []string{"three.csv", `"z"`}},
		{[]string{"-positive", "ill"}, []string{`"ill"`}},
		{[]string{"-label", "ill"}, []string{`"ill"`}},
		{[]string{"-batch", "0"}, []string{"batch", "0"}},
		{[]string{"-epochs", "0"}, []string{"0 epochs"}},
		{[]string{"-lr", "-1"}, []string{"learning rate", "-1"}},
		{[]string{"-lr", "NaN"}, []string{"learning rate", "NaN"}},
		{[]string{"-lr", "1e30"}, []string{"loss"}},
		{[]string{"-device", "gpu"}, []string{`"gpu"`, "cpu"}},
		{[]string{"-device", "cpu?speed=9"}, []string{`"speed"`, "threads"}},
		{[]string{"-device", "cpu?threads=0"}, []string{"threads"}},
		{[]string{"-json", "no/such/place.json"}, []string{"no/such/place.json"}},
		{[]string{"-json", "."}, []string{"is a directory"}},
		{[]string{"-json", "three.csv", "-data", "three.csv"}, []string{"three.csv", "the file of the data"}},
		{[]string{"-data", "noheader.csv"}, []string{"noheader.csv:1", "names the columns"}},
	} {
		args := append(c.args, "-json", "result.json")
		if c.args[0] == "-json" {
			args = c.args
		}
		_, stderr, code := command(t, dir, nil, args...)
		require.Equal(t, 1, code, "%v: %s", c.args, stderr)
		require.Equal(t, 1, strings.Count(stderr, "\n"), "%v: one sentence, not: %s", c.args, stderr)
		require.True(t, strings.HasPrefix(stderr, "train_binary: "), stderr)
		for _, name := range c.names {
			require.Contains(t, stderr, name, c.args)
		}
	}
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before), "nothing was left half-written")
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-nonsense"}, {"-epochs", "many"}, {"-hidden", "64,x"}, {"-hidden", "0"}, {"-optimizer", "magic"}, {"-dtype", "int8"}, {"-seed", "-1"}, {"file.csv"},
	} {
		stdout, stderr, code := command(t, t.TempDir(), nil, args...)
		require.Equal(t, 2, code, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "Usage of train_binary", args)
		require.Contains(t, stderr, args[len(args)-1], args)
	}
	_, stderr, code := command(t, t.TempDir(), nil, "-h")
	require.Zero(t, code)
	require.Contains(t, stderr, "Usage of train_binary")
}

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

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	dir := t.TempDir()
	cmd := exec.Command(binary, "-epochs", "1000000", "-json", "result.json")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	require.True(t, lines.Scan(), "the first epoch is over")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	require.Error(t, cmd.Wait())
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Contains(t, last, "train_binary: classifier: stopped after step")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
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

	_, stderr, code = command(t, dir, nil, "-epochs", "1", "-json", os.DevNull)
	require.Zero(t, code, stderr)
	info, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular())
}

func TestAnOldResultSurvivesAFailedRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	_, _, code := command(t, dir, nil, "-json", path, "-batch", "0")
	require.Equal(t, 1, code)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
}
