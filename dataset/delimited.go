package dataset

import (
	"bufio"
	"bytes"
	"cmp"
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
	text, sample, err := b.wholeLines(text, sample)
	if err != nil {
		return err
	}
	plan := b.planCSV(sample) // reading on overwrites the sample
	b.layout.format, b.layout.comma, b.layout.header = CSV, plan.comma, plan.header
	switch c := plan.comma; {
	case c == '"' || c == '\r' || c == '\n' || c == comment || c == utf8.RuneError || !utf8.ValidRune(c):
		return &ParseError{Source: b.source, Reason: "cells cannot be separated by " + strconv.QuoteRune(c) + "; use a comma, a semicolon or a tab"}
	}
	switch d := cmp.Or(b.opts.Decimal, '.'); {
	case d != '.' && d != ',':
		return &ParseError{Source: b.source, Reason: "numbers cannot have " + strconv.QuoteRune(d) + " for a decimal point; use a point or a comma"}
	case d == b.opts.Comma:
		return &ParseError{Source: b.source, Reason: "cells cannot be separated by " + strconv.QuoteRune(d) + ", which numbers have before their decimals; set the option comma or decimal to something else"}
	}
	b.csv = &csvLines{source: b.source, text: text, comma: utf8.AppendRune(nil, plan.comma), plan: plan, width: plan.width}
	return b.csv.explain(b.readRecords(b.csv))
}

// readRecords reads the records of lines.
func (b *builder) readRecords(lines *csvLines) error {
	records := csv.NewReader(lines)
	records.Comma = lines.plan.comma
	records.ReuseRecord = true
	records.TrimLeadingSpace = lines.plan.comma != '\t' // which is space too
	records.FieldsPerRecord = -1                        // the rows are counted here, where more can be said
	next := func() ([]string, error) {
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
		reason := "the file is empty; a header line and rows are needed"
		if lines.comments > 0 {
			reason = "the file has nothing but lines that begin with #, which are taken for comments; a header line and rows are needed"
		}
		return &ParseError{Source: b.source, Reason: reason}
	}
	if err != nil {
		return err
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
			return b.flush()
		}
		if full := b.makeRoom(); full != nil {
			return full
		}
		if err != nil {
			return err
		}
	}
}

// addRecord appends a row.
func (b *builder) addRecord(record []string) error {
	if len(record) != len(b.names) {
		mend := "write every cell, even if it is empty"
		if len(record) > len(b.names) {
			mend = "enclose a cell in quotes if it contains the separator"
		}
		mend += b.separatorHint(record...)
		if b.layout.header {
			return b.rowError("the row has %s, but the header names %s; %s", count(len(record), "cell"), count(len(b.names), "column"), mend)
		}
		return b.rowError("the row has %s, but the first has %d; %s", count(len(record), "cell"), len(b.names), mend)
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
	b.n++
	return nil
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
				Reason: "the header has this name twice, for columns " + strconv.Itoa(first+1) + " and " + strconv.Itoa(i+1) +
					"; rename one of them, or if the first line is a row, set the option header to no"}
		}
		position[name] = i
		names[i] = name
	}
	return names, nil
}

// syntaxError is the error of a record that cannot be read beyond the given cells.
func (b *builder) syntaxError(err error, cells int) error {
	var syntax *csv.ParseError
	var columns columnLimitError
	switch {
	case errors.As(err, &columns):
		return &ParseError{Source: b.source, Line: columns.line, Reason: columns.Error()}
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

// separatorName is what a separator is called in a sentence.
func separatorName(comma rune) string {
	if name := map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs"}[comma]; name != "" {
		return name
	}
	return strconv.QuoteRune(comma)
}

// separatorHint says what to do if the cells that an error is about were split in the wrong places, as they
// may have been if there is another separator in them, or nothing to split.
func (b *builder) separatorHint(cells ...string) string {
	if b.csv == nil || len(b.names) > 1 && !slices.ContainsFunc(cells, func(cell string) bool { return strings.ContainsAny(cell, ",;\t|") }) {
		return ""
	}
	return "; if something other than " + separatorName(b.layout.comma) + " separates the cells, set the option comma"
}

// separatorCandidates are what may separate cells if nothing else is said.
var separatorCandidates = []byte{'\t', ';', ','}

// findComma finds what separates cells: what gives all lines of the sample the same
// number of them, two or more. A tab is seldom part of a cell and goes first; of semicolons and commas it
// is those that give more cells, or else semicolons. If lines are uneven, it is what the first has most of.
func findComma(lines [][]byte) rune {
	var first, least, most [3]int
	for k, line := range lines {
		for i, c := range separatorCandidates {
			n, _ := separators(line, []byte{c}, false)
			if c == ',' {
				n -= decimalCommas(line)
			}
			if k == 0 {
				first[i], least[i], most[i] = n, n, n
			}
			least[i], most[i] = min(least[i], n), max(most[i], n)
		}
	}
	even := func(i int) bool { return least[i] > 0 && least[i] == most[i] }
	best := 2
	switch {
	case even(0):
		best = 0
	case even(1) && !(even(2) && least[2] > least[1]):
		best = 1
	case even(2):
	default:
		for i, n := range first {
			if n > first[best] {
				best = i
			}
		}
	}
	return rune(separatorCandidates[best])
}

// decimalCommas counts the cells of a line that are numbers with a decimal comma if semicolons separate them.
func decimalCommas(line []byte) (n int) {
	if bytes.IndexByte(line, ';') < 0 {
		return 0
	}
	for cell := range bytes.SplitSeq(line, []byte{';'}) {
		if looksDecimal(string(bytes.TrimSpace(cell))) {
			n++
		}
	}
	return n
}

// wantedLines is how many lines of a sample must be whole: one with sep=, a header and a row.
const wantedLines = 3

// wholeLines makes a sample of wide lines longer, until it has whole ones that do not begin with #, and returns a
// reader of the text with it. Lines that are too long to be read are left for later.
func (b *builder) wholeLines(text *bufio.Reader, sample []byte) (*bufio.Reader, []byte, error) {
	if b.whole || len(b.sampleLines(sample[:bytes.LastIndexByte(sample, '\n')+1], wantedLines, notComment)) == wantedLines {
		return text, sample, nil
	}
	candidates := append(utf8.AppendRune(nil, b.opts.Comma), separatorCandidates...)
	var start []byte
	for lines, begin, cells := 0, 0, 0; lines < wantedLines && !b.whole; {
		part, err := text.ReadSlice('\n')
		start = append(start, part...)
		for _, c := range candidates {
			cells += bytes.Count(part, []byte{c})
		}
		switch {
		case cells > maxColumns || len(start) > maxRecord:
			return again(start, text), start[:len(sample)], nil
		case err == io.EOF:
			b.whole = true
		case err == nil:
			if line := bytes.TrimRight(start[begin:], "\r\n"); len(line) > 0 && notComment(line) {
				lines++
			}
			begin, cells = len(start), 0
		case err != bufio.ErrBufferFull:
			return nil, nil, ioError(b.source, "read", err)
		}
	}
	return again(start, text), start, nil
}

// again returns a reader of text with what was read of it in front.
func again(start []byte, text io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(start), text), sampleSize)
}

// sampleLines returns the lines of a sample that are not blank and that keep accepts,
// at most n of them, without one that is cut off at the sample's end.
func (b *builder) sampleLines(sample []byte, n int, keep func(line []byte) bool) [][]byte {
	var lines [][]byte
	for len(sample) > 0 && len(lines) < n {
		line, rest, found := bytes.Cut(sample, []byte{'\n'})
		if !found && !b.whole && len(lines) > 0 {
			break
		}
		sample = rest
		if line = bytes.TrimRight(line, "\r"); len(line) > 0 && keep(line) {
			lines = append(lines, line)
		}
	}
	return lines
}
