package dataset_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

// FuzzReadCSV checks that any text gives either a one-line ParseError or a sound
// table, and that a table written as CSV is read back as it was.
func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{
		"",
		"a,b,y\n1,2,no\n3,4,yes\n",
		"\uFEFFa, b ,y\r\n1,2,no\r\n\r\n3,4,yes\r\n",
		"\"a,\n1\",\"b\"\"\",y\n1,2,no\n3,4,\"y\nes\"\n",
		"y\n0\n1\n",
		"a,y\n1e999,0\nnan,1\n",
		"a,y\n1,0\n0x1p-3,1\n-0,2\n",
		"a,y\n1,\"0\n",
		"a;y\n1;0\n",
	} {
		f.Add(seed, "", "")
		f.Add(seed, "y", "no")
	}
	f.Fuzz(func(t *testing.T, text, label, positive string) {
		table, err := dataset.ReadCSV(strings.NewReader(text), "t.csv", dataset.CSVOptions{Label: label, Positive: positive})
		if err != nil {
			var parse *dataset.ParseError
			require.ErrorAs(t, err, &parse)
			require.True(t, strings.HasPrefix(err.Error(), "t.csv:"))
			require.NotContains(t, err.Error(), "\n")
			require.NotEmpty(t, parse.Reason)
			require.LessOrEqual(t, parse.Line, 1+strings.Count(text, "\n"))
			return
		}

		require.NotEmpty(t, table.Features)
		require.Len(t, table.X, table.Rows()*len(table.Features))
		for _, x := range table.X {
			require.False(t, math.IsNaN(x) || math.IsInf(x, 0))
		}
		require.Contains(t, table.Y, -1.0)
		require.Contains(t, table.Y, 1.0)
		for _, y := range table.Y {
			require.True(t, y == -1 || y == 1)
		}
		require.NotEqual(t, table.Negative, table.Positive)
		names := append(slices.Clone(table.Features), table.Label)
		require.NotContains(t, names, "")
		slices.Sort(names)
		require.Len(t, slices.Compact(names), len(table.Features)+1)

		written := writeCSV(t, table)
		if strings.ContainsAny(written, "\r\uFEFF") {
			return // a reader takes these for line ends and a byte order mark
		}
		again, err := dataset.ReadCSV(strings.NewReader(written), "t.csv", dataset.CSVOptions{Positive: table.Positive})
		require.NoError(t, err)
		require.Equal(t, table, again)
	})
}

// writeCSV writes table with the label as the last column.
func writeCSV(t *testing.T, table *dataset.Table) string {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	require.NoError(t, w.Write(append(slices.Clone(table.Features), table.Label)))
	for i, y := range table.Y {
		var record []string
		for _, x := range table.Row(i) {
			record = append(record, strconv.FormatFloat(x, 'g', -1, 64))
		}
		name := table.Negative
		if y == 1 {
			name = table.Positive
		}
		require.NoError(t, w.Write(append(record, name)))
	}
	w.Flush()
	return out.String()
}
