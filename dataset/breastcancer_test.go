package dataset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

func TestBreastCancer(t *testing.T) {
	f := dataset.BreastCancer()
	require.Equal(t, 569, f.Rows())
	require.Len(t, f.Names(), 30)
	require.Equal(t, 212, positives(f))
	label, negative, positive := f.Label()
	require.Equal(t, []string{"diagnosis", "benign", "malignant"}, []string{label, negative, positive})

	// The first and the last line of the original file.
	row := func(i int) (values []float32) {
		for _, name := range f.Names() {
			column, err := f.Numbers(name)
			require.NoError(t, err)
			values = append(values, float32(column[i]))
		}
		return values
	}
	require.Equal(t, []float32{17.99, 10.38, 122.8, 1001, 0.1184, 0.2776, 0.3001, 0.1471, 0.2419, 0.07871}, row(0)[:10])
	require.Equal(t, []float32{9.456, 30.37, 59.16, 268.6, 0.08996, 0.06444, 0, 0, 0.2871, 0.07039}, row(568)[20:])
	require.Equal(t, []float64{1, -1}, []float64{f.Labels()[0], f.Labels()[568]})
}
