package modelfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

// Write puts f in place of the file at path, or makes a new one, as package atomicfile does. It is
// an error if there is something other than a regular file at path, if the document is not JSON in
// UTF-8, if a name is "__metadata__" or not UTF-8, and if a tensor's data is not what its dtype and
// shape take.
func Write(path string, f *File) error {
	parts, err := encode(f)
	if info, failed := os.Stat(path); err == nil && failed == nil && !info.Mode().IsRegular() {
		err = errors.New("there is something at this path that is not a regular file; choose another path")
	}
	if err != nil {
		return fmt.Errorf("model file %q cannot be written: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		for _, part := range parts {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// encode returns the bytes of the file in parts: all that comes before the data, and
// then each tensor's data.
func encode(f *File) ([][]byte, error) {
	if f == nil {
		return nil, errors.New("it is nil")
	}
	if !json.Valid(f.Metadata) || !utf8.Valid(f.Metadata) {
		return nil, errors.New("its document is not JSON in UTF-8")
	}
	var document bytes.Buffer
	fmt.Fprintf(&document, `{"sha256":"%s","version":%d,"model":`, strings.Repeat("0", sumSize), version)
	if err := json.Compact(&document, f.Metadata); err != nil {
		return nil, err
	}
	document.WriteByte('}')

	names := slices.SortedFunc(maps.Keys(f.Tensors), func(a, b string) int {
		return cmp.Or(
			cmp.Compare(elementSize(f.Tensors[b].DType), elementSize(f.Tensors[a].DType)),
			cmp.Compare(a, b))
	})
	parts := [][]byte{nil}
	head := make([]byte, 8)
	head = fmt.Appendf(head, `{"__metadata__":{"pullback":%s}`, jsonString(document.String()))
	offset := 0
	for _, name := range names {
		t := f.Tensors[name]
		switch {
		case name == "__metadata__" || !utf8.ValidString(name):
			return nil, fmt.Errorf("a tensor is named %.60q, but a name must be UTF-8 and other than \"__metadata__\"", name)
		case elementSize(t.DType) == 0:
			return nil, fmt.Errorf("tensor %.60q has dtype %.60q, but must have %s", name, t.DType, dtypes)
		case len(t.Data) != dataSize(t.DType, t.Shape):
			return nil, fmt.Errorf("tensor %.60q has %d bytes of data, which are not those of %s%s", name, len(t.Data), t.DType, shapeText(t.Shape))
		}
		shape, err := json.Marshal(append([]int{}, t.Shape...)) // not null for none
		if err != nil {
			return nil, err
		}
		head = fmt.Appendf(head, `,%s:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`,
			jsonString(name), t.DType, shape, offset, offset+len(t.Data))
		offset += len(t.Data)
		parts = append(parts, t.Data)
	}
	head = append(head, '}')
	for len(head)%8 != 0 { // so that the data is aligned
		head = append(head, ' ')
	}
	if len(head)-8 > maxHeader {
		return nil, fmt.Errorf("its document and the names of its tensors take %d bytes, but no more than %d are allowed", len(head)-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(head, uint64(len(head)-8))
	parts[0] = head
	copy(head[sumStart:], checksum(parts))
	return parts, nil
}

// checksum returns the checksum that belongs into the file with these parts, the first of which
// reaches beyond its place.
func checksum(parts [][]byte) string {
	h := sha256.New()
	h.Write(parts[0][:sumStart])
	h.Write(parts[0][sumEnd:])
	for _, part := range parts[1:] {
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// jsonString returns s as a JSON string with no more escapes than needed.
func jsonString(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can always be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
