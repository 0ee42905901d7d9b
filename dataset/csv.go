package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// CSVOptions says which column of a CSV file is the label and which of its two
// values is the positive class. The zero value suits most files.
type CSVOptions struct {
	// Label is the name of the label column; "" means the last column.
	Label string

	// Positive is the label that becomes +1. "" means the greater of the two:
	// by value if both are numbers, otherwise in lexicographic order without
	// regard to case. So 1 is positive against 0 and against -1, "true" against
	// "false", "Yes" against "no" and "malignant" against "benign".
	Positive string
}

// OpenCSV reads the CSV file at path, as [ReadCSV] does.
func OpenCSV(path string, opts CSVOptions) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, ioError(path, "opened", err)
	}
	defer f.Close()
	return ReadCSV(f, path, opts)
}

// ReadCSV reads a table from CSV text (RFC 4180). The first line that is not
// blank is the header, which names the columns. One column is the label and
// holds exactly two different values, any strings; every other column is a
// feature and holds finite decimal numbers. Space around a cell is dropped, and
// so is a UTF-8 byte order mark.
//
// The source names the input in error messages and in the table, and is not
// opened. Every error is a [*ParseError]. Beyond the table itself, ReadCSV holds
// one record at a time.
func ReadCSV(r io.Reader, source string, opts CSVOptions) (*Table, error) {
	rows := newCSVRows(r, source)
	if err := rows.readHeader(); err != nil {
		return nil, err
	}
	label, err := rows.labelIndex(opts.Label)
	if err != nil {
		return nil, err
	}

	t := &Table{Source: source, Label: rows.header[label]}
	t.Features = append(t.Features, rows.header[:label]...)
	t.Features = append(t.Features, rows.header[label+1:]...)

	var classes labels
	for {
		record, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, cell := range record {
			cell = strings.TrimSpace(cell)
			if cell == "" {
				return nil, rows.cellError(i, "the cell is empty; fill it in or remove the row")
			}
			if i == label {
				y, ok := classes.encode(cell)
				if !ok {
					return nil, rows.cellError(i, "%s is a third label after %s and %s; a binary label has two values",
						quote(cell), quote(classes.values[0]), quote(classes.values[1]))
				}
				t.Y = append(t.Y, y)
				continue
			}
			x, reason := parseFeature(cell)
			if reason != "" {
				return nil, rows.cellError(i, "%s", reason)
			}
			t.X = append(t.X, x)
		}
	}
	if t.Rows() == 0 {
		return nil, &ParseError{Source: source, Reason: "the file has a header but no rows"}
	}

	var swapped bool
	var reason string
	t.Negative, t.Positive, swapped, reason = classes.resolve(opts.Positive)
	if swapped {
		for i := range t.Y {
			t.Y[i] = -t.Y[i]
		}
	}
	if reason != "" {
		return nil, &ParseError{Source: source, Column: t.Label, Reason: reason}
	}
	return t, nil
}

// parseFeature returns the value of a feature, or the reason why it has none.
func parseFeature(cell string) (x float64, reason string) {
	x, err := strconv.ParseFloat(cell, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, quote(cell) + " is beyond the range of float64"
	case err != nil || strings.ContainsAny(cell, "_xX"): // the syntax of Go, not of data
		return 0, quote(cell) + " is not a number, and every feature must be one; remove the column, or replace its values by numbers"
	case math.IsNaN(x) || math.IsInf(x, 0):
		return 0, quote(cell) + " is not a finite number; replace it or remove the row"
	}
	return x, ""
}

// csvRows reads records and knows where in the file it is.
type csvRows struct {
	source string
	csv    *csv.Reader
	header []string
	line   int // of the latest record
}

func newCSVRows(r io.Reader, source string) *csvRows {
	const byteOrderMark = "\uFEFF"
	text := bufio.NewReader(r)
	if start, _ := text.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		text.Discard(len(byteOrderMark))
	}
	c := csv.NewReader(text)
	c.ReuseRecord = true
	c.TrimLeadingSpace = true
	c.FieldsPerRecord = -1 // next compares with the header and says more
	return &csvRows{source: source, csv: c}
}

// readHeader reads the column names and checks that they tell columns apart.
func (c *csvRows) readHeader() error {
	record, err := c.read()
	if err == io.EOF {
		return &ParseError{Source: c.source, Reason: "the file is empty; a header line and rows are needed"}
	}
	if err != nil {
		return err
	}
	position := make(map[string]int, len(record))
	for i, cell := range record {
		name := strings.Clone(strings.TrimSpace(cell))
		if name == "" {
			return c.rowError("column %d has no name in the header; every column needs one", i+1)
		}
		if first, ok := position[name]; ok {
			return &ParseError{Source: c.source, Line: c.line, Column: name,
				Reason: fmt.Sprintf("the header has this name twice, for columns %d and %d", first+1, i+1)}
		}
		position[name] = i
		c.header = append(c.header, name)
	}
	if !slices.ContainsFunc(c.header, func(name string) bool { _, err := strconv.ParseFloat(name, 64); return err != nil }) {
		return c.rowError("the header is nothing but numbers, so it looks like a row; add a line that names the columns")
	}
	return nil
}

// labelIndex finds the label column by name and checks that features remain.
func (c *csvRows) labelIndex(name string) (int, error) {
	index := len(c.header) - 1
	if name != "" {
		for index >= 0 && c.header[index] != name {
			index--
		}
	}
	if index < 0 {
		return 0, &ParseError{Source: c.source, Line: c.line, Column: name,
			Reason: "the header has no such column for the label; it has " + list(c.header)}
	}
	if len(c.header) == 1 {
		return 0, c.cellError(0, "the label is the only column; features are needed beside it, separated by commas")
	}
	return index, nil
}

// next returns the next row, as many cells as the header has, valid until the
// call after. At the end of the file the error is io.EOF.
func (c *csvRows) next() ([]string, error) {
	record, err := c.read()
	if err != nil {
		return nil, err
	}
	if len(record) != len(c.header) {
		return nil, c.rowError("the row has %s, but the header names %d columns", count(len(record), "cell"), len(c.header))
	}
	return record, nil
}

// read returns the next record of any length.
func (c *csvRows) read() ([]string, error) {
	record, err := c.csv.Read()
	if err == nil {
		c.line, _ = c.csv.FieldPos(0)
		return record, nil
	}
	if err == io.EOF {
		return nil, err
	}
	var syntax *csv.ParseError
	if !errors.As(err, &syntax) {
		return nil, ioError(c.source, "read", err)
	}
	// A quote that is never closed is noticed at the end of the file; the line
	// to look at is the one where its record starts.
	e := &ParseError{Source: c.source, Line: syntax.StartLine, Err: err,
		Reason: `a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`}
	if i := len(record); i < len(c.header) {
		e.Column = c.header[i]
	}
	return nil, e
}

// rowError is an error about the latest record.
func (c *csvRows) rowError(format string, args ...any) error {
	return &ParseError{Source: c.source, Line: c.line, Reason: fmt.Sprintf(format, args...)}
}

// cellError is an error about column i of the latest record.
func (c *csvRows) cellError(i int, format string, args ...any) error {
	return &ParseError{Source: c.source, Line: c.line, Column: c.header[i], Reason: fmt.Sprintf(format, args...)}
}
