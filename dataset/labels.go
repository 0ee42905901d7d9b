package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// labels turns the values of a label column into -1 and +1 as they are read.
// Which value is positive is known only when both have been seen, so until then
// the first to appear stands for -1 and the second for +1.
type labels struct {
	values []string // in order of appearance, at most two
}

// encode returns the provisional label of value, or false if value is a third.
func (l *labels) encode(value string) (y float64, ok bool) {
	i := slices.Index(l.values, value)
	if i < 0 {
		if len(l.values) == 2 {
			return 0, false
		}
		i = len(l.values)
		// The value is a piece of its record, which must not be kept alive.
		l.values = append(l.values, strings.Clone(value))
	}
	return float64(2*i - 1), true
}

// resolve decides which value is negative and which positive, and whether that is
// the other way round than they appeared. If that is impossible it returns the reason.
func (l *labels) resolve(positive string) (neg, pos string, swapped bool, reason string) {
	if len(l.values) < 2 {
		return "", "", false, fmt.Sprintf("every label is %s; a binary label has two values", quote(l.values[0]))
	}
	neg, pos = l.values[0], l.values[1]
	if sameNumber(neg, pos) {
		return "", "", false, fmt.Sprintf("the labels %s and %s are the same number; write one way throughout", quote(neg), quote(pos))
	}
	if positive == "" && greater(neg, pos) || positive == neg {
		neg, pos, swapped = pos, neg, true
	}
	if positive != "" && positive != pos {
		return "", "", false, fmt.Sprintf("no label is %s, which was to be the positive class; the labels are %s and %s",
			quote(positive), quote(neg), quote(pos))
	}
	return neg, pos, swapped, ""
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

// maxLabels is how many labels are named where there are too many.
const maxLabels = 10

// labelColumn is a label column as it is read.
type labelColumn struct {
	labels
	more     []string // labels beyond the second
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
	y, ok := l.encode(cell)
	switch {
	case ok:
		if len(l.more) == 0 {
			l.y = append(l.y, int8(y))
		}
	case slices.Contains(l.more, cell):
	case 2+len(l.more) == maxLabels:
		return fmt.Sprintf("the label has more than %d values, such as %s; a binary label has two, so choose another column for the label", maxLabels, list(l.values))
	default:
		l.more = append(l.more, strings.Clone(cell))
	}
	if !utf8.ValidString(cell) {
		return quote(cell) + " is not UTF-8 text; save the file in that encoding"
	}
	return ""
}

// finish decides which label is positive, or returns the reason why it cannot.
func (l *labelColumn) finish(positive string) (reason string) {
	if l.known || len(l.y) == 0 && len(l.values) == 0 {
		return ""
	}
	if len(l.more) > 0 {
		values := append(slices.Clone(l.values), l.more...)
		return fmt.Sprintf("the label has %d values, %s; a binary label has two", len(values), list(values))
	}
	var swapped bool
	l.negative, l.positive, swapped, reason = l.resolve(positive)
	if swapped {
		for i := range l.y {
			l.y[i] = -l.y[i]
		}
	}
	return reason
}
