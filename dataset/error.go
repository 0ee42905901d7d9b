package dataset

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseError says why a file cannot be used as a data set.
type ParseError struct {
	Source string // name of the file or other source
	Line   int    // line at fault, counted from 1; 0 if no one line is
	Column string // name of the column at fault; "" if no one column is
	Reason string // what is wrong, and where it helps, what to do about it
	Err    error  // the error underneath, such as that of opening the file; may be nil
}

// Error returns one sentence, such as
//
//	patients.csv:12: column "radius": "abc" is not a number, and every feature must be one
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString(e.Source)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, ": column %s", quote(e.Column))
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	return b.String()
}

// Unwrap returns the error underneath, so that errors.Is(err, fs.ErrNotExist)
// tells a missing file.
func (e *ParseError) Unwrap() error { return e.Err }

// quote quotes text from a file for an error message. A file that is not text
// at all can hold cells of any length, so long ones are cut.
func quote(s string) string {
	const limit = 60
	if len(s) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}
