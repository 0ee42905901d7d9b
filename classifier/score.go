package classifier

import (
	"math/bits"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
)

// Rows are scored some at a time: enough to keep a device busy, and few if layers are wide.
const (
	maxRows        = 1024
	maxActivations = 1 << 22
)

// rowsAtOnce returns how many rows are scored in one run, a power of two.
func (n network) rowsAtOnce() int {
	widest := 1
	for _, size := range n.mlp.Sizes {
		widest = max(widest, size)
	}
	return 1 << (bits.Len(uint(min(max(maxActivations/widest, 1), maxRows))) - 1)
}

// Scores returns the score of each row, a logit, higher for the positive class. The frame must
// have the columns that the model was trained on, known by their names, as
// [dataset.Encoder.Transform] says; it need not have labels.
func (m *Model) Scores(f *dataset.Frame) ([]float64, error) {
	x, err := m.encode(f, false)
	if err != nil {
		return nil, err
	}
	return m.score(x.X)
}

// score returns the scores of encoded rows.
func (m *Model) score(x []float32) ([]float64, error) {
	width := m.network.mlp.Sizes[0]
	rows, atOnce := len(x)/width, m.network.rowsAtOnce()
	scores := make([]float64, 0, rows)
	var in, out *tensor.Dense
	for start := 0; start < rows; start += atOnce {
		n := min(atOnce, rows-start)
		padded := 1 << bits.Len(uint(n-1)) // few shapes mean few compiled programs
		if in == nil || padded != in.Shape()[0] {
			in = tensor.New(tensor.WithShape(padded, width), tensor.Of(m.network.hostDType()))
			out = tensor.New(tensor.WithShape(padded, 1), tensor.Of(m.network.hostDType()))
		}
		fill(in, x[start*width:(start+n)*width])
		if err := m.predict.RunInto([]*tensor.Dense{out}, in); err != nil {
			return nil, err
		}
		scores = append(scores, float64s(out)[:n]...)
	}
	return scores, nil
}

// fill sets the elements of a tensor of float32 or float64, those without a value to 0.
func fill(t *tensor.Dense, values []float32) {
	if t.Dtype() == tensor.Float32 {
		clear(t.Float32s()[copy(t.Float32s(), values):])
		return
	}
	to := t.Float64s()
	for i, v := range values {
		to[i] = float64(v)
	}
	clear(to[len(values):])
}
