package casefile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxBytes is how long a file may be, unpacked.
const maxBytes = 256 << 20

// Open reads a file.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Read reads a file of any of the formats.
func Read(r io.Reader) (*File, error) {
	data, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return nil, errors.New("the file is empty; recorded cases are needed, in JSON")
	case trimmed[0] == '{':
		return readPointwise(data)
	case trimmed[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, notJSON(err)
		}
		return readList(list)
	}
	return nil, errors.New("this is no JSON object or list; recorded cases are needed, in JSON")
}

func notJSON(err error) error { return fmt.Errorf("the JSON cannot be read: %w", err) }

// unpacked reads everything, and undoes gzip.
func unpacked(r io.Reader) ([]byte, error) {
	data, err := readAll(r)
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = readAll(z)
	}
	if err != nil {
		return nil, fmt.Errorf("the gzip data cannot be read: %w", err)
	}
	return data, nil
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("it is longer than %d MB", maxBytes>>20)
	}
	return data, err
}

// readList tells calls from statuses by the first case: only a status has a code.
func readList(list []json.RawMessage) (*File, error) {
	if len(list) == 0 {
		return nil, errors.New("the list of cases is empty")
	}
	f := &File{Format: Tensors, Cases: len(list)}
	read := f.addTensors
	var first struct{ Code *json.RawMessage }
	if err := json.Unmarshal(list[0], &first); err != nil {
		return nil, fmt.Errorf("case 1: %w", notJSON(err))
	}
	if first.Code != nil {
		f.Format, read = Status, f.addStatus
	}
	for i, data := range list {
		if err := read(i, data); err != nil {
			return nil, fmt.Errorf("case %d: %w", i+1, err)
		}
	}
	return f, nil
}
