package dataset

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

var nan = math.NaN()

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

var errNotFinite = errors.New("not finite")

// numberError tells why a cell is not a number.
func numberError(cell string) error {
	x, err := strconv.ParseFloat(cell, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(cell, "_xX"):
		return strconv.ErrSyntax // the syntax of Go is not that of data
	case err != nil:
		return errNotFinite
	case !finite(x):
		return errNotFinite
	}
	return nil
}

// parseNumber returns the number that a cell holds, or the reason why it holds none.
func parseNumber(cell string) (x float64, reason string) {
	x, err := strconv.ParseFloat(cell, 64)
	if err == nil && finite(x) && strings.IndexByte(cell, '_') < 0 && (len(cell) < 2 || cell[1]|0x20 != 'x' && (len(cell) < 3 || cell[2]|0x20 != 'x')) {
		return x, ""
	}
	if errors.Is(numberError(cell), errNotFinite) {
		if errors.Is(err, strconv.ErrRange) {
			return 0, quote(cell) + " is beyond the range of float64"
		}
		return 0, quote(cell) + " is not a finite number; mend it, or leave it empty if it is not known"
	}
	if looksDecimal(cell) {
		return 0, quote(cell) + " has a decimal comma; set the option decimal to a comma when reading CSV, or write the numbers with a point"
	}
	return 0, quote(cell) + " is not a number, and the column holds numbers; mend it, leave it empty if it is not known, or declare the column a category"
}

// number reports whether a cell is a number.
func number(cell string) bool { return numberError(cell) == nil }

// looksDecimal reports whether a cell is a number with a decimal comma.
func looksDecimal(cell string) bool {
	whole, fraction, found := strings.Cut(cell, ",")
	return found && strings.IndexByte(fraction, ',') < 0 && strings.IndexByte(whole, '.') < 0 && number(whole+"."+fraction)
}

// formatNumber spells a number as a file would.
func formatNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
