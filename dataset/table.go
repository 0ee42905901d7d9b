package dataset

import (
	"errors"
	"fmt"
)

// Table is a data set for binary classification: a matrix of features with one
// label for each row.
//
// Tables are made by the readers of this package or by hand; a table made by
// hand is checked where it is used. The functions of this package never modify
// a table that is passed to them.
type Table struct {
	Source   string    // where the rows came from, for error messages
	Features []string  // names of the feature columns
	X        []float64 // features, row-major, shape (Rows, len(Features))
	Y        []float64 // labels, -1 or +1, shape (Rows); may be empty where rows are only scored
	Label    string    // name of the label column
	Negative string    // the label that became -1
	Positive string    // the label that became +1
}

// Rows returns the number of rows.
func (t *Table) Rows() int {
	if t == nil || len(t.Features) == 0 {
		return 0
	}
	return len(t.X) / len(t.Features)
}

// Row returns the features of row i, counted from 0. The slice is the table's
// own memory. Row panics if i is out of range, as indexing a slice does.
func (t *Table) Row(i int) []float64 {
	n := len(t.Features)
	return t.X[i*n : (i+1)*n : (i+1)*n]
}

// checkFeatures reports what makes the features unusable. Readers never make
// such a table, but the fields are open to everyone.
func (t *Table) checkFeatures() error {
	if t == nil {
		return errors.New("dataset: the table is nil; look at the error of the call that should have made it")
	}
	switch columns := len(t.Features); {
	case columns == 0:
		return fmt.Errorf("dataset: table %q has no features; at least one is needed", t.Source)
	case len(t.X)%columns != 0:
		return fmt.Errorf("dataset: table %q has %d values in X, which are no whole number of rows of %d features", t.Source, len(t.X), columns)
	case len(t.X) == 0:
		return fmt.Errorf("dataset: table %q has no rows; at least one is needed", t.Source)
	}
	return nil
}

// Check returns an error unless the table can be trained on or evaluated: at
// least one feature and one row, and a label of -1 or +1 for each row.
func (t *Table) Check() error {
	if err := t.checkFeatures(); err != nil {
		return err
	}
	if len(t.Y) != t.Rows() {
		return fmt.Errorf("dataset: table %q has %d rows, but %d labels in Y; one for each row is needed", t.Source, t.Rows(), len(t.Y))
	}
	for i, y := range t.Y {
		if y != -1 && y != 1 {
			return fmt.Errorf("dataset: label %d (from 0) of table %q is %v; a label must be -1 or +1", i, t.Source, y)
		}
	}
	return nil
}
