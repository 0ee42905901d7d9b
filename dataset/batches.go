package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// Batches cuts a matrix or table into mini-batches. Every row is in exactly one batch;
// the last batch is shorter if the batch size does not divide the number of rows.
//
// All checks and allocations are made by [NewBatches]: iterating over epochs
// allocates nothing. A Batches must not be used by two goroutines at once.
type Batches struct {
	matrix *Matrix // one of these
	table  *Table
	size   int
	seed   uint64
	order  []int // row numbers in the order of the epoch

	full, short batch // short has no tensors if all batches are full

	source *rand.PCG
	rng    *rand.Rand
}

// batch is the memory that one size of batch is written to.
type batch struct{ x, y *tensor.Dense }

func newBatch(rows, columns int, dtype tensor.Dtype) batch {
	return batch{
		x: tensor.New(tensor.WithShape(rows, columns), tensor.Of(dtype)),
		y: tensor.New(tensor.WithShape(rows, 1), tensor.Of(dtype)),
	}
}

// NewBatches plans mini-batches of size rows as tensors of float32 or float64.
// A size greater than the number of rows gives one batch of all rows. The table
// is kept, not copied, and must not change while the batches are in use.
//
// Until the first call of [Batches.Shuffle] rows come in the order of the table,
// which is the order to evaluate in.
//
// NewBatches fails if size is less than 1, dtype is another type, the table is
// invalid, or a feature is NaN, infinite or beyond the range of dtype.
func NewBatches(t *Table, size int, seed uint64, dtype tensor.Dtype) (*Batches, error) {
	if err := checkBatches(size, dtype); err != nil {
		return nil, err
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	if err := t.checkRange(dtype); err != nil {
		return nil, err
	}

	return newBatches(&Batches{table: t}, t.Rows(), len(t.Features), size, seed, dtype), nil
}

// Batches plans mini-batches of size rows as tensors of float32 or float64, as
// [NewBatches] does. The matrix is kept, not copied, and must not change while the
// batches are in use. It fails if size is less than 1, dtype is another type, or
// the matrix is unsound, see [Matrix.Check].
func (m *Matrix) Batches(size int, seed uint64, dtype tensor.Dtype) (*Batches, error) {
	if err := checkBatches(size, dtype); err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return newBatches(&Batches{matrix: m}, m.Rows(), len(m.Features), size, seed, dtype), nil
}

func checkBatches(size int, dtype tensor.Dtype) error {
	if size < 1 {
		return fmt.Errorf("dataset: a batch of %d; the batch size must be at least 1", size)
	}
	if dtype != tensor.Float32 && dtype != tensor.Float64 {
		return fmt.Errorf("dataset: tensors of %v; the dtype must be float32 or float64", dtype.Type)
	}
	return nil
}

// newBatches completes b, which has been checked.
func newBatches(b *Batches, rows, columns, size int, seed uint64, dtype tensor.Dtype) *Batches {
	size = min(size, rows)
	b.size, b.seed, b.order, b.source = size, seed, make([]int, rows), rand.NewPCG(seed, 0)
	b.rng = rand.New(b.source)
	b.resetOrder()
	b.full = newBatch(size, columns, dtype)
	if rest := rows % size; rest > 0 {
		b.short = newBatch(rest, columns, dtype)
	}
	return b
}

// Tensors returns the whole table as tensors of float32 or float64: x of shape
// (Rows, len(Features)) and y of shape (Rows, 1), both copies. It fails as
// [NewBatches] does.
func (t *Table) Tensors(dtype tensor.Dtype) (x, y *tensor.Dense, err error) {
	b, err := NewBatches(t, max(t.Rows(), 1), 0, dtype)
	if err != nil {
		return nil, nil, err
	}
	x, y = b.At(0)
	return x, y, nil
}

// Len returns the number of batches in an epoch.
func (b *Batches) Len() int { return (len(b.order) + b.size - 1) / b.size }

// Shuffle puts the rows in the order of an epoch. The order depends on the seed
// and the epoch alone, not on earlier calls, so training that resumes at epoch k
// sees the batches it would have seen without the interruption.
func (b *Batches) Shuffle(epoch int) {
	b.resetOrder()
	b.source.Seed(b.seed, uint64(epoch))
	shuffle(b.rng, b.order)
}

func (b *Batches) resetOrder() {
	for i := range b.order {
		b.order[i] = i
	}
}

// At returns batch i of the epoch, 0 ≤ i < Len: features x of shape
// (n, features) and labels y of shape (n, 1), where n is the batch size, or what
// remains for the last batch.
//
// The tensors belong to b and are overwritten by later calls of At; their shapes
// must not be changed. At panics if i is out of range, as indexing a slice does.
func (b *Batches) At(i int) (x, y *tensor.Dense) {
	start := i * b.size
	rows := b.order[start:min(start+b.size, len(b.order))]
	out := b.full
	if len(rows) < b.size {
		out = b.short
	}
	switch single := out.x.Dtype() == tensor.Float32; {
	case b.matrix != nil && single:
		gather(b.matrix.X, b.matrix.Y, rows, out.x.Float32s(), out.y.Float32s())
	case b.matrix != nil:
		gather(b.matrix.X, b.matrix.Y, rows, out.x.Float64s(), out.y.Float64s())
	case single:
		gather(b.table.X, b.table.Y, rows, out.x.Float32s(), out.y.Float32s())
	default:
		gather(b.table.X, b.table.Y, rows, out.x.Float64s(), out.y.Float64s())
	}
	return out.x, out.y
}

// gather copies the given rows of features and labels to x and y.
func gather[T, S float32 | float64](features []S, labels []float64, rows []int, x, y []T) {
	n := len(x) / len(rows)
	for i, row := range rows {
		src := features[row*n:][:n]
		dst := x[i*n:][:n]
		for j, v := range src {
			dst[j] = T(v)
		}
		y[i] = T(labels[row])
	}
}

// checkRange reports a feature that has no finite value in dtype.
func (t *Table) checkRange(dtype tensor.Dtype) error {
	for i, v := range t.X {
		rounded := v
		if dtype == tensor.Float32 {
			rounded = float64(float32(v))
		}
		if math.IsNaN(rounded) || math.IsInf(rounded, 0) {
			return fmt.Errorf("dataset: feature %q of table %q holds %v, which is no finite %v",
				t.Features[i%len(t.Features)], t.Source, v, dtype)
		}
	}
	return nil
}
