package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readJSON returns the object in a file.
func readJSON(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(data, &fields))
	return fields
}

func TestDefaultRun(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr := succeed(t, dir, "-json", "result.json")
	require.True(t, strings.HasPrefix(stdout, "wdbc.csv: CSV separated by commas, with a header; 569 rows, 30 features\ndiagnosis: 212 malignant (+1), 357 benign (-1)\n"), stdout)
	require.Contains(t, stdout, "training on 399 rows, 57 for validation, 113 held out; seed 1, float32\n")
	require.Regexp(t, `held-out loss 0\.\d{4}, accuracy 0\.\d{4}, AUC 0\.\d{4}\n$`, stdout)
	epochs := len(strings.Split(strings.TrimSpace(stderr), "\n"))
	require.Contains(t, stdout, fmt.Sprintf("epoch %d of %d has the lowest validation loss and is kept\n", epochs-10, epochs), "a line an epoch, as stderr is no terminal")

	fields := readJSON(t, filepath.Join(dir, "result.json"))
	for key, want := range map[string]any{"seed": 1., "device": "cpu", "dtype": "float32", "epochs": float64(epochs), "rows": 113.} {
		require.Equal(t, want, fields[key], key)
	}
	for _, key := range []string{"train_loss", "test_loss", "accuracy", "auc", "steps_per_second", "balanced_accuracy", "precision", "recall",
		"f1", "mcc", "average_precision", "log_loss", "brier", "calibration_error", "confusion", "threshold"} {
		require.Contains(t, fields, key)
	}
	require.Greater(t, fields["accuracy"], 0.95)
	require.Less(t, fields["train_loss"], 0.1)
	require.InDelta(t, fields["log_loss"], fields["test_loss"], 1e-9)

	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left but the result")
}

func TestQuietAndShares(t *testing.T) {
	stdout, stderr := succeed(t, t.TempDir(), "-quiet", "-epochs", "2")
	require.Empty(t, stderr)
	require.True(t, strings.HasPrefix(stdout, "training loss "), stdout)
	dir := t.TempDir()
	stdout, stderr = succeed(t, dir, "-validation", "0", "-test", "0", "-epochs", "2", "-json", "result.json")
	require.Contains(t, stdout, "training on 569 rows, 0 for validation, 0 held out")
	require.NotContains(t, stdout, "held-out")
	require.NotContains(t, stderr, "validation")
	require.NotContains(t, readJSON(t, filepath.Join(dir, "result.json")), "auc")
}

// A row number, a constant and a missing value are seen before anyone trains on them.
func TestWhatWasFoundIsPrinted(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("id;nothing;age;town;ill\n")
	for i := range 60 {
		b.WriteString(strings.Join([]string{itoa(i + 1), "7", []string{"", itoa(i % 7)}[min(i%9, 1)], []string{"Rome", "Oslo"}[i%2], itoa(i / 3 % 2)}, ";") + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(b.String()), 0o600))
	stdout, stderr := succeed(t, dir, "-data", "my.csv", "-epochs", "1")
	require.Contains(t, stdout, "CSV separated by semicolons, with a header; 60 rows, 4 features\n")
	require.Contains(t, stdout, `"id": numeric, 1 to 60; it counts the rows, so it is likely to be a row number; drop it`)
	require.Contains(t, stdout, `"nothing": numeric, 7 to 7; it is constant`)
	require.Contains(t, stdout, `"age": numeric, 0 to 6, missing in 7 rows`)
	require.Contains(t, stdout, `"town": categorical, 2 different: "Oslo" and "Rome"`)
	require.Contains(t, stderr, `note: column "nothing" is left out: every value is 7`)
	stdout, _ = succeed(t, dir, "-data", "my.csv", "-epochs", "1", "-drop", "id,nothing")
	require.Contains(t, stdout, `"id": dropped`)
	require.Contains(t, stdout, "60 rows, 2 features")
}

// Tables of all kinds are trained on as they come.
func TestTablesAsTheyCome(t *testing.T) {
	tables, err := filepath.Abs("../../dataset/testdata")
	require.NoError(t, err)
	for name, c := range map[string]struct{ label, found string }{
		"heart.csv":    {"HeartDisease", `"ChestPainType": categorical`},
		"diabetes.csv": {"outcome", "separated by semicolons"},
		"spam.tsv":     {"spam", "separated by tabs"},
		"votes.data":   {"1", `"column2": categorical, 2 different: "n" and "y", missing`},
		"radar.data":   {"-1", "without a header"},
		"sonar.data":   {"", "60 features"},
	} {
		stdout, _ := succeed(t, t.TempDir(), "-data", filepath.Join(tables, name), "-label", c.label, "-epochs", "2", "-save", "model")
		require.Contains(t, stdout, c.found, name)
		require.Contains(t, stdout, "held-out loss", name)
	}
}

func TestEveryFlag(t *testing.T) {
	for _, args := range [][]string{
		{"-loss", "bce", "-schedule", "cosine", "-l2", "0.001", "-clip", "1"},
		{"-loss", "hinge", "-schedule", "onecycle", "-dropout", "0.2", "-balance"},
		{"-schedule", "warmup", "-class-weight", "1,3", "-dtype", "float16"},
		{"-patience", "2", "-validation", "0.2", "-threshold", "f1"},
		{"-threshold", "youden", "-data", "moons"},
		{"-threshold", "-0.5", "-data", "xor"},
		{"-missing", "refuse", "-format", "csv", "-header", "yes", "-comma", ",", "-max-categories", "2"},
		{"-data", "circles"}, {"-data", "spirals"}, {"-data", "blobs"},
	} {
		stdout, _ := succeed(t, t.TempDir(), append(args, "-epochs", "3")...)
		require.Contains(t, stdout, "held-out loss", args)
	}
	stdout, _ := succeed(t, t.TempDir(), "-hidden", "none")
	require.Regexp(t, `accuracy (1\.0000|0\.9[5-9]\d\d), AUC (1\.0000|0\.9[89]\d\d)\n$`, stdout, "a linear model learns too")
	stdout, _ = succeed(t, t.TempDir(), "-threshold", "-0.5")
	require.Contains(t, stdout, "at threshold -0.5:")
}

// TestHowAFileIsRead trains on 60 rows, and finds out what they were taken for.
func TestHowAFileIsRead(t *testing.T) {
	for _, c := range []struct {
		header, row string // the row's verbs are a number, a category of three and the label
		args        []string
		found       []string
	}{
		{"", "%d|%d|%d\n", []string{"-comma", "|"}, []string{"separated by '|', without a header; 60 rows, 2 features\n", "numbers without gaps: column1, column2\n"}},
		{"1 2 3\n", "%d %d %d\n", []string{"-comma", " ", "-header", "yes"}, []string{"separated by ' ', with a header; 60 rows, 2 features\n", "numbers without gaps: 1, 2\n"}},
		{"", "%d,red%d,%d\n", []string{"-header", "no", "-drop", " 2 "}, []string{"separated by commas, without a header; 60 rows, 1 feature\n"}},
		{"a;b\tc\ty\tz\n", "%d\tred%d\t%d\t0\n", []string{"-comma", "tab", "-label", "y", "-drop", "z, c"}, []string{"separated by tabs, with a header; 60 rows, 1 feature\n"}},
		{"a,b,y\n", "%d,%d,%d\n", []string{"-category", "b, a"}, []string{`"a": categorical, 20 different`, `"b": categorical, 3 different`}},
		{"a,b,y\n", "%d,red%d,%d\n", []string{"-max-categories", "3", "-class-weight", " 1 , 3 "}, []string{`"b": categorical, 3 different`}},
		{"a,b,y\n", "%d,red%d,%d\n", []string{"-max-categories", "2"}, []string{`note: column "b" is left out: it has 3 different texts, more than the 2 allowed`}},
	} {
		dir := t.TempDir()
		text := c.header
		for i := range 60 {
			text += fmt.Sprintf(c.row, i%20, i%3, i/30)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(text), 0o600))
		stdout, stderr := succeed(t, dir, append(c.args, "-data", "my.csv", "-epochs", "1")...)
		for _, found := range c.found {
			require.Contains(t, stdout+stderr, found, c.args)
		}
	}
}

func TestFolds(t *testing.T) {
	dir := t.TempDir()
	stdout, _ := succeed(t, dir, "-folds", "3", "-epochs", "3", "-json", "result.json")
	require.Contains(t, stdout, "3 folds, 0.1 of the training rows of each for validation; 3 epochs; seed 1, float32\nfold 1 of 3: loss ")
	require.Contains(t, stdout, "fold 3 of 3: loss ")
	require.Regexp(t, `AUC 0\.\d{4} ± 0\.\d{4}\n$`, stdout)
	fields := readJSON(t, filepath.Join(dir, "result.json"))
	sum := 0.
	for _, fold := range fields["folds"].([]any) {
		sum += fold.(map[string]any)["auc"].(float64)
	}
	require.InDelta(t, sum/3, fields["mean"].(map[string]any)["auc"].(map[string]any)["mean"], 1e-12)

	// Each fold is trained as a single run of so many rows is.
	rows := "age,ill\n" + strings.Repeat("1,0\n2,1\n3,0\n4,1\n", 20)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "few.csv"), []byte(rows), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "many.csv"), []byte(rows+strings.Repeat(rows[8:], 6)), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-data", "few.csv"}, "2 folds, without validation; 15 epochs; "},
		{[]string{"-data", "many.csv"}, "2 folds, 0.1 of the training rows of each for validation; 60 epochs at most, with a patience of 10; "},
		{[]string{"-data", "few.csv", "-patience", "2"}, "2 folds, 0.1 of the training rows of each for validation; 60 epochs at most, with a patience of 2; "},
		{[]string{"-data", "many.csv", "-validation", "0"}, "2 folds, without validation; 15 epochs; "},
		{[]string{"-data", "few.csv", "-validation", "0.2", "-epochs", "1"}, "2 folds, 0.2 of the training rows of each for validation; 1 epoch; "},
	} {
		stdout, _ := succeed(t, dir, append(c.args, "-folds", "2")...)
		require.Contains(t, stdout, "\n"+c.want)
		stdout, _ = succeed(t, dir, append(c.args, "-folds", "2", "-quiet")...)
		require.True(t, strings.HasPrefix(stdout, "fold 1 of 2: loss "), stdout)
	}
}

// The pictures are there, and with two features the boundary is too.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "-report", "moons", "-data", "moons", "-epochs", "3")
	succeed(t, dir, "-report", "cancer", "-epochs", "3", "-hidden", "none", "-test", "0", "-save", "cancer/model", "-json", "cancer/result.json")
	require.FileExists(t, filepath.Join(dir, "cancer", "model"))
	require.FileExists(t, filepath.Join(dir, "cancer", "result.json"))
	for _, name := range []string{"report.html", "loss.png", "roc.png", "precision_recall.png", "scores.png", "calibration.png", "confusion.png", "features.png", "graph.dot"} {
		for _, report := range []string{"moons", "cancer"} {
			require.FileExists(t, filepath.Join(dir, report, name))
		}
	}
	require.FileExists(t, filepath.Join(dir, "moons", "boundary.png"))
	require.NoFileExists(t, filepath.Join(dir, "cancer", "boundary.png"))
	page, err := os.ReadFile(filepath.Join(dir, "cancer", "report.html"))
	require.NoError(t, err)
	for _, text := range []string{"wdbc.csv", "malignant", "radius_mean", "MatMul", "learning rate"} {
		require.Contains(t, string(page), text)
	}
}

func itoa(i int) string { return strconv.Itoa(i) }

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
		b.WriteString(label + "," + itoa(i%10) + "," + itoa(i%4) + "\n")
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
		require.Contains(t, stdout, "40 rows, 2 features\npaid: 20 ")
	}
}
