package dataset

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
)

// Transform encodes the rows of f, whose columns are found by name, in any order.
// Columns that the encoder does not know are ignored. It fails if one that it
// needs is absent or of another kind, unless both are of LIBSVM's kind, where
// absent means zero, if the labels are others, see [Encoder.Labels], and if a value is so far from the training
// rows that its encoding is no finite float32. Numbers may stand for categories and are
// spelt in their shortest form.
func (e *Encoder) Transform(f *Frame) (*Matrix, error) {
	t, err := e.plan()
	if err != nil {
		return nil, err
	}
	m := new(Matrix)
	if err := t.run(f, m); err != nil {
		return nil, err
	}
	return m, nil
}

// transform is an encoder that has been checked, ready to run.
type transform struct {
	encoder  *Encoder
	features []string
	index    []map[string]int // category to place, of categorical columns
	values   [chunkRows]float64

	// Of categories that the encoder does not know, in all the rows so far, for each column:
	unknown []int
	example []string
}

func (e *Encoder) plan() (*transform, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	n := len(e.Columns)
	t := &transform{encoder: e, features: e.Features(), index: make([]map[string]int, n), unknown: make([]int, n), example: make([]string, n)}
	for i := range e.Columns {
		if k := &e.Columns[i]; k.Kind == Categorical && k.LeftOut == "" {
			t.index[i] = make(map[string]int, len(k.Categories))
			for j, category := range k.Categories {
				t.index[i][category] = j
			}
		}
	}
	return t, nil
}

// run encodes f into m, whose memory it uses if there is enough.
func (t *transform) run(f *Frame, m *Matrix) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.checkDense(len(t.features)); err != nil {
		return err
	}
	sources, err := t.sources(f)
	if err != nil {
		return err
	}
	y, err := t.encoder.Labels(f)
	if err != nil {
		return err
	}
	rows, width := f.Rows(), len(t.features)
	m.Source, m.Features, m.Y = f.source, t.features, y
	m.X = slices.Grow(m.X[:0], rows*width)[:rows*width]
	// Rows are encoded a block at a time, so that the block stays in the cache while it
	// is written column by column.
	for first := 0; first < rows; first += chunkRows {
		if err := t.block(f, sources, first, m.X[first*width:min(first+chunkRows, rows)*width]); err != nil {
			return err
		}
	}
	m.Warnings = t.warnings()
	return nil
}

// sources returns the columns of f that those of the encoder are read from, nil for what is left out.
func (t *transform) sources(f *Frame) ([]*column, error) {
	place := make(map[string]*column, len(f.columns))
	for _, c := range f.columns {
		place[c.name] = c
	}
	sources := make([]*column, len(t.encoder.Columns))
	var absent []string
	for i := range t.encoder.Columns {
		k := &t.encoder.Columns[i]
		if k.LeftOut != "" {
			continue
		}
		c, ok := place[k.Name]
		switch {
		case !ok && f.layout.sparse && t.encoder.Sparse:
			c = &column{storage: sparse}
		case !ok:
			absent = append(absent, k.Name)
		case c.kind() == Text, k.Kind == Numeric && c.kind() == Categorical && len(c.texts) > 0:
			what := "more different texts than can be kept"
			if c.kind() == Categorical {
				what = "categories such as " + quote(c.texts[0])
			}
			return nil, fmt.Errorf("dataset: column %q of %q holds %s, but the encoder was fitted on a column that is %v", k.Name, f.source, what, k.Kind)
		}
		sources[i] = c
	}
	if len(absent) > 0 {
		return nil, fmt.Errorf("dataset: %q has no column %s, which the encoder was fitted on; it has %s", f.source, list(absent), list(f.Names()))
	}
	return sources, nil
}

// block encodes rows of f from the given one on into out, at most chunkRows.
func (t *transform) block(f *Frame, sources []*column, first int, out []float32) error {
	at := 0
	for i, c := range sources {
		k := &t.encoder.Columns[i]
		switch {
		case k.LeftOut != "":
		case k.Kind == Numeric:
			if err := t.standardise(k, f, c, first, out, at); err != nil {
				return err
			}
		default:
			t.oneHot(i, f, c, first, out, at)
		}
		at += k.width()
	}
	return nil
}

// standardise writes the numbers of column c to place at of the rows of out.
func (t *transform) standardise(k *ColumnEncoding, f *Frame, c *column, first int, out []float32, at int) error {
	width := len(t.features)
	values := t.values[:len(out)/width]
	c.read(f.rows, first, values)
	for j, x := range values {
		if math.IsNaN(x) {
			x = k.Median
		}
		z := float32((x - k.Mean) / k.Scale)
		if !finite(float64(z)) {
			return fmt.Errorf("dataset: column %q of %q holds %v, which standardised with mean %v and deviation %v is no finite float32", k.Name, f.source, x, k.Mean, k.Scale)
		}
		out[j*width+at] = z
	}
	return nil
}

// oneHot writes 0 and 1 for the categories of column c, the encoder's i-th, from place at of the rows of out on.
func (t *transform) oneHot(i int, f *Frame, c *column, first int, out []float32, at int) {
	k, width := &t.encoder.Columns[i], len(t.features)
	for j := range len(out) / width {
		hot := out[j*width+at:][:len(k.Categories)]
		clear(hot)
		text := c.text(f.row(first + j))
		if text == "" {
			text = k.MostFrequent
		}
		if place, ok := t.index[i][text]; ok {
			hot[place] = 1
			continue
		}
		if t.unknown[i]++; t.example[i] == "" {
			t.example[i] = text
		}
	}
}

// warnings has a sentence for each column with categories that the encoder does not know.
func (t *transform) warnings() (out []string) {
	for i, n := range t.unknown {
		if n > 0 {
			out = append(out, fmt.Sprintf("column %s has a category that the training rows had not, such as %s, in %s; it is encoded as none of them",
				quote(t.encoder.Columns[i].Name), quote(t.example[i]), count(n, "row")))
		}
	}
	return out
}

// Labels returns the labels of f as the encoder has them, +1 for its positive label, whichever that is to f, and
// however a number is spelt; nil if f has none. It fails if the labels are others.
func (e *Encoder) Labels(f *Frame) ([]float64, error) {
	if e == nil {
		return nil, errNilEncoder
	}
	l, y := &e.Label, f.Labels()
	same := func(a, b string) bool { return a == b || sameNumber(a, b) }
	switch {
	case y == nil || l.Positive == "" || same(f.positive, l.Positive) && same(f.negative, l.Negative):
		return y, nil
	case same(f.positive, l.Negative) && same(f.negative, l.Positive):
		for i := range y {
			y[i] = -y[i]
		}
		return y, nil
	}
	return nil, fmt.Errorf("dataset: the labels of %q are %s and %s, but the encoder was fitted on %s and %s",
		f.source, quote(f.negative), quote(f.positive), quote(l.Negative), quote(l.Positive))
}

// Stream reads rows as [ReadFrame] does, for this encoder, and yields them encoded,
// size rows at a time, the last time those that remain. It holds no more than that of a CSV or
// LIBSVM file, however long it is; NumPy arrays are held as a whole. Labels are read if
// there are any and opts.Unlabeled is not set.
//
// The Warnings of a matrix are about all rows up to its last, each column's once, and what [Schema] has in
// Notes about the file; so those of the last matrix are all there is to tell.
// Apart from them the matrix is overwritten by the next. An error is yielded once, without a matrix, and ends
// the rows.
func (e *Encoder) Stream(r io.Reader, source string, opts Options, size int) iter.Seq2[*Matrix, error] {
	return func(yield func(*Matrix, error) bool) {
		if size < 1 {
			yield(nil, fmt.Errorf("dataset: %d rows at a time; at least 1 is needed", size))
			return
		}
		t, err := e.plan()
		if err != nil {
			yield(nil, err)
			return
		}
		opts.For = e
		m := new(Matrix)
		err = read(r, source, opts, size, func(f *Frame) error {
			if err := t.run(f, m); err != nil {
				return err
			}
			m.Warnings = append(m.Warnings, f.layout.notes...)
			if !yield(m, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}
