package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schema is what was found out about a [Frame], to be looked at before training.
type Schema struct {
	Source   string
	Layout   string // such as "CSV separated by semicolons, with a header"
	Rows     int
	Label    string // name of the label; "" if there is none
	Negative string // label that became -1, and the number of its rows
	Positive string // label that became +1, and the number of its rows

	Negatives, Positives int

	// Notes are sentences about what may not have been read as it was meant: lines of a CSV file that begin with
	// #, blank lines where they may be rows, further arrays of an NPZ file.
	Notes []string

	Columns []ColumnSchema // the features
	Dropped []string       // columns that were left out as asked
}

// ColumnSchema is what was found out about a column.
type ColumnSchema struct {
	Name       string
	Kind       Kind
	Missing    int      // rows without a value
	Min, Max   float64  // of a numeric column, NaN if it has no values
	Categories []string // of a categorical column, in lexicographic order

	// Notes are sentences about what may be wrong with the column: it is constant, without
	// values, looks like an identifier, or is categorical for the sake of few values among numbers.
	Notes []string
}

const decimalNote = "its values look like numbers with a decimal comma; set the option decimal to a comma when reading CSV, or write them with a point"

// identifierRows is how many rows it takes to tell an identifier.
const identifierRows = 20

// Schema looks at the rows of f.
func (f *Frame) Schema() *Schema {
	if f == nil {
		return new(Schema)
	}
	s := &Schema{Source: f.source, Layout: f.layout.String(), Rows: f.Rows(),
		Label: f.label, Negative: f.negative, Positive: f.positive, Notes: f.layout.notes, Dropped: f.layout.dropped}
	for _, y := range f.Labels() {
		if y > 0 {
			s.Positives++
		} else {
			s.Negatives++
		}
	}
	values := make([]float64, f.Rows())
	for _, c := range f.columns {
		k := ColumnSchema{Name: c.name, Kind: c.kind(), Min: nan, Max: nan}
		switch k.Kind {
		case Numeric:
			k.lookAtNumbers(c, f, values)
		case Categorical:
			k.lookAtCategories(c, f)
		default:
			k.Missing = c.gaps(f.rows)
			if c.hasDecimalCommas() {
				k.Notes = append(k.Notes, decimalNote)
				break
			}
			k.Notes = append(k.Notes, textNote)
		}
		s.Columns = append(s.Columns, k)
	}
	return s
}

func (k *ColumnSchema) lookAtNumbers(c *column, f *Frame, values []float64) {
	c.read(f.rows, 0, values)
	for _, x := range values {
		switch {
		case math.IsNaN(x):
			k.Missing++
			continue
		case !(x >= k.Min):
			k.Min = x
		}
		if !(x <= k.Max) {
			k.Max = x
		}
	}
	switch n := len(values); {
	case k.Missing == n:
		k.Notes = append(k.Notes, "it has no values")
	case k.Min == k.Max && n > 1:
		k.Notes = append(k.Notes, "it is constant")
	case k.Missing > 0 || n < identifierRows || c.storage == sparse:
	case c.counts:
		k.Notes = append(k.Notes, "it counts the rows, so it is likely to be a row number; drop it")
	case c.whole && allDifferent(values):
		k.Notes = append(k.Notes, "its values are whole and all different, so it may be an identifier; drop it if it is")
	}
}

func (k *ColumnSchema) lookAtCategories(c *column, f *Frame) {
	seen := make([]int, len(c.texts))
	once := true
	present, numbers, word := 0, 0, ""
	for i := range f.Rows() {
		switch code := c.codes[f.row(i)]; {
		case code == codeMissing:
			k.Missing++
		case int(code) < len(seen):
			seen[code]++
			once = once && seen[code] == 1
		}
	}
	for code, n := range seen {
		if n == 0 {
			continue
		}
		k.Categories = append(k.Categories, c.texts[code])
		if present += n; !math.IsNaN(c.values[code]) {
			numbers += n
		} else if word == "" {
			word = c.texts[code]
		}
	}
	slices.Sort(k.Categories)
	switch n := len(k.Categories); {
	case n > 1 && c.hasDecimalCommas():
		k.Notes = append(k.Notes, decimalNote)
	case n == 0:
		k.Notes = append(k.Notes, "it has no values")
	case n == 1 && k.Missing == 0 && f.Rows() > 1:
		k.Notes = append(k.Notes, "it is constant")
	case !c.category && numbers < present && numbers*20 >= present*19:
		if word == c.word { // whose line is known
			word = fmt.Sprintf("%s in line %d", quote(word), c.wordLine)
		} else {
			word = quote(word)
		}
		k.Notes = append(k.Notes, fmt.Sprintf("%s is not a number, though %d of the %d values are, so all are taken for categories; mend it, or leave it empty if it is not known",
			word, numbers, present))
	case once && n >= identifierRows:
		k.Notes = append(k.Notes, "its values are all different, so it is likely to be an identifier; drop it")
	}
}

// allDifferent reports whether no value comes twice. It may reorder them.
func allDifferent(values []float64) bool {
	for _, n := range []int{min(len(values), chunkRows), len(values)} { // most columns are told by the first few
		part := values[:n]
		slices.Sort(part)
		for i := 1; i < n; i++ {
			if part[i] == part[i-1] {
				return false
			}
		}
	}
	return true
}

const (
	maxSchemaLines = 100 // columns that String has lines of their own for
	maxSchemaNames = 5   // columns that it names in one line
)

// String returns a line about the file, one about the label, one that names the first of the columns of numbers
// without gaps and notes, one for each of the notes about the file, and one for every other column, at most a hundred.
func (s *Schema) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s; %s, %s\n", s.Source, s.Layout, count(s.Rows, "row"), count(len(s.Columns), "feature"))
	if s.Label != "" {
		fmt.Fprintf(&b, "%s: %d %s (+1), %d %s (-1)\n", bare(s.Label), s.Positives, bare(s.Positive), s.Negatives, bare(s.Negative))
	}
	var plain []string
	var others []*ColumnSchema
	for i := range s.Columns {
		if k := &s.Columns[i]; k.Kind == Numeric && k.Missing == 0 && len(k.Notes) == 0 {
			plain = append(plain, bare(k.Name))
		} else {
			others = append(others, k)
		}
	}
	if n := len(plain); n > 0 {
		if n > maxSchemaNames {
			plain = append(plain[:maxSchemaNames], fmt.Sprintf("%d more", n-maxSchemaNames))
		}
		fmt.Fprintf(&b, "numbers without gaps: %s\n", strings.Join(plain, ", "))
	}
	for _, note := range s.Notes {
		fmt.Fprintln(&b, note)
	}
	for _, k := range others[:min(len(others), maxSchemaLines)] {
		fmt.Fprintln(&b, k)
	}
	if n := len(others) - maxSchemaLines; n > 0 {
		fmt.Fprintf(&b, "and %s\n", count(n, "more column"))
	}
	for _, name := range s.Dropped {
		fmt.Fprintf(&b, "%s: dropped\n", quote(name))
	}
	return b.String()
}

// String describes the column in one line.
func (k *ColumnSchema) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", quote(k.Name), k.Kind)
	switch {
	case k.Kind == Numeric && !math.IsNaN(k.Min):
		fmt.Fprintf(&b, ", %s to %s", shortNumber(k.Min), shortNumber(k.Max))
	case k.Kind == Categorical:
		if n := len(k.Categories); n > 0 {
			fmt.Fprintf(&b, ", %d different: %s", n, listSome(k.Categories, 5))
		}
	}
	if k.Missing > 0 {
		fmt.Fprintf(&b, ", missing in %s", count(k.Missing, "row"))
	}
	for _, note := range k.Notes {
		fmt.Fprintf(&b, "; %s", note)
	}
	return b.String()
}

func shortNumber(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// String describes the layout, such as "CSV separated by semicolons, with a header".
func (l layout) String() string {
	switch l.format {
	case AutoFormat:
		return "made by a program"
	case LIBSVM:
		return "LIBSVM"
	case NPY, NPZ:
		return l.format.String() + " array"
	}
	if l.header {
		return "CSV separated by " + separatorName(l.comma) + ", with a header"
	}
	return "CSV separated by " + separatorName(l.comma) + ", without a header"
}
