package dataset

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/x448/float16"
)

// The NPY format is numpy.lib.format's, versions 1 to 3. It is read here because
// memory must follow from what a file holds, not from what its header claims, and a
// header that is not what NumPy writes must be an error like any other.

const (
	npyMagic      = "\x93NUMPY"
	maxNPYHeader  = 1 << 16           // bytes
	maxNPYElement = 4 * maxTextLength // bytes
)

// npyArray is an array whose elements are yet to be read.
type npyArray struct {
	source  string
	name    string // of the array, for messages
	r       io.Reader
	kind    byte // b, i, u, f, U or S
	size    int  // bytes of an element
	order   binary.ByteOrder
	fortran bool
	shape   []int
}

var (
	npyDescr   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([<>|=]?)([a-zA-Z])(\d{0,9})(?:\[.*\])?['"]`)
	npyFields  = regexp.MustCompile(`['"]descr['"]\s*:\s*\[`)
	npyFortran = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([\d\s,]*)\)`)

	npySizes = map[byte]string{'b': "1", 'i': "1248", 'u': "1248", 'f': "248"}
	npyMends = map[byte]string{
		'c': "complex numbers; save their real and imaginary parts as columns of their own",
		'm': "durations; save them as numbers with astype('float64')",
		'M': "dates; save them as numbers with astype('float64')",
		'O': "Python objects; save them as numbers with astype('float64')",
		'V': "raw bytes; save them as numbers",
	}
)

// openNPY reads the header of an array.
func openNPY(r io.Reader, source, name string) (*npyArray, error) {
	a := &npyArray{source: source, name: name, r: r, order: binary.LittleEndian}
	var start [12]byte
	if err := a.fill(start[:10]); err != nil {
		return nil, err
	}
	length := uint32(binary.LittleEndian.Uint16(start[8:]))
	switch version := start[6]; {
	case string(start[:6]) != npyMagic:
		return nil, a.errorf("does not begin as a NumPy array does")
	case version < 1 || version > 3:
		return nil, a.errorf("has version %d of the NPY format; versions 1 to 3 can be read", version)
	case version > 1:
		if err := a.fill(start[10:]); err != nil {
			return nil, err
		}
		length = binary.LittleEndian.Uint32(start[8:])
	}
	if length > maxNPYHeader {
		return nil, a.errorf("claims a header of %d bytes; at most %d are sensible", length, maxNPYHeader)
	}
	header := make([]byte, length)
	if err := a.fill(header); err != nil {
		return nil, err
	}
	if npyFields.Match(header) {
		return nil, a.errorf("holds records with fields, a structured dtype; save it as numbers with numpy.lib.recfunctions.structured_to_unstructured")
	}
	descr, fortran, shape := npyDescr.FindSubmatch(header), npyFortran.FindSubmatch(header), npyShape.FindSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, a.errorf("has the header %s; that of an array of numbers is needed", quote(strings.TrimSpace(string(header))))
	}
	a.kind, a.fortran = descr[2][0], string(fortran[1]) == "True"
	a.size, _ = strconv.Atoi(string(descr[3])) // nine digits at most
	if mend := npyMends[a.kind]; mend != "" {
		return nil, a.errorf("holds %s", mend)
	}
	if string(descr[1]) == ">" {
		a.order = binary.BigEndian
	}
	if a.kind == 'U' {
		a.size *= 4
	} else if a.kind != 'S' && (len(descr[3]) > 1 || !strings.Contains(npySizes[a.kind], string(descr[3]))) {
		return nil, a.errorf("has elements of type %s%s; booleans, integers and floats of 2, 4 or 8 bytes can be read, so save it with astype('float64')", descr[2], descr[3])
	}
	if a.size < 1 || a.size > maxNPYElement {
		return nil, a.errorf("has elements of %d bytes; from 1 to %d can be read", a.size, maxNPYElement)
	}
	elements := 1
	for field := range strings.SplitSeq(string(shape[1]), ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil || n > math.MaxInt32 || n > 0 && elements > math.MaxInt/n {
			return nil, a.errorf("claims the shape %s, which is too large", quote("("+string(shape[1])+")"))
		}
		elements *= max(n, 1)
		a.shape = append(a.shape, n)
	}
	return a, nil
}

func (a *npyArray) errorf(format string, args ...any) error {
	return &ParseError{Source: a.source, Reason: a.name + " " + fmt.Sprintf(format, args...)}
}

// fill reads len(p) bytes.
func (a *npyArray) fill(p []byte) error {
	_, err := io.ReadFull(a.r, p)
	return a.readError(err)
}

func (a *npyArray) readError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &ParseError{Source: a.source, Err: io.ErrUnexpectedEOF,
			Reason: a.name + " is shorter than its header says; the file may have been cut short"}
	}
	return ioError(a.source, "read", err)
}

// number returns the value of an element.
func (a *npyArray) number(p []byte) float64 {
	switch a.kind {
	case 'f':
		switch a.size {
		case 2:
			return float64(float16.Frombits(a.order.Uint16(p)).Float32())
		case 4:
			return float64(math.Float32frombits(a.order.Uint32(p)))
		}
		return math.Float64frombits(a.order.Uint64(p))
	case 'i':
		switch a.size {
		case 1:
			return float64(int8(p[0]))
		case 2:
			return float64(int16(a.order.Uint16(p)))
		case 4:
			return float64(int32(a.order.Uint32(p)))
		}
		return float64(int64(a.order.Uint64(p)))
	}
	switch a.size { // unsigned and boolean
	case 1:
		return float64(p[0])
	case 2:
		return float64(a.order.Uint16(p))
	case 4:
		return float64(a.order.Uint32(p))
	}
	return float64(a.order.Uint64(p))
}

// text returns an element as a label.
func (a *npyArray) text(p []byte) string {
	switch a.kind {
	case 'b':
		return strconv.FormatBool(p[0] != 0)
	case 'S':
		return string(bytes.TrimRight(p, "\x00"))
	case 'U':
		var b strings.Builder
		for ; len(p) >= 4; p = p[4:] {
			if c := a.order.Uint32(p); c != 0 {
				b.WriteRune(rune(min(c, math.MaxInt32)))
			}
		}
		return b.String()
	}
	return formatNumber(a.number(p))
}

// elements calls f with the bytes of each of n elements.
func (a *npyArray) elements(n int, f func(i int, p []byte) error) error {
	const block = 4096
	buffer := make([]byte, min(n, block)*a.size)
	for i := 0; i < n; i += block {
		part := buffer[:min(n-i, block)*a.size]
		if err := a.fill(part); err != nil {
			return err
		}
		for j := 0; j < len(part); j += a.size {
			if err := f(i+j/a.size, part[j:j+a.size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readNPY reads an array of numbers, one of whose columns is the label.
func (b *builder) readNPY(r io.Reader) error {
	b.layout.format = NPY
	if err := b.readMatrix(r, "the array"); err != nil {
		return err
	}
	return b.flush()
}

// readMatrix reads an array of rows.
func (b *builder) readMatrix(r io.Reader, name string) error {
	a, err := openNPY(r, b.source, name)
	if err != nil {
		return err
	}
	switch {
	case len(a.shape) != 2:
		return a.errorf("has %s; two are needed, rows and columns, as reshape(len(a), -1) makes of an array a", count(len(a.shape), "dimension"))
	case a.kind == 'U' || a.kind == 'S':
		return a.errorf("holds texts; numbers are needed")
	case a.shape[0] == 0 || a.shape[1] == 0 || a.shape[1] > maxColumns:
		return a.errorf("has the shape (%d, %d); at least one row, and from one to %d columns are needed", a.shape[0], a.shape[1], maxColumns)
	}
	rows, columns := a.shape[0], a.shape[1]
	if a.fortran {
		if err := b.begin(positions(columns)); err != nil {
			return err
		}
		for i := range columns {
			err := a.elements(rows, func(row int, p []byte) error { return b.addElement(a, row, i, p) })
			if err != nil {
				return err
			}
		}
		b.n = rows
		return nil
	}
	// A row is read before columns are made, so that a file must have what it claims.
	row := bufio.NewReaderSize(a.r, columns*a.size)
	if _, err := row.Peek(columns * a.size); err != nil {
		return a.readError(err)
	}
	a.r = row
	if err := b.begin(positions(columns)); err != nil {
		return err
	}
	err = a.elements(rows*columns, func(i int, p []byte) error { return b.addElement(a, i/columns, i%columns, p) })
	b.n = rows
	return err
}

// addElement appends the element of a row, counted from 0, to its column.
func (b *builder) addElement(a *npyArray, row, i int, p []byte) error {
	if i == b.label {
		if reason := b.labels.add(a.text(p)); reason != "" {
			return a.errorf("row %d (from 0): %s", row, reason)
		}
		return nil
	}
	c := b.cells[i]
	if c == nil {
		return nil
	}
	if c.category || c.known {
		return b.addCell(i, a.text(p))
	}
	c.storage = plain
	switch x := a.number(p); {
	case math.IsNaN(x):
		if b.opts.RefuseMissing {
			return &ParseError{Source: b.source, Column: b.names[i],
				Reason: fmt.Sprintf("the value of row %d (from 0) is missing (NaN); fill it in, remove the row, or have missing values imputed", row)}
		}
		c.addMissing()
	case math.IsInf(x, 0):
		return &ParseError{Source: b.source, Column: b.names[i],
			Reason: fmt.Sprintf("the value of row %d (from 0) is %v, which is not finite; mend it, or make it NaN if it is not known", row, x)}
	default:
		c.addNumber(x)
	}
	return nil
}

// arrayNames are the names by which archives call features and labels.
var arrayNames = [][2]string{{"X", "y"}, {"x", "y"}, {"X_train", "y_train"}, {"x_train", "y_train"}, {"features", "labels"}, {"data", "labels"}, {"data", "target"}}

// readNPZ reads an archive with features in one array and labels in another.
func (b *builder) readNPZ(r io.Reader) error {
	b.layout.format = NPZ
	if b.opts.Label != "" && b.opts.For == nil {
		return &ParseError{Source: b.source, Column: b.opts.Label, Reason: "the labels of an NPZ file are an array of their own; no column can be the label"}
	}
	data, err := io.ReadAll(r) // the list of arrays is at the end
	if err != nil {
		return ioError(b.source, "read", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return &ParseError{Source: b.source, Err: err, Reason: "the NPZ file is damaged or has been cut short; it is no whole zip archive"}
	}
	files := make(map[string]*zip.File)
	var names []string
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		files[name] = f
		names = append(names, name)
	}
	var pairs []string
	for _, pair := range arrayNames {
		x, y := files[pair[0]], files[pair[1]]
		if x == nil || y == nil && !b.opts.Unlabeled && b.opts.For == nil {
			pairs = append(pairs, quote(pair[0])+" and "+quote(pair[1]))
			continue
		}
		for _, name := range names {
			if name != pair[0] && name != pair[1] {
				b.unread = append(b.unread, name)
			}
		}
		return b.readArrays(x, y)
	}
	reason := "the archive is empty"
	switch {
	case files["[Content_Types].xml"] != nil:
		return &ParseError{Source: b.source, Reason: "the file is an Excel workbook (.xlsx) or another Office document; save it as CSV"}
	case len(names) > 0 && !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, ".npy") }):
		return &ParseError{Source: b.source, Reason: "the file is a zip archive with " + list(names) + ", none of which is a NumPy array; unpack it and read the file inside"}
	case len(names) > 0:
		reason = "the archive has the arrays " + list(names)
	}
	return &ParseError{Source: b.source, Reason: reason + "; features and labels are needed, called " + strings.Join(pairs, ", or ")}
}

// readArrays reads the features x and the labels y, which may be nil.
func (b *builder) readArrays(x, y *zip.File) error {
	unlabeled := b.opts.Unlabeled || y == nil
	b.opts.Unlabeled = true // among the columns of x
	err := b.openZip(x, func(r io.Reader) error { return b.readMatrix(r, x.Name) })
	if err != nil {
		return err
	}
	if unlabeled {
		return b.flush()
	}
	err = b.openZip(y, func(r io.Reader) error {
		a, err := openNPY(r, b.source, y.Name)
		if err != nil {
			return err
		}
		elements := 1
		for _, n := range a.shape {
			elements *= n
		}
		if len(a.shape) < 1 || len(a.shape) > 2 || elements != b.n || a.shape[0] != elements {
			return a.errorf("has the shape %v; one label for each of the %s of %s is needed", a.shape, count(b.n, "row"), x.Name)
		}
		return a.elements(elements, func(row int, p []byte) error {
			if reason := b.labels.add(a.text(p)); reason != "" {
				return a.errorf("row %d (from 0): %s", row, reason)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return b.flush()
}

// openZip passes the content of f to read.
func (b *builder) openZip(f *zip.File, read func(io.Reader) error) error {
	r, err := f.Open()
	if err != nil {
		return &ParseError{Source: b.source, Err: err, Reason: f.Name + " cannot be unpacked: " + err.Error()}
	}
	defer r.Close()
	return read(r)
}
