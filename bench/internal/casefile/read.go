package casefile

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// File is a file that is being read.
type File struct {
	Format string

	path     string
	file     io.Closer
	source   *source
	json     *json.Decoder
	first    json.RawMessage // of a list, until it is asked for
	rows     *Case           // of a pointwise file, until they are asked for
	read     int             // cases
	elements int             // that tensors may still have
}

// Open opens a file, to be closed.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := Read(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	file.path, file.file = path, f
	return file, nil
}

// Close closes what Open has opened.
func (f *File) Close() error { return f.file.Close() }

// Read begins to read a file of any of the formats.
func Read(r io.Reader) (*File, error) {
	b := bufio.NewReader(r)
	s := &source{r: b, total: MaxBytes + 1}
	s.allow(maxCaseBytes)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		s.zipped = true
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, s.wrong(err)
		}
		s.r = z
	}
	f := &File{source: s, json: json.NewDecoder(s), elements: maxTotalElements}
	t, err := f.json.Token()
	switch {
	case errors.Is(err, io.EOF) && s.err == nil:
		return nil, errors.New("the file is empty; recorded cases are needed, in JSON")
	case err != nil:
		return nil, f.wrong(err)
	case t == json.Delim('{'):
		return f, f.readPointwise()
	case t == json.Delim('['):
		return f, f.readFirst()
	}
	return nil, errors.New("this is no JSON object or list; recorded cases are needed, in JSON")
}

// source is the file, unpacked and limited.
type source struct {
	r            io.Reader
	zipped       bool
	total, value int // bytes that the file and the value that is being read may still have
	limit        int // that the value began with
	err          error
}

// allow begins a value of at most so many bytes.
func (s *source) allow(bytes int) { s.value, s.limit = bytes, bytes }

func (s *source) Read(p []byte) (int, error) {
	if s.err == nil && s.total <= 0 {
		s.err = fmt.Errorf("the file is longer than the %d MB that can be handled", MaxBytes>>20)
	}
	if s.err == nil && s.value <= 0 {
		s.err = fmt.Errorf("it is longer than the %d bytes that can be handled", s.limit)
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p[:min(len(p), s.total, s.value)])
	s.total -= n
	s.value -= n
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = s.wrong(err)
		err = s.err
	}
	return n, err
}

// wrong says that the bytes cannot be had.
func (s *source) wrong(err error) error {
	if s.zipped {
		return fmt.Errorf("the gzip data cannot be read: %w", err)
	}
	return err
}

// wrong says what is wrong with the file: with its bytes, or with what they mean.
func (f *File) wrong(err error) error {
	if f.source.err != nil {
		return f.source.err
	}
	return notJSON(err)
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the JSON cannot be read: %w", err)
}

// more reports whether the object or list goes on.
func (f *File) more() bool {
	f.source.allow(maxCaseBytes)
	return f.json.More()
}

// value reads the next value, of at most so many bytes.
func (f *File) value(limit int) (json.RawMessage, error) {
	f.source.allow(limit)
	var raw json.RawMessage
	if err := f.json.Decode(&raw); err != nil {
		return nil, f.wrong(err)
	}
	return raw, nil
}

// end reads the end of the object or list, behind which there must be nothing.
func (f *File) end() error {
	f.source.allow(maxCaseBytes)
	if _, err := f.json.Token(); err != nil {
		return f.wrong(err)
	}
	if _, err := f.json.Token(); !errors.Is(err, io.EOF) || f.source.err != nil {
		if err == nil {
			err = errors.New("there is more behind its end")
		}
		return f.wrong(err)
	}
	return nil
}

// readFirst tells calls from statuses by the first case: only a status has a code.
func (f *File) readFirst() error {
	if !f.more() {
		if err := f.end(); err != nil {
			return err
		}
		return errors.New("the list of cases is empty")
	}
	var err error
	if f.first, err = f.value(maxCaseBytes); err != nil {
		return fmt.Errorf("case 1: %w", err)
	}
	var first struct{ Code *json.RawMessage }
	if err := json.Unmarshal(f.first, &first); err != nil {
		return fmt.Errorf("case 1: %w", notJSON(err))
	}
	f.Format = Tensors
	if first.Code != nil {
		f.Format = Status
	}
	return nil
}

// Next returns the next case, and io.EOF after the last.
func (f *File) Next() (*Case, error) {
	c, err := f.next()
	if err != nil && !errors.Is(err, io.EOF) && f.path != "" {
		err = fmt.Errorf("%s: %w", f.path, err)
	}
	return c, err
}

func (f *File) next() (*Case, error) {
	if f.Format == Pointwise {
		c := f.rows
		if f.rows = nil; c == nil {
			return nil, io.EOF
		}
		return c, nil
	}
	raw := f.first
	if f.first = nil; raw == nil {
		if !f.more() {
			if err := f.end(); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		var err error
		if raw, err = f.value(maxCaseBytes); err != nil {
			return nil, fmt.Errorf("case %d: %w", f.read+1, err)
		}
	}
	c := &Case{Number: f.read, Rows: 1}
	f.read++
	b := &builder{left: maxElements, total: &f.elements}
	parse := b.tensors
	if f.Format == Status {
		parse = b.status
	}
	if err := parse(raw); err != nil {
		return nil, fmt.Errorf("case %d: %w", f.read, err)
	}
	c.Checks = b.checks
	return c, nil
}

// builder makes the checks of a case.
type builder struct {
	checks []Check
	left   int  // elements that its tensors may still have
	total  *int // the same, of those of the whole file
}

// take counts the elements of a tensor, or those it reaches over.
func (b *builder) take(n int) error {
	b.left -= n
	*b.total -= n
	switch {
	case b.left < 0:
		return fmt.Errorf("the tensors of this case have more than the %d elements that can be handled", maxElements)
	case *b.total < 0:
		return fmt.Errorf("the tensors of all cases have more than the %d elements that can be handled", maxTotalElements)
	}
	return nil
}
