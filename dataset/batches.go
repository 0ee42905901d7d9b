package dataset

import (
	"fmt"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// Batches cuts a matrix into mini-batches. Every row is in exactly one batch;
// the last batch is shorter if the batch size does not divide the number of rows.
//
// All checks and allocations are made by [Matrix.Batches]: iterating over epochs
// allocates nothing. A Batches must not be used by two goroutines at once.
type Batches struct {
	matrix *Matrix
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

// Batches plans mini-batches of size rows as tensors of float32 or float64. A size
// greater than the number of rows gives one batch of all rows. The matrix is kept,
// not copied, and must not change while the batches are in use.
//
// Until the first call of [Batches.Shuffle] rows come in the order of the matrix,
// which is the order to evaluate in.
//
// It fails if size is less than 1, dtype is another type, or the matrix is unsound,
// see [Matrix.Check].
func (m *Matrix) Batches(size int, seed uint64, dtype tensor.Dtype) (*Batches, error) {
	if size < 1 {
		return nil, fmt.Errorf("dataset: a batch of %d; the batch size must be at least 1", size)
	}
	if dtype != tensor.Float32 && dtype != tensor.Float64 {
		return nil, fmt.Errorf("dataset: tensors of %v; the dtype must be float32 or float64", dtype.Type)
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	rows, columns := m.Rows(), len(m.Features)
	size = min(size, rows)
	b := &Batches{matrix: m, size: size, seed: seed, order: make([]int, rows), source: rand.NewPCG(seed, 0)}
	b.rng = rand.New(b.source)
	b.resetOrder()
	b.full = newBatch(size, columns, dtype)
	if rest := rows % size; rest > 0 {
		b.short = newBatch(rest, columns, dtype)
	}
	return b, nil
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
	if out.x.Dtype() == tensor.Float32 {
		gather(b.matrix, rows, out.x.Float32s(), out.y.Float32s())
	} else {
		gather(b.matrix, rows, out.x.Float64s(), out.y.Float64s())
	}
	return out.x, out.y
}

// gather copies the given rows of m to x and their labels to y.
func gather[T float32 | float64](m *Matrix, rows []int, x, y []T) {
	for i, row := range rows {
		src := m.Row(row)
		dst := x[i*len(src):][:len(src)]
		for j, v := range src {
			dst[j] = T(v)
		}
		y[i] = T(m.Y[row])
	}
}
