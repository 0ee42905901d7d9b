package main

import (
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// A model is trained on one file, and predicts, is evaluated on, and is exported for another.
func TestModelInUse(t *testing.T) {
	dir := t.TempDir()
	var b, permuted strings.Builder
	b.WriteString("paid,age,income\n")
	permuted.WriteString("income,comment,age\n")
	var rows []float64
	for i := range 60 {
		label := "no"
		if i%4 > 1 {
			label = "yes"
		}
		b.WriteString(label + "," + itoa(i%10) + "," + itoa(i%4) + "\n")
		permuted.WriteString(itoa(i%4) + ",\"a, \"\"b\"\"\"," + itoa(i%10) + "\n")
		rows = append(rows, float64(i%10), float64(i%4))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(b.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.csv"), []byte(permuted.String()), 0o600))
	succeed(t, dir, "-data", "my.csv", "-label", "paid", "-epochs", "60", "-l2", "0", "-save", "model.safetensors", "-threshold", "f1")

	stdout, stderr := succeed(t, dir, "evaluate", "-model", "model.safetensors", "-data", "my.csv")
	require.Empty(t, stderr)
	require.True(t, strings.HasPrefix(stdout, "my.csv: 60 rows; 30 yes (+1), 30 no (-1)\n"), stdout)
	require.Regexp(t, `my.csv loss 0\.\d{4}, accuracy (1\.0000|0\.9\d{3}), AUC (1\.0000|0\.9\d{3})\n$`, stdout)

	stdout, stderr = succeed(t, dir, "predict", "-model", "model.safetensors", "-data", "new.csv")
	require.Empty(t, stderr)
	lines, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 61)
	require.Equal(t, []string{"score", "probability", "label"}, lines[0])
	right := 0
	for i, line := range lines[1:] {
		score, err := strconv.ParseFloat(line[0], 64)
		require.NoError(t, err)
		probability, err := strconv.ParseFloat(line[1], 64)
		require.NoError(t, err)
		require.InDelta(t, 1/(1+math.Exp(-score)), probability, 1e-8)
		if (line[2] == "yes") == (i%4 > 1) {
			right++
		}
	}
	require.Greater(t, right, 50)

	succeed(t, dir, "predict", "-model", "model.safetensors", "-data", "new.csv", "-out", "out.csv")
	out, err := os.ReadFile(filepath.Join(dir, "out.csv"))
	require.NoError(t, err)
	require.Equal(t, stdout, string(out))

	succeed(t, dir, "export", "-model", "model.safetensors", "-onnx", "model.onnx")
	file, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
	require.NoError(t, err)
	model, err := gonnx.NewModelFromBytes(file)
	require.NoError(t, err)
	scores, err := model.Run(gonnx.Tensors{"features": tensor.New(tensor.WithShape(60, 2), tensor.WithBacking(rows))})
	require.NoError(t, err)
	for i, score := range scores["score"].Data().([]float32) {
		want, err := strconv.ParseFloat(lines[1+i][0], 64)
		require.NoError(t, err)
		require.InDelta(t, want, score, 1e-5*max(1, math.Abs(want)))
	}
}

// What comes through a pipe or from a file is the same to all commands, but for what it is called.
func TestStandardInput(t *testing.T) {
	dir := t.TempDir()
	text := "age,ill\n" + strings.Repeat("1,0\n2,1\n3,0\n4,1\n", 20)
	path := filepath.Join(dir, "my.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for _, args := range [][]string{
		{"-epochs", "1", "-save", "model", "-data"},
		{"evaluate", "-model", "model", "-data"},
		{"predict", "-model", "model", "-data"},
	} {
		want, _ := succeed(t, dir, append(args, "my.csv")...)
		cmd := exec.Command(binary, append(args, "-")...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(text)
		got, err := cmd.Output()
		require.NoError(t, err, args)
		require.Equal(t, strings.ReplaceAll(want, "my.csv", "the standard input"), string(got))
	}

	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	cmd := exec.Command(binary, "predict", "-model", "model", "-data", "-", "-out", "my.csv")
	cmd.Dir, cmd.Stdin = dir, file
	if runtime.GOOS != "windows" { // where no path leads to the standard input
		output, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(output), "the file of the data")
	}
}

// Whatever of the rows is skipped or unknown is told once, however many rows there are.
func TestNotesAboutRows(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("my.csv", "town,ill\n"+strings.Repeat("Rome,0\nOslo,1\n", 30))
	write("more.csv", "town,ill\n# what follows\n"+strings.Repeat("Bonn,0\nOslo,1\n", 3000)+"# this is all\n")
	write("new.csv", "town\n"+strings.Repeat("Bonn\nOslo\n", 3000)+"\nRome\n")
	succeed(t, dir, "-data", "my.csv", "-epochs", "1", "-save", "model")
	const unknown = `note: column "town" has a category that the training rows had not, such as "Bonn", in 3000 rows; `
	for _, c := range []struct {
		command, data string
		notes         []string
	}{
		{"evaluate", "my.csv", nil},
		{"evaluate", "more.csv", []string{unknown, "note: 2 lines that begin with # "}},
		{"predict", "my.csv", nil},
		{"predict", "more.csv", []string{unknown, "note: 2 lines that begin with # "}},
		{"predict", "new.csv", []string{unknown, "note: 1 blank line "}},
	} {
		_, stderr := succeed(t, dir, c.command, "-model", "model", "-data", c.data)
		require.Equal(t, len(c.notes), strings.Count(stderr, "\n"), "%s %s: %s", c.command, c.data, stderr)
		for _, note := range c.notes {
			require.Contains(t, stderr, note, c.command)
		}
	}
}

// TestEuropeanTable: cells between semicolons, decimal commas, a code that is a category.
func TestEuropeanTable(t *testing.T) {
	dir := t.TempDir()
	b := strings.Builder{}
	b.WriteString("height;zone;ill\n")
	for i := range 60 {
		b.WriteString("1," + itoa(50+i) + ";" + itoa(i%3) + ";" + itoa(i/30) + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(b.String()), 0o600))
	stdout, _ := succeed(t, dir, "-data", "my.csv", "-epochs", "1")
	require.Contains(t, stdout, "set the option decimal to a comma")
	stdout, _ = succeed(t, dir, "-data", "my.csv", "-decimal", "comma", "-category", "zone", "-epochs", "1", "-save", "model")
	require.Contains(t, stdout, "numbers without gaps: height\n")
	require.Contains(t, stdout, `"zone": categorical, 3 different: "0", "1" and "2"`)
	succeed(t, dir, "predict", "-model", "model", "-data", "my.csv", "-decimal", "comma")
	_, stderr, code := command(t, dir, nil, "predict", "-model", "model", "-data", "my.csv")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `my.csv:2: column "height": "1,50" has a decimal comma`)
}

func TestModelInBadUse(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	succeed(t, dir, "-data", "moons", "-epochs", "1", "-save", "model")
	whole, err := os.ReadFile(filepath.Join(dir, "model"))
	require.NoError(t, err)
	write("short", string(whole[:len(whole)/2]))
	write("flipped", string(whole[:len(whole)-9])+"x"+string(whole[len(whole)-8:]))
	write("other.csv", "x1,y\n1,0\n")
	write("word.csv", "x1,x2\n"+strings.Repeat("1,2\n", 5000)+"1,two\n")
	write("rows.csv", "x1,x2\n1,2\n")
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, c := range []struct {
		args  []string
		names []string
	}{
		{[]string{"predict", "-model", "nothing", "-data", "rows.csv"}, []string{"nothing"}},
		{[]string{"predict", "-model", "short", "-data", "rows.csv"}, []string{`"short"`, "cut short"}},
		{[]string{"predict", "-model", "flipped", "-data", "rows.csv"}, []string{`"flipped"`, "damaged"}},
		{[]string{"predict", "-model", "rows.csv", "-data", "rows.csv"}, []string{`"rows.csv"`, "not a model file"}},
		{[]string{"predict", "-model", "model", "-data", "missing.csv"}, []string{"missing.csv"}},
		{[]string{"predict", "-model", "model", "-data", "other.csv"}, []string{"other.csv", `"x2"`}},
		{[]string{"predict", "-model", "model", "-data", "word.csv", "-out", "out.csv"}, []string{"word.csv:5002", `"two"`}},
		{[]string{"predict", "-model", "model", "-data", "rows.csv", "-out", "rows.csv"}, []string{"rows.csv", "the file of the data"}},
		{[]string{"predict", "-model", "model", "-data", "rows.csv", "-out", "no/such/place"}, []string{"no/such/place"}},
		{[]string{"predict", "-model", "model", "-data", "rows.csv", "-out", "./model"}, []string{"-out cannot write ./model", "the file of the model"}},
		{[]string{"predict", "-model", "model", "-data", "rows.csv", "-out", "model/x"}, []string{"-out cannot write model/x", "the file of the model"}},
		{[]string{"predict", "-model", "model", "-data", "rows.csv", "-header", "no"}, []string{"rows.csv", "names"}},
		{[]string{"predict", "-model", "model", "-data", "rows.csv", "-comma", ";"}, []string{"rows.csv", `"x1"`}},
		{[]string{"export", "-model", "model", "-onnx", "model"}, []string{"-onnx cannot write model", "the file of the model"}},
		{[]string{"evaluate", "-model", "model", "-data", "rows.csv"}, []string{"rows.csv", "labels"}},
		{[]string{"export", "-model", "model", "-onnx", "no/such/place"}, []string{"no/such/place"}},
		{[]string{"export", "-model", "model", "-onnx", "m.onnx", "-device", "gpu"}, []string{`"gpu"`}},
		{[]string{"-data", "moons", "-resume", "short"}, []string{`"short"`, "cut short"}},
		{[]string{"-data", "moons", "-resume", "model", "-batch", "7"}, []string{"batch size 32", "now it is 7"}},
		{[]string{"-data", "moons", "-resume", "model", "-seed", "7"}, []string{"seed 1", "now it is 7"}},
		{[]string{"-resume", "model"}, []string{"training data"}},
	} {
		stdout, stderr, code := command(t, dir, nil, c.args...)
		require.Equal(t, 1, code, "%v: %s", c.args, stderr)
		require.Equal(t, 1, strings.Count(stderr, "\n"), "%v: one sentence, not: %s", c.args, stderr)
		require.True(t, strings.HasPrefix(stderr, "train_binary: "), stderr)
		for _, name := range c.names {
			require.Contains(t, stderr, name, c.args)
		}
		if c.args[0] == "predict" {
			require.Empty(t, stdout)
		}
	}
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before), "nothing was left half-written")
	for _, args := range [][]string{{"predict"}, {"predict", "-model", "model"}, {"predict", "-model", "model", "-data", ""}, {"evaluate", "-nonsense"}, {"export", "-model", "model"}, {"predict", "-model", "model", "-data", "rows.csv", "extra"}} {
		_, stderr, code := command(t, dir, nil, args...)
		require.Equal(t, 2, code, args)
		require.Contains(t, stderr, "train_binary "+args[0]+" -h lists the flags")
	}
}
