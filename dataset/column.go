package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of values that a column holds.
type Kind int

const (
	Numeric     Kind = iota // numbers
	Categorical             // one of a few texts
	Text                    // too many different texts to be categories; they are not kept
)

var kindNames = [...]string{"numeric", "categorical", "text"}

// String returns the kind's name, such as "numeric".
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(kindNames) {
		return nil, fmt.Errorf("dataset: %v is no kind of column", k)
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText accepts a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("dataset: %s is no kind of column; the kinds are numeric, categorical and text", quote(string(text)))
	}
	*k = Kind(i)
	return nil
}

const (
	chunkBits = 9
	chunkRows = 1 << chunkBits // values that are stored at once
	chunkMask = chunkRows - 1

	maxTexts      = 4096 // different texts that a column may have before they are given up
	maxTextLength = 256  // bytes of a text that can be a category

	codeMissing = 0xFFFF // code of a missing value
	codeUnknown = 0xFFFE // code of a category that the encoder does not know
)

// textNote says of a column of kind Text why it is not kept.
var textNote = fmt.Sprintf("it has more than %d different values, or long ones, so it is likely to be an identifier or free text", maxTexts)

// chunk is a stretch of numbers, in one of two precisions.
type chunk struct {
	f32 []float32
	f64 []float64
}

// newChunk stores values in as few bytes as hold them exactly, once they are rounded
// to float32 unless exact is set or they are beyond its range. What becomes of
// a value does not depend on its neighbours, so that rows are encoded in the same way
// however they are read.
func newChunk(values []float64, exact bool) chunk {
	wide := false
	for i, v := range values {
		rounded := float64(float32(v))
		if !exact && finite(rounded) {
			values[i] = rounded
		} else if rounded != v && !math.IsNaN(v) {
			wide = true
		}
	}
	if wide {
		return chunk{f64: slices.Clone(values)}
	}
	c := chunk{f32: make([]float32, len(values))}
	for i, v := range values {
		c.f32[i] = float32(v)
	}
	return c
}

// needsFloat64 reports whether rounding to float32 would move a value by more than
// 1/65536 of the stretch between the smallest and the largest, as happens to dates in
// seconds and other large numbers that differ by little.
func needsFloat64(values []float64) bool {
	low, high, moved := math.Inf(1), math.Inf(-1), 0.0
	for _, v := range values { // comparisons with NaN are false
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
		if d := math.Abs(float64(float32(v)) - v); d > moved {
			moved = d
		}
	}
	return moved > 0 && !(moved <= (high-low)/(1<<16))
}

// storage is how a column keeps its values.
type storage int

const (
	coded  storage = iota // a code a row, and a dictionary of texts
	plain                 // numbers in chunks
	sparse                // the numbers that are not zero, with their rows
	unkept                // nothing
)

// column is the values of one feature, filled row by row.
//
// A column that is read without knowing its kind starts as codes into a dictionary.
// If nothing but numbers turn up, it is numeric, and once there are many
// different ones they are stored plainly. If any other text turns up it is
// categorical, without a number having lost its spelling.
type column struct {
	name     string
	n        int // rows
	missing  int
	storage  storage
	category bool // values are categories whatever they look like

	codes    []uint16
	texts    []string
	values   []float64 // of texts that are numbers, else NaN
	words    int       // texts that are not numbers
	decimals int       // those of them that would be with a decimal comma
	word     string    // the first of them
	wordLine int
	mixed    bool // they turned up among numbers
	index    map[string]uint16
	maxCodes int // different numbers before they are stored plainly

	chunks  []chunk
	pending []float64
	exact   bool // numbers are not rounded to float32; the first chunk tells, or an encoder
	told    bool

	rows    []int32 // of sparse
	nonzero []float64

	known   bool // the dictionary is an encoder's
	unknown string

	// What tells an identifier: numbers that count up by one, or are all whole.
	counts, whole bool
	last          float64
}

func newColumn(name string, columns int) *column {
	c := &column{name: name, counts: true, whole: true, maxCodes: 256}
	if columns > 256 {
		c.maxCodes = 32 // a dictionary for each of many columns adds up
	}
	return c
}

// kind is the kind of the values so far.
func (c *column) kind() Kind {
	switch {
	case c.storage == unkept:
		return Text
	case c.storage == coded && (c.category || c.words > 0):
		return Categorical
	}
	return Numeric
}

// add appends a cell, or returns the reason why it cannot.
func (c *column) add(cell string, line int) (reason string) {
	if isMissing(cell) {
		c.addMissing()
		return ""
	}
	switch c.storage {
	case plain:
		x, reason := parseNumber(cell)
		if reason != "" {
			return reason
		}
		c.addNumber(x)
		return ""
	case unkept:
		c.n++
		return ""
	}
	code, ok := c.index[cell]
	if !ok {
		if reason := c.learn(cell, line); reason != "" {
			return reason
		}
		if c.storage != coded {
			return c.add(cell, line)
		}
		if c.known {
			code = codeUnknown
		} else {
			code = uint16(len(c.texts) - 1)
		}
	}
	c.codes = append(c.codes, code)
	c.n++
	if code != codeUnknown {
		c.observe(c.values[code])
	}
	return ""
}

// learn puts a new text into the dictionary, or changes the storage if that is full.
func (c *column) learn(cell string, line int) (reason string) {
	if c.known {
		if c.unknown == "" {
			c.unknown = strings.Clone(cell)
		}
		return ""
	}
	var x float64
	if !c.category {
		x, reason = parseNumber(cell)
	}
	if c.category || reason != "" {
		x = math.NaN()
		switch {
		case !c.category && c.words == 0 && errors.Is(numberError(cell), errNotFinite):
			return reason
		case !utf8.ValidString(cell):
			return quote(cell) + " is not UTF-8 text; save the file in that encoding"
		}
		if c.words == 0 {
			c.word, c.wordLine = strings.Clone(cell), line
		}
		if c.words++; looksDecimal(cell) {
			c.decimals++
		}
	} else if c.words == 0 && len(c.texts) >= c.maxCodes {
		c.toPlain()
		return ""
	}
	if len(c.texts) >= maxTexts || len(cell) > maxTextLength {
		*c = column{name: c.name, n: c.n, missing: c.missing, storage: unkept,
			words: c.words, decimals: c.decimals, word: c.word, wordLine: c.wordLine, mixed: c.mistaken()}
		return ""
	}
	if c.index == nil {
		c.index = make(map[string]uint16)
	}
	cell = strings.Clone(cell) // a piece of its record, which must not be kept alive
	c.index[cell] = uint16(len(c.texts))
	c.texts = append(c.texts, cell)
	c.values = append(c.values, x)
	return ""
}

// mistaken reports whether the column looks like numbers with a few mistakes.
func (c *column) mistaken() bool {
	return c.mixed || !c.category && c.words > 0 && len(c.texts) >= 16 && c.words*8 <= len(c.texts)
}

// hasDecimalCommas reports whether nearly all texts of the column that are not numbers would be with a
// decimal comma, though they were not declared categories.
func (c *column) hasDecimalCommas() bool {
	return !c.category && c.words > 0 && c.decimals*20 >= c.words*19
}

func (c *column) addMissing() {
	c.missing++
	switch c.storage {
	case coded:
		c.codes = append(c.codes, codeMissing)
	case plain:
		c.push(math.NaN())
	}
	c.n++
	c.counts = false
}

func (c *column) addNumber(x float64) {
	c.push(x)
	c.n++
	c.observe(x)
}

// push stores a number, NaN for a missing one.
func (c *column) push(x float64) {
	c.pending = append(c.pending, x)
	if len(c.pending) == chunkRows {
		c.seal()
	}
}

// seal stores the pending numbers.
func (c *column) seal() {
	if !c.told {
		c.exact, c.told = needsFloat64(c.pending), true
	}
	c.chunks = append(c.chunks, newChunk(c.pending, c.exact))
	c.pending = c.pending[:0]
}

// addSparse stores the number of a row; rows in between are zero.
func (c *column) addSparse(row int, x float64) {
	c.rows = append(c.rows, int32(row))
	c.nonzero = append(c.nonzero, x)
}

// observe notes what tells an identifier.
func (c *column) observe(x float64) {
	if c.counts && c.n > 1 && x != c.last+1 || x != math.Trunc(x) { // NaN too
		c.counts = false
	}
	c.whole = c.whole && x == math.Trunc(x) && math.Abs(x) <= 1<<53 // beyond, all are
	c.last = x
}

// toPlain stores the numbers so far plainly.
func (c *column) toPlain() {
	c.storage = plain
	for _, code := range c.codes {
		if code == codeMissing {
			c.push(math.NaN())
		} else {
			c.push(c.values[code])
		}
	}
	c.codes, c.texts, c.values, c.index = nil, nil, nil, nil
}

// finish is called after the last row.
func (c *column) finish() (line int, reason string) {
	if c.mistaken() {
		return c.wordLine, quote(c.word) + " is not a number, though most values of the column are; mend it, leave it empty if it is not known, or declare the column a category"
	}
	if len(c.pending) > 0 {
		c.seal()
		c.pending = nil
	}
	return 0, ""
}

// at returns the number of a row of a plain or coded column, NaN if it is missing or none.
func (c *column) at(row int) float64 {
	if c.storage == coded {
		if code := c.codes[row]; int(code) < len(c.values) {
			return c.values[code]
		}
		return math.NaN()
	}
	k := &c.chunks[row>>chunkBits]
	if k.f32 != nil {
		return float64(k.f32[row&chunkMask])
	}
	return k.f64[row&chunkMask]
}

// read writes the numbers of rows[first], rows[first+1] and so on to dst. If rows
// is nil they are the rows from first on.
func (c *column) read(rows []int, first int, dst []float64) {
	next, previous := 0, math.MaxInt
	for i := range dst {
		row := first + i
		if rows != nil {
			row = rows[first+i]
		}
		if c.storage != sparse {
			dst[i] = c.at(row)
			continue
		}
		if row < previous {
			next, _ = slices.BinarySearch(c.rows, int32(row))
		}
		for next < len(c.rows) && int(c.rows[next]) < row {
			next++
		}
		previous, dst[i] = row, 0
		if next < len(c.rows) && int(c.rows[next]) == row {
			dst[i] = c.nonzero[next]
		}
	}
}

// text returns the text of a row, "" if it is missing.
func (c *column) text(row int) string {
	switch c.storage {
	case coded:
		switch code := c.codes[row]; code {
		case codeMissing:
			return ""
		case codeUnknown:
			return c.unknown
		default:
			return c.texts[code]
		}
	case unkept:
		return ""
	}
	var x [1]float64
	c.read(nil, row, x[:])
	if math.IsNaN(x[0]) {
		return ""
	}
	return formatNumber(x[0])
}

// formatNumber spells a number as a file would.
func formatNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// reset empties the column for the next rows.
func (c *column) reset() {
	c.n, c.missing, c.unknown = 0, 0, ""
	c.codes, c.rows, c.nonzero, c.chunks = c.codes[:0], c.rows[:0], c.nonzero[:0], c.chunks[:0]
}

var errNotFinite = errors.New("not finite")

// numberError tells why a cell is not a number.
func numberError(cell string) error {
	x, err := strconv.ParseFloat(cell, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(cell, "_xX"):
		return strconv.ErrSyntax // the syntax of Go is not that of data
	case err != nil:
		return errNotFinite
	case !finite(x):
		return errNotFinite
	}
	return nil
}

// parseNumber returns the number that a cell holds, or the reason why it holds none.
func parseNumber(cell string) (x float64, reason string) {
	x, err := strconv.ParseFloat(cell, 64)
	if err == nil && finite(x) && strings.IndexByte(cell, '_') < 0 && (len(cell) < 2 || cell[1]|0x20 != 'x' && (len(cell) < 3 || cell[2]|0x20 != 'x')) {
		return x, ""
	}
	if errors.Is(numberError(cell), errNotFinite) {
		if errors.Is(err, strconv.ErrRange) {
			return 0, quote(cell) + " is beyond the range of float64"
		}
		return 0, quote(cell) + " is not a finite number; mend it, or leave it empty if it is not known"
	}
	if looksDecimal(cell) {
		return 0, quote(cell) + " has a decimal comma; set the option decimal to a comma when reading CSV, or write the numbers with a point"
	}
	return 0, quote(cell) + " is not a number, and the column holds numbers; mend it, leave it empty if it is not known, or declare the column a category"
}
