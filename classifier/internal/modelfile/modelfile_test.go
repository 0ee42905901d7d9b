package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		writeVersions(path)
	}
	goleak.VerifyTestMain(m)
}

const noLimit = math.MaxInt64

// example has every dtype, and shapes of ranks 0 to 3, one of them empty.
func example() *File {
	numbers := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*37 + 11)
		}
		return b
	}
	return &File{
		Metadata: json.RawMessage(`{"features":["radius \u003c 3","größe","a\"b\\"],"threshold":0.5,"nested":{"x":[1,2.5e-300,null]}}`),
		Tensors: map[string]Tensor{
			"mlp/0/weight": {"F32", []int{3, 5}, numbers(60)},
			"mlp/0/bias":   {"F32", []int{5}, numbers(20)},
			"half":         {"F16", []int{3}, numbers(6)},
			"brain":        {"BF16", []int{1, 1, 3}, numbers(6)},
			"double":       {"F64", []int{2}, numbers(16)},
			"step":         {"I64", []int{}, numbers(8)},
			"empty":        {"F32", []int{4, 0}, []byte{}},
			"\"<quoted>\"": {"F64", []int{1}, numbers(8)},
		},
	}
}

func encoded(t testing.TB, f *File) []byte {
	parts, err := encode(f)
	require.NoError(t, err)
	return bytes.Join(parts, nil)
}

func save(t testing.TB, content []byte) string {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(path, content, 0o666))
	return path
}

// sealed is a file with a header and data as given and a checksum that fits, by the
// rules in the package comment. The checksum's place is marked by 64 zeros.
func sealed(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(append(b, header...), data...)
	zeros := []byte(strings.Repeat("0", 64))
	before, after, ok := bytes.Cut(b, zeros)
	if !ok {
		panic("no place for a checksum")
	}
	sum := sha256.Sum256(append(bytes.Clone(before), after...))
	return bytes.Replace(b, zeros, []byte(hex.EncodeToString(sum[:])), 1)
}

// metadata is the beginning of a header of the given version, up to the tensors.
func metadata(version string) string {
	return `{"__metadata__":{"pullback":"{\"sha256\":\"` + strings.Repeat("0", 64) + `\",\"version\":` + version + `,\"model\":{}}"}`
}

func TestRoundTrip(t *testing.T) {
	for name, f := range map[string]*File{
		"every dtype":     example(),
		"no tensors":      {Metadata: json.RawMessage(`"text"`), Tensors: map[string]Tensor{}},
		"null":            {Metadata: json.RawMessage(`null`), Tensors: map[string]Tensor{}},
		"checksum inside": {Metadata: json.RawMessage(`"` + strings.Repeat("0", 64) + `"`), Tensors: map[string]Tensor{strings.Repeat("0", 64): {"I64", []int{1}, make([]byte, 8)}}},
		"line separator":  {Metadata: json.RawMessage("\"a\u2028b<>&\""), Tensors: map[string]Tensor{"a\u2028b<>&": {"F16", []int{0}, []byte{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "model.safetensors")
			require.NoError(t, Write(path, f))
			got, err := Read(path, noLimit)
			require.NoError(t, err)
			require.JSONEq(t, string(f.Metadata), string(got.Metadata))
			require.Equal(t, f.Tensors, got.Tensors)

			first, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, Write(path, f))
			second, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, first, second, "the same content gives the same bytes")
		})
	}
}

// A file may be put together by hand, with nothing but the package comment.
func TestFormat(t *testing.T) {
	f := &File{
		Metadata: json.RawMessage(` { "a" : 1 } `),
		Tensors: map[string]Tensor{
			"b": {"F32", []int{2, 1}, []byte("12345678")},
			"c": {"F64", nil, []byte("ABCDEFGH")},
			"a": {"F32", []int{1}, []byte("abcd")},
		},
	}
	header := strings.Replace(metadata("1"), `{}`, `{\"a\":1}`, 1) +
		`,"c":{"dtype":"F64","shape":[],"data_offsets":[0,8]}` +
		`,"a":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}` +
		`,"b":{"dtype":"F32","shape":[2,1],"data_offsets":[12,20]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	require.Equal(t, string(sealed(header, []byte("ABCDEFGHabcd12345678"))), string(encoded(t, f)))
}

func TestAnotherReader(t *testing.T) {
	f := example()
	got, err := safetensors.Deserialize(encoded(t, f))
	require.NoError(t, err)
	require.Equal(t, len(f.Tensors), got.Len())
	for name, want := range f.Tensors {
		tensor, ok := got.Tensor(name)
		require.True(t, ok, name)
		require.Equal(t, want.DType, tensor.DType().String(), name)
		require.Equal(t, want.Data, tensor.Data(), name)
		require.Len(t, tensor.Shape(), len(want.Shape), name)
		for i, d := range want.Shape {
			require.EqualValues(t, d, tensor.Shape()[i], name)
		}
	}
	_, header, err := safetensors.ReadMetadata(encoded(t, f))
	require.NoError(t, err)
	var document struct{ Model json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(header.Metadata()["pullback"]), &document))
	require.JSONEq(t, string(f.Metadata), string(document.Model))
}

func TestRefused(t *testing.T) {
	whole := encoded(t, example())
	flipped := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 1
		return b
	}
	// senseless refuses a header for what comes up to a number of bytes after its document.
	senseless := func(n int) string {
		return fmt.Sprintf("is damaged: its header makes no sense at byte %d", 8+len(metadata("1"))+n)
	}
	// wide is for a dimension that an int of 32 bits cannot hold, whose tensor makes no sense there.
	wide := func(n int, want string) string {
		if strconv.IntSize == 32 {
			return senseless(n)
		}
		return want
	}
	one := `,"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	other, err := safetensors.Serialize(map[string]safetensors.TensorView{}, map[string]string{"format": "pt"})
	require.NoError(t, err)

	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":             {nil, "is cut short: it has 0 bytes, which is less than any model file"},
		"text":              {[]byte("radius,texture,diagnosis\n1,2,M\n"), "is not a model file: it does not begin as one"},
		"other safetensors": {other, "is not a model file: it does not begin as one"},
		"beginning only":    {whole[:40], "is cut short: it has 40 bytes, which is less than any model file"},
		"header cut":        {whole[:500], fmt.Sprintf("is cut short: it has 500 bytes, but its header alone has %d", binary.LittleEndian.Uint64(whole))},
		"data cut":          {whole[:len(whole)-7], "is cut short: its tensors have 124 bytes, but only 117 are there"},
		"data flipped":      {flipped(len(whole) - 3), "is damaged: its content does not match its checksum"},
		"checksum flipped":  {flipped(60), "is damaged: its content does not match its checksum"},
		"trailing bytes":    {append(bytes.Clone(whole), "\n"...), "is damaged: 1 bytes follow its last tensor"},
		"newer":             {sealed(metadata("2")+`,"a":{"dtype":"new"}}`, nil), "has version 2, but this program reads version 1: it needs a newer release"},
		"version 0":         {sealed(metadata("0")+`}`, nil), "is damaged: the document in its header makes no sense"},
		"version 1.5":       {sealed(metadata("1.5")+`}`, nil), "is damaged: the document in its header makes no sense"},
		"header too large":  {append([]byte{1, 0, 0, 0x10, 0, 0, 0, 0}, whole[8:]...), "is damaged: its header is said to have 268435457 bytes, but 16777216 is the limit"},
		"header too small":  {append([]byte{50, 0, 0, 0, 0, 0, 0, 0}, whole[8:]...), "is damaged: its header is said to have 50 bytes, which is less than any has"},
		"two of a name":     {sealed(metadata("1")+one+`,"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, make([]byte, 8)), `is damaged: it has two tensors named "a"`},
		"two documents":     {sealed(metadata("1")+`,"__metadata__":{"pullback":"{\"version\":1,\"model\":2}"}}`, nil), `is damaged: it has "__metadata__" twice`},
		"overlap":           {sealed(metadata("1")+one+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, make([]byte, 6)), `is damaged: tensor "b" overlaps the one before it`},
		"gap":               {sealed(metadata("1")+one+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[5,9]}}`, make([]byte, 9)), `is damaged: 1 bytes before tensor "b" belong to none`},
		"shape":             {sealed(metadata("1")+`,"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,4]}}`, make([]byte, 4)), `is damaged: tensor "a" has 4 bytes of data, which are not those of F32[1,2]`},
		"negative":          {sealed(metadata("1")+`,"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, make([]byte, 4)), `is damaged: tensor "a" has 4 bytes of data, which are not those of F32[-1,-1]`},
		"size overflows":    {sealed(metadata("1")+`,"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}}`, make([]byte, 4)), wide(71, `is damaged: tensor "a" has 4 bytes of data, which are not those of F32[4611686018427387905]`)},
		"offsets overflow": {sealed(metadata("1")+
			`,"a":{"dtype":"F16","shape":[2305843009213693952],"data_offsets":[0,4611686018427387904]}`+
			`,"b":{"dtype":"F16","shape":[2305843009213693952],"data_offsets":[4611686018427387904,-9223372036854775808]}`+
			`,"c":{"dtype":"F16","shape":[2305843009213693952],"data_offsets":[-9223372036854775808,-4611686018427387904]}`+
			`,"d":{"dtype":"F16","shape":[2305843009213693952],"data_offsets":[-4611686018427387904,0]}}`, nil),
			wide(89, `is damaged: tensor "b" has 4611686018427387904 bytes of data, which are not those of F16[2305843009213693952]`)},
		"huge claim":     {sealed(metadata("1")+`,"a":{"dtype":"F16","shape":[2305843009213693952],"data_offsets":[0,4611686018427387904]}}`, make([]byte, 4)), wide(89, "is cut short: its tensors have 4611686018427387904 bytes, but only 4 are there")},
		"rank":           {sealed(metadata("1")+`,"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 64)+`1],"data_offsets":[0,4]}}`, make([]byte, 4)), `is damaged: tensor "a" has 4 bytes of data, which are not those of F32[1,1,1,1,1,1,1,1,…]`},
		"dtype":          {sealed(metadata("1")+`,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, make([]byte, 1)), `is damaged: tensor "a" has dtype "U8", but must have F64, I64, F32, F16 or BF16`},
		"no shape":       {sealed(metadata("1")+`,"a":{"dtype":"F32","data_offsets":[0,4]}}`, make([]byte, 4)), senseless(41)},
		"three offsets":  {sealed(metadata("1")+`,"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}}`, make([]byte, 4)), senseless(55)},
		"header open":    {sealed(metadata("1"), nil), senseless(0)},
		"header goes on": {sealed(metadata("1")+`}`+one, make([]byte, 4)), senseless(1)},
		"nested":         {sealed(metadata("1")+`,"a":`+strings.Repeat("[", 1_000_000)+"}", nil), senseless(5)},
		"long name":      {sealed(metadata("1")+`,"`+strings.Repeat("é", 1_000_000)+`":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, nil), `is damaged: tensor "` + strings.Repeat("é", 60) + `" has dtype "U8", but must have F64, I64, F32, F16 or BF16`},
	} {
		t.Run(name, func(t *testing.T) {
			path := save(t, c.content)
			_, err := Read(path, noLimit)
			require.EqualError(t, err, fmt.Sprintf("model file %q %s", path, c.want))
		})
	}

	t.Run("limit", func(t *testing.T) {
		path := save(t, whole)
		_, err := Read(path, int64(len(whole)))
		require.NoError(t, err)
		_, err = Read(path, int64(len(whole)-1))
		require.EqualError(t, err, fmt.Sprintf("model file %q has %d bytes, but at most %d are read", path, len(whole), len(whole)-1))
	})
	t.Run("folder", func(t *testing.T) {
		path := t.TempDir()
		_, err := Read(path, noLimit)
		require.EqualError(t, err, fmt.Sprintf("model file %q is not a regular file", path))
	})
	t.Run("absent", func(t *testing.T) {
		_, err := Read(filepath.Join(t.TempDir(), "none"), noLimit)
		require.ErrorIs(t, err, os.ErrNotExist)
		require.ErrorContains(t, err, "the model file cannot be opened: ")
	})
}

// The header alone decides what is allocated, so these are the headers that might make much of little.
func TestDenseHeaders(t *testing.T) {
	const n = 1 << 18
	tensors := func(format string) string {
		var b strings.Builder
		for i := range n / 16 {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, header := range map[string]string{
		"dimensions": `,"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", n) + `1],"data_offsets":[0,4]}}`,
		"arrays":     `,"a":{"dtype":"F32","shape":[` + strings.Repeat("[],", n) + `1],"data_offsets":[0,4]}}`,
		"fields":     `,"a":{` + strings.Repeat(`"a":1,`, n) + `"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
		"offsets":    `,"a":{"dtype":"F32","shape":[1],"data_offsets":[` + strings.Repeat("0,", n) + `4]}}`,
		"tensors":    tensors(`,"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`) + `,"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
		"scalars":    tensors(`,"%x":{"dtype":"","shape":[]}`) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			content := sealed(metadata("1")+header, make([]byte, 4))
			allocated := allocation(func() {
				_, _ = decode(bytes.NewReader(content), int64(len(content)))
			})
			t.Logf("%.1f times", float64(allocated)/float64(len(content)))
			require.LessOrEqual(t, allocated, maxAllocation(len(content)))
		})
	}
}

func TestWriteMistakes(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct {
		f    *File
		path string
		want string
	}{
		"nil":          {f: nil, want: "it is nil"},
		"no document":  {f: &File{}, want: "its document is not JSON in UTF-8"},
		"not JSON":     {f: &File{Metadata: json.RawMessage(`{"a":`)}, want: "its document is not JSON in UTF-8"},
		"not UTF-8":    {f: &File{Metadata: json.RawMessage("\"\xff\"")}, want: "its document is not JSON in UTF-8"},
		"long":         {f: &File{Metadata: json.RawMessage(`"` + strings.Repeat("x", 16_777_216) + `"`)}, want: "its document and the names of its tensors take 16777360 bytes, but no more than 16777216 are allowed"},
		"name":         {f: &File{Metadata: json.RawMessage("1"), Tensors: map[string]Tensor{"__metadata__": {"F32", []int{0}, nil}}}, want: `a tensor is named "__metadata__", but a name must be UTF-8 and other than "__metadata__"`},
		"name's bytes": {f: &File{Metadata: json.RawMessage("1"), Tensors: map[string]Tensor{"\xff": {"F32", []int{0}, nil}}}, want: `a tensor is named "\xff", but a name must be UTF-8 and other than "__metadata__"`},
		"dtype":        {f: &File{Metadata: json.RawMessage("1"), Tensors: map[string]Tensor{"a": {"float32", []int{1}, make([]byte, 4)}}}, want: `tensor "a" has dtype "float32", but must have F64, I64, F32, F16 or BF16`},
		"data":         {f: &File{Metadata: json.RawMessage("1"), Tensors: map[string]Tensor{"a": {"F32", []int{2, 3}, make([]byte, 23)}}}, want: `tensor "a" has 23 bytes of data, which are not those of F32[2,3]`},
		"dimension":    {f: &File{Metadata: json.RawMessage("1"), Tensors: map[string]Tensor{"a": {"F32", []int{-1, -1, 1, 1, 1, 1, 1, 1, 1}, make([]byte, 4)}}}, want: `tensor "a" has 4 bytes of data, which are not those of F32[-1,-1,1,1,1,1,1,1,…]`},
		"folder":       {f: example(), path: folder, want: "there is something at this path that is not a regular file; choose another path"},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = save(t, []byte("before"))
			}
			require.EqualError(t, Write(path, c.f), fmt.Sprintf("model file %q cannot be written: %s", path, c.want))
			if c.path == "" {
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, "before", string(content))
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, entries, 1, "nothing is left behind")
		})
	}
	err := Write(filepath.Join(folder, "none", "model.safetensors"), example())
	require.ErrorContains(t, err, "there is no directory")
}
