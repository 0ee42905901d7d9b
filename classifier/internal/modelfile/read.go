package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Read reads the model file at path, if it has at most limit bytes. Tensors' data
// shares one array, which is the file's size, and no element of which two tensors share.
// Every reason to refuse the file gives an error of one sentence.
func Read(path string, limit int64) (*File, error) {
	info, err := os.Stat(path) // before opening, which waits for a writer if it is a pipe
	if err != nil {
		return nil, fmt.Errorf("the model file cannot be opened: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("model file %q is not a regular file", path)
	}
	if limit = min(limit, math.MaxInt); info.Size() > limit {
		return nil, fmt.Errorf("model file %q has %d bytes, but at most %d are read", path, info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the model file cannot be opened: %w", err)
	}
	defer f.Close()
	file, err := decode(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("model file %q %w", path, err)
	}
	return file, nil
}

var (
	errForeign = errors.New("is not a model file: it does not begin as one")
	errDamaged = errors.New("is damaged: its content does not match its checksum")
)

// decode reads a file of a number of bytes. Its errors continue a sentence that begins with
// the file's name.
func decode(r io.Reader, size int64) (*File, error) {
	head := make([]byte, min(size, int64(sumEnd)))
	if err := readFull(r, head); err != nil {
		return nil, err
	}
	begin := head[min(8, len(head)):]
	if known := min(len(begin), len(prefix)); string(begin[:known]) != prefix[:known] {
		return nil, errForeign
	}
	if len(head) < sumEnd {
		return nil, fmt.Errorf("is cut short: it has %d bytes, which is less than any model file", size)
	}
	length := binary.LittleEndian.Uint64(head)
	switch {
	case length > maxHeader:
		return nil, fmt.Errorf("is damaged: its header is said to have %d bytes, but %d is the limit", length, maxHeader)
	case length > uint64(size)-8:
		return nil, fmt.Errorf("is cut short: it has %d bytes, but its header alone has %d", size, length)
	case length < uint64(len(head)-8):
		return nil, fmt.Errorf("is damaged: its header is said to have %d bytes, which is less than any has", length)
	}
	head = append(make([]byte, 0, 8+length), head...)[:8+length]
	if err := readFull(r, head[sumEnd:]); err != nil {
		return nil, err
	}

	file, places, err := parse(head[8:])
	if err != nil {
		return nil, err
	}
	end := int64(0)
	for _, p := range places {
		end = p.end
	}
	switch got := size - int64(len(head)); {
	case got < end:
		return nil, fmt.Errorf("is cut short: its tensors have %d bytes, but only %d are there", end, got)
	case got > end:
		return nil, fmt.Errorf("is damaged: %d bytes follow its last tensor", got-end)
	}
	data := make([]byte, end)
	if err := readFull(r, data); err != nil {
		return nil, err
	}
	if checksum([][]byte{head, data}) != string(head[sumStart:sumEnd]) {
		return nil, errDamaged
	}
	for _, p := range places {
		t := file.Tensors[p.name]
		t.Data = data[p.begin:p.end:p.end]
		file.Tensors[p.name] = t
	}
	return file, nil
}

func readFull(r io.Reader, b []byte) error {
	if _, err := io.ReadFull(r, b); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	return nil
}

// place is where a tensor's data lies.
type place struct {
	name       string
	begin, end int64
}

// parse reads a header, giving a file that lacks its data.
func parse(header []byte) (*File, []place, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	// The decoder's own errors repeat any amount of the header.
	invalid := func() error {
		return fmt.Errorf("is damaged: its header makes no sense at byte %d", 8+d.InputOffset())
	}
	file := &File{Tensors: map[string]Tensor{}}
	var places []place
	if _, err := d.Token(); err != nil { // the prefix has it that this is a brace
		return nil, nil, invalid()
	}
	for end := int64(0); d.More(); {
		key, err := d.Token()
		if err != nil {
			return nil, nil, invalid()
		}
		name := key.(string) // as keys are
		if name == "__metadata__" {
			if file.Metadata != nil {
				return nil, nil, errors.New("is damaged: it has \"__metadata__\" twice")
			}
			var metadata struct {
				Pullback string `json:"pullback"`
			}
			if err := d.Decode(&metadata); err != nil {
				return nil, nil, invalid()
			}
			if file.Metadata, err = parseDocument(metadata.Pullback); err != nil {
				return nil, nil, err
			}
			continue
		}
		if _, twice := file.Tensors[name]; twice {
			return nil, nil, fmt.Errorf("is damaged: it has two tensors named %.60q", name)
		}
		var entry json.RawMessage
		if err := d.Decode(&entry); err != nil || len(entry) > maxEntry { // long arrays allocate much more than their text
			return nil, nil, invalid()
		}
		var t struct {
			DType   string  `json:"dtype"`
			Shape   []int   `json:"shape"`
			Offsets []int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(entry, &t); err != nil || len(t.Offsets) != 2 || t.Shape == nil {
			return nil, nil, invalid()
		}
		begin := t.Offsets[0]
		switch {
		case elementSize(t.DType) == 0:
			return nil, nil, fmt.Errorf("is damaged: tensor %.60q has dtype %.60q, but must have %s", name, t.DType, dtypes)
		case begin < end:
			return nil, nil, fmt.Errorf("is damaged: tensor %.60q overlaps the one before it", name)
		case begin > end:
			return nil, nil, fmt.Errorf("is damaged: %d bytes before tensor %.60q belong to none", begin-end, name)
		}
		end = t.Offsets[1]
		if size := dataSize(t.DType, t.Shape); size < 0 || end < begin || end-begin != int64(size) {
			return nil, nil, fmt.Errorf("is damaged: tensor %.60q has %d bytes of data, which are not those of %s%s",
				name, end-begin, t.DType, shapeText(t.Shape))
		}
		file.Tensors[name] = Tensor{DType: t.DType, Shape: t.Shape}
		places = append(places, place{name, begin, end})
	}
	if _, err := d.Token(); err != nil || len(bytes.Trim(header[d.InputOffset():], " ")) != 0 {
		return nil, nil, invalid()
	}
	return file, places, nil
}

// parseDocument returns the caller's part of the document under "__metadata__".
func parseDocument(text string) (json.RawMessage, error) {
	var document struct {
		Version int             `json:"version"`
		Model   json.RawMessage `json:"model"`
	}
	err := json.Unmarshal([]byte(text), &document)
	switch {
	case err == nil && document.Version > version:
		return nil, fmt.Errorf("has version %d, but this program reads version %d: it needs a newer release", document.Version, version)
	case err != nil || document.Version < 1 || document.Model == nil:
		return nil, errors.New("is damaged: the document in its header makes no sense")
	}
	return document.Model, nil
}
