package classifier_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
)

var updateFolds = flag.Bool("update-folds", false, "write testdata/tables/folds.json anew")

// tables are real tables in the files in which they were published, with what has to be said about a file to
// read it, and what is in it by testdata/tables/README.md.
var tables = []struct {
	file    string
	options dataset.Options
	documented
}{
	{"heart.data", dataset.Options{}, documented{rows: 303, columns: 13, missing: 6, positive: "1", positives: 139}},
	{"diabetes.csv.gz", dataset.Options{}, documented{rows: 5098, columns: 20, missing: 3677, positive: "1", positives: 836}},
	{"votes.data", dataset.Options{Label: "1"}, documented{rows: 435, columns: 16, missing: 392, positive: "republican", positives: 168}},
	{"ionosphere.data", dataset.Options{}, documented{rows: 351, columns: 34, positive: "g", positives: 225}},
	{"sonar.data", dataset.Options{}, documented{rows: 208, columns: 60, positive: "R", positives: 97}},
	{"spambase.data.gz", dataset.Options{}, documented{rows: 4601, columns: 57, positive: "1", positives: 1813}},
}

type documented struct {
	rows, columns int
	missing       int    // cells without a value
	positive      string // label that becomes +1
	positives     int
}

const (
	tableFolds = 5
	tableSeed  = 1
)

func readTable(t *testing.T, file string, opts dataset.Options) *dataset.Frame {
	t.Helper()
	f, err := dataset.OpenFrame(filepath.Join("testdata", "tables", file), opts)
	require.NoError(t, err)
	return f
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "tables", file))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// The default options do on tables as they are published what scikit-learn does there with the
// usual pipeline, be it the better of its logistic regression and its neural network.
func TestTables(t *testing.T) {
	dev := open(t, "cpu")
	var baseline struct {
		AUC map[string]map[string]float64
	}
	readJSON(t, "baseline.json", &baseline)
	for _, table := range tables {
		t.Run(table.file, func(t *testing.T) {
			frame := readTable(t, table.file, table.options)
			schema := frame.Schema()
			found := documented{rows: schema.Rows, columns: len(schema.Columns), positive: schema.Positive, positives: schema.Positives}
			for _, c := range schema.Columns {
				found.missing += c.Missing
			}
			require.Equal(t, table.documented, found)

			parts, err := frame.KFold(tableFolds, tableSeed)
			require.NoError(t, err)
			const seeds = 3 // as many as the baseline is the mean of
			ours := 0.0
			for seed := range seeds {
				opts := classifier.DefaultOptions()
				opts.Seed = uint64(seed + 1)
				for _, part := range parts {
					ours += evaluate(t, fit(t, dev, part.Train, opts), part.Test).AUC / (seeds * tableFolds)
				}
			}
			best := 0.0
			for _, auc := range baseline.AUC[table.file] {
				best = max(best, auc)
			}
			require.Greater(t, best, 0.5)
			t.Logf("AUC %.4f, scikit-learn %v", ours, baseline.AUC[table.file])
			require.GreaterOrEqual(t, ours, best-0.02)
		})
	}
}

// baseline.json was made with these folds.
func TestTableFolds(t *testing.T) {
	folds := map[string]string{} // of each file: the fold in which each row is tested
	for _, table := range tables {
		frame := readTable(t, table.file, table.options)
		rows := make([]float64, frame.Rows())
		for i := range rows {
			rows[i] = float64(i)
		}
		require.NoError(t, frame.AddNumeric("row", rows))
		parts, err := frame.KFold(tableFolds, tableSeed)
		require.NoError(t, err)
		fold := make([]string, len(rows))
		for i, part := range parts {
			tested, err := part.Test.Numbers("row")
			require.NoError(t, err)
			for _, row := range tested {
				fold[int(row)] += strconv.Itoa(i)
			}
		}
		folds[table.file] = strings.Join(fold, "")
	}
	if *updateFolds {
		text, err := json.MarshalIndent(folds, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "tables", "folds.json"), append(text, '\n'), 0o644))
	}
	var want map[string]string
	readJSON(t, "folds.json", &want)
	require.Equal(t, want, folds)
}
