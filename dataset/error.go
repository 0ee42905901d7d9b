package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
//	patients.csv:12: column "diagnosis": the label is missing; fill it in or remove the row
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

// bare is the text itself if quoting would change nothing of it, else quoted.
func bare(s string) string {
	if quoted := quote(s); quoted != `"`+s+`"` {
		return quoted
	}
	return s
}

// ioError says that source could not be opened or read.
func ioError(source, verb string, err error) error {
	cause := err
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		cause = path.Err // without the path, which the source already gives
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &ParseError{Source: source, Err: err, Reason: "the file is cut short; copy or download it again"}
	}
	return &ParseError{Source: source, Err: err, Reason: fmt.Sprintf("the file cannot be %s: %v", verb, cause)}
}

// list enumerates names, at most ten of them.
func list(names []string) string { return listSome(names, 10) }

// listSome enumerates names, at most limit of them.
func listSome(names []string, limit int) string {
	if len(names) == 0 {
		return "none"
	}
	var quoted []string
	for _, name := range names[:min(len(names), limit)] {
		quoted = append(quoted, quote(name))
	}
	if more := len(names) - limit; more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	if last := len(quoted) - 1; last > 0 {
		return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
	}
	return quoted[0]
}

// count returns n with its noun in the singular or plural.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
