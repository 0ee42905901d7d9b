package dataset

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
)

// Encoder turns the columns of a [Frame] into the numbers that a model takes. It
// is fitted on training rows alone and then applied to any rows, so that nothing
// about the others leaks into training:
//
//   - a numeric column has its gaps filled with the median of the training rows (for
//     an even count the mean of the middle two), and is standardised by their mean
//     and population standard deviation, taken after the filling;
//   - a categorical column has its gaps filled with the most frequent category (of
//     equally frequent ones the smallest), and becomes one column of 0 and 1 for
//     each category, in lexicographic order. A category that the training rows
//     did not have is 0 in all of them;
//   - a column that tells nothing or too much is left out: without any value, with
//     the same value in each row, with more categories than allowed, or of kind [Text].
//
// These are the definitions of scikit-learn's SimpleImputer, StandardScaler and
// OneHotEncoder(handle_unknown="ignore") in the usual pipeline.
//
// An Encoder is plain data: encoding/json writes and reads it, and [Encoder.Validate]
// judges one that comes from elsewhere. Its methods may be called by several goroutines at once.
type Encoder struct {
	Header  bool             `json:"header"`           // the columns have names of their own, not column1, column2 and so on
	Sparse  bool             `json:"sparse,omitempty"` // a column that is absent is zero
	Width   int              `json:"width"`            // columns of the file, with the label and what was dropped
	Label   LabelEncoding    `json:"label"`
	Columns []ColumnEncoding `json:"columns"` // in the order of the training frame
}

// LabelEncoding says what the labels are called.
type LabelEncoding struct {
	Name     string `json:"name"`
	Position int    `json:"position"` // among the columns, from 1; 0 if it is not one of them
	Negative string `json:"negative"` // label -1
	Positive string `json:"positive"` // label +1
}

// ColumnEncoding says how one column is encoded.
type ColumnEncoding struct {
	Name    string `json:"name"`
	Kind    Kind   `json:"kind"`
	LeftOut string `json:"left_out,omitempty"` // why the column is left out; "" if it is not
	Missing int    `json:"missing,omitempty"`  // training rows without a value, of a column that is not left out

	// Of a numeric column: what a missing value is taken for, and (x - Mean)/Scale.
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	Scale  float64 `json:"scale"`

	// Exact says that the numbers are float64. Otherwise they are rounded to float32 before.
	Exact bool `json:"exact,omitempty"`

	// Of a categorical column: all categories, and what a missing value is taken for.
	Categories   []string `json:"categories,omitempty"`
	MostFrequent string   `json:"most_frequent,omitempty"`
}

// EncoderOptions says how an encoder is fitted.
type EncoderOptions struct {
	// MaxCategories is the greatest number of categories of a column. A column with more is
	// likely to be an identifier and is left out. 0 means 64.
	MaxCategories int
}

// maxSparseCells limits how large a dense matrix may be made of sparse rows.
const maxSparseCells = 1 << 30

// FitEncoder fits an encoder on the rows of train. It fails if no column is left,
// or if a mean or deviation is not finite, as happens with values near the end of the range
// of float64.
func FitEncoder(train *Frame, opts EncoderOptions) (*Encoder, error) {
	if err := train.check(); err != nil {
		return nil, err
	}
	limit := opts.MaxCategories
	switch {
	case limit == 0:
		limit = 64
	case limit < 0 || limit > maxTexts:
		return nil, fmt.Errorf("dataset: a limit of %d categories; it must be from 1 to %d", limit, maxTexts)
	}
	if err := train.checkDense(len(train.columns)); err != nil {
		return nil, err
	}
	e := &Encoder{
		Header: train.layout.header,
		Sparse: train.layout.sparse,
		Width:  train.layout.width,
		Label:  LabelEncoding{Name: train.label, Position: train.layout.label, Negative: train.negative, Positive: train.positive},
	}
	values, known := make([]float64, train.Rows()), make([]float64, train.Rows())
	kept := 0
	for _, c := range train.columns {
		k := ColumnEncoding{Name: c.name, Kind: c.kind(), Scale: 1}
		switch k.Kind {
		case Numeric:
			k.Exact = c.exact || c.storage != plain
			c.read(train.rows, 0, values)
			if err := k.fitNumbers(values, known, train.source); err != nil {
				return nil, err
			}
		case Categorical:
			k.fitCategories(c, train, limit)
		case Text:
			k.LeftOut = fmt.Sprintf("it has more than %d different values, or long ones, so it is likely to be an identifier or free text", maxTexts)
		}
		if k.LeftOut == "" {
			kept++
		}
		e.Columns = append(e.Columns, k)
	}
	if kept == 0 {
		k := e.Columns[0]
		return nil, fmt.Errorf("dataset: no column of %q is left to be a feature; column %s is left out, since %s", train.source, quote(k.Name), k.LeftOut)
	}
	return e, nil
}

// checkDense reports sparse rows that would make too large a matrix.
func (f *Frame) checkDense(columns int) error {
	if f.layout.sparse && columns > maxSparseCells/f.Rows() {
		return fmt.Errorf("dataset: %q would make a dense matrix of %d rows by %d columns, more than %d values; leave rows or columns out",
			f.source, f.Rows(), columns, maxSparseCells)
	}
	return nil
}

// fitNumbers fits a numeric column with NaN for the missing values, which it fills
// in; known is memory for as many.
func (k *ColumnEncoding) fitNumbers(values, known []float64, source string) error {
	known = known[:0]
	for _, v := range values {
		if v == v {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		k.LeftOut = "every value is missing"
		return nil
	}
	k.Missing = len(values) - len(known)
	k.Median = median(known)
	for i, v := range values {
		if v != v {
			values[i] = k.Median
		}
	}
	low, high := slices.Min(known), slices.Max(known)
	k.Mean, k.Scale = meanAndDeviation(values)
	if reach := k.Mean + k.Scale; reach-reach != 0 {
		return fmt.Errorf("dataset: column %q of %q has mean %v and deviation %v, but both must be finite; rescale it", k.Name, source, k.Mean, k.Scale)
	}
	if low == high {
		k.Missing = 0
		k.LeftOut = fmt.Sprintf("every value is %v", low)
	}
	if k.Scale == 0 { // of different values so close that their deviation is lost
		k.Scale = 1
	}
	return nil
}

// fitCategories fits a categorical column.
func (k *ColumnEncoding) fitCategories(c *column, train *Frame, limit int) {
	counts := make([]int, len(c.texts))
	for i := range train.Rows() {
		if code := c.codes[train.row(i)]; int(code) < len(counts) {
			counts[code]++
		} else {
			k.Missing++
		}
	}
	most := 0
	for code, n := range counts {
		if n > 0 {
			k.Categories = append(k.Categories, c.texts[code])
		}
		if n > most || n == most && n > 0 && c.texts[code] < k.MostFrequent {
			most, k.MostFrequent = n, c.texts[code]
		}
	}
	slices.Sort(k.Categories)
	switch n := len(k.Categories); {
	case n == 0:
		k.LeftOut = "every value is missing"
	case n == 1:
		k.LeftOut = fmt.Sprintf("every value is %s", quote(k.MostFrequent))
	case n > limit:
		k.LeftOut = fmt.Sprintf("it has %d different texts, more than the %d allowed, so it is likely to be an identifier; drop it, or allow more categories", n, limit)
	}
	if k.LeftOut != "" {
		k.Missing, k.Categories, k.MostFrequent = 0, nil, ""
	}
}

// newColumn returns a column to read the values into.
func (k *ColumnEncoding) newColumn(columns int) *column {
	c := newColumn(k.Name, columns)
	if k.Kind == Numeric {
		c.storage, c.exact, c.told = plain, k.Exact, true
		return c
	}
	c.category, c.known = true, true
	c.texts = k.Categories
	c.values = make([]float64, len(k.Categories))
	c.index = make(map[string]uint16, len(k.Categories))
	for i, text := range k.Categories {
		c.values[i] = nan
		c.index[text] = uint16(i)
	}
	return c
}

// width is the number of features that the column becomes.
func (k *ColumnEncoding) width() int {
	switch {
	case k.LeftOut != "":
		return 0
	case k.Kind == Categorical:
		return len(k.Categories)
	}
	return 1
}

// columnNames returns the names of the columns that are not left out.
func (e *Encoder) columnNames() []string {
	var names []string
	for i := range e.Columns {
		if e.Columns[i].LeftOut == "" {
			names = append(names, e.Columns[i].Name)
		}
	}
	return names
}

// Features returns the names of the features: that of the column, or
// "column=category" for one of its categories.
func (e *Encoder) Features() []string {
	var names []string
	for i := range e.Columns {
		switch k := &e.Columns[i]; {
		case k.LeftOut != "":
		case k.Kind == Categorical:
			for _, category := range k.Categories {
				names = append(names, k.Name+"="+category)
			}
		default:
			names = append(names, k.Name)
		}
	}
	return names
}

// Warnings returns a sentence for each column that is left out.
func (e *Encoder) Warnings() []string {
	var out []string
	for i := range e.Columns {
		if k := &e.Columns[i]; k.LeftOut != "" {
			out = append(out, fmt.Sprintf("column %s is left out: %s", quote(k.Name), k.LeftOut))
		}
	}
	return out
}

// Transform encodes the rows of f, whose columns are found by name, in any order.
// Columns that the encoder does not know are ignored. It fails if one that it
// needs is absent or of another kind, unless both are of LIBSVM's kind, where
// absent means zero, if the labels are others, and if a value is so far from the training rows that its
// encoding is no finite float32. Numbers may stand for categories and are
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
}

func (e *Encoder) plan() (*transform, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	t := &transform{encoder: e, features: e.Features(), index: make([]map[string]int, len(e.Columns))}
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
			return fmt.Errorf("dataset: column %q of %q holds %s, but the encoder was fitted on a column that is %v", k.Name, f.source, what, k.Kind)
		}
		sources[i] = c
	}
	if len(absent) > 0 {
		return fmt.Errorf("dataset: %q has no column %s, which the encoder was fitted on; it has %s", f.source, list(absent), list(f.Names()))
	}

	y, err := t.encoder.Label.of(f)
	if err != nil {
		return err
	}
	rows, width := f.Rows(), len(t.features)
	m.Source, m.Features, m.Y, m.Warnings = f.source, t.features, y, nil
	m.X = slices.Grow(m.X[:0], rows*width)[:rows*width]
	unknown := make([]int, len(sources))
	example := make([]string, len(sources))
	var values [chunkRows]float64
	// Rows are encoded a block at a time, so that the block stays in the cache while it
	// is written column by column.
	for first := 0; first < rows; first += chunkRows {
		n := min(chunkRows, rows-first)
		out := m.X[first*width : (first+n)*width]
		at := 0
		for i, c := range sources {
			k := &t.encoder.Columns[i]
			switch {
			case k.LeftOut != "":
				continue
			case k.Kind == Numeric:
				c.read(f.rows, first, values[:n])
				for j, x := range values[:n] {
					if x != x {
						x = k.Median
					}
					z := float32((x - k.Mean) / k.Scale)
					if z-z != 0 {
						return fmt.Errorf("dataset: column %q of %q holds %v, which standardised with mean %v and deviation %v is no finite float32", k.Name, f.source, x, k.Mean, k.Scale)
					}
					out[j*width+at] = z
				}
			default:
				for j := range n {
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
					if unknown[i]++; example[i] == "" {
						example[i] = text
					}
				}
			}
			at += k.width()
		}
	}
	for i, n := range unknown {
		if n > 0 {
			m.Warnings = append(m.Warnings, fmt.Sprintf("column %s has a category that the training rows had not, such as %s, in %s; it is encoded as none of them",
				quote(t.encoder.Columns[i].Name), quote(example[i]), count(n, "row")))
		}
	}
	return nil
}

// of returns the labels of f as the encoder has them: +1 for its positive label,
// whichever that is to f.
func (l *LabelEncoding) of(f *Frame) ([]float64, error) {
	y := f.Labels()
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
// The matrix is overwritten by the next. An error is yielded once, without a matrix, and ends the rows.
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

// Validate returns an error unless the encoder can encode, which matters to one
// that was not made by [FitEncoder] but read from a file.
func (e *Encoder) Validate() error {
	if e == nil {
		return errors.New("dataset: the encoder is nil; look at the error of the call that should have made it")
	}
	switch {
	case e.Width < 0 || e.Width > maxColumns || e.Label.Position < 0 || e.Label.Position > e.Width || len(e.Columns) > max(e.Width, 1):
		return fmt.Errorf("dataset: the encoder has %d columns of %d, and the label at %d; it is damaged", len(e.Columns), e.Width, e.Label.Position)
	case e.Label.Negative == e.Label.Positive && e.Label.Negative != "":
		return fmt.Errorf("dataset: the encoder has the label %s for both classes; it is damaged", quote(e.Label.Negative))
	}
	names := make(map[string]bool, len(e.Columns))
	width := 0
	for i := range e.Columns {
		k := &e.Columns[i]
		reason := ""
		switch finite := k.Median-k.Median == 0 && k.Mean-k.Mean == 0 && k.Scale-k.Scale == 0; {
		case k.Name == "" || names[k.Name]:
			reason = "has no name of its own"
		case k.LeftOut != "":
		case k.Kind == Numeric && !(finite && k.Scale > 0):
			reason = fmt.Sprintf("has median %v, mean %v and scale %v; they must be finite, and the scale positive", k.Median, k.Mean, k.Scale)
		case k.Kind == Categorical && (len(k.Categories) == 0 || len(k.Categories) > maxTexts):
			reason = fmt.Sprintf("has %d categories; there must be from 1 to %d", len(k.Categories), maxTexts)
		case k.Kind == Categorical && !slices.Contains(k.Categories, k.MostFrequent):
			reason = fmt.Sprintf("has %s for its most frequent category, which is none of them", quote(k.MostFrequent))
		case k.Kind == Categorical && hasDuplicates(k.Categories):
			reason = "has a category twice, or an empty one"
		case k.Kind != Numeric && k.Kind != Categorical:
			reason = fmt.Sprintf("is of kind %v, which cannot be encoded", k.Kind)
		}
		if reason != "" {
			return fmt.Errorf("dataset: column %d (from 1) of the encoder, %s, %s", i+1, quote(k.Name), reason)
		}
		names[k.Name] = true
		width += k.width()
	}
	if width == 0 || width > maxColumns {
		return fmt.Errorf("dataset: the encoder makes %d features; it must make from 1 to %d", width, maxColumns)
	}
	return nil
}

func hasDuplicates(texts []string) bool {
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if text == "" || seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// String describes the encoder, a line a column.
func (e *Encoder) String() string {
	var b strings.Builder
	for i := range e.Columns {
		k := &e.Columns[i]
		fmt.Fprintf(&b, "%s: ", k.Name)
		switch {
		case k.LeftOut != "":
			fmt.Fprintf(&b, "left out: %s\n", k.LeftOut)
		case k.Kind == Categorical:
			fmt.Fprintf(&b, "%d categories, %s where missing\n", len(k.Categories), quote(k.MostFrequent))
		default:
			fmt.Fprintf(&b, "(x - %.6g)/%.6g, %.6g where missing\n", k.Mean, k.Scale, k.Median)
		}
	}
	return b.String()
}

// meanAndDeviation returns the mean and the population standard deviation.
func meanAndDeviation(values []float64) (mean, deviation float64) {
	// Two passes, since the textbook shortcut of subtracting the squared mean
	// from the mean square cancels badly. The mean is taken of differences from
	// the first value, so that a constant column has exactly its value for a mean.
	n := float64(len(values))
	for _, x := range values {
		mean += x - values[0]
	}
	mean = values[0] + mean/n
	largest := 0.0
	for _, x := range values {
		largest = max(largest, math.Abs(x-mean))
	}
	if largest == 0 {
		return mean, 0
	}
	// Divided by the largest, no square leaves the range of float64.
	sum := 0.0
	for _, x := range values {
		d := (x - mean) / largest
		sum += d * d
	}
	return mean, largest * math.Sqrt(sum/n)
}

// median returns the median of values, which it reorders: the middle one, or the mean of the
// middle two.
func median(values []float64) float64 {
	k := len(values) / 2
	selectKth(values, k)
	if len(values)%2 == 1 {
		return values[k]
	}
	low, high := slices.Max(values[:k]), values[k]
	if m := (low + high) / 2; m-m == 0 {
		return m
	}
	return low/2 + high/2
}

// selectKth reorders values so that the one of rank k (from 0) is at k, with none
// greater before it and none less after it (Hoare's quickselect, on three parts so
// that equal values cost nothing). Orders that defeat it are sorted.
func selectKth(values []float64, k int) {
	for budget := 32; len(values) > 12; budget-- {
		if budget == 0 {
			break
		}
		a, b, c := values[0], values[len(values)/2], values[len(values)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		less, i, greater := 0, 0, len(values)
		for i < greater {
			switch v := values[i]; {
			case v < pivot:
				values[i], values[less] = values[less], v
				less++
				i++
			case v > pivot:
				greater--
				values[i], values[greater] = values[greater], v
			default:
				i++
			}
		}
		switch {
		case k < less:
			values = values[:less]
		case k >= greater:
			values, k = values[greater:], k-greater
		default:
			return
		}
	}
	slices.Sort(values)
}
