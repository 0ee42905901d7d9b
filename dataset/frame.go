package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Frame is a table as it was read: named columns, each of numbers or of
// categories, with gaps where a value is missing, and beside them the labels.
// What is done about gaps and categories is for an [Encoder] to decide, which is
// fitted on the training rows alone.
//
// Frames that are made of other frames, by [Frame.Split], [Frame.KFold] and
// [Frame.Select], are views: they share the columns and hold nothing but row
// numbers. A Frame never changes once it has been read or filled, and may then be
// used by several goroutines at once. A nil Frame has no rows and no columns, and none can be added.
type Frame struct {
	source   string
	columns  []*column
	rows     []int // of a view; nil means all
	n        int   // rows of the columns
	y        []int8
	label    string
	negative string
	positive string
	layout   layout
}

// layout is how a file was laid out.
type layout struct {
	format  Format
	comma   rune
	header  bool     // columns have names of their own
	sparse  bool     // columns that are absent are zero
	label   int      // position of the label among the columns, from 1; 0 if it is not one of them
	width   int      // columns of the file
	dropped []string // columns that were left out as asked
	notes   []string // sentences about the file as a whole
}

var errNilFrame = errors.New("dataset: the frame is nil; look at the error of the call that should have made it")

// NewFrame returns an empty frame, to be filled by [Frame.AddNumeric],
// [Frame.AddCategorical] and [Frame.SetLabels]. The source names it in messages.
func NewFrame(source string) *Frame {
	return &Frame{source: source, layout: layout{header: true}}
}

// AddNumeric adds a column of numbers, NaN where one is missing. It fails if the
// name is taken or empty, a number is infinite, or the frame has another number of rows.
func (f *Frame) AddNumeric(name string, values []float64) error {
	if err := f.checkNew(name, len(values)); err != nil {
		return err
	}
	c := newColumn(name, 1)
	c.storage = plain
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			c.addMissing()
		case math.IsInf(v, 0):
			return fmt.Errorf("dataset: value %d (from 0) of column %q is %v; a value must be finite, or NaN if it is missing", i, name, v)
		default:
			c.addNumber(v)
		}
	}
	f.addColumn(c)
	return nil
}

// AddCategorical adds a column of categories, "" and what else stands for a
// missing value in a file where one is missing. It fails as [Frame.AddNumeric] does.
func (f *Frame) AddCategorical(name string, values []string) error {
	if err := f.checkNew(name, len(values)); err != nil {
		return err
	}
	c := newColumn(name, 1)
	c.category = true
	for i, v := range values {
		if reason := c.add(v, i); reason != "" {
			return fmt.Errorf("dataset: value %d (from 0) of column %q: %s", i, name, reason)
		}
	}
	f.addColumn(c)
	return nil
}

// SetLabels gives each row its label: any two texts, of which positive becomes +1;
// if it is "", the greater does, as [ReadFrame] says.
func (f *Frame) SetLabels(name string, labels []string, positive string) error {
	if err := f.checkNew(name, len(labels)); err != nil {
		return err
	}
	var l labelColumn
	for i, label := range labels {
		if reason := l.add(label); reason != "" {
			return fmt.Errorf("dataset: label %d (from 0): %s", i, reason)
		}
	}
	if reason := l.finish(positive); reason != "" {
		return errors.New("dataset: " + reason)
	}
	f.n = len(labels)
	f.label, f.negative, f.positive, f.y = name, l.negative, l.positive, l.y
	return nil
}

func (f *Frame) checkNew(name string, rows int) error {
	switch {
	case f == nil:
		return errNilFrame
	case f.rows != nil:
		return fmt.Errorf("dataset: column %q cannot be added to rows that were selected from %q; add it before", name, f.source)
	case name == "":
		return errors.New("dataset: a column needs a name")
	case f.has(name):
		return fmt.Errorf("dataset: the name %q is taken by another column", name)
	case rows == 0:
		return fmt.Errorf("dataset: column %q has no rows; at least one is needed", name)
	case f.n > 0 && rows != f.n:
		return fmt.Errorf("dataset: column %q has %s, but the frame has %d", name, count(rows, "row"), f.n)
	}
	return nil
}

func (f *Frame) has(name string) bool {
	return f.label == name || slices.ContainsFunc(f.columns, func(c *column) bool { return c.name == name })
}

func (f *Frame) addColumn(c *column) {
	c.finish() // which has nothing to say of a column whose kind was given
	f.n = c.n
	f.columns = append(f.columns, c)
	f.layout.width = len(f.columns)
}

// Source returns the name of the file or other source.
func (f *Frame) Source() string {
	if f == nil {
		return ""
	}
	return f.source
}

// Rows returns the number of rows.
func (f *Frame) Rows() int {
	if f == nil {
		return 0
	}
	if f.rows != nil {
		return len(f.rows)
	}
	return f.n
}

// Names returns the names of the feature columns.
func (f *Frame) Names() []string {
	if f == nil {
		return nil
	}
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.name
	}
	return names
}

// Label returns the name of the label column and the labels that became -1 and
// +1, all "" if the frame has none.
func (f *Frame) Label() (name, negative, positive string) {
	if f == nil {
		return "", "", ""
	}
	return f.label, f.negative, f.positive
}

// Labels returns the label of each row, -1 or +1, or nil if the frame has none.
func (f *Frame) Labels() []float64 {
	if f == nil || f.y == nil {
		return nil
	}
	y := make([]float64, f.Rows())
	for i := range y {
		y[i] = float64(f.y[f.row(i)])
	}
	return y
}

// Numbers returns the values of a numeric column, NaN where one is missing. It
// fails if there is no such column, or if it holds no numbers.
func (f *Frame) Numbers(name string) ([]float64, error) {
	c, err := f.find(name)
	if err != nil {
		return nil, err
	}
	if k := c.kind(); k != Numeric {
		return nil, fmt.Errorf("dataset: column %q of %q is %v, not numeric", name, f.source, k)
	}
	values := make([]float64, f.Rows())
	c.read(f.rows, 0, values)
	return values, nil
}

func (f *Frame) find(name string) (*column, error) {
	if f == nil {
		return nil, errNilFrame
	}
	for _, c := range f.columns {
		if c.name == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("dataset: %q has no column %q; it has %s", f.source, name, list(f.Names()))
}

// row returns the number of row i among those of the columns.
func (f *Frame) row(i int) int {
	if f.rows != nil {
		return f.rows[i]
	}
	return i
}

// Select returns a view of the given rows, counted from 0, in their order. It
// panics if one is out of range, as indexing a slice does.
func (f *Frame) Select(rows []int) *Frame {
	for _, row := range rows {
		if row < 0 || row >= f.Rows() {
			panic(fmt.Sprintf("dataset: row %d of %d", row, f.Rows()))
		}
	}
	return f.view(slices.Clone(rows))
}

// view returns a view of rows, which it takes over.
func (f *Frame) view(rows []int) *Frame {
	if f == nil {
		return nil
	}
	for i, row := range rows {
		rows[i] = f.row(row)
	}
	out := *f
	out.rows = rows
	if rows == nil {
		out.rows = []int{} // none, not all
	}
	return &out
}

// check reports what makes a frame unusable.
func (f *Frame) check() error {
	switch {
	case f == nil:
		return errNilFrame
	case f.Rows() == 0:
		return fmt.Errorf("dataset: %q has no rows; at least one is needed", f.source)
	}
	return nil
}

// checkLabeled reports what makes a frame unusable where labels are needed.
func (f *Frame) checkLabeled() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.y == nil {
		return fmt.Errorf("dataset: %q has no labels; read it with a label column", f.source)
	}
	return nil
}
