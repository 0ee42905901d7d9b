package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

// numbered returns a table whose single feature is the row number. Its classes
// have the given sizes and alternate as long as both last.
func numbered(negative, positive int) *dataset.Table {
	t := &dataset.Table{Source: "t.csv", Features: []string{"row"}, Label: "y", Negative: "no", Positive: "yes"}
	for negative+positive > 0 {
		if negative > 0 {
			t.X, t.Y, negative = append(t.X, float64(len(t.Y))), append(t.Y, -1), negative-1
		}
		if positive > 0 {
			t.X, t.Y, positive = append(t.X, float64(len(t.Y))), append(t.Y, 1), positive-1
		}
	}
	return t
}

func class(t *dataset.Table, y float64) int {
	n := 0
	for _, v := range t.Y {
		if v == y {
			n++
		}
	}
	return n
}

func TestSplit(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {2, 50}, {3, 7}, {5, 5}, {90, 10}, {1, 1000}, {357, 212}} {
		for _, fraction := range []float64{1e-9, 0.1, 0.2, 0.25, 1.0 / 3, 0.5, 0.75, 0.999} {
			for seed := range uint64(3) {
				whole := numbered(size[0], size[1])
				before := numbered(size[0], size[1])
				train, test, err := whole.Split(fraction, seed)
				require.Equal(t, before, whole, "the table must stay as it was")
				if min(size[0], size[1]) < 2 {
					require.EqualError(t, err,
						`dataset: class "no" of table "t.csv" has 1 row; a split needs two or more, at least one for each part`)
					continue
				}
				require.NoError(t, err)

				// A partition: every row once, with its own label.
				rows := slices.Concat(train.X, test.X)
				labels := slices.Concat(train.Y, test.Y)
				require.Len(t, rows, whole.Rows())
				require.Len(t, labels, whole.Rows())
				seen := map[float64]bool{}
				for i, x := range rows {
					require.False(t, seen[x], "row %v appears twice", x)
					seen[x] = true
					require.Equal(t, whole.Y[int(x)], labels[i])
				}

				// Stratified: class by class within one row of the exact share.
				for i, y := range []float64{-1, 1} {
					got, exact := class(test, y), fraction*float64(size[i])
					require.Less(t, math.Abs(float64(got)-exact), 1.0)
					require.Positive(t, got)
					require.Positive(t, class(train, y))
				}

				// The rest comes along.
				for _, part := range []*dataset.Table{train, test} {
					part := *part
					part.X, part.Y = whole.X, whole.Y
					require.Equal(t, whole, &part)
				}

				// Determined by the seed.
				train2, test2, err := numbered(size[0], size[1]).Split(fraction, seed)
				require.NoError(t, err)
				require.Equal(t, train, train2)
				require.Equal(t, test, test2)
			}
		}
	}
}

func TestSplitRounds(t *testing.T) {
	for _, c := range []struct {
		negative, positive int
		fraction           float64
		want               [2]int // test rows
	}{
		{357, 212, 0.2, [2]int{71, 42}}, // 71.4 and 42.4
		{10, 20, 0.25, [2]int{3, 5}},    // 2.5 rounds away from zero
		{2, 9, 0.1, [2]int{1, 1}},       // 0.2 would leave no test row
		{2, 9, 0.9, [2]int{1, 8}},       // 1.8 would leave no training row
	} {
		_, test, err := numbered(c.negative, c.positive).Split(c.fraction, 1)
		require.NoError(t, err)
		require.Equal(t, c.want, [2]int{class(test, -1), class(test, 1)})
	}
}

// A split that always took the first rows, or left them sorted by class, would
// pass the properties above.
func TestSplitIsRandom(t *testing.T) {
	whole := numbered(50, 50)
	inTest := make([]int, whole.Rows())
	firstIsPositive := 0
	const seeds = 1000
	for seed := range uint64(seeds) {
		train, test, err := whole.Split(0.3, seed)
		require.NoError(t, err)
		for _, x := range test.X {
			inTest[int(x)]++
		}
		for _, part := range []*dataset.Table{train, test} {
			if part.Y[0] == 1 {
				firstIsPositive++
			}
		}
	}
	// Five standard deviations of the binomial counts: chance alone breaks
	// one of these 101 bounds for about one choice of seeds in 17,000.
	for row, n := range inTest {
		require.InDelta(t, 0.3*seeds, n, 5*math.Sqrt(seeds*0.3*0.7), "row %d", row)
	}
	require.InDelta(t, seeds, firstIsPositive, 5*math.Sqrt(2*seeds*0.25))
}

// The split of a seed is a promise: published results depend on it. The rows were
// worked out by a second implementation of PCG-DXSM and Fisher-Yates.
func TestSplitIsTheSameForever(t *testing.T) {
	train, test, err := numbered(5, 5).Split(0.4, 1)
	require.NoError(t, err)
	require.Equal(t, []float64{1, 5, 2, 0, 6, 9}, train.X)
	require.Equal(t, []float64{7, 3, 4, 8}, test.X)
}

func TestSplitRefuses(t *testing.T) {
	for _, fraction := range []float64{0, 1, -0.5, 1.5, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, _, err := numbered(5, 5).Split(fraction, 1)
		require.EqualError(t, err,
			fmt.Sprintf("dataset: a test fraction of %v; it must be greater than 0 and less than 1", fraction))
	}
	for _, c := range []struct {
		table *dataset.Table
		want  string
	}{
		{numbered(0, 0), `dataset: table "t.csv" has no rows; at least one is needed`},
		{numbered(9, 0), `dataset: class "yes" of table "t.csv" has 0 rows; a split needs two or more, at least one for each part`},
		{numbered(9, 1), `dataset: class "yes" of table "t.csv" has 1 row; a split needs two or more, at least one for each part`},
	} {
		_, _, err := c.table.Split(0.5, 1)
		require.EqualError(t, err, c.want)
	}
}
