package dataset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

func TestBreastCancer(t *testing.T) {
	table := dataset.BreastCancer()
	require.Equal(t, 569, table.Rows())
	require.Len(t, table.Features, 30)
	require.Len(t, table.X, 569*30)
	require.Equal(t, 212, class(table, 1))
	require.Equal(t, 357, class(table, -1))
	require.Equal(t, "diagnosis", table.Label)
	require.Equal(t, "benign", table.Negative)
	require.Equal(t, "malignant", table.Positive)

	// The first and the last line of the original file.
	require.Equal(t, []float64{17.99, 10.38, 122.8, 1001, 0.1184, 0.2776, 0.3001, 0.1471, 0.2419, 0.07871}, table.Row(0)[:10])
	require.Equal(t, 1.0, table.Y[0])
	require.Equal(t, []float64{9.456, 30.37, 59.16, 268.6, 0.08996, 0.06444, 0, 0, 0.2871, 0.07039}, table.Row(568)[20:])
	require.Equal(t, -1.0, table.Y[568])

	table.X[0] = 0
	require.Equal(t, 17.99, dataset.BreastCancer().X[0], "each call must give a table of its own")
}
