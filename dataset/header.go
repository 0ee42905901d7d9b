package dataset

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// csvPlan is what the beginning of a CSV file tells about the rest.
type csvPlan struct {
	comma  rune
	sep    bool // the first line names the separator
	header bool

	// Of the lines that begin with # and have as many cells as the table, which come before any other:
	width int  // how many cells that is; 0 if there are no such lines
	drop  int  // how many are comments nevertheless
	strip bool // the next one is the header, as numpy.savetxt writes it
}

// planCSV looks at the beginning of a file.
func (b *builder) planCSV(sample []byte) csvPlan {
	p := csvPlan{comma: b.opts.Comma}
	if comma, rest, ok := separatorLine(sample); ok {
		p.sep, sample = true, rest
		if p.comma == 0 {
			p.comma = comma
		}
	}
	all := b.sampleLines(sample, 200, func([]byte) bool { return true })
	plain := b.sampleLines(sample, 200, notComment)
	lines := plain
	if len(lines) == 0 {
		lines = all
	}
	if p.comma == 0 {
		p.comma = findComma(lines[:min(len(lines), 100)])
	}
	rows := parseLines(lines, p.comma)
	if len(rows) == 0 {
		p.header = b.hasHeader(nil)
		return p
	}
	width := len(rows[0])
	if len(plain) == 0 && slices.ContainsFunc(rows, func(row []string) bool { return len(row) != width }) {
		return p // nothing but comments, as far as can be seen
	}
	first := slices.IndexFunc(all, notComment) // line that does not begin with #
	if first < 0 {
		first = len(all)
	}
	comma := utf8.AppendRune(nil, p.comma)
	var hashed [][]byte // rows above it
	blank := false      // comes after the # of the first of them
	for _, line := range all[:first] {
		if row := hashedRow(line, comma, width, true); row != nil {
			blank = blank || len(hashed) == 0 && bytes.HasPrefix(line, []byte("# "))
			hashed = append(hashed, row)
		}
	}
	if len(hashed) == 0 {
		p.header = b.hasHeader(rows)
		return p
	}
	p.width = width
	below := rows
	if len(plain) == 0 {
		below = nil
	}
	rows = slices.Concat(parseLines(hashed, p.comma), below)
	rows[0][0] = trimHash(rows[0][0], p.comma)
	p.header = b.hasHeader(rows)
	switch {
	case len(below) > 0 && b.namesAbove(below):
		p.drop, p.header = len(hashed), b.hasHeader(below)
	case p.header:
		p.strip = true
	case b.namesAbove(rows), blank && b.seemsHeader(rows):
		p.drop = 1 // which would be a header, but there is to be none
	}
	return p
}

// hashedRow returns a line that begins with # as a row of width cells, two or more; nil if it is none. Above all
// rows blanks after the # separate nothing, even if cells are separated by blanks.
func hashedRow(line, comma []byte, width int, above bool) []byte {
	if n, _ := separators(line, comma, false); n > 0 && n+1 == width {
		return line
	}
	if !above || string(comma) != " " {
		return nil
	}
	line = line[len(line)-len(trimHash(string(line), 0)):]
	if n, _ := separators(line, comma, false); n > 0 && n+1 == width {
		return line
	}
	return nil
}

// separatorLine returns the separator that a first line such as sep=; names, for Excel's sake, and what
// comes after the line.
func separatorLine(sample []byte) (comma rune, rest []byte, ok bool) {
	line, rest, _ := bytes.Cut(sample, []byte{'\n'})
	line = bytes.Trim(bytes.TrimRight(line, "\r"), `"`)
	if len(line) < 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, nil, false
	}
	comma, size := utf8.DecodeRune(line[4:])
	return comma, rest, size == len(line)-4
}

// trimHash returns what begins with a name without the # and the blanks before the name, unless nothing would
// be left of it.
func trimHash(text string, comma rune) string {
	trimmed := strings.TrimLeftFunc(text, func(c rune) bool { return c == comment || c != comma && (c == ' ' || c == '\t') })
	if first, _ := utf8.DecodeRuneInString(trimmed); trimmed == "" || first == comma || first == '\r' || first == '\n' {
		return text
	}
	return trimmed
}

func notComment(line []byte) bool { return line[0] != comment }

// parseLines returns the cells of lines, without space around them.
func parseLines(lines [][]byte, comma rune) [][]string {
	records := csv.NewReader(bytes.NewReader(bytes.Join(lines, []byte{'\n'})))
	records.Comma, records.LazyQuotes, records.FieldsPerRecord = comma, true, -1
	records.TrimLeadingSpace = comma != '\t'
	rows, _ := records.ReadAll() // what cannot be read is an error later
	for _, row := range rows {
		for i, cell := range row {
			row[i] = strings.TrimSpace(cell)
		}
	}
	return rows
}

// hasHeader reports whether the first of rows names the columns, as [Options].Header says.
func (b *builder) hasHeader(rows [][]string) bool {
	switch {
	case b.opts.Header != AutoHeader:
		return b.opts.Header == HasHeader
	case b.opts.For != nil:
		return b.opts.For.Header
	}
	return len(rows) == 0 || b.seemsHeader(rows)
}

// seemsHeader reports whether the first of rows names the columns if nothing is known about it.
func (b *builder) seemsHeader(rows [][]string) bool {
	if !b.opts.Unlabeled && b.opts.Label != "" && place(b.opts.Label, len(rows[0])) < 0 && slices.Contains(rows[0], b.opts.Label) {
		return true
	}
	label := b.labelPlace(rows[0])
	if label >= 0 && isThirdLabel(rows[0][label], rows[1:], label) {
		return true
	}
	names, values, counting := headerEvidence(rows, label)
	return counting || names > values || names == 0 && values == 0
}

// namesAbove reports whether the first of rows is most likely to be a header.
func (b *builder) namesAbove(rows [][]string) bool {
	names, values, counting := headerEvidence(rows, b.labelPlace(rows[0]))
	return counting || names > values
}

// labelPlace returns the place of the label in a row that may be the header; -1 if there is none.
func (b *builder) labelPlace(first []string) int {
	switch {
	case b.opts.Unlabeled:
		return -1
	case b.opts.Label == "":
		return len(first) - 1
	}
	return locate(first, b.opts.Label)
}

// isThirdLabel reports whether a label column, of which cell is the first, has two other values below
// and never this one: taken for a label it would leave the file of no use.
func isThirdLabel(cell string, below [][]string, column int) bool {
	if isMissing(cell) || number(cell) || looksDecimal(cell) {
		return false
	}
	var labels []string
	for _, row := range below {
		if column >= len(row) || isMissing(row[column]) || slices.Contains(labels, row[column]) {
			continue
		}
		if labels = append(labels, row[column]); len(labels) > 2 || strings.EqualFold(row[column], cell) {
			return false
		}
	}
	return len(labels) == 2
}

// headerEvidence counts the cells of the first of rows that must be names, since they are text above
// nothing but numbers, and those that must be values, since they are numbers or come again below. But
// three or more whole numbers that go up by equal steps, such as years, may be either and do not count,
// and those that count the columns from 0 are names, as some programs write. A number at the place of the label,
// -1 if there is none, is a value like all others if it comes again below.
func headerEvidence(rows [][]string, label int) (names, values int, counting bool) {
	first, below := rows[0], rows[1:]
	var whole []int
	numbers := 0
	for i, cell := range first {
		if number(cell) || looksDecimal(cell) {
			if i == label && slices.ContainsFunc(below, func(row []string) bool { return i < len(row) && sameNumber(row[i], cell) }) {
				values++
				continue
			}
			numbers++
			if n, err := strconv.Atoi(cell); err == nil {
				whole = append(whole, n)
			}
			continue
		}
		if isMissing(cell) {
			continue
		}
		numeric, cells, again := 0, 0, false
		for _, row := range below {
			if i >= len(row) || isMissing(row[i]) {
				continue
			}
			cells++
			again = again || row[i] == cell || i == 0 && trimHash(row[i], 0) == cell
			if number(row[i]) || looksDecimal(row[i]) {
				numeric++
			}
		}
		switch {
		case cells > 0 && numeric == cells:
			names++
		case again:
			values++
		}
	}
	steps := len(whole) == numbers && numbers >= 3
	for i := 1; steps && i < len(whole); i++ {
		steps = whole[i] > whole[i-1] && whole[i]-whole[i-1] == whole[1]-whole[0]
	}
	switch {
	case steps && whole[0] == 0 && whole[1] == 1 && values == 0:
		return names, 0, true
	case steps && names > 0:
		return names, values, false
	}
	return names, values + numbers, false
}
