package dataset_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
)

// Tables made by hand can be wrong in ways that no reader produces.
func TestUnsoundTables(t *testing.T) {
	for _, c := range []struct {
		table dataset.Table
		want  string
	}{
		{dataset.Table{Source: "hand", Y: []float64{1}},
			`dataset: table "hand" has no features; at least one is needed`},
		{dataset.Table{Source: "hand", Features: []string{"a"}},
			`dataset: table "hand" has no rows; at least one is needed`},
		{dataset.Table{Source: "hand", Features: []string{"a", "b"}, X: []float64{1, 2, 3}, Y: []float64{-1, 1}},
			`dataset: table "hand" has 3 values in X, which are no whole number of rows of 2 features`},
		{dataset.Table{Source: "hand", Features: []string{"a"}, X: []float64{1, 2}, Y: []float64{1}},
			`dataset: table "hand" has 2 rows, but 1 labels in Y; one for each row is needed`},
		{dataset.Table{Source: "hand", Features: []string{"a"}, X: []float64{1, 2}, Y: []float64{1, 0}},
			`dataset: label 1 (from 0) of table "hand" is 0; a label must be -1 or +1`},
	} {
		_, _, err := c.table.Split(0.5, 1)
		require.EqualError(t, err, c.want)

		_, err = dataset.NewBatches(&c.table, 1, 1, tensor.Float64)
		require.EqualError(t, err, c.want)

		_, _, err = c.table.Tensors(tensor.Float64)
		require.EqualError(t, err, c.want)

		require.EqualError(t, c.table.Check(), c.want)

		if len(c.table.X) == 0 || len(c.table.X)%len(c.table.Features) != 0 { // else the features are fit to be scaled
			_, err = dataset.FitScaler(&c.table)
			require.EqualError(t, err, c.want)
			_, err = (&dataset.Scaler{}).Apply(&c.table)
			require.EqualError(t, err, c.want)
		}
	}
}

func TestNilTable(t *testing.T) {
	var table *dataset.Table
	const want = "dataset: the table is nil; look at the error of the call that should have made it"
	_, _, err := table.Split(0.5, 1)
	require.EqualError(t, err, want)
	_, err = dataset.NewBatches(table, 1, 1, tensor.Float64)
	require.EqualError(t, err, want)
	_, _, err = table.Tensors(tensor.Float64)
	require.EqualError(t, err, want)
	_, err = dataset.FitScaler(table)
	require.EqualError(t, err, want)
	_, err = (&dataset.Scaler{}).Apply(table)
	require.EqualError(t, err, want)
	require.Zero(t, table.Rows())
}

func TestRow(t *testing.T) {
	table := dataset.Table{Features: []string{"a", "b"}, X: []float64{1, 2, 3, 4}, Y: []float64{-1, 1}}
	require.Equal(t, []float64{3, 4}, table.Row(1))
	require.Equal(t, []float64{1, 2}, table.Row(0))
	_ = append(table.Row(0), 9)
	require.Equal(t, []float64{1, 2, 3, 4}, table.X, "appending to a row must not reach the next")
}
