package modelfile

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allocation returns the bytes that f allocates, freed or not.
func allocation(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// maxAllocation is what reading a file of a number of bytes may allocate.
func maxAllocation(size int) uint64 { return 24*uint64(size) + 16<<10 }

// reseal gives a file with a place for a checksum the one that fits.
func reseal(b []byte) []byte {
	if len(b) >= sumEnd {
		copy(b[sumStart:], checksum([][]byte{b}))
	}
	return b
}

// requireSound checks what decode gave for content: an error of one short sentence, or a file that
// comes back the same from its own encoding.
func requireSound(t testing.TB, content []byte, f *File, err error) {
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 1000)
		require.Nil(t, f)
		return
	}
	size := 0
	for _, tensor := range f.Tensors {
		require.Len(t, tensor.Data, dataSize(tensor.DType, tensor.Shape))
		size += len(tensor.Data)
	}
	require.LessOrEqual(t, size, len(content))
	again := encoded(t, f)
	g, err := decode(bytes.NewReader(again), int64(len(again)))
	require.NoError(t, err)
	require.Equal(t, f.Tensors, g.Tensors)
	require.JSONEq(t, string(f.Metadata), string(g.Metadata))
}

// Each of the corruptions is tried as it is, which the checksum has to notice, and with a
// checksum that fits, which everything else has to withstand.
func TestCorruptions(t *testing.T) {
	const corruptions = 10_000
	small := encoded(t, &File{Metadata: []byte(`{"a":[1,2]}`), Tensors: map[string]Tensor{"w": {"F32", []int{2}, make([]byte, 8)}}})
	large := encoded(t, &File{Metadata: []byte(`{}`), Tensors: map[string]Tensor{
		"w": {"F64", []int{100, 10}, make([]byte, 8000)}, "b": {"BF16", []int{100}, make([]byte, 200)}}})
	files := [][]byte{small, encoded(t, example()), large}

	random := rand.New(rand.NewPCG(1, 2))
	// piece returns a random range of b, most often a short one.
	piece := func(b []byte) (int, int) {
		begin := random.IntN(len(b) + 1)
		n := int(math.Exp(random.Float64() * math.Log(float64(len(b)-begin+1))))
		return begin, min(begin+n, len(b))
	}
	corrupt := func(b []byte) []byte {
		// Half of the corruptions are in the first bytes, where the structure is.
		reach := len(b)
		if random.IntN(2) == 0 {
			reach = min(reach, 700)
		}
		switch random.IntN(6) {
		case 0:
			return b[:random.IntN(len(b))]
		case 1:
			for range 1 + random.IntN(8) {
				b[random.IntN(reach)] ^= 1 << random.IntN(8)
			}
			return b
		case 2:
			b[random.IntN(reach)] = `"\{}[]:,-0123456789.e nt`[random.IntN(24)]
			return b
		case 3: // left out
			begin, end := piece(b[:reach])
			return append(b[:begin:begin], b[end:]...)
		case 4: // put in from elsewhere
			other := files[random.IntN(len(files))]
			begin, end := piece(other)
			at := random.IntN(reach)
			return append(append(b[:at:at], other[begin:end]...), b[at:]...)
		default: // overwritten from elsewhere
			other := files[random.IntN(len(files))]
			begin, end := piece(other)
			copy(b[random.IntN(reach):], other[begin:end])
			return b
		}
	}

	refused := map[string]int{}
	for i := range corruptions {
		original := files[random.IntN(len(files))]
		content := corrupt(bytes.Clone(original))
		for _, fits := range []bool{false, true} {
			if fits {
				content = reseal(bytes.Clone(content))
			}
			var f *File
			var err error
			allocated := allocation(func() { f, err = decode(bytes.NewReader(content), int64(len(content))) })
			require.LessOrEqual(t, allocated, maxAllocation(len(content)), "corruption %d of %d bytes: %v", i, len(content), err)
			requireSound(t, content, f, err)
			if !fits && !bytes.Equal(content, original) {
				require.Error(t, err, "corruption %d", i)
			}
			if err != nil {
				kind := strings.FieldsFunc(err.Error(), func(r rune) bool { return strings.ContainsRune("0123456789\"", r) })
				refused[kind[0]]++
			}
		}
	}
	for kind, n := range refused {
		t.Logf("%5d %s", n, kind)
	}
	for _, want := range []string{
		errDamaged.Error(), errForeign.Error(), "is cut short: it has ", "is cut short: its tensors have ", "is damaged: its header makes no sense at byte ",
		"is damaged: its header is said to have ", "is damaged: tensor ", "has version ",
	} {
		require.Positive(t, refused[want], "some are refused because it %s", want)
	}
}

// Every single bit matters.
func TestEveryBit(t *testing.T) {
	content := encoded(t, example())
	for i := range content {
		for bit := range 8 {
			content[i] ^= 1 << bit
			_, err := decode(bytes.NewReader(content), int64(len(content)))
			require.Error(t, err, "bit %d of byte %d", bit, i)
			content[i] ^= 1 << bit
		}
		_, err := decode(bytes.NewReader(content[:i]), int64(i))
		require.ErrorContains(t, err, "is cut short")
	}
}

func FuzzDecode(f *testing.F) {
	one := `,"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	for _, seed := range [][]byte{
		nil,
		encoded(f, example()),
		encoded(f, &File{Metadata: []byte("null")}),
		sealed(metadata("1")+one+`}`, make([]byte, 4)),
		sealed(metadata("2")+one+`}`, make([]byte, 4)),
		sealed(metadata("1")+one+one+`}`, make([]byte, 4)),
		sealed(metadata("1")+`,"a":{"dtype":"F16","shape":[4611686018427387904,0],"data_offsets":[0,0]}}`, nil),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		content = reseal(bytes.Clone(content)) // or nothing would get past the checksum
		var file *File
		var err error
		// Other goroutines of a fuzzing process allocate too.
		allocated := allocation(func() { file, err = decode(bytes.NewReader(content), int64(len(content))) })
		require.LessOrEqual(t, allocated, maxAllocation(len(content))+1<<20)
		requireSound(t, content, file, err)
	})
}
