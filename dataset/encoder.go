package dataset

import (
	"errors"
	"fmt"
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

	// Of a categorical column: all categories, and what a missing value is taken for.
	Categories   []string `json:"categories,omitempty"`
	MostFrequent string   `json:"most_frequent,omitempty"`
}

// EncoderOptions says how an encoder is fitted.
type EncoderOptions struct {
	// MaxCategories is the greatest number of categories of a column, at most 4096. A column with
	// more is likely to be an identifier and is left out, as Encoder.Warnings says. 0 means 64, or a
	// twentieth of the rows if that is more.
	MaxCategories int
}

// maxSparseCells limits how large a dense matrix may be made of sparse rows.
const maxSparseCells = 1 << 30

// FitEncoder fits an encoder on the rows of train. It fails if no column is left, if a mean or deviation is
// not finite, as happens with values near the end of the range of float64, or if two features
// would have one name, see [Encoder.Features].
func FitEncoder(train *Frame, opts EncoderOptions) (*Encoder, error) {
	if err := train.check(); err != nil {
		return nil, err
	}
	limit := opts.MaxCategories
	switch {
	case limit == 0:
		limit = min(max(64, train.Rows()/20), maxTexts)
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
			c.read(train.rows, 0, values)
			if err := k.fitNumbers(values, known, train.source); err != nil {
				return nil, err
			}
		case Categorical:
			k.fitCategories(c, train, limit)
		case Text:
			if k.LeftOut = textNote; c.hasDecimalCommas() {
				k.LeftOut = decimalNote
			}
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
	if err := e.checkFeatures(); err != nil {
		return nil, err
	}
	return e, nil
}

// checkDense reports sparse rows that would make too large a matrix.
func (f *Frame) checkDense(columns int) error {
	if f.layout.sparse && columns > maxSparseCells/f.Rows() {
		return fmt.Errorf("dataset: %q would make a dense matrix of %s by %s, more than %d values; leave rows or columns out",
			f.source, count(f.Rows(), "row"), count(columns, "column"), maxSparseCells)
	}
	return nil
}

// fitNumbers fits a numeric column with NaN for the missing values, which it fills
// in; known is memory for as many.
func (k *ColumnEncoding) fitNumbers(values, known []float64, source string) error {
	known = known[:0]
	for _, v := range values {
		if !math.IsNaN(v) {
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
		if math.IsNaN(v) {
			values[i] = k.Median
		}
	}
	low, high := slices.Min(known), slices.Max(known)
	k.Mean, k.Scale = MeanAndDeviation(values)
	if !finite(k.Mean + k.Scale) {
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
		k.LeftOut = fmt.Sprintf("it has %d different texts, more than the %d allowed, so it is likely to be an identifier; drop it, or raise the option MaxCategories", n, limit)
		if c.hasDecimalCommas() {
			k.LeftOut = decimalNote
		}
	}
	if k.LeftOut != "" {
		k.Missing, k.Categories, k.MostFrequent = 0, nil, ""
	}
}

// newColumn returns a column to read the values into.
func (k *ColumnEncoding) newColumn(columns int) *column {
	c := newColumn(k.Name, columns)
	if k.Kind == Numeric {
		c.storage = plain
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
	if e == nil {
		return nil
	}
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
	if e == nil {
		return nil
	}
	var out []string
	for i := range e.Columns {
		if k := &e.Columns[i]; k.LeftOut != "" {
			out = append(out, fmt.Sprintf("column %s is left out: %s", quote(k.Name), k.LeftOut))
		}
	}
	return out
}

var errNilEncoder = errors.New("dataset: the encoder is nil; look at the error of the call that should have made it")

// Validate returns an error unless the encoder can encode, which matters to one
// that was not made by [FitEncoder] but read from a file.
func (e *Encoder) Validate() error {
	if e == nil {
		return errNilEncoder
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
		switch {
		case k.Name == "" || names[k.Name]:
			reason = "has no name of its own"
		case k.LeftOut != "":
		case k.Kind == Numeric && !(finite(k.Median) && finite(k.Mean) && finite(k.Scale) && k.Scale > 0):
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
	return e.checkFeatures()
}

// checkFeatures returns an error if two features would have one name, as those of a column "a=b" and of the
// category "b" of a column "a" would.
func (e *Encoder) checkFeatures() error {
	if !slices.ContainsFunc(e.Columns, func(k ColumnEncoding) bool { return strings.Contains(k.Name, "=") }) {
		return nil // the longer of the two columns' names has the shorter and = in front
	}
	features := e.Features()
	owner := make(map[string]string, len(features)) // the column of each
	for i := range e.Columns {
		k := &e.Columns[i]
		for range k.width() {
			name := features[len(owner)]
			if other, taken := owner[name]; taken {
				return fmt.Errorf("dataset: columns %q and %q would both make a feature that is called %q; rename one of them", other, k.Name, name)
			}
			owner[name] = k.Name
		}
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
