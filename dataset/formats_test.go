package dataset_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/sbinet/npyio"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gonum.org/v1/gonum/mat"

	"github.com/pullback-go/pullback/dataset"
)

func TestLIBSVM(t *testing.T) {
	const text = `# made by hand
+1 qid:3 1:0.5 7:2 # the first

-1 3:-1e2
+1	1:1	3:nan 2147483647:7
-1
`
	f, err := readText(text, dataset.Options{})
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"1", "3", "7", "2147483647", "label"},
		{"0.5", "0", "2", "0", "+1"},
		{"0", "-100", "0", "0", "-1"},
		{"1", "", "0", "7", "+1"},
		{"0", "0", "0", "0", "-1"},
	}, contents(t, f))
	require.Equal(t, "LIBSVM", f.Schema().Layout)
	e := fitEncoder(t, f)
	require.Equal(t, []string{"1", "3", "7", "2147483647"}, e.Features())
	require.Equal(t, 0.0, e.Columns[1].Median, "of 0, -100 and 0")

	// Columns that a file lacks are zero, those that the encoder lacks are ignored, rows may be in any order.
	for _, opts := range []dataset.Options{{}, {For: e}} {
		rows, err := readText("1 7:2 8:1\n-1 1:0.5\n1 1:1 3:5\n", opts)
		require.NoError(t, err)
		m, err := e.Transform(rows.Select([]int{2, 0, 1, 0}))
		require.NoError(t, err)
		z := func(column int, x float64) float32 {
			return float32((x - e.Columns[column].Mean) / e.Columns[column].Scale)
		}
		require.Equal(t, []float32{
			z(0, 1), z(1, 5), z(2, 0), z(3, 0),
			z(0, 0), z(1, 0), z(2, 2), z(3, 0),
			z(0, 0.5), z(1, 0), z(2, 0), z(3, 0),
			z(0, 0), z(1, 0), z(2, 2), z(3, 0),
		}, m.X)
	}
	f, err = readText(text, dataset.Options{Drop: []string{"3", "99"}, Unlabeled: true})
	require.NoError(t, err)
	require.Equal(t, []string{"1", "7", "2147483647"}, f.Names())
	require.Nil(t, f.Labels())
	require.Equal(t, []string{"3"}, f.Schema().Dropped)

	// Rows to predict may have no labels, and indices may be in any order.
	const bare = "7:2 1:0.5\n\n3:5 1:1 # the second\n"
	for _, opts := range []dataset.Options{{For: e}, {For: e, Unlabeled: true}} {
		rows, err := readText(bare, opts)
		require.NoError(t, err)
		require.Nil(t, rows.Labels())
		require.Equal(t, []string{"1 blank line between rows is skipped, not taken for a row; write an index with the value 0 where all are zero"}, rows.Schema().Notes)
		got, err := e.Transform(rows)
		require.NoError(t, err)
		labelled, err := readText("1 1:0.5 7:2\n-1 1:1 3:5\n", dataset.Options{For: e})
		require.NoError(t, err)
		want, err := e.Transform(labelled)
		require.NoError(t, err)
		require.Equal(t, want.X, got.X)
	}
	rows, err := readText(bare, dataset.Options{Unlabeled: true})
	require.NoError(t, err)
	require.Equal(t, []string{"1", "3", "7"}, rows.Names())
	_, err = readText("1 1:2\n1:3\n", dataset.Options{For: e})
	require.EqualError(t, err, `t.csv:2: the line begins with "1:3"; a label is needed before the features`)

	for text, want := range map[string]string{
		"1 1:2\n1 2:3 x\n":        `t.csv:2: "x" is no feature; index:value is needed, with an index below 2147483648`,
		"1 1:2\n1 2147483648:3\n": `t.csv:2: "2147483648:3" is no feature; index:value is needed, with an index below 2147483648`,
		"1 1:2\n1 -1:3\n":         `t.csv:2: "-1:3" is no feature; index:value is needed, with an index below 2147483648`,
		"1 1:2\n1 2:3 2:4\n":      `t.csv:2: index 2 comes twice; remove one of the two`,
		"1 1:2\n1 2:3 1:0 2:4\n":  `t.csv:2: index 2 comes twice; remove one of the two`,
		"1 1:2\n1:3\n":            `t.csv:2: the line begins with "1:3"; a label is needed before the features`,
		"1 1:2\n-1 3:x\n":         `t.csv:2: column "3": "x" is not a number, and the column holds numbers; mend it, leave it empty if it is not known, or declare the column a category`,
		"1 1:2\n? 3:1\n":          `t.csv:2: the label is missing; fill it in or remove the row`,
		"1\n0\n":                  `t.csv: no line has a feature; index:value pairs are needed after the label`,
		"# nothing\n":             `t.csv: the file has no rows`,
		"1 1:2\n0 1:3\n2 1:4\n":   `t.csv: column "label": the label has 3 values, "1", "0" and "2"; a binary label has two`,
		"1 1:2\n0 1:\n":           `t.csv:2: the value of feature 1 is missing (""); fill it in, remove the row, or have missing values imputed`,
	} {
		_, err := readText(text, dataset.Options{Format: dataset.LIBSVM, RefuseMissing: true})
		require.EqualError(t, err, want)
	}
	_, err = readText(text, dataset.Options{Label: "y"})
	require.EqualError(t, err, `t.csv: column "y": the label of a LIBSVM file is what its lines begin with; no other column can be the label`)
	_, err = readText(text, dataset.Options{Drop: []string{"y"}})
	require.EqualError(t, err, `t.csv: column "y": there is no such column to drop; the features of a LIBSVM file are numbers`)

	_, err = readText(text, dataset.Options{Category: []string{"3"}})
	require.EqualError(t, err, `t.csv: column "3": no column of a LIBSVM file can be one of categories, since its features are numbers; use CSV for categories`)
	_, err = readText(text, dataset.Options{Label: "y", Category: []string{"3"}, Drop: []string{"y"}, For: e})
	require.NoError(t, err, "these are the encoder's")

	people, err := readText("age,y\n1,0\n2,1\n", dataset.Options{})
	require.NoError(t, err)
	_, err = readText(text, dataset.Options{For: fitEncoder(t, people)})
	require.EqualError(t, err, `t.csv: column "age": the model needs a column of this name, but those of a LIBSVM file are numbers; use a file of the kind it was trained on`)

	var long strings.Builder // a line that is longer than what the format is told from
	long.WriteString("1")
	for i := range 30000 {
		fmt.Fprintf(&long, " %d:1", i)
	}
	f, err = readText(long.String()+"\n0 1:2\n", dataset.Options{})
	require.NoError(t, err)
	require.Len(t, f.Names(), 30000)

	var wide strings.Builder // few bytes, many columns and rows
	for i := range 40000 {
		fmt.Fprintf(&wide, "%d %d:1\n", i%2, i)
	}
	f, err = readText(wide.String(), dataset.Options{})
	require.NoError(t, err)
	_, err = dataset.FitEncoder(f, dataset.EncoderOptions{})
	require.EqualError(t, err, `dataset: "t.csv" would make a dense matrix of 40000 rows by 40000 columns, more than 1073741824 values; leave rows or columns out`)
}

// npy writes an array as numpy.lib.format says.
func npy(descr string, fortran bool, shape string, version byte, data any) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	b := append([]byte("\x93NUMPY"), version, 0)
	size := 10
	if version > 1 {
		size = 12
	}
	header += strings.Repeat(" ", 63-(size+len(header))%64) + "\n"
	if version > 1 {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	}
	b = append(b, header...)
	if s, ok := data.(string); ok {
		return append(b, s...)
	}
	var endian binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		endian = binary.BigEndian
	}
	b, err := binary.Append(b, endian, data)
	if err != nil {
		panic(err)
	}
	return b
}

func TestNPY(t *testing.T) {
	half := func(x float32) uint16 { return float16.Fromfloat32(x).Bits() }
	want := [][]string{{"column1", "column2", "column3"}, {"1", "2", "0"}, {"3", "4", "1"}}
	for name, data := range map[string][]byte{
		"f8":         npy("<f8", false, "(2, 3)", 1, []float64{1, 2, 0, 3, 4, 1}),
		"f8 fortran": npy("<f8", true, "(2, 3)", 1, []float64{1, 3, 2, 4, 0, 1}),
		"f8 big":     npy(">f8", false, "(2, 3)", 1, []float64{1, 2, 0, 3, 4, 1}),
		"f4":         npy("<f4", false, "(2, 3)", 2, []float32{1, 2, 0, 3, 4, 1}),
		"f4 fortran": npy("<f4", true, "(2, 3)", 3, []float32{1, 3, 2, 4, 0, 1}),
		"f2":         npy("<f2", false, "(2, 3)", 1, []uint16{half(1), half(2), half(0), half(3), half(4), half(1)}),
		"i8":         npy("<i8", false, "(2, 3)", 1, []int64{1, 2, 0, 3, 4, 1}),
		"i4 big":     npy(">i4", false, "(2, 3)", 1, []int32{1, 2, 0, 3, 4, 1}),
		"i2":         npy("<i2", false, "(2, 3)", 1, []int16{1, 2, 0, 3, 4, 1}),
		"i1":         npy("|i1", false, "(2, 3)", 1, []int8{1, 2, 0, 3, 4, 1}),
		"u8":         npy("<u8", false, "(2, 3)", 1, []uint64{1, 2, 0, 3, 4, 1}),
		"u4":         npy("<u4", false, "(2, 3)", 1, []uint32{1, 2, 0, 3, 4, 1}),
		"u2":         npy("<u2", false, "(2, 3)", 1, []uint16{1, 2, 0, 3, 4, 1}),
		"u1":         npy("|u1", false, "(2, 3)", 1, []uint8{1, 2, 0, 3, 4, 1}),
	} {
		f, err := dataset.ReadFrame(bytes.NewReader(data), "t.npy", dataset.Options{})
		require.NoError(t, err, name)
		require.Equal(t, want, contents(t, f), name)
		require.Equal(t, "NPY array", f.Schema().Layout)
	}

	// Another writer, more rows than a block, a gap, the label in front, streamed in pieces.
	const rows = 3000
	values := make([]float64, 0, 3*rows)
	for i := range rows {
		x := float64(i) / 8
		if i == 5 {
			x = math.NaN()
		}
		values = append(values, float64(i%2), x, float64(-i))
	}
	var written bytes.Buffer
	require.NoError(t, npyio.Write(&written, mat.NewDense(rows, 3, values)))
	data := written.Bytes()
	f, err := dataset.ReadFrame(bytes.NewReader(data), "t.npy", dataset.Options{Label: "1"})
	require.NoError(t, err)
	require.Equal(t, []string{"column2", "column3"}, f.Names())
	x, err := f.Numbers("column2")
	require.NoError(t, err)
	require.True(t, math.IsNaN(x[5]))
	for i, y := range f.Labels() {
		require.Equal(t, float64(i%2*2-1), y)
		if i != 5 {
			require.Equal(t, float64(i)/8, x[i])
		}
	}
	e := fitEncoder(t, f)
	m, err := e.Transform(f)
	require.NoError(t, err)
	var streamed []float32
	for part, err := range e.Stream(bytes.NewReader(data), "t.npy", dataset.Options{}, 1000) {
		require.NoError(t, err)
		require.Equal(t, 1000, part.Rows())
		streamed = append(streamed, part.X...)
	}
	require.Equal(t, m.X, streamed)
	_, err = dataset.ReadFrame(bytes.NewReader(data), "t.npy", dataset.Options{Label: "1", RefuseMissing: true})
	require.EqualError(t, err, `t.npy: column "column2": the value of row 5 (from 0) is missing (NaN); fill it in, remove the row, or have missing values imputed`)
}

func TestNPYRefuses(t *testing.T) {
	whole := npy("<f8", false, "(2, 3)", 1, []float64{1, 2, 0, 3, 4, 1})
	for _, c := range []struct {
		data []byte
		want string
	}{
		{whole[:5], "the array is shorter than its header says; the file may have been cut short"},
		{whole[:50], "the array is shorter than its header says; the file may have been cut short"},
		{whole[:len(whole)-1], "the array is shorter than its header says; the file may have been cut short"},
		{npy("<f8", false, "(2000, 1000000)", 1, []float64{1}), "the array is shorter than its header says; the file may have been cut short"},
		{npy("<f8", true, "(700000000, 3)", 1, []float64{1}), "the array is shorter than its header says; the file may have been cut short"},
		{npy("<f8", false, "(99999999999999999999, 3)", 1, ""), "the array claims the shape \"(99999999999999999999, 3)\", which is too large"},
		{npy("<f8", false, "(2000000000, 2000000000, 2000000000)", 1, ""), "the array claims the shape \"(2000000000, 2000000000, 2000000000)\", which is too large"},
		{npy("<f8", false, "(2, 2000000)", 1, ""), "the array has the shape (2, 2000000); at least one row, and from one to 1048576 columns are needed"},
		{npy("<f8", false, "(0, 2)", 1, ""), "the array has the shape (0, 2); at least one row, and from one to 1048576 columns are needed"},
		{npy("<f8", false, "(6,)", 1, ""), "the array has 1 dimension; two are needed, rows and columns, as reshape(len(a), -1) makes of an array a"},
		{npy("<f8", false, "()", 1, ""), "the array has 0 dimensions; two are needed, rows and columns, as reshape(len(a), -1) makes of an array a"},
		{npy("<U3", false, "(2, 3)", 1, ""), "the array holds texts; numbers are needed"},
		{npy("<U0", false, "(2, 3)", 1, ""), "the array has elements of 0 bytes; from 1 to 1024 can be read"},
		{npy("|S9999", false, "(2, 3)", 1, ""), "the array has elements of 9999 bytes; from 1 to 1024 can be read"},
		{npy("<f16", false, "(2, 3)", 1, ""), "the array has elements of type f16; booleans, integers and floats of 2, 4 or 8 bytes can be read, so save it with astype('float64')"},
		{npy("<f3", false, "(2, 3)", 1, ""), "the array has elements of type f3; booleans, integers and floats of 2, 4 or 8 bytes can be read, so save it with astype('float64')"},
		{npy("<c16", false, "(2, 3)", 1, ""), "the array holds complex numbers; save their real and imaginary parts as columns of their own"},
		{npy("|O", false, "(2, 3)", 1, ""), "the array holds Python objects; save them as numbers with astype('float64')"},
		{npy("<M8[ns]", false, "(2, 3)", 1, ""), "the array holds dates; save them as numbers with astype('float64')"},
		{npy("<m8[s]", false, "(2, 3)", 1, ""), "the array holds durations; save them as numbers with astype('float64')"},
		{npy("|V8", false, "(2, 3)", 1, ""), "the array holds raw bytes; save them as numbers"},
		{[]byte(strings.Replace(string(npy("<f8+records+of+two", false, "(2,)", 1, "")), "'<f8+records+of+two'", "[('a', '<f8')]      ", 1)),
			"the array holds records with fields, a structured dtype; save it as numbers with numpy.lib.recfunctions.structured_to_unstructured"},
		{npy("<c8", false, "(2, 3)", 4, ""), "the array has version 4 of the NPY format; versions 1 to 3 can be read"},
		{[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "the array claims a header of 4294967295 bytes; at most 65536 are sensible"},
		{[]byte("\x93NUMPY\x01\x00\x03\x00{ }"), `the array has the header "{ }"; that of an array of numbers is needed`},
		{[]byte("not at all like it"), "the array does not begin as a NumPy array does"},
		{npy("<f8", false, "(1, 2)", 1, []float64{math.Inf(1), 1}), `column "column1": the value of row 0 (from 0) is +Inf, which is not finite; mend it, or make it NaN if it is not known`},
		{npy("<f8", false, "(2, 2)", 1, []float64{1, 1, 2, math.NaN()}), `the array row 1 (from 0): the label is missing; fill it in or remove the row`},
		{npy("<f8", false, "(2, 1)", 1, []float64{1, 1}), `column "column1": the label is the only column; features are needed beside it`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := dataset.ReadFrame(bytes.NewReader(c.data), "t.npy", dataset.Options{Format: dataset.NPY})
		runtime.ReadMemStats(&after)
		require.EqualError(t, err, "t.npy: "+c.want)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "memory must follow from the file, not from what it claims")
	}
}

func archive(t testing.TB, arrays map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range arrays {
		w, err := z.Create(name + ".npy")
		require.NoError(t, err)
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestNPZ(t *testing.T) {
	x := npy("<f4", true, "(2, 2)", 1, []float32{1, 3, 2, 4})
	utf32 := binary.LittleEndian.AppendUint32
	for _, c := range []struct {
		arrays    map[string][]byte
		no, yes   string
		unlabeled bool
	}{
		{map[string][]byte{"X": x, "y": npy("<i8", false, "(2,)", 1, []int64{0, 1})}, "0", "1", false},
		{map[string][]byte{"data": x, "labels": npy("<f8", false, "(2, 1)", 1, []float64{-1, 1}), "more": nil}, "-1", "1", false},
		{map[string][]byte{"data": x, "target": npy("|b1", false, "(2,)", 1, "\x00\x01")}, "false", "true", false},
		{map[string][]byte{"x": x, "y": npy("|S3", false, "(2,)", 1, "no\x00yes")}, "no", "yes", false},
		{map[string][]byte{"X": x, "y": npy("<U2", false, "(2,)", 1, string(utf32(utf32(utf32(utf32(nil, 'n'), 0), 'ö'), 0)))}, "n", "ö", false},
		{map[string][]byte{"X_train": x, "y_train": npy("<i8", false, "(2,)", 1, []int64{0, 1})}, "0", "1", false},
		{map[string][]byte{"features": x, "labels": npy("<i8", false, "(2,)", 1, []int64{0, 1})}, "0", "1", false},
		{map[string][]byte{"X": x}, "", "", true},
	} {
		f, err := dataset.ReadFrame(bytes.NewReader(archive(t, c.arrays)), "t.npz", dataset.Options{Unlabeled: c.unlabeled})
		require.NoError(t, err)
		want := [][]string{{"column1", "column2", "label"}, {"1", "2", c.no}, {"3", "4", c.yes}}
		if c.unlabeled {
			require.Nil(t, f.Labels())
			require.Equal(t, 2, f.Rows())
			continue
		}
		require.Equal(t, want, contents(t, f))
		// For its encoder, with or without labels.
		e := fitEncoder(t, f)
		for _, arrays := range []map[string][]byte{c.arrays, {"X": x}} {
			g, err := dataset.ReadFrame(bytes.NewReader(archive(t, arrays)), "t.npz", dataset.Options{For: e})
			require.NoError(t, err)
			m, err := e.Transform(g)
			require.NoError(t, err)
			require.Equal(t, []float32{-1, -1, 1, 1}, m.X)
		}
	}
	const needed = `features and labels are needed, called "X" and "y", or "x" and "y", or "X_train" and "y_train", or "x_train" and "y_train", or "features" and "labels", or "data" and "labels", or "data" and "target"`
	y := npy("<i8", false, "(2,)", 1, []int64{0, 1})
	parts, err := dataset.ReadFrame(bytes.NewReader(archive(t, map[string][]byte{"X_train": x, "y_train": y, "X_test": x})), "t.npz", dataset.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{`the archive also has "X_test", which is not read`}, parts.Schema().Notes)
	zipped := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			_, err := z.Create(name)
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		return b.Bytes()
	}
	whole := archive(t, map[string][]byte{"X": x, "y": y})
	for _, c := range []struct {
		data []byte
		opts dataset.Options
		want string
	}{
		{whole[:len(whole)-3], dataset.Options{}, "the NPZ file is damaged or has been cut short; it is no whole zip archive"},
		{zipped("[Content_Types].xml", "xl/workbook.xml"), dataset.Options{}, "the file is an Excel workbook (.xlsx) or another Office document; save it as CSV"},
		{zipped("rows.csv"), dataset.Options{}, `the file is a zip archive with "rows.csv", none of which is a NumPy array; unpack it and read the file inside`},
		{archive(t, map[string][]byte{"X": x}), dataset.Options{}, `the archive has the arrays "X"; ` + needed},
		{archive(t, map[string][]byte{"A": x}), dataset.Options{}, `the archive has the arrays "A"; ` + needed},
		{archive(t, nil), dataset.Options{Format: dataset.NPZ}, `the archive is empty; ` + needed},
		{archive(t, map[string][]byte{"X": x, "y": npy("<i8", false, "(3,)", 1, []int64{0, 1, 1})}), dataset.Options{}, `y.npy has the shape [3]; one label for each of the 2 rows of X.npy is needed`},
		{archive(t, map[string][]byte{"X": x, "y": npy("<i8", false, "()", 1, []int64{0})}), dataset.Options{}, `y.npy has the shape []; one label for each of the 2 rows of X.npy is needed`},
		{archive(t, map[string][]byte{"X": x, "y": npy("<i8", false, "(1, 2)", 1, []int64{0, 1})}), dataset.Options{}, `y.npy has the shape [1 2]; one label for each of the 2 rows of X.npy is needed`},
		{archive(t, map[string][]byte{"X": x, "y": npy("<f8", false, "(2,)", 1, []float64{0, math.NaN()})}), dataset.Options{}, `y.npy row 1 (from 0): the label is missing; fill it in or remove the row`},
		{archive(t, map[string][]byte{"X": x[:len(x)-1], "y": y}), dataset.Options{}, `X.npy is shorter than its header says; the file may have been cut short`},
		{whole, dataset.Options{Label: "y"}, `column "y": the labels of an NPZ file are an array of their own; no column can be the label`},
	} {
		_, err := dataset.ReadFrame(bytes.NewReader(c.data), "t.npz", c.opts)
		require.EqualError(t, err, "t.npz: "+c.want)
	}
}

// FuzzCSV: any text gives either one sentence or a frame that can be used, whole and in pieces.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"", "a,b,y\n1,2,no\n3,4,yes\n", "\uFEFFa;b;y\r\n1;2,5;no\r\n\r\n3;?;yes\r\n", "\"a,\n1\",\"b\"\"\",y\n1,2,no\n3,4,\"y\nes\"\n",
		"a\ty\n1e999\t0\nnan\t1\n", "1,2,0\n3,4,1\n", "#c\n,x,y\n0,u,1\n1,v,0\n2,w,0\n", "a,y\n1,\"0\n", "0,1,2,y\n1,2,3,n\n4,5,6,m\n", "\xff\xfea\x00", "a,y\rb,z\r",
		"# a,y\n#1,0\n2,1\n#3\n#4,1\n", "sep=|\n2019|2020|y\n1|2|u\n#N/A|4|v\n", "#\ty\n\"1\n#2\"\t0\n3\t1\n", "[1],0\n{,1\n",
	} {
		f.Add([]byte(seed), "", "", "")
		f.Add([]byte(seed), "1", "no", "-1")
	}
	f.Fuzz(func(t *testing.T, data []byte, label, positive, drop string) {
		opts := dataset.Options{Format: dataset.CSV, Label: label, Positive: positive}
		if drop != "" {
			opts.Drop = []string{drop}
		}
		useFrame(t, data, opts)
	})
}

// FuzzLIBSVM does as FuzzCSV.
func FuzzLIBSVM(f *testing.F) {
	for _, seed := range []string{"", "1 1:2 3:4\n-1 2:5 # x\n", "+1 qid:1 1:nan\n0\t2147483647:1e300\n", "1 2:1 1:1\n", "a b:c\n", "1 1:1\n2 1:1\n3 1:1\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { useFrame(t, data, dataset.Options{Format: dataset.LIBSVM}) })
}

// FuzzNPY does as FuzzCSV, for arrays and archives.
func FuzzNPY(f *testing.F) {
	x := npy("<f4", true, "(2, 3)", 1, []float32{1, 3, 2, 4, 0, 1})
	f.Add(x)
	f.Add(npy(">i2", false, "(2, 3)", 2, []int16{1, 3, 2, 4, 0, 1}))
	f.Add(npy("<f8", false, "(2000000000, 1000000)", 1, []float64{1}))
	f.Add(npy("|b1", false, "(2, 2)", 3, "\x00\x01\x01\x00"))
	f.Add(archive(f, map[string][]byte{"X": x, "y": npy("<U1", false, "(2,)", 1, "a\x00\x00\x00b\x00\x00\x00")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.HasPrefix(data, []byte("PK")) {
			useFrame(t, data, dataset.Options{Format: dataset.NPZ})
			return
		}
		useFrame(t, data, dataset.Options{Format: dataset.NPY})
	})
}

func useFrame(t *testing.T, data []byte, opts dataset.Options) {
	t.Helper()
	oneSentence := func(err error) {
		require.NotEmpty(t, err.Error())
		require.NotContains(t, err.Error(), "\n")
	}
	frame, err := dataset.ReadFrame(bytes.NewReader(data), "t", opts)
	if err != nil {
		oneSentence(err)
		var parse *dataset.ParseError
		require.ErrorAs(t, err, &parse)
		require.LessOrEqual(t, parse.Line, 1+bytes.Count(data, []byte{'\n'}))
		return
	}
	require.Positive(t, frame.Rows())
	require.Len(t, frame.Labels(), frame.Rows())
	require.Contains(t, frame.Labels(), 1.0)
	require.Contains(t, frame.Labels(), -1.0)
	require.NotEmpty(t, frame.Schema().String())
	e, err := dataset.FitEncoder(frame, dataset.EncoderOptions{})
	if err != nil {
		oneSentence(err)
		return
	}
	require.NoError(t, e.Validate())
	m, err := e.Transform(frame)
	if err != nil {
		oneSentence(err)
		return
	}
	require.NoError(t, m.Check())
	// The same rows in pieces, as the encoder knows them.
	var x []float32
	opts.Header = dataset.AutoHeader
	for part, err := range e.Stream(io.LimitReader(bytes.NewReader(data), int64(len(data))), "t", opts, 3) {
		require.NoError(t, err)
		x = append(x, part.X...)
	}
	require.Equal(t, m.X, x)
}
