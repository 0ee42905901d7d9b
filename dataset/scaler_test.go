package dataset_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

// column returns a table of one feature, with labels that do not matter here.
func column(values ...float64) *dataset.Table {
	t := &dataset.Table{Source: "t.csv", Features: []string{"x"}, X: values}
	for range values {
		t.Y = append(t.Y, 1)
	}
	return t
}

// Every number here is exact in float64, and so must be the results.
func TestFitScaler(t *testing.T) {
	tenths := slices.Repeat([]float64{0.1}, 1000) // ten of them sum to 0.9999999999999999
	for _, c := range []struct {
		name        string
		values      []float64
		mean, scale float64
	}{
		// Deviations -3 -1 -1 -1 0 0 2 4 from 5: squares sum to 32, 32/8 = 4.
		{"by hand", []float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, 2},
		{"one row", []float64{7}, 7, 1},
		{"constant", tenths, 0.1, 1},
		{"constant of any sign", []float64{0, math.Copysign(0, -1)}, 0, 1},
		// The mean square less the squared mean, 1e18 each, would be 0 or worse.
		{"small spread far from 0", []float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, 1e9 + 10, math.Sqrt(22.5)},
		{"small spread far from the first row", []float64{1e8, -1e8}, 0, 1e8},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fitScaler(t, column(c.values...))
			require.Equal(t, &dataset.Scaler{Mean: []float64{c.mean}, Scale: []float64{c.scale}}, s)
		})
	}
}

// The expected values were worked out in exact rational arithmetic from the
// file's numbers and rounded once.
func TestFitScalerOnBreastCancer(t *testing.T) {
	table := dataset.BreastCancer()
	s := fitScaler(t, table)
	for _, c := range []struct {
		feature     string
		mean, scale float64
	}{
		{"radius_mean", 14.127291739894552, 3.520950760711062},
		{"area_mean", 654.8891036906854, 351.60475406323},
		{"fractal_dimension_se", 0.0037949038664323374, 0.0026437447504047374},
		{"fractal_dimension_worst", 0.08394581722319859, 0.01804538930859499},
	} {
		j := slices.Index(table.Features, c.feature)
		require.GreaterOrEqual(t, j, 0)
		require.InEpsilon(t, c.mean, s.Mean[j], 1e-14)
		require.InEpsilon(t, c.scale, s.Scale[j], 1e-14)
	}
}

func TestApply(t *testing.T) {
	train := &dataset.Table{
		Source: "t.csv", Features: []string{"a", "b"},
		X: []float64{1, 5, 3, 5}, Y: []float64{-1, 1}, // a: mean 2, deviation 1; b: constant
		Label: "y", Negative: "no", Positive: "yes",
	}
	scaler := fitScaler(t, train)

	got, err := scaler.Apply(train)
	require.NoError(t, err)
	want := *train
	want.X = []float64{-1, 0, 1, 0}
	require.Equal(t, &want, got)
	require.Equal(t, []float64{1, 5, 3, 5}, train.X, "the table must stay as it was")

	// Other rows are measured by the training rows.
	test := *train
	test.X = []float64{2, 5, 10, 7}
	got, err = scaler.Apply(&test)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 0, 8, 2}, got.X)
}

func TestScalerOfExtremeColumns(t *testing.T) {
	for _, x := range []float64{1e-300, 1e-170, 1e160, 1e300} {
		s := fitScaler(t, column(-x, x))
		require.Zero(t, s.Mean[0])
		require.InEpsilon(t, x, s.Scale[0], 1e-15)
	}
}

func TestApplyGivesMeanZeroAndDeviationOne(t *testing.T) {
	table := dataset.BreastCancer()
	scaled, err := fitScaler(t, table).Apply(table)
	require.NoError(t, err)
	again := fitScaler(t, scaled)
	for j := range again.Mean {
		require.InDelta(t, 0, again.Mean[j], 1e-13)
		require.InDelta(t, 1, again.Scale[j], 1e-13)
	}
}

func TestApplyRefuses(t *testing.T) {
	wide := dataset.BreastCancer()
	_, err := fitScaler(t, column(1, 2)).Apply(wide)
	require.EqualError(t, err, `dataset: table "wdbc.csv" has 30 columns, but the scaler has 1 mean and 1 scale`)

	half := &dataset.Scaler{Mean: []float64{0}}
	_, err = half.Apply(column(1, 2))
	require.EqualError(t, err, `dataset: table "t.csv" has 1 column, but the scaler has 1 mean and 0 scales`)

	zero := &dataset.Scaler{Mean: []float64{1}, Scale: []float64{0}}
	_, err = zero.Apply(column(2))
	require.EqualError(t, err, `dataset: feature "x" of table "t.csv": 2 standardised with mean 1 and scale 0 is not finite`)

	huge := column(-math.MaxFloat64, math.MaxFloat64, math.MaxFloat64)
	_, err = dataset.FitScaler(huge)
	require.ErrorContains(t, err, `dataset: feature "x" of table "t.csv" has mean`)
	require.ErrorContains(t, err, "but both must be finite; rescale it")
	_, err = (&dataset.Scaler{Mean: []float64{0}, Scale: []float64{1e-300}}).Apply(huge)
	require.ErrorContains(t, err, `dataset: feature "x" of table "t.csv": -1.7976931348623157e+308 standardised with`)
}

func fitScaler(t *testing.T, table *dataset.Table) *dataset.Scaler {
	t.Helper()
	s, err := dataset.FitScaler(table)
	require.NoError(t, err)
	return s
}
