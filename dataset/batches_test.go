package dataset_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
)

// numbered returns a matrix whose single feature is the row number. Its classes
// have the given sizes and alternate as long as both last.
func numbered(negative, positive int) *dataset.Matrix {
	m := &dataset.Matrix{Source: "t.csv", Features: []string{"row"}}
	for negative+positive > 0 {
		if negative > 0 {
			m.X, m.Y, negative = append(m.X, float32(len(m.Y))), append(m.Y, -1), negative-1
		}
		if positive > 0 {
			m.X, m.Y, positive = append(m.X, float32(len(m.Y))), append(m.Y, 1), positive-1
		}
	}
	return m
}

// encoded returns the breast cancer data.
func encoded(t testing.TB) *dataset.Matrix {
	t.Helper()
	f := dataset.BreastCancer()
	m, err := fitEncoder(t, f).Transform(f)
	require.NoError(t, err)
	return m
}

// values returns the elements of a batch tensor, copied.
func values(t *tensor.Dense) []float64 {
	if t.Dtype() == tensor.Float64 {
		return slices.Clone(t.Float64s())
	}
	var out []float64
	for _, v := range t.Float32s() {
		out = append(out, float64(v))
	}
	return out
}

// epoch returns the rows of a numbered table in the order of its batches.
func epoch(b *dataset.Batches) []float64 {
	var rows []float64
	for i := range b.Len() {
		x, _ := b.At(i)
		rows = append(rows, values(x)...)
	}
	return rows
}

func TestBatchesCoverEveryRowOnce(t *testing.T) {
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, c := range []struct {
			rows, size int
			want       []int // rows of each batch
		}{
			{10, 5, []int{5, 5}},
			{10, 4, []int{4, 4, 2}},
			{10, 9, []int{9, 1}},
			{10, 10, []int{10}},
			{10, 11, []int{10}},
			{10, math.MaxInt, []int{10}},
			{3, 1, []int{1, 1, 1}},
			{2, 1, []int{1, 1}},
		} {
			t.Run(fmt.Sprintf("%v/%d by %d", dtype, c.rows, c.size), func(t *testing.T) {
				// Two features, so that a mix-up of rows and columns shows.
				table := numbered(c.rows/2, c.rows-c.rows/2)
				table.Features = []string{"row", "square"}
				table.X = nil
				for i := range c.rows {
					table.X = append(table.X, float32(i), float32(i*i))
				}
				b, err := table.Batches(c.size, 7, dtype)
				require.NoError(t, err)
				require.Equal(t, len(c.want), b.Len())
				for e := range 3 {
					b.Shuffle(e)
					seen := make([]bool, c.rows)
					for i, n := range c.want {
						x, y := b.At(i)
						require.Equal(t, dtype, x.Dtype())
						require.Equal(t, dtype, y.Dtype())
						require.Equal(t, tensor.Shape{n, 2}, x.Shape())
						require.Equal(t, tensor.Shape{n, 1}, y.Shape())
						xs, ys := values(x), values(y)
						for j := range n {
							row := int(xs[2*j])
							require.False(t, seen[row], "row %d appears twice", row)
							seen[row] = true
							require.Equal(t, float64(row*row), xs[2*j+1])
							require.Equal(t, table.Y[row], ys[j])
						}
					}
					require.NotContains(t, seen, false)
				}
			})
		}
	}
}

func TestShuffleDependsOnSeedAndEpochAlone(t *testing.T) {
	batches := func(seed uint64, size int, dtype tensor.Dtype) *dataset.Batches {
		b, err := numbered(50, 50).Batches(size, seed, dtype)
		require.NoError(t, err)
		return b
	}
	through := batches(1, 32, tensor.Float64)
	require.Equal(t, float64s(numbered(50, 50).X), epoch(through), "before Shuffle, the order of the table")

	var orders [][]float64
	for e := range 5 {
		through.Shuffle(e)
		order := epoch(through)
		require.Equal(t, order, epoch(through), "reading must not move the order")
		require.NotContains(t, orders, order, "epochs must differ")
		orders = append(orders, order)
	}

	resumed := batches(1, 32, tensor.Float64)
	resumed.Shuffle(3)
	require.Equal(t, orders[3], epoch(resumed))
	resumed.Shuffle(1)
	require.Equal(t, orders[1], epoch(resumed), "going back is resuming too")

	// Neither the batch size nor the dtype bears on the order.
	other := batches(1, 7, tensor.Float32)
	other.Shuffle(3)
	require.Equal(t, orders[3], epoch(other))

	seed2 := batches(2, 32, tensor.Float64)
	seed2.Shuffle(3)
	require.NotContains(t, orders, epoch(seed2))
}

// Resuming a run of an earlier release must see the same batches. The orders were
// worked out by a second implementation of PCG-DXSM and Fisher-Yates.
func TestShuffleIsTheSameForever(t *testing.T) {
	b, err := numbered(5, 5).Batches(3, 1, tensor.Float64)
	require.NoError(t, err)
	b.Shuffle(0)
	require.Equal(t, []float64{6, 3, 1, 9, 7, 4, 8, 2, 0, 5}, epoch(b))
	b.Shuffle(1)
	require.Equal(t, []float64{3, 5, 8, 2, 7, 1, 6, 4, 0, 9}, epoch(b))
}

// All six orders of three rows must be equally frequent over seeds and epochs:
// chi-squared with 5 degrees of freedom exceeds 20.5 once in a thousand times.
func TestShuffleIsUniform(t *testing.T) {
	const n = 6000
	for _, vary := range []string{"epoch", "seed"} {
		frequency := map[string]int{}
		for i := range n {
			seed, number := uint64(1), i
			if vary == "seed" {
				seed, number = uint64(i), 1
			}
			b, err := numbered(2, 1).Batches(3, seed, tensor.Float64)
			require.NoError(t, err)
			b.Shuffle(number)
			frequency[fmt.Sprint(epoch(b))]++
		}
		require.Len(t, frequency, 6)
		chi2 := 0.0
		for _, f := range frequency {
			d := float64(f) - n/6
			chi2 += d * d / (n / 6)
		}
		require.Less(t, chi2, 20.5, "over the %s", vary)
	}
}

func TestBatchesAllocateNothing(t *testing.T) {
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		b, err := encoded(t).Batches(32, 1, dtype)
		require.NoError(t, err)
		number := 0
		require.Zero(t, testing.AllocsPerRun(10, func() {
			b.Shuffle(number)
			number++
			for i := range b.Len() {
				b.At(i)
			}
		}))
	}
}

func float64s(x []float32) (out []float64) {
	for _, v := range x {
		out = append(out, float64(v))
	}
	return out
}

func BenchmarkEpoch(b *testing.B) {
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		b.Run(dtype.Name(), func(b *testing.B) {
			table := encoded(b)
			batches, err := table.Batches(32, 1, dtype)
			require.NoError(b, err)
			b.ReportAllocs()
			number := 0
			for b.Loop() {
				batches.Shuffle(number)
				number++
				for i := range batches.Len() {
					batches.At(i)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*table.Rows()), "ns/row")
		})
	}
}
