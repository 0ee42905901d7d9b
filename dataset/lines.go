package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// csvLines is the text of a CSV file on its way to encoding/csv. It takes out what is no part of the
// table, leaving a blank line so that lines keep their numbers, and stops at a record that has too many
// cells or bytes before memory is taken for it.
type csvLines struct {
	source string
	text   *bufio.Reader
	comma  []byte
	plan   csvPlan

	rest    []byte // of what is to be passed on
	line    int    // that rest belongs to, from 1
	inside  bool   // the line goes on beyond the buffer
	quoted  bool   // quotes are open
	records int
	width   int // cells of a row; 0 if not known yet
	fields  int // of the record so far
	size    int // bytes of the record so far

	comments int   // lines that begin with # and are left out
	hashes   int   // those that are rows
	hashed   []int // the first maxHashed of these, for errors about them
	blank    int   // blank lines since the last record
	blanks   int   // blank lines between records
}

const maxHashed = 1000

var errRecordLimit = errors.New("the record is too long")

// columnLimitError is the error of a record on the given line with too many cells.
type columnLimitError struct{ line int }

func (columnLimitError) Error() string {
	return fmt.Sprintf("there are more than %d columns; there can be no more", maxColumns)
}

// Read passes on the next bytes.
func (l *csvLines) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(l.rest) == 0 {
			if n > 0 && l.text.Buffered() == 0 {
				break
			}
			if err := l.next(); err != nil {
				return n, err
			}
		}
		k := copy(p[n:], l.rest)
		n, l.rest = n+k, l.rest[k:]
	}
	return n, nil
}

// next sets rest to the next line, or as much of it as the buffer holds.
func (l *csvLines) next() error {
	line, err := l.text.ReadSlice('\n')
	if len(line) == 0 || err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return err
	}
	if !l.inside {
		l.line++
	}
	if !l.inside && !l.quoted {
		l.fields, l.size = 1, 0
		switch {
		case l.line == 1 && l.plan.sep:
			l.rest = lineEnd(line)
			return nil
		case len(lineEnd(line)) == len(line):
			l.blank++
			l.rest = line
			return nil
		case line[0] == comment:
			if err == bufio.ErrBufferFull { // it takes the whole line to tell
				if line, err = l.whole(line); err != nil {
					return err
				}
			}
			if line = l.comment(line); len(lineEnd(line)) == len(line) {
				l.rest = line
				return nil
			}
		}
		if l.records > 0 {
			l.blanks += l.blank
		}
		l.blank = 0
	}
	n, quoted := separators(line, l.comma, l.quoted)
	l.fields, l.size, l.quoted = l.fields+n, l.size+len(line), quoted
	switch {
	case l.fields > maxColumns:
		return columnLimitError{l.line}
	case l.size > maxRecord:
		return errRecordLimit
	}
	if l.inside = line[len(line)-1] != '\n'; !l.inside && !quoted {
		if l.records++; l.records == 1 {
			l.width = l.fields
		}
	}
	l.rest = line
	return nil
}

// whole returns the line that begins with start.
func (l *csvLines) whole(start []byte) ([]byte, error) {
	line, cells := slices.Clone(start), 1+bytes.Count(start, l.comma)
	for {
		part, err := l.text.ReadSlice('\n')
		line, cells = append(line, part...), cells+bytes.Count(part, l.comma)
		switch {
		case cells > maxColumns:
			return nil, columnLimitError{l.line}
		case len(line) > maxRecord:
			return nil, errRecordLimit
		case err == nil || err == io.EOF:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// comment returns what is left of a line that begins with #: nothing but its end if it is a
// comment.
func (l *csvLines) comment(line []byte) []byte {
	row := hashedRow(line, l.comma, l.width, l.records == 0)
	switch {
	case row == nil:
	case l.records == 0 && l.plan.drop > 0:
		l.plan.drop--
	case l.records == 0 && l.plan.strip:
		return row[len(row)-len(trimHash(string(row), l.plan.comma)):]
	default:
		if l.hashes++; l.hashes <= maxHashed {
			l.hashed = append(l.hashed, l.line)
		}
		return row
	}
	l.comments++
	return lineEnd(line)
}

// lineEnd returns what a line ends in.
func lineEnd(line []byte) []byte { return line[len(bytes.TrimRight(line, "\r\n")):] }

// separators counts the separators of a line outside quotes, and reports whether quotes are open
// at its end, given whether they are at its beginning.
func separators(line, comma []byte, quoted bool) (n int, open bool) {
	for {
		part, rest, found := bytes.Cut(line, []byte{'"'})
		if !quoted {
			n += bytes.Count(part, comma)
		}
		if !found {
			return n, quoted
		}
		line, quoted = rest, !quoted
	}
}

// notes says which lines were left out that someone may miss.
func (l *csvLines) notes() (notes []string) {
	if l.comments > 0 {
		notes = append(notes, hashNote(l.comments, "comment"))
	}
	if l.hashes > 0 {
		notes = append(notes, hashNote(l.hashes, "row"))
	}
	if l.width == 1 && l.blanks > 0 {
		notes = append(notes, blankNote(l.blanks, "NA where a value is missing"))
	}
	return notes
}

// hashNote says what lines that begin with # are taken for.
func hashNote(n int, what string) string {
	if n == 1 {
		return "1 line that begins with # is taken for a " + what
	}
	return fmt.Sprintf("%d lines that begin with # are taken for %ss", n, what)
}

// explain adds to an error that may be about a line that begins with # what such lines are taken for.
func (l *csvLines) explain(err error) error {
	switch e, ok := err.(*ParseError); {
	case !ok || e.Source != l.source:
	case slices.Contains(l.hashed, e.Line):
		e.Reason += "; the line begins with #, but has as many cells as the table, so it is taken for a row; remove it if it is a comment"
	case e.Line == 0 && l.hashes > 0:
		e.Reason += "; " + hashNote(l.hashes, "row")
	}
	return err
}

// blankNote says that blank lines are skipped, which may have been meant as rows.
func blankNote(n int, instead string) string {
	if n == 1 {
		return "1 blank line between rows is skipped, not taken for a row; write " + instead
	}
	return fmt.Sprintf("%d blank lines between rows are skipped, not taken for rows; write %s", n, instead)
}
