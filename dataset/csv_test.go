package dataset_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

func TestReadCSV(t *testing.T) {
	type options = dataset.CSVOptions
	// Unless the case is about them, the columns are a, b and the label y.
	plain := dataset.Table{
		Source: "t.csv", Features: []string{"a", "b"}, X: []float64{1, 2, 3, 4}, Y: []float64{-1, 1},
		Label: "y", Negative: "no", Positive: "yes",
	}
	with := func(change func(*dataset.Table)) dataset.Table {
		out := plain
		change(&out)
		return out
	}
	for _, c := range []struct {
		name, text string
		opts       options
		want       dataset.Table
	}{
		{"plain", "a,b,y\n1,2,no\n3,4,yes\n", options{}, plain},
		{"no newline at the end", "a,b,y\n1,2,no\n3,4,yes", options{}, plain},
		{"byte order mark and CRLF", "\uFEFFa,b,y\r\n1,2,no\r\n3,4,yes\r\n", options{}, plain},
		{"blank lines", "\n\na,b,y\n\n1,2,no\n\n3,4,yes\n\n", options{}, plain},
		{"spaces and tabs", " a ,\tb,y \n 1, 2 ,no\t\n3 ,4, yes\n", options{}, plain},
		{"quotes", "\"a\", \"b\",y\n\"1\",\" 2 \",\"no\"\n3,4,\" yes\"\n", options{}, plain},
		{"byte order mark before a quote", "\uFEFF\"a\",b,y\n1,2,no\n3,4,yes\n", options{}, plain},
		{"label first", "y,a,b\nno,1,2\nyes,3,4\n", options{Label: "y"}, plain},
		{"label in the middle", "a,y,b\n1,no,2\n3,yes,4\n", options{Label: "y"}, plain},
		{"spellings of numbers", "a,b,y\n+1.0,2e0,no\n.3e1,4.,yes\n", options{}, plain},
		{"names with commas, quotes and newlines", "\"a,1\",\"b \"\"x\"\"\nz\",y\n1,2,no\n3,4,yes\n", options{},
			with(func(t *dataset.Table) { t.Features = []string{"a,1", "b \"x\"\nz"} })},
		{"extreme numbers", "a,b,y\n1.7976931348623157e308,5e-324,no\n-0,1e-999,yes\n", options{},
			with(func(t *dataset.Table) { t.X = []float64{0x1.fffffffffffffp1023, 0x1p-1074, 0, 0} })},
		{"positive seen first", "a,b,y\n1,2,yes\n3,4,no\n", options{},
			with(func(t *dataset.Table) { t.Y = []float64{1, -1} })},
		{"positive chosen", "a,b,y\n1,2,no\n3,4,yes\n", options{Positive: "no"},
			with(func(t *dataset.Table) { t.Y, t.Negative, t.Positive = []float64{1, -1}, "yes", "no" })},
		{"positive chosen as inferred", "a,b,y\n1,2,yes\n3,4,no\n", options{Positive: "yes"},
			with(func(t *dataset.Table) { t.Y = []float64{1, -1} })},
	} {
		t.Run(c.name, func(t *testing.T) {
			// One byte at a time, no buffer boundary can hide in a good place.
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				got, err := dataset.ReadCSV(r, "t.csv", c.opts)
				require.NoError(t, err)
				require.Equal(t, &c.want, got)
			}
		})
	}
}

func TestReadCSVInfersThePositiveClass(t *testing.T) {
	for _, c := range []struct{ negative, positive string }{
		{"0", "1"},
		{"-1", "1"},
		{"-1", "+1"}, // '+' sorts before '-'
		{"-1.0", "+1.0"},
		{"0.0", "1.0"},
		{"1", "2"},
		{"9", "10"}, // "10" sorts before "9"
		{"-2", "-1"},
		{"false", "true"},
		{"False", "True"},
		{"false", "TRUE"}, // 'T' sorts before 'f'
		{"FALSE", "true"},
		{"F", "T"},
		{"no", "yes"},
		{"no", "Yes"},
		{"NO", "yes"},
		{"n", "Y"},
		{"benign", "malignant"},
		{"Benign", "malignant"},
		{"benign", "Malignant"},
		{"B", "M"},
		{"Yes", "yes"},
		{"inf", "nan"}, // words as good as any
		{"1", "nan"},
	} {
		for _, order := range [][2]string{{c.negative, c.positive}, {c.positive, c.negative}} {
			table, err := dataset.ReadCSV(strings.NewReader("x,y\n1,"+order[0]+"\n2,"+order[1]), "t.csv", dataset.CSVOptions{})
			require.NoError(t, err)
			require.Equal(t, c, struct{ negative, positive string }{table.Negative, table.Positive})
			for i, label := range order {
				require.Equal(t, label == c.positive, table.Y[i] == 1, "%q", label)
				require.Equal(t, label == c.negative, table.Y[i] == -1, "%q", label)
			}
		}
	}
}

func TestReadCSVRefuses(t *testing.T) {
	type options = dataset.CSVOptions
	long := strings.Repeat("é", 1000)
	for _, c := range []struct {
		name, text string
		opts       options
		want       string
	}{
		{"nothing", "", options{},
			`t.csv: the file is empty; a header line and rows are needed`},
		{"only a byte order mark", "\uFEFF", options{},
			`t.csv: the file is empty; a header line and rows are needed`},
		{"only blank lines", "\n\r\n\n", options{},
			`t.csv: the file is empty; a header line and rows are needed`},
		{"header only", "a,b,y\n", options{},
			`t.csv: the file has a header but no rows`},
		{"short row", "a,b,y\n1,2,no\n3,yes\n", options{},
			`t.csv:3: the row has 2 cells, but the header names 3 columns`},
		{"long row", "a,b,y\n1,2,3,no\n", options{},
			`t.csv:2: the row has 4 cells, but the header names 3 columns`},
		{"row of one cell", "a,b,y\n1;2;no\n", options{},
			`t.csv:2: the row has 1 cell, but the header names 3 columns`},
		{"line of spaces", "a,b,y\n1,2,no\n   \n3,4,yes\n", options{},
			`t.csv:3: the row has 1 cell, but the header names 3 columns`},
		{"duplicate name", "a,b,a,y\n1,2,3,no\n", options{},
			`t.csv:1: column "a": the header has this name twice, for columns 1 and 3`},
		{"duplicate name but for spaces", "a, a ,y\n1,2,no\n", options{},
			`t.csv:1: column "a": the header has this name twice, for columns 1 and 2`},
		{"name of the label twice", "y,a,y\nno,1,no\n", options{Label: "y"},
			`t.csv:1: column "y": the header has this name twice, for columns 1 and 3`},
		{"empty name", ",a,y\n0,1,no\n", options{},
			`t.csv:1: column 1 has no name in the header; every column needs one`},
		{"blank name on line 3", "\n\na, ,y\n", options{},
			`t.csv:3: column 2 has no name in the header; every column needs one`},
		{"unknown label", "a,b,y\n1,2,no\n", options{Label: "Y"},
			`t.csv:1: column "Y": the header has no such column for the label; it has "a", "b" and "y"`},
		{"unknown label among many", "c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12\n", options{Label: "y"},
			`t.csv:1: column "y": the header has no such column for the label; it has "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10" and 2 more`},
		{"unknown label, one column", "a\n1\n", options{Label: "y"},
			`t.csv:1: column "y": the header has no such column for the label; it has "a"`},
		{"label alone", "y\nno\nyes\n", options{},
			`t.csv:1: column "y": the label is the only column; features are needed beside it, separated by commas`},
		{"semicolons", "a;b;y\n1;2;no\n", options{},
			`t.csv:1: column "a;b;y": the label is the only column; features are needed beside it, separated by commas`},
		{"one number in two ways", "a,y\n1,1\n2,1.0\n", options{},
			`t.csv: column "y": the labels "1" and "1.0" are the same number; write one way throughout`},
		{"digits grouped as in Go", "a,y\n1_000,no\n3,yes\n", options{},
			`t.csv:2: column "a": "1_000" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"hexadecimal", "a,y\n0x1p4,no\n3,yes\n", options{},
			`t.csv:2: column "a": "0x1p4" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"no header", "1,2,0\n1,3,1\n", options{},
			`t.csv:1: the header is nothing but numbers, so it looks like a row; add a line that names the columns`},
		{"word for a number", "a,b,y\n1,2,no\n3,four,yes\n", options{},
			`t.csv:3: column "b": "four" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"word for a number after the label", "y,a,b\nno,1,2\nyes,3,four\n", options{Label: "y"},
			`t.csv:3: column "b": "four" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"line counts blank lines and CRLF", "\r\na,b,y\r\n\r\n1,2,no\r\n\r\n3,x,yes\r\n", options{},
			`t.csv:6: column "b": "x" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"line counts newlines in cells", "\"a\nz\",b,y\n\"1\n\",2,no\n3,x,yes\n", options{},
			`t.csv:5: column "b": "x" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"quotes and percent signs", "a %d,b,y\n\"%s\"\"\",2,no\n", options{},
			`t.csv:2: column "a %d": "%s\"" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"long cell", "a,b,y\n" + long + ",2,no\n", options{},
			`t.csv:2: column "a": "` + long[:60] + `…" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"long cell cut within a letter", "a,b,y\n_" + long + ",2,no\n", options{},
			`t.csv:2: column "a": "_` + long[:58] + `…" is not a number, and every feature must be one; remove the column, or replace its values by numbers`},
		{"nan", "a,b,y\nnan,2,no\n", options{},
			`t.csv:2: column "a": "nan" is not a finite number; replace it or remove the row`},
		{"NaN", "a,b,y\n1,NaN,no\n", options{},
			`t.csv:2: column "b": "NaN" is not a finite number; replace it or remove the row`},
		{"inf", "a,b,y\ninf,2,no\n", options{},
			`t.csv:2: column "a": "inf" is not a finite number; replace it or remove the row`},
		{"-Infinity", "a,b,y\n1,-Infinity,no\n", options{},
			`t.csv:2: column "b": "-Infinity" is not a finite number; replace it or remove the row`},
		{"overflow", "a,b,y\n1e999,2,no\n", options{},
			`t.csv:2: column "a": "1e999" is beyond the range of float64`},
		{"empty feature", "a,b,y\n1,,no\n", options{},
			`t.csv:2: column "b": the cell is empty; fill it in or remove the row`},
		{"blank feature", "a,b,y\n1,\" \",no\n", options{},
			`t.csv:2: column "b": the cell is empty; fill it in or remove the row`},
		{"empty label", "a,b,y\n1,2,no\n3,4,\n", options{},
			`t.csv:3: column "y": the cell is empty; fill it in or remove the row`},
		{"one label", "a,b,y\n1,2,no\n3,4,no\n", options{},
			`t.csv: column "y": every label is "no"; a binary label has two values`},
		{"one label, another positive", "a,b,y\n1,2,no\n3,4,no\n", options{Positive: "yes"},
			`t.csv: column "y": every label is "no"; a binary label has two values`},
		{"three labels", "a,b,y\n1,2,no\n3,4,yes\n5,6,no\n7,8,maybe\n9,9,perhaps\n", options{},
			`t.csv:5: column "y": "maybe" is a third label after "no" and "yes"; a binary label has two values`},
		{"positive absent", "a,b,y\n1,2,no\n3,4,yes\n", options{Positive: "Yes"},
			`t.csv: column "y": no label is "Yes", which was to be the positive class; the labels are "no" and "yes"`},
		{"stray quote", "a,b,y\n1,2\"3,no\n", options{},
			`t.csv:2: column "b": a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
		{"text after a closing quote", "a,b,y\n\"1\"2,2,no\n", options{},
			`t.csv:2: column "a": a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
		{"quote never closed", "a,b,y\n1,2,no\n3,4,\"yes\n5,6,no\n7,8,yes\n", options{},
			`t.csv:3: column "y": a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
		{"stray quote in a cell too many", "a,b,y\n1,2,no,\"\n", options{},
			`t.csv:2: a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
		{"stray quote in the header", "a,\"b,y\n1,2,no\n", options{},
			`t.csv:1: a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := dataset.ReadCSV(strings.NewReader(c.text), "t.csv", c.opts)
			require.EqualError(t, err, c.want)
			var parse *dataset.ParseError
			require.ErrorAs(t, err, &parse)
			require.Equal(t, "t.csv", parse.Source)
		})
	}
}

func TestParseErrorFields(t *testing.T) {
	_, err := dataset.ReadCSV(strings.NewReader("a,b,y\n1,2,no\n3,four,yes\n"), "t.csv", dataset.CSVOptions{})
	require.Equal(t, &dataset.ParseError{
		Source: "t.csv", Line: 3, Column: "b",
		Reason: `"four" is not a number, and every feature must be one; remove the column, or replace its values by numbers`,
	}, err)
}

func TestReadCSVReportsTheReadersError(t *testing.T) {
	broken := errors.New("the line went dead")
	for _, before := range []string{"", "a,b,y\n", "a,b,y\n1,2,no\n3,"} {
		r := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		_, err := dataset.ReadCSV(r, "t.csv", dataset.CSVOptions{})
		require.EqualError(t, err, "t.csv: the file cannot be read: the line went dead")
		require.ErrorIs(t, err, broken)
	}
}

func TestOpenCSV(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	require.NoError(t, os.WriteFile(path, []byte("a,y\n1,no\n2,yes\n"), 0o600))
	table, err := dataset.OpenCSV(path, dataset.CSVOptions{})
	require.NoError(t, err)
	require.Equal(t, path, table.Source)
	require.Equal(t, []float64{1, 2}, table.X)

	absent := filepath.Join(dir, "absent.csv")
	_, err = dataset.OpenCSV(absent, dataset.CSVOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	var cause *fs.PathError
	require.ErrorAs(t, err, &cause)
	require.EqualError(t, err, absent+": the file cannot be opened: "+cause.Err.Error())

	_, err = dataset.OpenCSV(dir, dataset.CSVOptions{})
	var parse *dataset.ParseError
	require.ErrorAs(t, err, &parse)
	require.Equal(t, dir, parse.Source)
}

// A row costs one allocation, the text of its record; the matrix grows by
// doubling, which adds a few for the whole file.
func TestReadCSVReusesTheRecord(t *testing.T) {
	const rows = 1000
	text := "a,b,y\n" + strings.Repeat("1,2,no\n3,4,yes\n", rows/2)
	allocs := testing.AllocsPerRun(5, func() {
		_, err := dataset.ReadCSV(strings.NewReader(text), "t.csv", dataset.CSVOptions{})
		require.NoError(t, err)
	})
	require.Less(t, allocs, 1.2*rows)
}

func BenchmarkReadCSV(b *testing.B) {
	text, err := os.ReadFile("wdbc.csv")
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := dataset.ReadCSV(strings.NewReader(string(text)), "wdbc.csv", dataset.CSVOptions{})
		require.NoError(b, err)
	}
}
