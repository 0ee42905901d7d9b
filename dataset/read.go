package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	sampleSize = 1 << 16 // bytes from which format, separator and header are told
	maxColumns = 1 << 20 // columns of a file
	maxRecord  = 1 << 26 // bytes of a record
)

// OpenFrame reads the file at path, as [ReadFrame] does.
func OpenFrame(path string, opts Options) (*Frame, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, ioError(path, "opened", err)
	}
	defer f.Close()
	return ReadFrame(f, path, opts)
}

// ReadFrame reads a table from a file of any [Format], which may be compressed by
// gzip. The source names the input in messages, and is not opened.
//
// In a CSV file, blank lines are skipped, and so are a UTF-8 byte order mark and space around cells.
// A line that begins with # is a comment, unless it has as many cells as the table, two or more: then it is a
// row, such as one of hexadecimal colours, or above all others the header, as numpy.savetxt writes it, whose first
// name is what comes after the # and blanks. (It is a comment still if the line after it is a header.) A first line
// sep=; names the separator, as it does to Excel. The [Schema] has notes on lines that begin with #.
//
// A cell is a missing value if it is empty, ?, or NA, N/A, NaN or null in any case, or one of the
// other words that pandas takes for one: #N/A, #N/A N/A, #NA, -1.#IND, -1.#QNAN, -NaN, -nan, 1.#IND, 1.#QNAN,
// <NA> and None. A column is numeric if all its
// other cells are numbers, else categorical; one with more than 4096 different texts,
// or with long ones, is [Text] and not kept.
//
// In a LIBSVM file a feature has its index for a name, those that a line leaves out are zero, and qid
// is ignored. Lines may be without labels where none are needed: with opts.Unlabeled, or with opts.For if no line has
// one. A NumPy array holds a row of numbers in each row, its columns called column1, column2 and so
// on. An NPZ archive has features and labels in two arrays called X and y, X_train and y_train (or with a
// small x), features and labels, data and labels, or data and target; the first of these pairs that it has is read.
//
// The label has two values, any texts. The greater one becomes +1 if opts.Positive
// is "": by value if both are numbers, otherwise in lexicographic order without
// regard to case. So 1 is positive against 0 and against -1, "true" against "false",
// "yes" against "no" and "malignant" against "benign".
//
// Numbers are the nearest float64, kept in four bytes where a float32 holds them exactly and in eight elsewhere. Beyond
// the columns ReadFrame holds one record at a time of a CSV or LIBSVM file, a block of an NPY file, and
// an NPZ file as a whole.
// Every error about the file is a [*ParseError].
func ReadFrame(r io.Reader, source string, opts Options) (*Frame, error) {
	var frame *Frame
	err := read(r, source, opts, 0, func(f *Frame) error {
		frame = f
		return nil
	})
	if err != nil {
		return nil, err
	}
	return frame, nil
}

// inPieces passes on the rows of a frame, size rows at once.
func inPieces(size int, yield func(*Frame) error) func(*Frame) error {
	return func(f *Frame) error {
		for start := 0; start < f.Rows(); start += size {
			rows := make([]int, min(size, f.Rows()-start))
			for i := range rows {
				rows[i] = start + i
			}
			if err := yield(f.view(rows)); err != nil {
				return err
			}
		}
		return nil
	}
}

// errStop is what a yield function returns to read no further.
var errStop = errors.New("stop")

// read passes the rows of a file to yield, size rows at once, or all if size is 0.
// Frames of a limited size are valid until the next.
func read(r io.Reader, source string, opts Options, size int, yield func(*Frame) error) error {
	if opts.For != nil {
		if err := opts.For.Validate(); err != nil {
			return err
		}
	}
	switch {
	case r == nil:
		return errors.New("dataset: the reader is nil; pass an open file")
	case opts.Format < AutoFormat || opts.Format > NPZ:
		return fmt.Errorf("dataset: %v is no format that can be read", opts.Format)
	case opts.Header < AutoHeader || opts.Header > NoHeader:
		return fmt.Errorf("dataset: Header(%d) says nothing about a header; set the option to AutoHeader, HasHeader or NoHeader", int(opts.Header))
	}
	text, err := decompress(r, source)
	if err != nil {
		return err
	}
	sample, err := text.Peek(sampleSize)
	if err != nil && err != io.EOF {
		return ioError(source, "read", err)
	}
	b := &builder{source: source, opts: opts, size: size, yield: yield, whole: err == io.EOF}
	npy := opts.Format == NPY || opts.Format == AutoFormat && bytes.HasPrefix(sample, []byte(npyMagic))
	npz := opts.Format == NPZ || opts.Format == AutoFormat && bytes.HasPrefix(sample, []byte(zipMagic))
	if npy || npz {
		if size > 0 { // these are read as a whole, since their order may be by columns
			b.size, b.yield = 0, inPieces(size, yield)
		}
		if npy {
			return b.readNPY(text)
		}
		return b.readNPZ(text)
	}
	if bytes.HasPrefix(sample, []byte(byteOrderMark)) {
		text.Discard(len(byteOrderMark))
		sample = sample[len(byteOrderMark):]
	}
	if reason := notText(sample); reason != "" {
		return &ParseError{Source: source, Reason: reason}
	}
	switch {
	case opts.Format == LIBSVM || opts.Format == AutoFormat && b.looksLikeLIBSVM(sample):
		return b.readLIBSVM(text)
	case opts.Format == AutoFormat && b.looksLikeJSON(sample):
		return &ParseError{Source: source, Reason: "the file is JSON; save its rows as CSV"}
	}
	return b.readCSV(text, sample)
}

// looksLikeJSON reports whether a sample is, or begins with, a JSON object or array that stands on
// its own, as no row of a CSV file does.
func (b *builder) looksLikeJSON(sample []byte) bool {
	sample = bytes.TrimSpace(sample)
	if len(sample) == 0 || sample[0] != '{' && sample[0] != '[' {
		return false
	}
	var value json.RawMessage
	text := json.NewDecoder(bytes.NewReader(sample))
	if err := text.Decode(&value); err != nil {
		return errors.Is(err, io.ErrUnexpectedEOF) && !b.whole // it goes on beyond the sample
	}
	line, _, _ := bytes.Cut(sample[text.InputOffset():], []byte{'\n'})
	return len(bytes.TrimSpace(line)) == 0
}

const (
	byteOrderMark = "\uFEFF"
	zipMagic      = "PK\x03\x04"
)

// decompress returns the text of r, which may be compressed.
func decompress(r io.Reader, source string) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(r, sampleSize)
	if start, _ := text.Peek(2); string(start) != "\x1f\x8b" {
		return text, nil
	}
	plain, err := gzip.NewReader(text)
	if err != nil {
		return nil, ioError(source, "read", err)
	}
	return bufio.NewReaderSize(plain, sampleSize), nil
}

// notText returns the reason why a file that begins like this is no text with lines.
func notText(sample []byte) (reason string) {
	nul := bytes.Count(sample, []byte{0})
	switch {
	case bytes.HasPrefix(sample, []byte(zipMagic)):
		return "the file is a zip archive, as an Excel workbook (.xlsx) is, too; unpack it, or save the workbook as CSV"
	case bytes.HasPrefix(sample, []byte("\xd0\xcf\x11\xe0")):
		return "the file is an Excel workbook (.xls); save it as CSV"
	case bytes.HasPrefix(sample, []byte("\xff\xfe")), bytes.HasPrefix(sample, []byte("\xfe\xff")), nul > len(sample)/4:
		return "the file is UTF-16 text; save it as UTF-8"
	case nul > 0:
		return "the file holds NUL bytes, so it is no text; a CSV, LIBSVM, NPY or NPZ file is needed, which gzip may have compressed"
	case bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample[:max(len(sample)-1, 0)], '\r') >= 0:
		return "the lines end in a carriage return alone; save the file with line feeds"
	}
	return ""
}

// builder makes frames of rows.
type builder struct {
	source string
	opts   Options
	size   int
	yield  func(*Frame) error
	whole  bool // the sample is the whole file

	layout layout
	cells  []*column // of each cell of a row; nil where it is left out or the label
	names  []string
	label  int // cell of the label; -1 if there is none
	labels labelColumn
	line   int // of the row, 0 if the file has no lines
	n      int // rows since the last frame
	began  bool
	csv    *csvLines // nil if the file is not CSV
	blanks int       // blank lines of a LIBSVM file that may be rows
	unread []string  // arrays of an NPZ file
}

// begin decides what the cells of a row are.
func (b *builder) begin(names []string) error {
	b.names, b.label, b.layout.width = names, -1, len(names)
	if e := b.opts.For; e != nil {
		return b.beginFor(e)
	}
	if !b.opts.Unlabeled {
		if b.label = len(names) - 1; b.opts.Label != "" {
			var err error
			if b.label, err = b.find(b.opts.Label, "for the label"); err != nil {
				return err
			}
		}
		b.layout.label = b.label + 1
	}
	b.cells = make([]*column, len(names))
	features := 0
	for i, name := range names {
		if i != b.label {
			b.cells[i] = newColumn(name, len(names))
			features++
		}
	}
	for _, ref := range b.opts.Drop {
		i, err := b.find(ref, "to drop")
		if err != nil {
			return err
		}
		if i == b.label {
			return b.cellError(i, "the column cannot be dropped, since it is the label")
		}
		if b.cells[i] != nil {
			b.layout.dropped = append(b.layout.dropped, names[i])
			features--
		}
		b.cells[i] = nil
	}
	for _, ref := range b.opts.Category {
		i, err := b.find(ref, "for categories")
		if err != nil {
			return err
		}
		if b.cells[i] != nil {
			b.cells[i].category = true
		}
	}
	if features == 0 {
		if b.label >= 0 && len(names) == 1 {
			return b.cellError(b.label, "the label is the only column; features are needed beside it%s", b.separatorHint())
		}
		return b.rowError("no column is left to be a feature")
	}
	return nil
}

// find returns the cell of the column that ref names.
func (b *builder) find(ref, purpose string) (int, error) {
	if i := locate(b.names, ref); i >= 0 {
		return i, nil
	}
	return 0, &ParseError{Source: b.source, Line: b.line, Column: ref,
		Reason: "there is no such column " + purpose + "; there is " + list(b.names) + b.separatorHint(b.names...)}
}

// locate returns the place of the name that ref is, or else of the position; -1 if it is neither.
func locate(names []string, ref string) int {
	if i := slices.Index(names, ref); i >= 0 {
		return i
	}
	return place(ref, len(names))
}

// place returns the place among n that a position stands for, from 1 or from -1 back; -1 if ref is none.
func place(ref string, n int) int {
	position, err := strconv.Atoi(strings.TrimSpace(ref))
	switch {
	case err == nil && position >= 1 && position <= n:
		return position - 1
	case err == nil && position <= -1 && position >= -n:
		return n + position
	}
	return -1
}

// beginFor decides what the cells are to an encoder.
func (b *builder) beginFor(e *Encoder) error {
	if !b.layout.header && !b.layout.sparse {
		if e.Header {
			return b.rowError("the columns have no names, but the model was trained on columns with names, such as %s; add a header", list(e.columnNames()))
		}
		// Without names a column is known by its place; the label's may be empty.
		if e.Label.Position > 0 && len(b.names) == e.Width-1 {
			b.names = positions(e.Width)
			b.names = slices.Delete(b.names, e.Label.Position-1, e.Label.Position)
		} else if len(b.names) != e.Width {
			return b.rowError("the row has %s, but the model was trained on rows of %d%s", count(len(b.names), "cell"), e.Width, b.separatorHint())
		}
	}
	b.cells = make([]*column, len(b.names))
	if i := slices.Index(b.names, e.Label.Name); i >= 0 && !b.opts.Unlabeled {
		b.label, b.layout.label = i, i+1
	}
	b.labels.known, b.labels.negative, b.labels.positive = true, e.Label.Negative, e.Label.Positive
	place := make(map[string]int, len(b.names))
	for i, name := range b.names {
		place[name] = i
	}
	var absent []string
	for i := range e.Columns {
		k := &e.Columns[i]
		if k.LeftOut != "" {
			continue
		}
		at, ok := place[k.Name]
		if !ok {
			absent = append(absent, k.Name)
			continue
		}
		b.cells[at] = k.newColumn(len(b.names))
	}
	if len(absent) > 0 && !b.layout.sparse {
		return b.rowError("there is no column %s, which the model needs; there is %s%s", list(absent), list(b.names), b.separatorHint(b.names...))
	}
	return nil
}

// positions returns names for n columns that have none.
func positions(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("column%d", i+1)
	}
	return names
}

// addLabel appends the label of a row.
func (b *builder) addLabel(cell string) error {
	if reason := b.labels.add(cell); reason != "" {
		return b.cellError(b.label, "%s", reason+b.separatorHint(cell))
	}
	return nil
}

// addCell appends cell i of a row, any but the label.
func (b *builder) addCell(i int, cell string) error {
	c := b.cells[i]
	if c == nil {
		return nil
	}
	missing := c.missing
	if reason := c.add(cell, b.line); reason != "" {
		return b.cellError(i, "%s", reason)
	}
	if c.missing > missing && b.opts.RefuseMissing {
		return b.cellError(i, "the value is missing (%s); fill it in, remove the row, or have missing values imputed", quote(cell))
	}
	return nil
}

// started reports whether there was a row.
func (b *builder) started() bool { return b.n > 0 || b.began }

// makeRoom is called where another row may begin. Rows are passed on no earlier, so that the last
// frame, which knows the notes of the whole file, always comes after its end.
func (b *builder) makeRoom() error {
	if b.size > 0 && b.n == b.size {
		return b.flush()
	}
	return nil
}

// notes says what was left out of the file so far that someone may miss.
func (b *builder) notes() (notes []string) {
	if b.csv != nil {
		notes = b.csv.notes()
	}
	if b.blanks > 0 {
		notes = append(notes, blankNote(b.blanks, "an index with the value 0 where all are zero"))
	}
	if len(b.unread) > 0 {
		notes = append(notes, fmt.Sprintf("the archive also has %s, which is not read", list(b.unread)))
	}
	return notes
}

// flush passes on the rows so far.
func (b *builder) flush() error {
	if b.n == 0 {
		reason := "the file has a header but no rows"
		if b.csv != nil && b.csv.comments > 0 {
			reason += "; " + hashNote(b.csv.comments, "comment") + ", so enclose the first cell of a row in quotes if that is what it begins with"
		}
		return &ParseError{Source: b.source, Reason: reason}
	}
	f := &Frame{source: b.source, n: b.n, layout: b.layout}
	f.layout.notes = b.notes()
	for i, c := range b.cells {
		if c == nil {
			continue
		}
		c.n = b.n
		if line, reason := c.finish(); reason != "" {
			return &ParseError{Source: b.source, Line: line, Column: b.names[i], Reason: reason}
		}
		f.columns = append(f.columns, c)
	}
	if reason := b.labels.finish(b.opts.Positive); reason != "" {
		return &ParseError{Source: b.source, Column: b.labelName(), Reason: reason + b.separatorHint(b.labels.values...)}
	}
	if b.labels.y != nil {
		f.y, f.label, f.negative, f.positive = b.labels.y, b.labelName(), b.labels.negative, b.labels.positive
	}
	err := b.yield(f)
	b.began = true
	if b.size > 0 {
		b.n, b.labels.y = 0, b.labels.y[:0]
		for _, c := range b.cells {
			if c != nil {
				c.reset()
			}
		}
	}
	return err
}

// labelName is what the label is called where it may not be a column.
func (b *builder) labelName() string {
	if b.label >= 0 {
		return b.names[b.label]
	}
	return "label"
}

// rowError is an error about the current row.
func (b *builder) rowError(format string, args ...any) error {
	return &ParseError{Source: b.source, Line: b.line, Reason: fmt.Sprintf(format, args...)}
}

// cellError is an error about cell i of the current row.
func (b *builder) cellError(i int, format string, args ...any) error {
	e := &ParseError{Source: b.source, Line: b.line, Reason: fmt.Sprintf(format, args...)}
	if i >= 0 {
		e.Column = b.names[i]
	}
	return e
}
