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
	if b.opts.Label != "" {
		return &ParseError{Source: b.source, Column: b.opts.Label,
			Reason: "the label of a LIBSVM file is what its lines begin with; no other column can be the label"}
	}
	columns := make(map[int]*column) // by index; nil if left out
	if e := b.opts.For; e != nil {
		if err := b.begin(e.columnNames()); err != nil {
			return err
		}
		for i, c := range b.cells {
			index, err := strconv.ParseUint(b.names[i], 10, 31)
			if err != nil {
				return &ParseError{Source: b.source, Column: b.names[i],
					Reason: "the model needs a column of this name, but those of a LIBSVM file are numbers; use a file of the kind it was trained on"}
			}
			c.storage = sparse
			columns[int(index)] = c
		}
	}
	dropped := make(map[int]bool) // whether a line has the feature
	if b.opts.For == nil {
		for _, ref := range b.opts.Drop {
			index, err := strconv.Atoi(ref)
			if err != nil {
				return &ParseError{Source: b.source, Column: ref, Reason: "there is no such column to drop; the features of a LIBSVM file are numbers"}
			}
			columns[index], dropped[index] = nil, false
		}
	}
	var indices []int // of a line
	blank := 0        // lines since the last row

	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxRecord)
	for lines.Scan() {
		b.line++
		line, _, commented := bytes.Cut(lines.Bytes(), []byte{comment})
		label, pairs, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if i := strings.IndexByte(label, '\t'); i >= 0 {
			label, pairs = label[:i], label[i+1:]+" "+pairs
		}
		if label == "" {
			if !commented && b.started() {
				blank++
			}
			continue
		}
		if err := b.makeRoom(); err != nil {
			return err
		}
		if strings.IndexByte(label, ':') >= 0 {
			if b.opts.For != nil && !b.started() {
				b.opts.Unlabeled = true // as is no other row, then
			}
			if !b.opts.Unlabeled {
				return b.rowError("the line begins with %s; a label is needed before the features", quote(label))
			}
			pairs = label + " " + pairs
			b.blanks += blank // which may be rows of zeros
		}
		blank = 0
		if !b.opts.Unlabeled {
			if err := b.addLabel(label); err != nil {
				return err
			}
		}
		indices = indices[:0]
		for pair := range strings.FieldsSeq(pairs) {
			name, value, found := strings.Cut(pair, ":")
			if name == "qid" && found {
				continue
			}
			index, err := strconv.ParseUint(name, 10, 31)
			if !found || err != nil {
				return b.rowError("%s is no feature; index:value is needed, with an index below 2147483648", quote(pair))
			}
			at := int(index)
			indices = append(indices, at)
			c, ok := columns[at]
			if !ok {
				if b.opts.For != nil {
					continue
				}
				if len(columns) == maxColumns {
					return b.rowError("there are more than %d different indices", maxColumns)
				}
				c = &column{name: strconv.Itoa(at), storage: sparse}
				columns[at] = c
			}
			if c == nil {
				dropped[at] = true
				continue
			}
			if isMissing(value) {
				if b.opts.RefuseMissing {
					return b.rowError("the value of feature %d is missing (%s); fill it in, remove the row, or have missing values imputed", index, quote(value))
				}
				c.missing++
				c.addSparse(b.n, nan)
				continue
			}
			x, reason := parseNumber(value)
			if reason != "" {
				return &ParseError{Source: b.source, Line: b.line, Column: name, Reason: reason}
			}
			c.addSparse(b.n, x)
		}
		if !slices.IsSorted(indices) {
			slices.Sort(indices)
		}
		for i := 1; i < len(indices); i++ {
			if indices[i] == indices[i-1] {
				return b.rowError("index %d comes twice; remove one of the two", indices[i])
			}
		}
		b.n++
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
	if b.opts.For == nil {
		for _, c := range columns {
			if c != nil {
				b.cells = append(b.cells, c)
			}
		}
		slices.SortFunc(b.cells, func(x, y *column) int { return compareIndices(x.name, y.name) })
		for _, c := range b.cells {
			b.names = append(b.names, c.name)
		}
		b.layout.width = len(b.names)
		if len(b.cells) == 0 {
			return &ParseError{Source: b.source, Reason: "no line has a feature; index:value pairs are needed after the label"}
		}
	}
	for _, ref := range b.opts.Drop {
		if index, _ := strconv.Atoi(ref); dropped[index] {
			b.layout.dropped = append(b.layout.dropped, ref)
		}
	}
	return b.flush()
}

// compareIndices orders decimal numbers without leading zeros by value.
func compareIndices(x, y string) int {
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(x, y)
}
