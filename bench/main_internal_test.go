package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/pullback-go/pullback/bench/internal/faulty"
	"github.com/pullback-go/pullback/bench/internal/report"
	"github.com/pullback-go/pullback/device"
)

func init() {
	device.Register("absent", func(device.Name) (device.Device, error) {
		return nil, &device.Error{Code: device.ErrInvalidDevice, Reason: "there is no such hardware here"}
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func command(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return out.String(), errs.String(), code
}

// TestQuick is the quick comparison with less time: all operations on all devices that can be opened, in
// the table and in all files; the others are told of.
func TestQuick(t *testing.T) {
	before := defaultDevices
	defer func() { defaultDevices = before }()
	defaultDevices = []string{"absent:0", "cpu", "cpu?threads=1", "unregistered:0"}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	stdout, stderr, code := command("-quick", "-budget", "1ms", "-sizes", "4096,2^13,5-3-1/16",
		"-json", file("r.json"), "-csv", file("r.csv"), "-plot", file("r.svg"))
	require.Zero(t, code, stderr)
	require.Empty(t, stderr, "no progress where there is no terminal")
	require.Contains(t, stdout, "cannot be opened: absent:0: there is no such hardware here")
	require.NotContains(t, stdout, "unregistered")
	data, err := os.ReadFile(file("r.json"))
	require.NoError(t, err)
	var d report.Document
	require.NoError(t, json.Unmarshal(data, &d))
	require.Len(t, d.Records, 2*(10*2+1))
	for _, r := range d.Records {
		require.Contains(t, stdout, r.Op)
		require.Positive(t, r.NsPerOp)
		require.LessOrEqual(t, r.MinNsPerOp, r.NsPerOp)
		require.GreaterOrEqual(t, r.MaxNsPerOp, r.NsPerOp)
		require.InEpsilon(t, r.NsPerOp, r.NsPerElement*float64(r.N), 1e-9)
		require.GreaterOrEqual(t, r.Samples, 3)
		require.NotNil(t, r.MaxULP)
		require.Zero(t, r.AllocsPerOp, "%+v", r)
	}
	require.Positive(t, d.Machine.AddAll)
	require.Contains(t, stdout, "memory: copy ")
	for _, name := range []string{"r.csv", "r.svg"} {
		info, err := os.Stat(file(name))
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(1000))
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3, "nothing is left but the files")
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-ops", "frobnicate"}, {"-dtypes", "int8"}, {"-sizes", "0"}, {"-sizes", "2^40"}, {"-sizes", "many"}, {"-sizes", "30-2/5"},
		{"-sizes", "30-1/0"}, {"-reductions", "max"}, {"-layouts", "sideways"}, {"-budget", "-1s"}, {"-budget", "long"}, {"-plot", "r.gif"},
		{"-frobnicate"}, {"compare"}, {"replay"}, {"replay", "-ulp", "NaN", "f"}, {"verify", "-n", "0"}, {"verify", "x"},
		{"-budget", "0"}, {"replay", "-ulp", "0", "f"}, {"-ops", "relu", "-sizes", "30-1/32"}, {"-ops", "train_step", "-sizes", "64"},
		{"-json", "r.x", "-csv", "./r.x"}, {"-csv", "/dev/null", "-plot", "r.svg", "-json", "/dev/null"},
		{"-record", "r.json"}, {"-record", "r.json", "-sizes", "64", "-csv", "r.csv"}, {"-record", "r.json", "-sizes", "64", "-devices", "cpu"},
	} {
		stdout, stderr, code := command(args...)
		require.Equal(t, 2, code, args)
		require.Regexp(t, `^bench: .*; bench( replay| verify)? -h lists the flags\n$`, stderr, args)
		require.Empty(t, stdout)
	}
	for _, args := range [][]string{{"-h"}, {"replay", "-h"}, {"verify", "-help"}} {
		_, stderr, code := command(args...)
		require.Zero(t, code)
		require.Contains(t, stderr, "Usage:")
	}
}

func TestRuntimeErrors(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.json")
	require.NoError(t, os.WriteFile(garbage, []byte(`[{"self":1}]`), 0o600))
	for _, c := range []struct {
		args  []string
		names string
	}{
		{[]string{"-devices", "gpu"}, "gpu"},
		{[]string{"-devices", "absent:0"}, "there is no such hardware here"},
		{[]string{"-devices", "cpu?speed=9"}, "speed"},
		{[]string{"-devices", "cpu,cpu"}, "twice"},
		{[]string{"-json", filepath.Join(dir, "no", "r.json")}, "no directory"},
		{[]string{"-json", dir}, "is a directory"},
		{[]string{"-ops", "linear", "-sizes", "1000"}, "multiple"},
		{[]string{"-ops", "upload", "-sizes", "64", "-record", filepath.Join(dir, "r.json")}, "nothing to record"},
		{[]string{"-sizes", "2^16", "-dtypes", "all", "-layouts", "all", "-reductions", "all", "-record", filepath.Join(dir, "r.json")}, "MB"},
		{[]string{"-ops", "matmul", "-sizes", "2^26", "-record", filepath.Join(dir, "r.json")}, "too large"},
		{[]string{"-ops", "relu", "-dtypes", "float64", "-sizes", "2^28"}, "GiB"},
		{[]string{"-ops", "relu", "-sizes", "64", "-plot", filepath.Join(dir, "r.svg")}, "nothing to draw"},
		{[]string{"-ops", "train_step", "-plot", filepath.Join(dir, "r.svg")}, "nothing to draw"},
		{[]string{"-ops", "relu", "-sizes", "64", "-dtypes", "float64", "-devices", "faulty?dtypes=float32", "-budget", "1ms"}, "nothing was measured"},
		{[]string{"-ops", "relu", "-sizes", "64", "-devices", "faulty?ulp=20", "-budget", "1ms"}, "wrong results: 1, such as relu in float32 of 64 on faulty?ulp=20"},
		{[]string{"-ops", "relu", "-sizes", "2^20", "-record", filepath.Join(dir, "r.json")}, "too large"},
		{[]string{"replay", filepath.Join(dir, "missing.json")}, "missing.json"},
		{[]string{"replay", garbage}, "case 1"},
		{[]string{"replay", "-device", "gpu", garbage}, "gpu"},
		{[]string{"verify", "-devices", "gpu"}, "gpu"},
		{[]string{"verify", "-out", dir}, "is a directory"},
	} {
		_, stderr, code := command(c.args...)
		require.Equal(t, 1, code, c.args)
		require.Contains(t, stderr, c.names, c.args)
		require.NotContains(t, stderr, "Usage:", c.args)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	path := filepath.Join(t.TempDir(), "r.json")
	require.Equal(t, 1, run(ctx, []string{"-quick", "-json", path}, &out, &errs))
	require.Contains(t, out.String(), "ns/element")
	require.Contains(t, errs.String(), "stopped early")
	_, err := os.Stat(path)
	require.True(t, errors.Is(err, os.ErrNotExist))
}

// TestRecordAndReplay: calls that flags choose go to a file, which passes on the device that is
// right and not on the one that is not.
func TestRecordAndReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cases.json")
	stdout, stderr, code := command("-record", path, "-sizes", "256", "-dtypes", "float32,float16", "-layouts", "all", "-reductions", "none,mean")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "not recorded: upload, download, train_step")
	stdout, stderr, code = command("replay", path, "../ops/softmarginloss/testdata/tensors.json.gz")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stdout, "tensors.json.gz: tensors, 378 cases, 378 passed, largest error ")
	stdout, stderr, code = command("replay", "-device", "faulty?ulp=20", path)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "ulp of float")
	require.Contains(t, stderr, "1 of 1 files did not pass")
}

// TestVerifyAndReplay: what verify finds wrong, replay finds wrong too.
func TestVerifyAndReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failure.json")
	stdout, stderr, code := command("verify", "-n", "300", "-devices", "cpu?threads=1,cpu?simd=off", "-out", path)
	require.Zero(t, code, stdout+stderr)
	require.NoFileExists(t, path)
	stdout, stderr, code = command("verify", "-devices", "cpu,faulty?op=Tanh&ulp=5", "-out", path)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "Tanh")
	require.True(t, strings.Contains(stderr, path) && strings.Contains(stderr, "faulty"))
	_, _, code = command("replay", "-device", "faulty?op=Tanh&ulp=5", path)
	require.Equal(t, 1, code)
	_, _, code = command("replay", path)
	require.Zero(t, code)
}
