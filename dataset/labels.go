package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLabels is how many labels are named where there are too many.
const maxLabels = 10

// labelColumn turns the values of a label column into -1 and +1 as they are read.
// Which value is positive is known only when both have been seen, so until then
// the first to appear stands for -1 and the second for +1.
type labelColumn struct {
	values   []string // in order of appearance; more than two are too many
	known    bool     // negative and positive are given
	negative string
	positive string
	y        []int8
}

// add appends a label, or returns the reason why it cannot.
func (l *labelColumn) add(cell string) (reason string) {
	if isMissing(cell) {
		return "the label is missing; fill it in or remove the row"
	}
	if l.known {
		switch {
		case cell == l.positive:
			l.y = append(l.y, 1)
		case cell == l.negative:
			l.y = append(l.y, -1)
		case sameNumber(cell, l.positive):
			l.y = append(l.y, 1)
		case sameNumber(cell, l.negative):
			l.y = append(l.y, -1)
		default:
			return fmt.Sprintf("the label %s is neither %s nor %s, which the model was trained on", quote(cell), quote(l.negative), quote(l.positive))
		}
		return ""
	}
	i := slices.Index(l.values, cell)
	if i < 0 {
		switch {
		case len(l.values) == maxLabels:
			return fmt.Sprintf("the label has more than %d values, such as %s; a binary label has two, so choose another column for the label", maxLabels, list(l.values[:2]))
		case !utf8.ValidString(cell):
			return quote(cell) + " is not UTF-8 text; save the file in that encoding"
		}
		i = len(l.values)
		l.values = append(l.values, strings.Clone(cell)) // a piece of its record, which must not be kept alive
	}
	if len(l.values) <= 2 {
		l.y = append(l.y, int8(2*i-1))
	}
	return ""
}

// finish decides which label is positive, or returns the reason why it cannot.
func (l *labelColumn) finish(positive string) (reason string) {
	switch n := len(l.values); {
	case l.known || n == 0:
		return ""
	case n > 2:
		return fmt.Sprintf("the label has %d values, %s; a binary label has two", n, list(l.values))
	case n == 1:
		return fmt.Sprintf("every label is %s; a binary label has two values", quote(l.values[0]))
	}
	l.negative, l.positive = l.values[0], l.values[1]
	switch {
	case sameNumber(l.negative, l.positive):
		return fmt.Sprintf("the labels %s and %s are the same number; write one way throughout", quote(l.negative), quote(l.positive))
	case positive != "" && !slices.Contains(l.values, positive):
		return fmt.Sprintf("no label is %s, which was to be the positive class; the labels are %s and %s",
			quote(positive), quote(l.negative), quote(l.positive))
	case positive == "" && greater(l.negative, l.positive) || positive == l.negative:
		l.negative, l.positive = l.positive, l.negative
		for i := range l.y {
			l.y[i] = -l.y[i]
		}
	}
	return ""
}

// sameNumber reports whether two texts are spellings of one number.
func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// greater reports whether a is greater than b: by value if both are numbers,
// otherwise in lexicographic order without regard to case. Strings that are
// equal so far are compared as they are.
func greater(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil && x != y && !math.IsNaN(x) && !math.IsNaN(y) {
		return x > y
	}
	if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
		return c > 0
	}
	return a > b
}
