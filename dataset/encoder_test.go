package dataset_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
	"pgregory.net/rapid"

	"github.com/pullback-go/pullback/dataset"
)

func fitEncoder(t testing.TB, f *dataset.Frame) *dataset.Encoder {
	t.Helper()
	e, err := dataset.FitEncoder(f, dataset.EncoderOptions{})
	require.NoError(t, err)
	return e
}

// Every number here is worked out by hand, by scikit-learn's definitions.
func TestEncoder(t *testing.T) {
	f, err := readText(`x,gap,c,tie,same,void,y
2,1,red,b,7,,no
4,,blue,a,7,,yes
4,4,red,,7,,no
4,2,,b,7,,yes
5,?,red,a,7,,no
5,8,green,,7,,yes
7,,NA,,7,,no
9,,red,,7,,yes
`, dataset.Options{})
	require.NoError(t, err)
	e := fitEncoder(t, f)
	require.Equal(t, &dataset.Encoder{
		Header: true, Width: 7,
		Label: dataset.LabelEncoding{Name: "y", Position: 7, Negative: "no", Positive: "yes"},
		Columns: []dataset.ColumnEncoding{
			// Deviations -3 -1 -1 -1 0 0 2 4 from 5: squares sum to 32, 32/8 = 4. The middle two are 4 and 5.
			{Name: "x", Kind: dataset.Numeric, Median: 4.5, Mean: 5, Scale: 2},
			// Of 1 2 4 8 the middle two are 2 and 4; with four times 3 the mean is 27/8.
			{Name: "gap", Kind: dataset.Numeric, Missing: 4, Median: 3, Mean: 3.375, Scale: math.Sqrt((1+4+16+64+4*9)/8. - 3.375*3.375)},
			{Name: "c", Kind: dataset.Categorical, Missing: 2, Scale: 1, Categories: []string{"blue", "green", "red"}, MostFrequent: "red"},
			{Name: "tie", Kind: dataset.Categorical, Missing: 4, Scale: 1, Categories: []string{"a", "b"}, MostFrequent: "a"},
			{Name: "same", Kind: dataset.Numeric, Median: 7, Mean: 7, Scale: 1, LeftOut: "every value is 7"},
			{Name: "void", Kind: dataset.Numeric, Scale: 1, LeftOut: "every value is missing"},
		},
	}, e)
	require.Equal(t, []string{`column "same" is left out: every value is 7`, `column "void" is left out: every value is missing`}, e.Warnings())

	m, err := e.Transform(f.Select([]int{0, 3, 2}))
	require.NoError(t, err)
	g := func(x float64) float32 { return float32((x - 3.375) / e.Columns[1].Scale) }
	require.Equal(t, &dataset.Matrix{
		Source:   "t.csv",
		Features: []string{"x", "gap", "c=blue", "c=green", "c=red", "tie=a", "tie=b"},
		X: []float32{
			-1.5, g(1), 0, 0, 1, 0, 1,
			-0.5, g(2), 0, 0, 1, 0, 1,
			-0.5, g(4), 0, 0, 1, 1, 0,
		},
		Y: []float64{-1, 1, -1},
	}, m)
	require.Equal(t, m.X[7:14], m.Row(1))
}

// TestNothingLeaks: the encoder of the training rows must not depend on any other row.
func TestNothingLeaks(t *testing.T) {
	text := func(others string) *dataset.Frame {
		f, err := readText("x,c,y\n1,a,0\n3,b,1\n"+others, dataset.Options{})
		require.NoError(t, err)
		return f.Select([]int{0, 1})
	}
	want := fitEncoder(t, text("5,a,0\n"))
	got := fitEncoder(t, text("1e9,z,0\n,zz,1\n"))
	require.Equal(t, want, got)
}

// naive is a second implementation of the encoding.
func naive(values []float64) (median, mean, scale float64) {
	var known []float64
	for _, v := range values {
		if v == v {
			known = append(known, v)
		}
	}
	sort.Float64s(known)
	n := len(known)
	median = (known[(n-1)/2] + known[n/2]) / 2
	for _, v := range values {
		if v != v {
			v = median
		}
		mean += v / float64(len(values))
	}
	for _, v := range values {
		if v != v {
			v = median
		}
		scale += (v - mean) * (v - mean) / float64(len(values))
	}
	return median, mean, math.Sqrt(scale)
}

func TestEncoderAgreesWithANaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(
			rapid.Float64Range(-1000, 1000), rapid.Just(math.NaN()), rapid.Map(rapid.IntRange(0, 3), func(i int) float64 { return float64(i) }),
		), 2, 600).Draw(t, "values")
		values[0], values[1] = 0, 1 // no constant column
		f := dataset.NewFrame("t")
		require.NoError(t, f.AddNumeric("x", values))
		median, mean, scale := naive(values)
		e, err := dataset.FitEncoder(f, dataset.EncoderOptions{})
		require.NoError(t, err)
		require.InDelta(t, median, e.Columns[0].Median, 1e-9)
		require.InDelta(t, mean, e.Columns[0].Mean, 1e-9)
		require.InDelta(t, scale, e.Columns[0].Scale, 1e-9)
		m, err := e.Transform(f)
		require.NoError(t, err)
		for i, v := range values {
			if v != v {
				v = median
			}
			require.InDelta(t, (v-mean)/scale, m.X[i], 1e-5)
		}
	})
}

// Where the textbook formulas for mean and deviation fail.
func TestEncoderOfExtremeColumns(t *testing.T) {
	for _, c := range []struct {
		values      []float64
		mean, scale float64
	}{
		{[]float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, 1e9 + 10, math.Sqrt(22.5)}, // mean square less squared mean is 0 or worse
		{[]float64{1e8, -1e8}, 0, 1e8},
		{[]float64{1e-300, -1e-300}, 0, 1e-300}, // squares leave the range
		{[]float64{1e300, -1e300}, 0, 1e300},
	} {
		f := dataset.NewFrame("t")
		require.NoError(t, f.AddNumeric("x", c.values))
		k := fitEncoder(t, f).Columns[0]
		require.Equal(t, c.mean, k.Mean)
		require.InEpsilon(t, c.scale, k.Scale, 1e-15)
	}
	tenths := dataset.NewFrame("t") // ten of them sum to 0.9999999999999999
	require.NoError(t, tenths.AddNumeric("x", slices.Repeat([]float64{0.1}, 1000)))
	_, err := dataset.FitEncoder(tenths, dataset.EncoderOptions{})
	require.EqualError(t, err, `dataset: no column of "t" is left to be a feature; column "x" is left out, since every value is 0.1`)
	huge := dataset.NewFrame("t")
	require.NoError(t, huge.AddNumeric("x", []float64{-math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}))
	_, err = dataset.FitEncoder(huge, dataset.EncoderOptions{})
	require.ErrorContains(t, err, `dataset: column "x" of "t" has mean`)
	require.ErrorContains(t, err, "but both must be finite; rescale it")
}

func TestCategoryLimit(t *testing.T) {
	var values []string
	for i := range 200 {
		values = append(values, fmt.Sprint("v", i%65))
	}
	f := dataset.NewFrame("t")
	require.NoError(t, f.AddCategorical("c", values))
	_, err := dataset.FitEncoder(f, dataset.EncoderOptions{})
	require.EqualError(t, err, `dataset: no column of "t" is left to be a feature; column "c" is left out, since it has 65 different texts, more than the 64 allowed, so it is likely to be an identifier; drop it, or raise the option MaxCategories`)
	e, err := dataset.FitEncoder(f, dataset.EncoderOptions{MaxCategories: 65})
	require.NoError(t, err)
	m, err := e.Transform(f)
	require.NoError(t, err)
	for i := range m.Rows() {
		sum := float32(0)
		for _, x := range m.Row(i) {
			sum += x
		}
		require.EqualValues(t, 1, sum)
		require.EqualValues(t, 1, m.Row(i)[slices.Index(m.Features, "c="+values[i])])
	}
	// Many rows may have more: one category for twenty of them.
	for rows, features := range map[int]int{65 * 20: 66, 65*20 - 1: 1} {
		var b strings.Builder
		b.WriteString("x,c,y\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,c%d,%d\n", i*i%7, i%65, i%2)
		}
		many, err := readText(b.String(), dataset.Options{})
		require.NoError(t, err)
		require.Len(t, fitEncoder(t, many).Features(), features)
	}

	_, err = dataset.FitEncoder(f, dataset.EncoderOptions{MaxCategories: -1})
	require.EqualError(t, err, "dataset: a limit of -1 categories; it must be from 1 to 4096")
}

func TestTransformRefuses(t *testing.T) {
	f, err := readText("x,c,y\n1,a,0\n3,b,1\n", dataset.Options{})
	require.NoError(t, err)
	e := fitEncoder(t, f)
	for want, text := range map[string]string{
		`dataset: "t.csv" has no column "c", which the encoder was fitted on; it has "x"`:                                     "x,y\n1,0\n2,1\n",
		`dataset: column "x" of "t.csv" holds categories such as "u", but the encoder was fitted on a column that is numeric`: "x,c,y\nu,a,0\nv,b,1\n",
		`dataset: column "x" of "t.csv" holds 1e+300, which standardised with mean 2 and deviation 1 is no finite float32`:    "x,c,y\n1e300,a,0\n3,b,1\n",
	} {
		g, err := readText(text, dataset.Options{})
		require.NoError(t, err)
		_, err = e.Transform(g)
		require.EqualError(t, err, want)
	}
	// A label means what it meant in training, whichever of the two is greater.
	same, err := readText("x,c,y\n1,a,0.0\n3,b,1\n", dataset.Options{Positive: "0.0"})
	require.NoError(t, err)
	require.Equal(t, []float64{1, -1}, same.Labels())
	swapped, err := e.Transform(same)
	require.NoError(t, err)
	require.Equal(t, []float64{-1, 1}, swapped.Y)
	other, err := readText("x,c,y\n1,a,no\n3,b,yes\n", dataset.Options{})
	require.NoError(t, err)
	_, err = e.Transform(other)
	require.EqualError(t, err, `dataset: the labels of "t.csv" are "no" and "yes", but the encoder was fitted on "0" and "1"`)

	// What ONNX could not tell apart is not fitted.
	for text, want := range map[string]string{
		"a=b,a,y\n1,b,0\n3,c,1\n":   `dataset: columns "a=b" and "a" would both make a feature that is called "a=b"; rename one of them`,
		"a,a=b,y\nb=c,c,0\nu,v,1\n": `dataset: columns "a" and "a=b" would both make a feature that is called "a=b=c"; rename one of them`,
		"a=b,a,y\n1,u,0\n3,v,1\n":   "",
	} {
		g, err := readText(text, dataset.Options{})
		require.NoError(t, err)
		if _, err = dataset.FitEncoder(g, dataset.EncoderOptions{}); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}

	// Numbers may stand for categories.
	g, err := readText("x,c,y\n1,1,0\n3,2,1\n", dataset.Options{Category: []string{"c"}})
	require.NoError(t, err)
	numbers, err := readText("x,c,y\n1,2,0\n3,1,1\n", dataset.Options{})
	require.NoError(t, err)
	m, err := fitEncoder(t, g).Transform(numbers)
	require.NoError(t, err)
	require.Equal(t, []float32{-1, 0, 1, 1, 1, 0}, m.X)

	_, err = dataset.FitEncoder(nil, dataset.EncoderOptions{})
	require.EqualError(t, err, "dataset: the frame is nil; look at the error of the call that should have made it")
	_, err = e.Transform(nil)
	require.EqualError(t, err, "dataset: the frame is nil; look at the error of the call that should have made it")
	_, err = e.Transform(f.Select(nil))
	require.EqualError(t, err, `dataset: "t.csv" has no rows; at least one is needed`)
	var none *dataset.Encoder
	require.Empty(t, none.Features())
	require.Empty(t, none.Warnings())
	_, err = none.Labels(f)
	require.EqualError(t, err, "dataset: the encoder is nil; look at the error of the call that should have made it")
	_, err = none.Transform(f)
	require.EqualError(t, err, "dataset: the encoder is nil; look at the error of the call that should have made it")
}

func TestEncoderAsJSON(t *testing.T) {
	for _, file := range []string{"heart.csv", "votes.data", "diabetes.csv"} {
		f, err := dataset.OpenFrame("testdata/"+file, dataset.Options{Label: map[bool]string{true: "1", false: ""}[file == "votes.data"]})
		require.NoError(t, err)
		e := fitEncoder(t, f)
		want, err := e.Transform(f)
		require.NoError(t, err)
		data, err := json.Marshal(e)
		require.NoError(t, err)
		var back dataset.Encoder
		require.NoError(t, json.Unmarshal(data, &back))
		require.NoError(t, back.Validate())
		require.Equal(t, e, &back)
		got, err := back.Transform(f)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestValidate(t *testing.T) {
	f, err := readText("x,c,y\n1,a,0\n3,b,1\n", dataset.Options{})
	require.NoError(t, err)
	for want, damage := range map[string]func(e *dataset.Encoder){
		"the encoder has 2 columns of 1, and the label at 3; it is damaged":                            func(e *dataset.Encoder) { e.Width = 1 },
		"the encoder has 2 columns of 3, and the label at 4; it is damaged":                            func(e *dataset.Encoder) { e.Label.Position = 4 },
		`the encoder has the label "1" for both classes; it is damaged`:                                func(e *dataset.Encoder) { e.Label.Negative = "1" },
		`column 2 (from 1) of the encoder, "x", has no name of its own`:                                func(e *dataset.Encoder) { e.Columns[1].Name = "x" },
		`column 1 (from 1) of the encoder, "x", has median 2, mean NaN and scale 1; they must be`:      func(e *dataset.Encoder) { e.Columns[0].Mean = math.NaN() },
		`column 1 (from 1) of the encoder, "x", has median 2, mean 2 and scale 0; they must be`:        func(e *dataset.Encoder) { e.Columns[0].Scale = 0 },
		`column 1 (from 1) of the encoder, "x", is of kind text, which cannot be encoded`:              func(e *dataset.Encoder) { e.Columns[0].Kind = dataset.Text },
		`column 1 (from 1) of the encoder, "x", is of kind Kind(-7), which cannot be encoded`:          func(e *dataset.Encoder) { e.Columns[0].Kind = -7 },
		`column 2 (from 1) of the encoder, "c", has 0 categories; there must be from 1 to 4096`:        func(e *dataset.Encoder) { e.Columns[1].Categories = nil },
		`column 2 (from 1) of the encoder, "c", has a category twice, or an empty one`:                 func(e *dataset.Encoder) { e.Columns[1].Categories = []string{"a", "a"} },
		`column 2 (from 1) of the encoder, "c", has "z" for its most frequent category, which is none`: func(e *dataset.Encoder) { e.Columns[1].MostFrequent = "z" },
		`columns "c=a" and "c" would both make a feature that is called "c=a"; rename one of them`:     func(e *dataset.Encoder) { e.Columns[0].Name = "c=a" },
		`the encoder makes 0 features; it must make from 1 to`:                                         func(e *dataset.Encoder) { e.Columns = nil },
	} {
		e := fitEncoder(t, f)
		require.NoError(t, e.Validate())
		damage(e)
		require.ErrorContains(t, e.Validate(), "dataset: "+want)
		_, err := e.Transform(f)
		require.Error(t, err)
		_, err = readText("x,c,y\n1,a,0\n", dataset.Options{For: e})
		require.Error(t, err)
	}
	var k dataset.Kind
	require.EqualError(t, json.Unmarshal([]byte(`"number"`), &k), `dataset: "number" is no kind of column; the kinds are numeric, categorical and text`)
	_, err = json.Marshal(dataset.Kind(7))
	require.Error(t, err)
}

func TestStream(t *testing.T) {
	csv := "age,city,paid\n"
	svm := ""
	for i := range 1000 {
		csv += fmt.Sprintf("%d,%s,%d\n", i*i%83, []string{"Rome", "Oslo", "?"}[i%3], i%2)
		svm += fmt.Sprintf("%d %d:%d\n", i%2, 1+i%3, i)
	}
	for _, text := range []string{csv, svm} {
		f, err := readText(text, dataset.Options{})
		require.NoError(t, err)
		e := fitEncoder(t, f)
		want, err := e.Transform(f)
		require.NoError(t, err)
		for _, size := range []int{1, 7, 512, 1000, 5000} {
			var x []float32
			var y []float64
			for m, err := range e.Stream(strings.NewReader(text), "t.csv", dataset.Options{}, size) {
				require.NoError(t, err)
				require.True(t, m.Rows() == size || len(y)+m.Rows() == 1000)
				x, y = append(x, m.X...), append(y, m.Y...)
			}
			require.Equal(t, want.X, x)
			require.Equal(t, want.Y, y)
		}
		for m, err := range e.Stream(strings.NewReader(text), "t.csv", dataset.Options{Unlabeled: true}, 10) {
			require.NoError(t, err)
			require.Nil(t, m.Y)
			break // which must end the reading too
		}
	}

	// A row is encoded in the same way however it is read: in many rows or few, for the encoder or for none, or
	// not from a file. None of these numbers is a float32.
	many := "x,y\n"
	for i := range 1000 {
		many += fmt.Sprintf("%v,%d\n", 1000+float64(i*i%1009)/50.3, i%2)
	}
	large, err := readText(many, dataset.Options{})
	require.NoError(t, err)
	decimal := fitEncoder(t, large)
	const few = "x\n1009.123456789\n1013.987654321\n"
	made := dataset.NewFrame("made")
	require.NoError(t, made.AddNumeric("x", []float64{1009.123456789, 1013.987654321}))
	k := decimal.Columns[0]
	want := []float32{float32((1009.123456789 - k.Mean) / k.Scale), float32((1013.987654321 - k.Mean) / k.Scale)}
	small, err := readText(few, dataset.Options{Unlabeled: true})
	require.NoError(t, err)
	known, err := readText(few, dataset.Options{For: decimal})
	require.NoError(t, err)
	for _, f := range []*dataset.Frame{made, small, known} {
		m, err := decimal.Transform(f)
		require.NoError(t, err)
		require.Equal(t, want, m.X)
	}
	for m, err := range decimal.Stream(strings.NewReader(few), "t.csv", dataset.Options{}, 2) {
		require.NoError(t, err)
		require.Equal(t, want, m.X)
	}

	// An error comes after the rows before it, and is the last.
	f, err := readText(csv, dataset.Options{})
	require.NoError(t, err)
	e := fitEncoder(t, f)
	var rows int
	var errs []string
	for m, err := range e.Stream(strings.NewReader("age,city\n1,Rome\n2,Bern\n3,Rome\nx,Rome\n4,Rome\n"), "new.csv", dataset.Options{}, 2) {
		if err != nil {
			require.Nil(t, m)
			errs = append(errs, err.Error())
			continue
		}
		rows += m.Rows()
		require.Equal(t, []string{`column "city" has a category that the training rows had not, such as "Bern", in 1 row; it is encoded as none of them`}, m.Warnings)
	}
	require.Equal(t, 2, rows)
	require.Equal(t, []string{`new.csv:5: column "age": "x" is not a number, and the column holds numbers; mend it, leave it empty if it is not known, or declare the column a category`}, errs)

	// What there is to warn of adds up: the last matrix says it of all rows, and of what comes after them.
	var warnings [][]string
	for m, err := range e.Stream(strings.NewReader("# from Rome\nage,city\n1,Rome\n2,Bern\n3,Rome\n#4,Rome,no\n4,Kiel\n5,Bern\n6,Rome\n# end\n"), "new.csv", dataset.Options{}, 2) {
		require.NoError(t, err)
		warnings = append(warnings, m.Warnings)
	}
	require.Equal(t, []string{
		`column "city" has a category that the training rows had not, such as "Bern", in 3 rows; it is encoded as none of them`,
		"3 lines that begin with # are taken for comments",
	}, warnings[2])
	require.Contains(t, warnings[0][0], "in 1 row;")
	require.Contains(t, warnings[1][0], "in 2 rows;")
	ages, err := readText("age,y\n1,0\n2,1\n", dataset.Options{})
	require.NoError(t, err)
	for m, err := range fitEncoder(t, ages).Stream(strings.NewReader("\nage\n1\n\n2\n\n\r\n3\n\n"), "new.csv", dataset.Options{}, 3) {
		require.NoError(t, err)
		require.Equal(t, 3, m.Rows())
		require.Equal(t, []string{"3 blank lines between rows are skipped, not taken for rows; write NA where a value is missing"}, m.Warnings)
	}

	for _, err := range e.Stream(strings.NewReader("age;city\n1,5;Rome\n"), "new.csv", dataset.Options{}, 2) {
		require.EqualError(t, err, `new.csv:2: column "age": "1,5" has a decimal comma; set the option decimal to a comma when reading CSV, or write the numbers with a point`)
	}
	for _, err := range e.Stream(strings.NewReader(csv), "t.csv", dataset.Options{}, 0) {
		require.EqualError(t, err, "dataset: 0 rows at a time; at least 1 is needed")
	}
	for _, err := range (&dataset.Encoder{}).Stream(strings.NewReader(csv), "t.csv", dataset.Options{}, 1) {
		require.Error(t, err)
	}
}

// endless gives rows without end.
type endless struct{ row []byte }

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.row) <= len(p) {
		n += copy(p[n:], e.row)
	}
	if n == 0 {
		return copy(p, e.row), nil
	}
	return n, nil
}

// TestStreamHoldsOneBatch reads from a file without an end.
func TestStreamHoldsOneBatch(t *testing.T) {
	f, err := readText("x,c,y\n1,a,0\n3,b,1\n", dataset.Options{})
	require.NoError(t, err)
	batches := 0
	r := io.MultiReader(strings.NewReader("x,c\n"), &endless{[]byte("1,a\n3,b\n")})
	for m, err := range fitEncoder(t, f).Stream(r, "t.csv", dataset.Options{}, 1000) {
		require.NoError(t, err)
		require.Equal(t, 1000, m.Rows())
		if batches++; batches == 300 {
			break
		}
	}
	require.Equal(t, 300, batches)
}

func TestMatrixBatches(t *testing.T) {
	f, err := readText("x,c,y\n1,a,0\n3,b,1\n1,b,1\n3,b,0\n3,a,0\n", dataset.Options{})
	require.NoError(t, err)
	m, err := fitEncoder(t, f).Transform(f)
	require.NoError(t, err)
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		b, err := m.Batches(2, 1, dtype)
		require.NoError(t, err)
		require.Equal(t, 3, b.Len())
		var x, y []float64
		for i := range b.Len() {
			xs, ys := b.At(i)
			x, y = append(x, values(xs)...), append(y, values(ys)...)
		}
		require.Equal(t, m.Y, y)
		for i := range x {
			require.Equal(t, float64(m.X[i]), x[i])
		}
		require.Zero(t, testing.AllocsPerRun(5, func() { b.Shuffle(1); b.At(0) }))
	}
	_, err = m.Batches(0, 1, tensor.Float32)
	require.EqualError(t, err, "dataset: a batch of 0; the batch size must be at least 1")
	_, err = m.Batches(1, 1, tensor.Int)
	require.EqualError(t, err, "dataset: tensors of int; the dtype must be float32 or float64")
	inf := float32(math.Inf(1))
	for want, bad := range map[string]*dataset.Matrix{
		"dataset: the matrix is nil; look at the error of the call that should have made it": nil,
		`dataset: "t" has no features; at least one is needed`:                               {Source: "t"},
		`dataset: "t" has no rows; at least one is needed`:                                   {Source: "t", Features: []string{"a"}},
		`dataset: "t" has 1 value in X, which is no whole number of rows of 2 features`:      {Source: "t", Features: []string{"a", "b"}, X: []float32{1}},
		`dataset: "t" has 1 row, but 0 labels in Y; one for each row is needed`:              {Source: "t", Features: []string{"a"}, X: []float32{1}},
		`dataset: label 0 (from 0) of "t" is 0; a label must be -1 or +1`:                    {Source: "t", Features: []string{"a"}, X: []float32{1}, Y: []float64{0}},
		`dataset: feature "a" of "t" holds +Inf in row 1 (from 0); it must be finite`:        {Source: "t", Features: []string{"a"}, X: []float32{1, inf}, Y: []float64{1, 1}},
	} {
		_, err := bad.Batches(1, 1, tensor.Float32)
		require.EqualError(t, err, want)
	}
	require.Zero(t, (*dataset.Matrix)(nil).Rows())
}

// FuzzEncoder: an encoder from anywhere is refused or can be used.
func FuzzEncoder(f *testing.F) {
	for _, file := range []string{"heart.csv", "diabetes.csv"} {
		frame, err := dataset.OpenFrame("testdata/"+file, dataset.Options{})
		require.NoError(f, err)
		data, err := json.Marshal(fitEncoder(f, frame))
		require.NoError(f, err)
		f.Add(data, "Age,Sex\n1,M\n")
		f.Add(data, "1 1:2\n")
	}
	f.Add([]byte(`{"header":true,"sparse":true,"width":2,"label":{"name":"y","position":2,"negative":"0","positive":"1"},"columns":[{"name":"1","kind":"numeric","scale":1}]}`), "1 1:2\n")
	f.Add([]byte(`{"width":3,"label":{"position":3},"columns":[{"name":"column1","kind":"categorical","scale":1,"categories":["a"],"most_frequent":"a"}]}`), "1,2,3\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		var e dataset.Encoder
		if json.Unmarshal(data, &e) != nil || e.Validate() != nil {
			return
		}
		require.NotEmpty(t, e.Features())
		for m, err := range e.Stream(strings.NewReader(text), "t", dataset.Options{}, 2) {
			if err != nil {
				require.NotContains(t, err.Error(), "\n")
				return
			}
			require.Len(t, m.X, m.Rows()*len(m.Features))
		}
		frame, err := readText(text, dataset.Options{})
		if err == nil {
			_, err = e.Transform(frame)
		}
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
		}
	})
}

func TestSchema(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("id;row;mail;same;age;sex;empty;paid\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d;%d;p%d@example.org;5;%s;%s;;%s\n", 1000+i*i, i+1, i, []string{"?", strconv.Itoa(20 + i%7)}[min(i, 1)], "fm"[i%2:i%2+1], []string{"no", "yes"}[i%5/4])
	}
	f, err := dataset.ReadFrame(&b, "people.csv", dataset.Options{Drop: []string{"7"}})
	require.NoError(t, err)
	s := f.Schema()
	require.Equal(t, `people.csv: CSV separated by semicolons, with a header; 30 rows, 6 features
paid: 6 yes (+1), 24 no (-1)
"id": numeric, 1000 to 1841; its values are whole and all different, so it may be an identifier; drop it if it is
"row": numeric, 1 to 30; it counts the rows, so it is likely to be a row number; drop it
"mail": categorical, 30 different: "p0@example.org", "p10@example.org", "p11@example.org", "p12@example.org", "p13@example.org" and 25 more; its values are all different, so it is likely to be an identifier; drop it
"same": numeric, 5 to 5; it is constant
"age": numeric, 20 to 26, missing in 1 row
"sex": categorical, 2 different: "f" and "m"
"empty": dropped
`, s.String())
	var codes bytes.Buffer
	codes.WriteString("rating,huge,size,code,y\n")
	for i := range 60 {
		fmt.Fprintf(&codes, "%d,%d%s,\"%d,%d\",#%06x,%d\n", i%5, i+1, strings.Repeat("0", 40), i, i%10, i*i, i%2)
	}
	codes.WriteString("3x,1,\"1,5\",#0,1\n\n#3,1,\"1,5\",#7,1\n# the end\n")
	rated, err := dataset.ReadFrame(&codes, "films.csv", dataset.Options{})
	require.NoError(t, err)
	// A typo is named; numbers beyond 2^53 are whole whatever they stand for.
	require.Equal(t, `films.csv: CSV separated by commas, with a header; 62 rows, 4 features
y: 32 1 (+1), 30 0 (-1)
numbers without gaps: huge
1 line that begins with # is taken for a comment
1 line that begins with # is taken for a row
"rating": categorical, 7 different: "#3", "0", "1", "2", "3" and 2 more; "3x" in line 62 is not a number, though 60 of the 62 values are, so all are taken for categories; mend it, or leave it empty if it is not known
"size": categorical, 61 different: "0,0", "1,1", "1,5", "10,0", "11,1" and 56 more; its values look like numbers with a decimal comma; set the option decimal to a comma when reading CSV, or write them with a point
"code": categorical, 62 different: "#0", "#000000", "#000001", "#000004", "#000009" and 57 more; its values are all different, so it is likely to be an identifier; drop it
`, rated.Schema().String())
	require.Len(t, rated.Select([]int{0, 1, 2}).Schema().Columns[0].Notes, 0)
	few, err := dataset.FitEncoder(rated, dataset.EncoderOptions{MaxCategories: 10})
	require.NoError(t, err)
	require.Equal(t, []string{
		`column "size" is left out: its values look like numbers with a decimal comma; set the option decimal to a comma when reading CSV, or write them with a point`,
		`column "code" is left out: it has 62 different texts, more than the 10 allowed, so it is likely to be an identifier; drop it, or raise the option MaxCategories`,
	}, few.Warnings())

	commas, err := readText("a;y\n1,5;0\n2;1\n-2,5e3;1\n", dataset.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"its values look like numbers with a decimal comma; set the option decimal to a comma when reading CSV, or write them with a point"}, commas.Schema().Columns[0].Notes)
	wide := dataset.NewFrame("wide")
	for i := range 120 {
		require.NoError(t, wide.AddNumeric(fmt.Sprint("gap", i), []float64{1, math.NaN()}))
	}
	for _, name := range []string{"a", "a b", "a\nb", "ä", "5", "6", "7"} {
		require.NoError(t, wide.AddNumeric(name, []float64{1, 2}))
	}
	lines := strings.Split(strings.TrimSpace(wide.Schema().String()), "\n")
	require.Len(t, lines, 103)
	require.Equal(t, "wide: made by a program; 2 rows, 127 features", lines[0])
	require.Equal(t, `numbers without gaps: a, a b, "a\nb", ä, 5, 2 more`, lines[1])
	require.Equal(t, "and 20 more columns", lines[102])
}
