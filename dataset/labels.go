package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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

// resolve decides which value is negative and which positive, and corrects the
// provisional labels y accordingly. If that is impossible it returns the reason.
func (l *labels) resolve(positive string, y []float64) (neg, pos, reason string) {
	if len(l.values) < 2 {
		return "", "", fmt.Sprintf("every label is %s; a binary label has two values", quote(l.values[0]))
	}
	neg, pos = l.values[0], l.values[1]
	x, errX := strconv.ParseFloat(neg, 64)
	y0, errY := strconv.ParseFloat(pos, 64)
	if errX == nil && errY == nil && x == y0 {
		return "", "", fmt.Sprintf("the labels %s and %s are the same number; write one way throughout", quote(neg), quote(pos))
	}
	if positive == "" && greater(neg, pos) || positive == neg {
		neg, pos = pos, neg
		for i := range y {
			y[i] = -y[i]
		}
	}
	if positive != "" && positive != pos {
		return "", "", fmt.Sprintf("no label is %s, which was to be the positive class; the labels are %s and %s",
			quote(positive), quote(neg), quote(pos))
	}
	return neg, pos, ""
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
