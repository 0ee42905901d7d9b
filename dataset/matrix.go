package dataset

import (
	"errors"
	"fmt"
)

// Matrix is rows as a model takes them: an [Encoder] makes it of a [Frame].
type Matrix struct {
	Source   string    // where the rows came from, for messages
	Features []string  // names of the columns; that of a category is "column=category"
	X        []float32 // row-major, shape (Rows, len(Features)), finite
	Y        []float64 // labels, -1 or +1, shape (Rows); nil if the rows have none

	// Warnings has a sentence for each column with categories that were not there
	// when the encoder was fitted. [Encoder.Stream] has more to say.
	Warnings []string
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int {
	if m == nil || len(m.Features) == 0 {
		return 0
	}
	return len(m.X) / len(m.Features)
}

// Row returns the features of row i, counted from 0. The slice is the matrix's
// own memory. Row panics if i is out of range, as indexing a slice does.
func (m *Matrix) Row(i int) []float32 {
	n := len(m.Features)
	return m.X[i*n : (i+1)*n : (i+1)*n]
}

// Check returns an error unless the matrix can be trained on or evaluated: at least
// one feature and one row of finite values, and a label of -1 or +1 for each row.
func (m *Matrix) Check() error {
	if m == nil {
		return errors.New("dataset: the matrix is nil; look at the error of the call that should have made it")
	}
	switch columns := len(m.Features); {
	case columns == 0:
		return fmt.Errorf("dataset: %q has no features; at least one is needed", m.Source)
	case len(m.X)%columns != 0:
		return fmt.Errorf("dataset: %q has %s in X, which is no whole number of rows of %s", m.Source, count(len(m.X), "value"), count(columns, "feature"))
	case len(m.X) == 0:
		return fmt.Errorf("dataset: %q has no rows; at least one is needed", m.Source)
	case len(m.Y) != m.Rows():
		return fmt.Errorf("dataset: %q has %s, but %s in Y; one for each row is needed", m.Source, count(m.Rows(), "row"), count(len(m.Y), "label"))
	}
	for i, x := range m.X {
		if !finite(float64(x)) {
			return fmt.Errorf("dataset: feature %q of %q holds %v in row %d (from 0); it must be finite", m.Features[i%len(m.Features)], m.Source, x, i/len(m.Features))
		}
	}
	for i, y := range m.Y {
		if y != -1 && y != 1 {
			return fmt.Errorf("dataset: label %d (from 0) of %q is %v; a label must be -1 or +1", i, m.Source, y)
		}
	}
	return nil
}
