package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const comment = '#'

// readCSV reads delimited text, of which sample is the beginning.
func (b *builder) readCSV(text *bufio.Reader, sample []byte) error {
	b.layout.format, b.layout.comma = CSV, b.opts.Comma
	if b.layout.comma == 0 {
		b.layout.comma = findComma(sample)
	}
	switch c := b.layout.comma; {
	case c == '"' || c == '\r' || c == '\n' || c == comment || c == utf8.RuneError || !utf8.ValidRune(c):
		return &ParseError{Source: b.source, Reason: "cells cannot be separated by " + strconv.QuoteRune(c) + "; use a comma, a semicolon or a tab"}
	}
	b.layout.header = b.hasHeader(sample) // reading on overwrites the sample
	switch b.opts.Decimal {
	case 0, '.', ',':
	default:
		return &ParseError{Source: b.source, Reason: "numbers cannot have " + strconv.QuoteRune(b.opts.Decimal) + " for a decimal point; use a point or a comma"}
	}
	limit := &recordLimit{r: text}
	records := csv.NewReader(limit)
	records.Comma = b.layout.comma
	records.Comment = comment
	records.ReuseRecord = true
	records.TrimLeadingSpace = b.layout.comma != '\t' // which is space too
	records.FieldsPerRecord = -1                      // the rows are counted here, where more can be said
	next := func() ([]string, error) {
		limit.n = 0
		record, err := records.Read()
		if err == nil {
			b.line, _ = records.FieldPos(0)
			return record, nil
		}
		if err == io.EOF {
			return nil, err
		}
		return nil, b.syntaxError(err, len(record))
	}

	record, err := next()
	if err == io.EOF {
		return &ParseError{Source: b.source, Reason: "the file is empty; a header line and rows are needed"}
	}
	if err != nil {
		return err
	}
	if len(record) > maxColumns {
		return b.rowError("there are %d columns; there can be %d", len(record), maxColumns)
	}
	if b.layout.header {
		names, err := b.header(record)
		if err != nil {
			return err
		}
		if err := b.begin(names); err != nil {
			return err
		}
	} else if err := b.begin(positions(len(record))); err != nil {
		return err
	}
	for row := !b.layout.header; ; row = true {
		if row {
			if err := b.addRecord(record); err != nil {
				return err
			}
		}
		record, err = next()
		if err == io.EOF {
			return b.end()
		}
		if err != nil {
			return err
		}
	}
}

// addRecord appends a row.
func (b *builder) addRecord(record []string) error {
	if len(record) != len(b.names) {
		if b.layout.header {
			return b.rowError("the row has %s, but the header names %d columns", count(len(record), "cell"), len(b.names))
		}
		return b.rowError("the row has %s, but the first has %d", count(len(record), "cell"), len(b.names))
	}
	for i, cell := range record {
		if n := len(cell); n > 0 && (cell[0] <= ' ' || cell[n-1] <= ' ' || cell[0] >= utf8.RuneSelf || cell[n-1] >= utf8.RuneSelf) {
			cell = strings.TrimSpace(cell)
		}
		if b.opts.Decimal == ',' && looksDecimal(cell) {
			cell = strings.Replace(cell, ",", ".", 1)
		}
		var err error
		if i == b.label {
			err = b.addLabel(cell)
		} else {
			err = b.addCell(i, cell)
		}
		if err != nil {
			return err
		}
	}
	return b.endRow()
}

// header returns the column names in a record and checks that they tell columns apart.
func (b *builder) header(record []string) ([]string, error) {
	names := make([]string, len(record))
	position := make(map[string]int, len(record))
	for i, cell := range record {
		name := strings.Clone(strings.TrimSpace(cell))
		if name == "" {
			name = "column" + strconv.Itoa(i+1) // as row names have that other programs write
		}
		if !utf8.ValidString(name) {
			return nil, b.rowError("the column name %s is not UTF-8 text; save the file in that encoding", quote(name))
		}
		if first, ok := position[name]; ok {
			return nil, &ParseError{Source: b.source, Line: b.line, Column: name,
				Reason: "the header has this name twice, for columns " + strconv.Itoa(first+1) + " and " + strconv.Itoa(i+1)}
		}
		position[name] = i
		names[i] = name
	}
	return names, nil
}

// syntaxError is the error of a record that cannot be read beyond the given cells.
func (b *builder) syntaxError(err error, cells int) error {
	var syntax *csv.ParseError
	switch {
	case errors.Is(err, errRecordLimit):
		return b.rowError("the record after this line is longer than %d bytes; a quote may never be closed", maxRecord)
	case !errors.As(err, &syntax):
		return ioError(b.source, "read", err)
	}
	// A quote that is never closed is noticed at the end of the file; the line
	// to look at is the one where its record starts.
	e := &ParseError{Source: b.source, Line: syntax.StartLine, Err: err,
		Reason: `a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`}
	if cells < len(b.names) {
		e.Column = b.names[cells]
	}
	return e
}

var errRecordLimit = errors.New("the record is too long")

// recordLimit passes on a limited number of bytes for each record, so that a
// quote which is never closed does not take the memory of the whole file.
type recordLimit struct {
	r io.Reader
	n int // bytes since the record began
}

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.n > maxRecord {
		return 0, errRecordLimit
	}
	n, err := l.r.Read(p)
	l.n += n
	return n, err
}

// findComma finds what separates cells: what gives all lines of the sample the same
// number of them, two or more. A tab or semicolon is seldom part of a cell and
// goes before a comma, which may be a decimal comma. If lines are uneven,
// it is what the first has most of.
func findComma(sample []byte) rune {
	candidates := []byte{'\t', ';', ','}
	var first, least, most [3]int
	lines := 0
	for _, line := range sampleLines(sample, 100) {
		var n [3]int
		quoted := false
		for _, c := range line {
			if c == '"' {
				quoted = !quoted
			}
			if i := bytes.IndexByte(candidates, c); i >= 0 && !quoted {
				n[i]++
			}
		}
		for i := range n {
			if lines == 0 {
				first[i], least[i], most[i] = n[i], n[i], n[i]
			}
			least[i], most[i] = min(least[i], n[i]), max(most[i], n[i])
		}
		lines++
	}
	best := 2
	for i := range candidates {
		if least[i] > 0 && least[i] == most[i] {
			return rune(candidates[i])
		}
		if first[i] > first[best] {
			best = i
		}
	}
	return rune(candidates[best])
}

// sampleLines returns the lines of a sample that are neither blank nor comments,
// at most n of them, without one that is cut off at the sample's end.
func sampleLines(sample []byte, n int) [][]byte {
	var lines [][]byte
	whole := len(sample) < sampleSize-len(byteOrderMark)
	for len(sample) > 0 && len(lines) < n {
		line, rest, found := bytes.Cut(sample, []byte{'\n'})
		if !found && !whole && len(lines) > 0 {
			break
		}
		sample = rest
		if line = bytes.TrimRight(line, "\r"); len(line) > 0 && line[0] != comment {
			lines = append(lines, line)
		}
	}
	return lines
}

// hasHeader reports whether the first record of a file names the columns.
//
// Text above numbers is a name. A number, or a text that comes again below, is
// a value; but numbers that count the columns are names, as some programs write.
func (b *builder) hasHeader(sample []byte) bool {
	switch {
	case b.opts.Header == HasHeader:
		return true
	case b.opts.Header == NoHeader:
		return false
	case b.opts.For != nil:
		return b.opts.For.Header
	}
	records := csv.NewReader(bytes.NewReader(bytes.Join(sampleLines(sample, 200), []byte{'\n'})))
	records.Comma, records.LazyQuotes, records.FieldsPerRecord = b.layout.comma, true, -1
	rows, _ := records.ReadAll()
	if len(rows) == 0 {
		return true
	}
	first, rows := rows[0], rows[1:]
	names, values, counting := 0, 0, 0
	for i, cell := range first {
		cell = strings.TrimSpace(cell)
		if number(cell) || looksDecimal(cell) {
			values++
			if cell == strconv.Itoa(counting) {
				counting++
			}
			continue
		}
		if isMissing(cell) {
			continue
		}
		numbers, cells, again := 0, 0, false
		for _, row := range rows {
			if i >= len(row) {
				continue
			}
			below := strings.TrimSpace(row[i])
			if isMissing(below) {
				continue
			}
			cells++
			again = again || below == cell
			if number(below) || looksDecimal(below) {
				numbers++
			}
		}
		switch {
		case cells > 0 && numbers == cells:
			names++
		case again:
			values++
		}
	}
	if counting >= 3 && counting == values {
		return true
	}
	return names > values || names == 0 && values == 0
}

// looksDecimal reports whether a cell is a number with a decimal comma.
func looksDecimal(cell string) bool {
	whole, fraction, found := strings.Cut(cell, ",")
	return found && strings.IndexByte(fraction, ',') < 0 && strings.IndexByte(whole, '.') < 0 && number(whole+"."+fraction)
}

// number reports whether a cell is a number.
func number(cell string) bool { return numberError(cell) == nil }

// looksLikeLIBSVM reports whether the lines of a sample hold a label and pairs.
func looksLikeLIBSVM(sample []byte) bool {
	pairs := 0
	for _, line := range sampleLines(sample, 10) {
		if i := bytes.IndexByte(line, comment); i >= 0 {
			line = line[:i]
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 || bytes.IndexByte(fields[0], ':') >= 0 {
			return false
		}
		if len(sample) > sampleSize/2 && bytes.IndexByte(sample, '\n') < 0 {
			fields = fields[:len(fields)-1] // which may be cut off
		}
		if slices.ContainsFunc(fields[min(1, len(fields)):], func(field []byte) bool {
			index, value, found := bytes.Cut(field, []byte{':'})
			_, err := strconv.ParseUint(string(index), 10, 31)
			return !found || err != nil && string(index) != "qid" || !number(string(value)) && string(value) != "nan"
		}) {
			return false
		}
		pairs += max(len(fields)-1, 0)
	}
	return pairs > 0
}
