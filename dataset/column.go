package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
	maxTexts      = 4096 // different texts that a column may have before they are given up
	maxTextLength = 256  // bytes of a text that can be a category

	codeMissing = 0xFFFF // code of a missing value
	codeUnknown = 0xFFFE // code of a category that the encoder does not know
)

// textNote says of a column of kind Text why it is not kept.
var textNote = fmt.Sprintf("it has more than %d different values, or long ones, so it is likely to be an identifier or free text", maxTexts)

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

	rows    []int32   // of sparse: those that are stored; of unkept: those without a value
	nonzero []float64 // of sparse

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
		x = nan
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
	} else if c.words == 0 && (len(c.texts) >= c.maxCodes || len(cell) > maxTextLength) {
		c.toPlain()
		return ""
	}
	if len(c.texts) >= maxTexts || len(cell) > maxTextLength {
		c.giveUp()
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
		c.push(nan)
	case unkept:
		c.rows = append(c.rows, int32(c.n))
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
	c.chunks = append(c.chunks, newChunk(c.pending))
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
			c.push(nan)
		} else {
			c.push(c.values[code])
		}
	}
	c.codes, c.texts, c.values, c.index = nil, nil, nil, nil
}

// giveUp forgets the texts so far, and keeps no others.
func (c *column) giveUp() {
	var gaps []int32
	for row, code := range c.codes {
		if code == codeMissing {
			gaps = append(gaps, int32(row))
		}
	}
	*c = column{name: c.name, n: c.n, missing: c.missing, storage: unkept, rows: gaps,
		words: c.words, decimals: c.decimals, word: c.word, wordLine: c.wordLine, mixed: c.mistaken()}
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
		return nan
	}
	k := &c.chunks[row>>chunkBits]
	return k.at(row & chunkMask)
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

// gaps returns how many of the rows have no value, of a column that keeps nothing else. If rows is nil they are all.
func (c *column) gaps(rows []int) (n int) {
	if rows == nil {
		return c.missing
	}
	for _, row := range rows {
		if _, missing := slices.BinarySearch(c.rows, int32(row)); missing {
			n++
		}
	}
	return n
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

// reset empties the column for the next rows.
func (c *column) reset() {
	c.n, c.missing, c.unknown = 0, 0, ""
	c.codes, c.rows, c.nonzero, c.chunks = c.codes[:0], c.rows[:0], c.nonzero[:0], c.chunks[:0]
}
