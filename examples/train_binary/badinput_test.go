package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("empty.csv", "")
	write("header.csv", "a,b,y\n")
	write("ragged.csv", "a,b,y\n1,2,0\n1,2\n")
	write("bin.csv", "a,b,y\n1,\x00,0\n")
	write("label.csv", "y\n0\n1\n")
	write("twice.csv", "a,a,y\n1,2,0\n")
	write("cut.csv.gz", "\x1f\x8b\x08")
	write("word.svm", "1 1:2 2:3\n-1 1:2 2:x\n")
	write("same.csv", "a,b,y\n"+strings.Repeat("1,2,0\n1,2,1\n", 20))
	write("nan.csv", "a,b,y\n1,2,0\nNaN,2,1\n")
	write("inf.csv", "a,b,y\n1,2,0\n1,-Inf,1\n")
	write("one.csv", "a,b,y\n1,2,0\n1,2,0\n")
	write("three.csv", "a,b,y\n1,2,0\n1,2,1\n1,2,2\n")
	write("noheader.csv", "1,2,0\n1,3,1\n")
	write("tiny.csv", "a,b,y\n1,2,0\n1,2,1\n")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "page/report.html"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "pictures"), 0o700))
	for _, name := range []string{"pictures/roc.png", "pictures/boundary.png"} {
		write(name, "mine")
	}
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
		{[]string{"-data", "nan.csv", "-missing", "refuse"}, []string{"nan.csv:3", `"a"`, "NaN"}},
		{[]string{"-data", "inf.csv"}, []string{"inf.csv:3", `"b"`, "Inf"}},
		{[]string{"-data", "one.csv"}, []string{"one.csv", `"y"`}},
		{[]string{"-data", "three.csv"}, []string{"three.csv", `"y"`, "3 values"}},
		{[]string{"-data", "tiny.csv"}, []string{"tiny.csv"}},
		{[]string{"-data", "three.csv", "-label", "z"}, []string{"three.csv", `"z"`}},
		{[]string{"-positive", "ill"}, []string{`"ill"`}},
		{[]string{"-label", "ill"}, []string{`"ill"`}},
		{[]string{"-batch", "-1"}, []string{"batch", "-1"}},
		{[]string{"-epochs", "-1"}, []string{"-1 epochs"}},
		{[]string{"-lr", "-1"}, []string{"learning rate", "-1"}},
		{[]string{"-lr", "NaN"}, []string{"learning rate", "NaN"}},
		{[]string{"-lr", "1e30"}, []string{"loss"}},
		{[]string{"-device", "gpu"}, []string{`"gpu"`, "cpu"}},
		{[]string{"-device", "cpu?speed=9"}, []string{`"speed"`, "threads"}},
		{[]string{"-device", "cpu?threads=0"}, []string{"threads"}},
		{[]string{"-json", "no/such/place.json"}, []string{"no/such/place.json"}},
		{[]string{"-json", "."}, []string{"is a directory"}},
		{[]string{"-json", "three.csv", "-data", "three.csv"}, []string{"three.csv", "the file of the data"}},
		{[]string{"-data", "noheader.csv", "-label", "y"}, []string{"noheader.csv:1", `"y"`, `"column3"`}},
		{[]string{"-data", "bin.csv"}, []string{"bin.csv", "no text"}},
		{[]string{"-data", "label.csv"}, []string{"label.csv:1", "only column"}},
		{[]string{"-data", "twice.csv"}, []string{"twice.csv:1", `"a"`, "twice"}},
		{[]string{"-data", "cut.csv.gz"}, []string{"cut.csv.gz"}},
		{[]string{"-data", "word.svm", "-format", "libsvm"}, []string{"word.svm:2", "x"}},
		{[]string{"-data", "same.csv"}, []string{"same.csv", `"a"`, "every value is 1"}},
		{[]string{"-data", "three.csv", "-format", "npz"}, []string{"three.csv"}},
		{[]string{"-drop", "ill"}, []string{`"ill"`}},
		{[]string{"-validation", "0.9"}, []string{"validation fraction", "0.9"}},
		{[]string{"-test", "-1"}, []string{"test fraction", "-1"}},
		{[]string{"-l2", "-1"}, []string{"L2", "-1"}},
		{[]string{"-clip", "NaN"}, []string{"ClipNorm", "NaN"}},
		{[]string{"-dropout", "1"}, []string{"dropout", "1"}},
		{[]string{"-balance", "-class-weight", "1,2"}, []string{"Balance"}},
		{[]string{"-patience", "2", "-validation", "0"}, []string{"-patience", "-validation"}},
		{[]string{"-threshold", "f1", "-validation", "0"}, []string{"-threshold f1", "-validation"}},
		{[]string{"-threshold", "high"}, []string{`"high"`, "youden"}},
		{[]string{"-threshold", "nan", "-data", "missing.csv"}, []string{`"nan"`, "finite"}},
		{[]string{"-threshold", "-Inf", "-data", "missing.csv"}, []string{`"-Inf"`, "finite"}},
		{[]string{"-folds", "1", "-data", "missing.csv"}, []string{"1 fold"}},
		{[]string{"-folds", "-1", "-data", "missing.csv"}, []string{"-1 folds"}},
		{[]string{"-folds", "3", "-save", "m"}, []string{"-folds", "-save"}},
		{[]string{"-folds", "3", "-test", "0.2"}, []string{"-folds", "-test"}},
		{[]string{"-folds", "3", "-patience", "2", "-validation", "0"}, []string{"-patience", "-validation"}},
		{[]string{"-folds", "3", "-validation", "0.999", "-data", "tiny.csv"}, []string{"tiny.csv"}},
		{[]string{"-save", "no/such/place"}, []string{"no/such/place"}},
		{[]string{"-save", "three.csv", "-data", "three.csv"}, []string{"three.csv", "the file of the data"}},
		{[]string{"-resume", "missing"}, []string{"missing"}},
		{[]string{"-report", "three.csv/report", "-data", "missing.csv"}, []string{"three.csv"}},
		{[]string{"-report", "page", "-data", "missing.csv"}, []string{"page/report.html", "is a directory"}},
		{[]string{"-report", "new/report", "-data", "missing.csv"}, []string{"missing.csv"}},
		{[]string{"-save", "no/such/place", "-data", "missing.csv"}, []string{"no/such/place"}},
		{[]string{"-save", "page", "-data", "missing.csv"}, []string{"page", "is a directory"}},
		{[]string{"-save", os.DevNull, "-data", "missing.csv"}, []string{os.DevNull, "regular file"}},
		{[]string{"-save", "both", "-data", "both"}, []string{"-save cannot write both", "the file of the data"}},
		{[]string{"-json", "both", "-save", "./both", "-data", "missing.csv"}, []string{"-save cannot write ./both", "both is the file of the result"}},
		{[]string{"-json", "page/report.html/../both", "-save", "page/both"}, []string{"-save cannot write page/both"}},
		{[]string{"-json", "model", "-resume", "model"}, []string{"-json cannot write model", "the model to resume"}},
		{[]string{"-save", "model", "-resume", "model"}, []string{"model", "no such file"}},
		{[]string{"-save", "page/r", "-report", "page/r/s"}, []string{"-report cannot write page/r/s/report.html", "page/r is the file of the model"}},
		{[]string{"-json", "report.html", "-report", "."}, []string{"-report cannot write report.html", "the file of the result"}},
		{[]string{"-data", "pictures/roc.png", "-report", "pictures"}, []string{"-report cannot write pictures/roc.png", "the file of the data"}},
		{[]string{"-data", "pictures/boundary.png", "-report", "./pictures"}, []string{"-report cannot write pictures/boundary.png", "the file of the data"}},
		{[]string{"-resume", "pictures/roc.png", "-report", "pictures"}, []string{"-report cannot write pictures/roc.png", "the model to resume"}},
		{[]string{"-save", "pictures/scores.png", "-report", "pictures"}, []string{"-report cannot write pictures/scores.png", "the file of the model"}},
		{[]string{"-save", "new/scores.png", "-report", "./new"}, []string{"-report cannot write new/scores.png", "the file of the model"}},
		{[]string{"-json", "new/deep/graph.svg", "-report", "new/deep"}, []string{"-report cannot write new/deep/graph.svg", "the file of the result"}},
		{[]string{"-save", "new/model", "-report", "new", "-data", "missing.csv"}, []string{"missing.csv"}},
		{[]string{"-save", "-", "-data", "missing.csv"}, []string{"standard output", "regular file"}},
		{[]string{"-data", "moons", "-label", "foo", "-drop", "zz", "-positive", "7", "-missing", "refuse"}, []string{"moons", "leave out -drop, -label, -missing, -positive"}},
		{[]string{"-data", "moons", "-max-categories", "5", "-header", "auto"}, []string{"leave out -header, -max-categories"}},
		{[]string{"-max-categories", "-1"}, []string{"-1 categories"}},
		{[]string{"-comma", "#"}, []string{"wdbc.csv", `'#'`}},
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
	for _, name := range []string{"pictures/roc.png", "pictures/boundary.png"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, "mine", string(content))
	}
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-nonsense"}, {"-epochs", "many"}, {"-hidden", "64,x"}, {"-hidden", "0"}, {"-optimizer", "magic"}, {"-loss", "magic"}, {"-schedule", "magic"}, {"-class-weight", "1"}, {"-class-weight", "0,1"}, {"-class-weight", "1,2,3"}, {"-class-weight", "1,Inf"}, {"-drop", ""}, {"-drop", "a,,b"}, {"-category", " "}, {"-comma", ""}, {"-comma", "||"}, {"-header", "maybe"},
		{"-dtype", "int8"}, {"-seed", "-1"}, {"file.csv"},
	} {
		stdout, stderr, code := command(t, t.TempDir(), nil, args...)
		require.Equal(t, 2, code, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "train_binary -h lists the flags", args)
		require.Equal(t, 2, strings.Count(stderr, "\n"), "%v: the mistake and where to look, not: %s", args, stderr)
		require.Contains(t, stderr, args[len(args)-1], args)
	}
	_, stderr, code := command(t, t.TempDir(), nil, "-h")
	require.Zero(t, code)
	require.Contains(t, stderr, "Usage of train_binary")
}
