package dataset

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// looksLikeLIBSVM reports whether the lines of a sample hold a label and pairs, or pairs alone where a
// label is not needed.
func (b *builder) looksLikeLIBSVM(sample []byte) bool {
	unlabeled := b.opts.Unlabeled || b.opts.For != nil && b.opts.For.Sparse
	pairs := 0
	for _, line := range b.sampleLines(sample, 10, notComment) {
		line, _, _ = bytes.Cut(line, []byte{comment})
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			return false
		}
		if len(sample) > sampleSize/2 && bytes.IndexByte(sample, '\n') < 0 {
			fields = fields[:len(fields)-1] // which may be cut off
		}
		if len(fields) > 0 && (!unlabeled || bytes.IndexByte(fields[0], ':') < 0) {
			if bytes.IndexByte(fields[0], ':') >= 0 {
				return false
			}
			fields = fields[1:]
		}
		if slices.ContainsFunc(fields, func(field []byte) bool {
			index, value, found := bytes.Cut(field, []byte{':'})
			_, err := strconv.ParseUint(string(index), 10, 31)
			return !found || err != nil && string(index) != "qid" || !number(string(value)) && (len(value) == 0 || !isMissing(string(value)))
		}) {
			return false
		}
		pairs += len(fields)
	}
	return pairs > 0
}

// libsvm reads a LIBSVM file into a builder.
type libsvm struct {
	*builder
	columns map[int]*column // by index; nil if left out
	dropped map[int]bool    // of the indices that were to be left out, whether a line has them
	indices []int           // of the line
	blank   int             // blank lines since the last row
}

// readLIBSVM reads lines of the form
//
//	[label] [qid:n] index:value index:value … [# comment]
//
// with indices in any order. All lines have a label or none, which is for rows to predict.
// Only what is written is stored, so that a large index takes no memory; a feature that no
// line has does not exist.
func (b *builder) readLIBSVM(text *bufio.Reader) error {
	b.layout = layout{format: LIBSVM, header: true, sparse: true}
	b.label = -1
	l := &libsvm{builder: b, columns: make(map[int]*column), dropped: make(map[int]bool)}
	begin := l.beginByOptions
	if b.opts.For != nil {
		begin = l.beginByEncoder
	}
	if err := begin(); err != nil {
		return err
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxRecord)
	for lines.Scan() {
		b.line++
		if err := l.addLine(lines.Bytes()); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case err == bufio.ErrTooLong:
		b.line++
		return b.rowError("the line is longer than %d bytes", maxRecord)
	case err != nil:
		return ioError(b.source, "read", err)
	case b.n == 0:
		return &ParseError{Source: b.source, Reason: "the file has no rows"}
	}
	return l.end()
}

// beginByOptions refuses options that make no sense, and notes which features to leave out.
func (l *libsvm) beginByOptions() error {
	refuse := func(column, reason string) error {
		return &ParseError{Source: l.source, Column: column, Reason: reason}
	}
	if label := l.opts.Label; label != "" {
		return refuse(label, "the label of a LIBSVM file is what its lines begin with; no other column can be the label")
	}
	for _, ref := range l.opts.Category {
		return refuse(ref, "no column of a LIBSVM file can be one of categories, since its features are numbers; use CSV for categories")
	}
	for _, ref := range l.opts.Drop {
		index, err := strconv.Atoi(ref)
		if err != nil {
			return refuse(ref, "there is no such column to drop; the features of a LIBSVM file are numbers")
		}
		l.columns[index], l.dropped[index] = nil, false
	}
	return nil
}

// beginByEncoder makes the columns that the encoder knows.
func (l *libsvm) beginByEncoder() error {
	if err := l.begin(l.opts.For.columnNames()); err != nil {
		return err
	}
	for i, c := range l.cells {
		index, err := strconv.ParseUint(l.names[i], 10, 31)
		if err != nil {
			return &ParseError{Source: l.source, Column: l.names[i],
				Reason: "the model needs a column of this name, but those of a LIBSVM file are numbers; use a file of the kind it was trained on"}
		}
		c.storage = sparse
		l.columns[int(index)] = c
	}
	return nil
}

// addLine appends the row of a line, if it has one.
func (l *libsvm) addLine(text []byte) error {
	line, _, commented := bytes.Cut(text, []byte{comment})
	label, pairs, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	if i := strings.IndexByte(label, '\t'); i >= 0 {
		label, pairs = label[:i], label[i+1:]+" "+pairs
	}
	if label == "" {
		if !commented && l.started() {
			l.blank++
		}
		return nil
	}
	if err := l.makeRoom(); err != nil {
		return err
	}
	if strings.IndexByte(label, ':') >= 0 {
		if l.opts.For != nil && !l.started() {
			l.opts.Unlabeled = true // as is no other row, then
		}
		if !l.opts.Unlabeled {
			return l.rowError("the line begins with %s; a label is needed before the features", quote(label))
		}
		pairs = label + " " + pairs
		l.blanks += l.blank // which may be rows of zeros
	}
	l.blank = 0
	if !l.opts.Unlabeled {
		if err := l.addLabel(label); err != nil {
			return err
		}
	}
	if err := l.addPairs(pairs); err != nil {
		return err
	}
	l.n++
	return nil
}

// addPairs stores the features of a row, each of which may come once.
func (l *libsvm) addPairs(pairs string) error {
	l.indices = l.indices[:0]
	for pair := range strings.FieldsSeq(pairs) {
		if err := l.addPair(pair); err != nil {
			return err
		}
	}
	if !slices.IsSorted(l.indices) {
		slices.Sort(l.indices)
	}
	for i := 1; i < len(l.indices); i++ {
		if l.indices[i] == l.indices[i-1] {
			return l.rowError("index %d comes twice; remove one of the two", l.indices[i])
		}
	}
	return nil
}

// addPair stores a feature of a row.
func (l *libsvm) addPair(pair string) error {
	name, value, found := strings.Cut(pair, ":")
	if name == "qid" && found {
		return nil
	}
	index, err := strconv.ParseUint(name, 10, 31)
	if !found || err != nil {
		return l.rowError("%s is no feature; index:value is needed, with an index below 2147483648", quote(pair))
	}
	at := int(index)
	l.indices = append(l.indices, at)
	c, ok := l.columns[at]
	if !ok {
		if l.opts.For != nil {
			return nil
		}
		if len(l.columns) == maxColumns {
			return l.rowError("there are more than %d different indices", maxColumns)
		}
		c = &column{name: strconv.Itoa(at), storage: sparse}
		l.columns[at] = c
	}
	if c == nil {
		l.dropped[at] = true
		return nil
	}
	if isMissing(value) {
		if l.opts.RefuseMissing {
			return l.rowError("the value of feature %d is missing (%s); fill it in, remove the row, or have missing values imputed", index, quote(value))
		}
		c.missing++
		c.addSparse(l.n, nan)
		return nil
	}
	x, reason := parseNumber(value)
	if reason != "" {
		return &ParseError{Source: l.source, Line: l.line, Column: name, Reason: reason}
	}
	c.addSparse(l.n, x)
	return nil
}

// end puts the columns in order and passes on the rows.
func (l *libsvm) end() error {
	if l.opts.For != nil {
		return l.flush()
	}
	for _, c := range l.columns {
		if c != nil {
			l.cells = append(l.cells, c)
		}
	}
	slices.SortFunc(l.cells, func(x, y *column) int { return compareIndices(x.name, y.name) })
	for _, c := range l.cells {
		l.names = append(l.names, c.name)
	}
	l.layout.width = len(l.names)
	if len(l.cells) == 0 {
		return &ParseError{Source: l.source, Reason: "no line has a feature; index:value pairs are needed after the label"}
	}
	for _, ref := range l.opts.Drop {
		if index, _ := strconv.Atoi(ref); l.dropped[index] {
			l.layout.dropped = append(l.layout.dropped, ref)
		}
	}
	return l.flush()
}

// compareIndices orders decimal numbers without leading zeros by value.
func compareIndices(x, y string) int {
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(x, y)
}
