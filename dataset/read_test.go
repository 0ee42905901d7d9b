package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

func readText(text string, opts dataset.Options) (*dataset.Frame, error) {
	return dataset.ReadFrame(strings.NewReader(text), "t.csv", opts)
}

// contents returns a frame as a header and rows of texts, the label last.
func contents(t *testing.T, f *dataset.Frame) [][]string {
	t.Helper()
	label, negative, positive := f.Label()
	out := [][]string{append(f.Names(), label)}
	for i, y := range f.Labels() {
		row := []string{}
		for _, name := range f.Names() {
			column, err := f.Strings(name)
			require.NoError(t, err)
			row = append(row, column[i])
		}
		out = append(out, append(row, map[float64]string{-1: negative, 1: positive}[y]))
	}
	return out
}

func TestReadFrame(t *testing.T) {
	type options = dataset.Options
	plain := [][]string{{"a", "b", "y"}, {"1", "2", "no"}, {"3", "4", "yes"}}
	unnamed := [][]string{{"column1", "column2", "column3"}, {"1", "2", "no"}, {"3", "4", "yes"}}
	for _, c := range []struct {
		name, text string
		opts       options
		want       [][]string
	}{
		{"plain", "a,b,y\n1,2,no\n3,4,yes\n", options{}, plain},
		{"no newline at the end", "a,b,y\n1,2,no\n3,4,yes", options{}, plain},
		{"byte order mark and CRLF", "\uFEFFa,b,y\r\n1,2,no\r\n3,4,yes\r\n", options{}, plain},
		{"blank lines and comments", "# made by hand\n\na,b,y\n\n1,2,no\n# 3,5\n\n3,4,yes\n\n", options{}, plain},
		{"comments that are no CSV", "# it's 5\" wide\na,b,y\n1,2,no\n#\n3,4,yes\n#\"", options{}, plain},
		{"a long comment", "#" + strings.Repeat("x,", 100_000) + "\n" + "a,b,y\n1,2,no\n3,4,yes\n", options{}, plain},
		{"colours", "colour,b,y\n#ff0000,2,no\n# red\n#00ff00,4,yes\n", options{},
			[][]string{{"colour", "b", "y"}, {"#ff0000", "2", "no"}, {"#00ff00", "4", "yes"}}},
		{"colours without a header", "#ff0000,2,no\n#00ff00,4,yes\n#0000ff,4,no\n", options{},
			[][]string{{"column1", "column2", "column3"}, {"#ff0000", "2", "no"}, {"#00ff00", "4", "yes"}, {"#0000ff", "4", "no"}}},
		{"a colour above names", "#ff0000,big,no\nred,small,yes\nblue,big,no\n", options{},
			[][]string{{"column1", "column2", "column3"}, {"#ff0000", "big", "no"}, {"red", "small", "yes"}, {"blue", "big", "no"}}},
		{"colours and a header", "#colour,b,y\n#ff0000,2,no\n#00ff00,4,yes\n", options{},
			[][]string{{"colour", "b", "y"}, {"#ff0000", "2", "no"}, {"#00ff00", "4", "yes"}}},
		{"missing value of a spreadsheet", "a,b,y\n#N/A,2,no\n#1,4,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"", "2", "no"}, {"#1", "4", "yes"}}},
		{"quoted lines that begin with #", "a,b,y\n\"x\n#1,2,3\",2,no\n\"#1\",4,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"x\n#1,2,3", "2", "no"}, {"#1", "4", "yes"}}},
		{"header of savetxt", "# a,b,y\n1,2,no\n3,4,yes\n", options{}, plain},
		{"header of savetxt below a title", "# made by hand\r\n#a,b,y\r\n1,2,no\r\n3,4,yes\r\n", options{}, plain},
		{"header of savetxt by option", "#  a,b,y\n1,2,no\n3,4,yes\n", options{Header: dataset.HasHeader}, plain},
		{"header of savetxt above texts", "#\ta,b,y\nu,v,no\nu,w,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"u", "v", "no"}, {"u", "w", "yes"}}},
		{"header of savetxt not wanted", "# a,b,y\n1,2,no\n3,4,yes\n", options{Header: dataset.NoHeader}, unnamed},
		{"a comment like a header", "# a, small, table\na,b,y\n1,2,no\n3,4,yes\n", options{}, plain},
		{"header of savetxt, separated by blanks", "# a b y\n1 2 no\n3 4 yes\n", options{Comma: ' '}, plain},
		{"header of savetxt, separated by blanks, not wanted", "# a b y\n1 2 no\n# a b c\n3 4 yes\n", options{Comma: ' ', Header: dataset.NoHeader}, unnamed},
		{"header of savetxt not wanted above texts", "# a,b,y\nu,v,no\nw,x,yes\n", options{Header: dataset.NoHeader},
			[][]string{{"column1", "column2", "column3"}, {"u", "v", "no"}, {"w", "x", "yes"}}},
		{"a column called #", "#\tb\ty\n1\t2\tno\n2\t4\tyes\n", options{},
			[][]string{{"#", "b", "y"}, {"1", "2", "no"}, {"2", "4", "yes"}}},
		{"separator by the first line", "sep=;\r\na;b;y\r\n1;2;no\r\n3;4;yes\r\n", options{}, plain},
		{"separator by the first line, quoted", "\uFEFF\"SEP=|\"\na|b|y\n1|2|no\n3|4|yes\n", options{}, plain},
		{"spaces", " a ,\tb,y \n 1, 2 ,no\t\n3 ,4, yes\n", options{}, plain},
		{"quotes", "\"a\", \"b\",y\n\"1\",\" 2 \",\"no\"\n3,4,\" yes\"\n", options{}, plain},
		{"quoted separators and lines", "a,b,y\n1,\"x,\n\"\"y\"\"\",no\n3,4,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"1", "x,\n\"y\"", "no"}, {"3", "4", "yes"}}},
		{"semicolons", "a;b;y\n1;2;no\n3;4;yes\n", options{}, plain},
		{"semicolons and commas", "a;b;y\n1,5;2;no\n3,5;4;yes\n", options{},
			[][]string{{"a", "b", "y"}, {"1,5", "2", "no"}, {"3,5", "4", "yes"}}},
		{"semicolons and commas without a header", "1,5;2,5;no\n2,5;3,5;yes\n", options{},
			[][]string{{"column1", "column2", "column3"}, {"1,5", "2,5", "no"}, {"2,5", "3,5", "yes"}}},
		{"a semicolon and two decimal commas", "1,5;2,5\n2,5;3,5\n", options{},
			[][]string{{"column1", "column2"}, {"1,5", "2,5"}, {"2,5", "3,5"}}},
		{"a semicolon in a cell of each line", "a;note,x,y\na;b0,-1.5,0\na;b1,2,1\n", options{},
			[][]string{{"a;note", "x", "y"}, {"a;b0", "-1.5", "0"}, {"a;b1", "2", "1"}}},
		{"commas in a cell of each line", "1\tu,v,w\tno\n3\tu,v,w\tyes\n", options{},
			[][]string{{"column1", "column2", "column3"}, {"1", "u,v,w", "no"}, {"3", "u,v,w", "yes"}}},
		{"decimal commas", "a;b;y\n1,5;-,25e1;no\n3;u,v;yes\n", options{Decimal: ','},
			[][]string{{"a", "b", "y"}, {"1.5", "-.25e1", "no"}, {"3", "u,v", "yes"}}},
		{"tabs", "a\tb\ty\n1\t2\tno\n3\t4\tyes\n", options{}, plain},
		{"tabs with an empty cell", "a\tb\ty\n1\t\tno\n\t4\tyes\n", options{},
			[][]string{{"a", "b", "y"}, {"1", "", "no"}, {"", "4", "yes"}}},
		{"separator by option", "a|b|y\n1|2|no\n3|4|yes\n", options{Comma: '|'}, plain},
		{"no header", "1,2,no\n3,4,yes\n", options{}, unnamed},
		{"no header, all text", "y,n,no\nn,y,yes\ny,y,no\n", options{},
			[][]string{{"column1", "column2", "column3"}, {"y", "n", "no"}, {"n", "y", "yes"}, {"y", "y", "no"}}},
		{"header above text", "a,b,y\nu,v,no\nu,w,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"u", "v", "no"}, {"u", "w", "yes"}}},
		{"header that counts", "0,1,2,y\n1,2,3,no\n3,4,5,yes\n", options{},
			[][]string{{"0", "1", "2", "y"}, {"1", "2", "3", "no"}, {"3", "4", "5", "yes"}}},
		{"no header, numbers that count to a label", "0,1,2\n5,3,4\n6,3,2\n", options{},
			[][]string{{"column1", "column2", "column3"}, {"0", "1", "2"}, {"5", "3", "4"}, {"6", "3", "2"}}},
		{"no header, numbers that count to a label, and a text", "0;id78;1;2\n3;id80;2;1\n4;id81;2;2\n", options{Drop: []string{"2"}},
			[][]string{{"column1", "column3", "column4"}, {"0", "1", "2"}, {"3", "2", "1"}, {"4", "2", "2"}}},
		{"years", "2019,2020,2021,2022,churn\n5,6,7.5,8,yes\n4,3,2,1,no\n1,2,3,4,yes\n", options{},
			[][]string{{"2019", "2020", "2021", "2022", "churn"}, {"5", "6", "7.5", "8", "yes"}, {"4", "3", "2", "1", "no"}, {"1", "2", "3", "4", "yes"}}},
		{"years above a label whose other value comes late", "2019,2020,2021,left\n" + strings.Repeat("4,3,2,0\n", 300) + "1,2,3,1\n", options{},
			slices.Concat([][]string{{"2019", "2020", "2021", "left"}}, slices.Repeat([][]string{{"4", "3", "2", "0"}}, 300), [][]string{{"1", "2", "3", "1"}})},
		{"wavelengths", "400,410,class\n0.1,0.2,0\n0.3,0.4,1\n", options{},
			[][]string{{"400", "410", "class"}, {"0.1", "0.2", "0"}, {"0.3", "0.4", "1"}}},
		{"wavelengths with decimals", "400.5,410.5,class\n0.1,0.2,a\n0.3,0.4,b\n", options{},
			[][]string{{"400.5", "410.5", "class"}, {"0.1", "0.2", "a"}, {"0.3", "0.4", "b"}}},
		{"numbers from 1 and a class", "1,2,3,4,class\n4,3,2,1,yes\n1,2,3,4,no\n", options{},
			[][]string{{"1", "2", "3", "4", "class"}, {"4", "3", "2", "1", "yes"}, {"1", "2", "3", "4", "no"}}},
		{"years and texts", "id,2019,2020,churn\n7,1,2,yes\n8,3,4,no\n9,3,4,no\n", options{},
			[][]string{{"id", "2019", "2020", "churn"}, {"7", "1", "2", "yes"}, {"8", "3", "4", "no"}, {"9", "3", "4", "no"}}},
		{"years, the label in front", "churn,2019,2020\nyes,1,2\nno,3,4\n", options{Label: "1"},
			[][]string{{"2019", "2020", "churn"}, {"1", "2", "yes"}, {"3", "4", "no"}}},
		{"years, the label by name", "churn,2019,2020\nyes,1,2\nno,3,4\nno,3,4\n", options{Label: "churn"},
			[][]string{{"2019", "2020", "churn"}, {"1", "2", "yes"}, {"3", "4", "no"}, {"3", "4", "no"}}},
		{"years, the label by a name that is a number", "id,2021,2022\n5,1,0\n6,3,1\n7,3,1\n", options{Label: "2022"},
			[][]string{{"id", "2021", "2022"}, {"5", "1", "0"}, {"6", "3", "1"}, {"7", "3", "1"}}},
		{"no header, a label that comes again", "2019,2020,2021,yes\n5,6,7,no\n4,3,2,yes\n", options{},
			[][]string{{"column1", "column2", "column3", "column4"}, {"2019", "2020", "2021", "yes"}, {"5", "6", "7", "no"}, {"4", "3", "2", "yes"}}},
		{"no header, labels of one row each", "10,20,30,yes\n5,6,7,no\n", options{},
			[][]string{{"column1", "column2", "column3", "column4"}, {"10", "20", "30", "yes"}, {"5", "6", "7", "no"}}},
		{"no header, numbers alone", "1,2,3,1\n4,5,6,0\n4,5,7,1\n", options{},
			[][]string{{"column1", "column2", "column3", "column4"}, {"1", "2", "3", "1"}, {"4", "5", "6", "0"}, {"4", "5", "7", "1"}}},
		{"header by option", "1,2,no\n3,4,yes\n5,6,nay\n", options{Header: dataset.HasHeader},
			[][]string{{"1", "2", "no"}, {"3", "4", "yes"}, {"5", "6", "nay"}}},
		{"no header by option", "a,2,no\nb,4,yes\n", options{Header: dataset.NoHeader},
			[][]string{{"column1", "column2", "column3"}, {"a", "2", "no"}, {"b", "4", "yes"}}},
		{"row numbers without a name", ",a,y\n0,5,no\n1,6,yes\n", options{},
			[][]string{{"column1", "a", "y"}, {"0", "5", "no"}, {"1", "6", "yes"}}},
		{"label by name", "y,a,b\nno,1,2\nyes,3,4\n", options{Label: "y"}, plain},
		{"label by position", "a,y,b\n1,no,2\n3,yes,4\n", options{Label: "2"}, plain},
		{"label by position from the end", "a,y,b\n1,no,2\n3,yes,4\n", options{Label: "-2"}, plain},
		{"brackets that are no JSON", "[a],{b},y\n1,2,no\n3,4,yes\n", options{}, [][]string{{"[a]", "{b}", "y"}, {"1", "2", "no"}, {"3", "4", "yes"}}},
		{"lists that are no JSON", "[1],2,no\n[1],4,yes\n", options{}, [][]string{{"column1", "column2", "column3"}, {"[1]", "2", "no"}, {"[1]", "4", "yes"}}},
		{"a name goes before a position", "a,2,1\n1,2,no\n3,4,yes\n", options{Label: "1", Header: dataset.HasHeader},
			[][]string{{"a", "2", "1"}, {"1", "2", "no"}, {"3", "4", "yes"}}},
		{"dropped", "id,a,b,z,y\n9,1,2,x,no\n8,3,4,x,yes\n", options{Drop: []string{"id", "-2"}}, plain},
		{"missing values", "a,b,y\n,NA,no\nN/A,nan,yes\n?,NULL,no\n1,2,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"", "", "no"}, {"", "", "yes"}, {"", "", "no"}, {"1", "2", "yes"}}},
		{"missing values as pandas has them", "a,b,y\n#NA,#N/A N/A,no\n-1.#IND,-1.#QNAN,yes\n-NaN,-nan,no\n1.#IND,1.#QNAN,yes\n<NA>,None,no\n1,2,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"", "", "no"}, {"", "", "yes"}, {"", "", "no"}, {"", "", "yes"}, {"", "", "no"}, {"1", "2", "yes"}}},
		{"texts that are not missing", "a,b,y\nno,none,no\nnab,na n,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"no", "none", "no"}, {"nab", "na n", "yes"}}},
		{"numbers keep their spelling among texts", "a,b,y\n01,1.0,no\nx,1e0,yes\n", options{},
			[][]string{{"a", "b", "y"}, {"01", "1.0", "no"}, {"x", "1e0", "yes"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			_, err := z.Write([]byte(c.text))
			require.NoError(t, err)
			require.NoError(t, z.Close())
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text)), &zipped} {
				f, err := dataset.ReadFrame(r, "t.csv", c.opts)
				require.NoError(t, err)
				require.Equal(t, c.want, contents(t, f))
			}
		})
	}
}

func TestReadFrameInfersKinds(t *testing.T) {
	var wide strings.Builder // more different numbers than a dictionary holds
	wide.WriteString("big,code,word,long,gap,third,y\n")
	for i := range 5000 {
		word := "w" + strconv.Itoa(i)
		if i == 1 || i == 4990 || i == 4999 { // before and after they are too many
			word = ""
		}
		third := "0." + strings.Repeat("3", 1+299*(i%100/99))
		wide.WriteString(strings.Join([]string{
			"1700000000." + strconv.Itoa(i%7), strconv.Itoa(i%3 + 1), word, strings.Repeat("x", 300), "", third, strconv.Itoa(i % 2)}, ",") + "\n")
	}
	f, err := readText(wide.String(), dataset.Options{Category: []string{"code"}})
	require.NoError(t, err)
	s := f.Schema()
	kinds := map[string]dataset.Kind{}
	for _, c := range s.Columns {
		kinds[c.Name] = c.Kind
	}
	require.Equal(t, map[string]dataset.Kind{"big": dataset.Numeric, "code": dataset.Categorical, "word": dataset.Text, "long": dataset.Text, "gap": dataset.Numeric, "third": dataset.Numeric}, kinds)
	require.Equal(t, []string{"1", "2", "3"}, s.Columns[1].Categories)
	require.Equal(t, 5000, s.Columns[4].Missing)
	require.Equal(t, 3, s.Columns[2].Missing)
	for rows, missing := range map[[3]int]int{{0, 1, 2}: 1, {3, 3, 4998}: 0, {4999, 1, 2}: 2, {4990, 4990, 4990}: 3} { // of a view
		require.Equal(t, missing, f.Select(rows[:]).Schema().Columns[2].Missing)
	}
	// float32 would take all of them for one number.
	big, err := f.Numbers("big")
	require.NoError(t, err)
	for i, x := range big {
		want, err := strconv.ParseFloat("1700000000."+strconv.Itoa(i%7), 64)
		require.NoError(t, err)
		require.Equal(t, want, x)
	}
}

// TestManyNumbersWithGaps: a column changes its storage when its dictionary is full.
func TestManyNumbersWithGaps(t *testing.T) {
	text := "x,n,y\n"
	want := make([]float64, 2000)
	for i := range want {
		cell := ""
		if want[i] = math.NaN(); i%5 != 0 {
			want[i] = float64(i) / 4
			cell = strconv.FormatFloat(want[i], 'g', -1, 64)
		}
		text += cell + "," + strconv.Itoa(i%300) + "," + strconv.Itoa(i%2) + "\n"
	}
	f, err := readText(text, dataset.Options{})
	require.NoError(t, err)
	require.Equal(t, "t.csv", f.Source())
	got, err := f.Numbers("x")
	require.NoError(t, err)
	for i, x := range got {
		require.True(t, x == want[i] || math.IsNaN(x) && math.IsNaN(want[i]), "row %d: %v, not %v", i, x, want[i])
	}
	texts, err := f.Strings("x")
	require.NoError(t, err)
	require.Equal(t, []string{"", "0.25", "0.5"}, texts[:3])
	require.Equal(t, 400, f.Schema().Columns[0].Missing)
	require.Equal(t, 400, fitEncoder(t, f).Columns[0].Missing)

	_, err = readText(text+"many,1,0\n", dataset.Options{})
	require.EqualError(t, err, `t.csv:2002: column "x": "many" is not a number, and the column holds numbers; mend it, leave it empty if it is not known, or declare the column a category`)
	f, err = readText(text+"many,1,0\n", dataset.Options{Category: []string{"x"}})
	require.NoError(t, err)
	require.Equal(t, dataset.Categorical, f.Schema().Columns[0].Kind)
	require.Len(t, f.Schema().Columns[0].Categories, 1601)
}

// TestStorage: whatever is put in comes out.
func TestStorage(t *testing.T) {
	for name, value := range map[string]func(i int) float64{
		"small":     func(i int) float64 { return math.Sin(float64(i)) },
		"counts":    func(i int) float64 { return float64(i) },
		"seconds":   func(i int) float64 { return 1.7e9 + float64(i*i%1000)/8 },
		"beyond 24": func(i int) float64 { return float64(i%2) * 16777217 },
		"beyond 32": func(i int) float64 { return 1e300 * float64(i) },
		"tiny":      func(i int) float64 { return 1e-300 * float64(i) },
		"late":      func(i int) float64 { return float64(i) + float64(i/1200)/3 },
		"gaps": func(i int) float64 {
			if i%3 == 0 {
				return math.NaN()
			}
			return float64(i) / 7
		},
		"constant": func(int) float64 { return 0.1 },
	} {
		const rows = 1300 // some chunks and a part of one
		values := make([]float64, rows)
		for i := range values {
			values[i] = value(i)
		}
		f := dataset.NewFrame("t")
		require.NoError(t, f.AddNumeric("x", values))
		got, err := f.Numbers("x")
		require.NoError(t, err)
		for i := range values {
			require.Equal(t, math.Float64bits(values[i]), math.Float64bits(got[i]), "%s %d", name, i)
		}
	}
}

// Lines that are longer than what format and header are told from are read as others are.
func TestWideFile(t *testing.T) {
	const columns = 20000
	var header, row []string
	for j := range columns {
		header, row = append(header, "feature"+strconv.Itoa(j)), append(row, strconv.Itoa(j)+".5")
	}
	text := strings.Join(header, ",") + ",y\n"
	for i := range 40 {
		text += strings.Join(row, ",") + "," + strconv.Itoa(i%2) + "\n"
	}
	for _, before := range []string{"", "# ", "# made by hand\n\n#", "sep=,\n# "} {
		f, err := readText(before+text, dataset.Options{})
		require.NoError(t, err)
		require.Equal(t, header, f.Names())
		require.Equal(t, 40, f.Rows())
		got, err := f.Numbers("feature19999")
		require.NoError(t, err)
		require.Equal(t, 19999.5, got[39])
	}
	texts := strings.Repeat("A/A,", columns)
	f, err := readText(texts+"no\n"+texts+"yes\n"+strings.Repeat("G/A,", columns)+"no\n", dataset.Options{})
	require.NoError(t, err)
	require.Equal(t, 3, f.Rows())
}

func TestReadFrameInfersThePositiveClass(t *testing.T) {
	for _, c := range []struct{ negative, positive string }{
		{"0", "1"}, {"-1", "1"}, {"-1", "+1"}, {"0.0", "1.0"}, {"9", "10"}, {"false", "TRUE"}, {"F", "T"}, {"no", "Yes"}, {"n", "Y"},
		{"benign", "malignant"}, {"b", "g"}, {"M", "R"}, {"democrat", "republican"},
	} {
		for _, order := range [][2]string{{c.negative, c.positive}, {c.positive, c.negative}} {
			f, err := readText("x,y\n1,"+order[0]+"\n2,"+order[1], dataset.Options{})
			require.NoError(t, err)
			_, negative, positive := f.Label()
			require.Equal(t, c, struct{ negative, positive string }{negative, positive})

			f, err = readText("x,y\n1,"+order[0]+"\n2,"+order[1], dataset.Options{Positive: order[0]})
			require.NoError(t, err)
			require.Equal(t, []float64{1, -1}, f.Labels())
		}
	}
}

func TestReadFrameRefuses(t *testing.T) {
	type options = dataset.Options
	many := "a,b,y\n"
	for i := range 20 {
		many += strconv.Itoa(i) + ",1," + strconv.Itoa(i%2) + "\n"
	}
	labels := "a,y\n"
	for i := range 12 {
		labels += "1,l" + strconv.Itoa(i) + "\n"
	}
	for _, c := range []struct {
		name, text string
		opts       options
		want       string
	}{
		{"nothing", "", options{}, `t.csv: the file is empty; a header line and rows are needed`},
		{"header only", "a,b,y\n", options{}, `t.csv: the file has a header but no rows`},
		{"short row", "a,b,y\n1,2,no\n3,yes\n", options{}, `t.csv:3: the row has 2 cells, but the header names 3 columns; write every cell, even if it is empty`},
		{"long row", "1,2,0\n1,2,3,0\n", options{}, `t.csv:2: the row has 4 cells, but the first has 3; enclose a cell in quotes if it contains the separator`},
		{"short row with another separator", "a|b,c|y\n1|2|3\n", options{}, `t.csv:2: the row has 1 cell, but the header names 2 columns; write every cell, even if it is empty; if something other than commas separates the cells, set the option comma`},
		{"duplicate name", "a,b,a,y\n1,2,3,no\n", options{}, `t.csv:1: column "a": the header has this name twice, for columns 1 and 3; rename one of them, or if the first line is a row, set the option header to no`},
		{"unknown label", "a,b,y\n1,2,no\n", options{Label: "Y"}, `t.csv:1: column "Y": there is no such column for the label; there is "a", "b" and "y"`},
		{"position out of range", "a,b,y\n1,2,no\n", options{Label: "4"}, `t.csv:1: column "4": there is no such column for the label; there is "a", "b" and "y"`},
		{"unknown column to drop", "a,b,y\n1,2,no\n", options{Drop: []string{"-4"}}, `t.csv:1: column "-4": there is no such column to drop; there is "a", "b" and "y"`},
		{"unknown category", "a,b,y\n1,2,no\n", options{Category: []string{"c"}}, `t.csv:1: column "c": there is no such column for categories; there is "a", "b" and "y"`},
		{"label dropped", "a,b,y\n1,2,no\n", options{Drop: []string{"y"}}, `t.csv:1: column "y": the column cannot be dropped, since it is the label`},
		{"all dropped", "a,y\n1,no\n", options{Drop: []string{"a"}}, `t.csv:1: no column is left to be a feature`},
		{"label alone", "y\nno\nyes\nno\n", options{Header: dataset.HasHeader},
			`t.csv:1: column "y": the label is the only column; features are needed beside it; if something other than commas separates the cells, set the option comma`},
		{"unknown label with another separator", "a|b|y\n1|2|no\n", options{Label: "y"}, `t.csv:1: column "y": there is no such column for the label; there is "a|b|y"; if something other than commas separates the cells, set the option comma`},
		{"four labels with another separator", "x;u,a\ny;u,b\nx;v,c\ny;v,d\n", options{}, `t.csv: column "column2": the label has 4 values, "u,a", "u,b", "v,c" and "v,d"; a binary label has two; if something other than semicolons separates the cells, set the option comma`},
		{"many labels with another separator", strings.Replace(labels, "l", "l|m", -1), options{},
			`t.csv:12: column "y": the label has more than 10 values, such as "l|m0" and "l|m1"; a binary label has two, so choose another column for the label; if something other than commas separates the cells, set the option comma`},
		{"rows that begin with # in one column", "c\n#a\n#b\n", options{Unlabeled: true},
			`t.csv: the file has a header but no rows; 2 lines that begin with # are taken for comments, so enclose the first cell of a row in quotes if that is what it begins with`},
		{"a comment with as many cells", many + "# half,way,there\n20,1,1\n", options{},
			`t.csv:22: column "a": "# half" is not a number, though most values of the column are; mend it, leave it empty if it is not known, or declare the column a category` +
				`; the line begins with #, but has as many cells as the table, so it is taken for a row; remove it if it is a comment`},
		{"a label of a comment with as many cells", "a,b,y\nu,2,no\nv,3,yes\n#w,4,there\n", options{},
			`t.csv: column "y": the label has 3 values, "no", "yes" and "there"; a binary label has two; 1 line that begins with # is taken for a row`},
		{"missing refused", "a,b,y\n1,2,no\n1,?,yes\n", options{RefuseMissing: true},
			`t.csv:3: column "b": the value is missing ("?"); fill it in, remove the row, or have missing values imputed`},
		{"missing label", "a,b,y\n1,2,no\n3,4,NA\n", options{}, `t.csv:3: column "y": the label is missing; fill it in or remove the row`},
		{"infinite", "a,b,y\n1,2,no\n-Inf,4,yes\n", options{}, `t.csv:3: column "a": "-Inf" is not a finite number; mend it, or leave it empty if it is not known`},
		{"beyond the range", "a,b,y\n1,2,no\n3,1e999,yes\n", options{}, `t.csv:3: column "b": "1e999" is beyond the range of float64`},
		{"word among numbers", many + "four,1,0\n21,1,1\n", options{},
			`t.csv:22: column "a": "four" is not a number, though most values of the column are; mend it, leave it empty if it is not known, or declare the column a category`},
		{"one label", "a,b,y\n1,2,no\n3,4,no\n", options{}, `t.csv: column "y": every label is "no"; a binary label has two values`},
		{"five labels", "a,y\n1,0\n2,1\n3,2\n4,3\n5,4\n6,0\n", options{}, `t.csv: column "y": the label has 5 values, "0", "1", "2", "3" and "4"; a binary label has two`},
		{"too many labels", labels, options{},
			`t.csv:12: column "y": the label has more than 10 values, such as "l0" and "l1"; a binary label has two, so choose another column for the label`},
		{"one number in two ways", "a,y\n1,1\n2,1.0\n", options{}, `t.csv: column "y": the labels "1" and "1.0" are the same number; write one way throughout`},
		{"positive absent", "a,y\n1,no\n2,yes\n", options{Positive: "Yes"}, `t.csv: column "y": no label is "Yes", which was to be the positive class; the labels are "no" and "yes"`},
		{"stray quote", "a,b,y\n1,2\"3,no\n", options{},
			`t.csv:2: column "b": a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
		{"quote never closed", "a,b,y\n1,2,no\n3,4,\"yes\n5,6,no\n7,8,yes\n", options{},
			`t.csv:3: column "y": a quote is stray or never closed; enclose the whole cell in quotes and double those inside it`},
		{"carriage returns", "a,b,y\r1,2,no\r3,4,yes\r", options{}, `t.csv: the lines end in a carriage return alone; save the file with line feeds`},
		{"UTF-16", "\xff\xfea\x00,\x00y\x00\n\x00", options{}, `t.csv: the file is UTF-16 text; save it as UTF-8`},
		{"UTF-16 without a mark", "a\x00,\x00y\x00\n\x00", options{}, `t.csv: the file is UTF-16 text; save it as UTF-8`},
		{"binary", "a,b,y\n1,2,\x00\n", options{}, `t.csv: the file holds NUL bytes, so it is no text; a CSV, LIBSVM, NPY or NPZ file is needed, which gzip may have compressed`},
		{"Latin-1", "a,b,y\ncaf\xe9,2,no\n", options{}, `t.csv:2: column "a": "caf\xe9" is not UTF-8 text; save the file in that encoding`},
		{"Latin-1 label", "a,b,y\n1,2,n\xe9\n", options{}, `t.csv:2: column "y": "n\xe9" is not UTF-8 text; save the file in that encoding`},
		{"Latin-1 header", "a\xe9,b,y\n1,2,no\n", options{}, `t.csv:1: the column name "a\xe9" is not UTF-8 text; save the file in that encoding`},
		{"decimal point", "a,y\n1,no\n", options{Decimal: ';'}, `t.csv: numbers cannot have ';' for a decimal point; use a point or a comma`},
		{"comments alone", "# nothing\n#else\n", options{}, `t.csv: the file has nothing but lines that begin with #, which are taken for comments; a header line and rows are needed`},
		{"unequal lines that begin with #", "#a,b,y\n#1,2\n", options{}, `t.csv: the file has nothing but lines that begin with #, which are taken for comments; a header line and rows are needed`},
		{"a line after comments", "# a\n\na,b,y\n# b\n1,2,no\n#3\n3,no\n", options{}, `t.csv:7: the row has 2 cells, but the header names 3 columns; write every cell, even if it is empty`},
		{"separator in the numbers", "a,y\n1,no\n", options{Comma: ',', Decimal: ','}, `t.csv: cells cannot be separated by ',', which numbers have before their decimals; set the option comma or decimal to something else`},
		{"separator in the numbers by default", "a,y\n1,no\n", options{Comma: '.'}, `t.csv: cells cannot be separated by '.', which numbers have before their decimals; set the option comma or decimal to something else`},
		{"JSON lines", "{\"a\": 1, \"y\": 0}\n{\"a\": 2, \"y\": 1}\n", options{}, `t.csv: the file is JSON; save its rows as CSV`},
		{"JSON", " [\n {\"a\": 1, \"y\": 0},\n {\"a\": 2, \"y\": 1}\n]\n", options{}, `t.csv: the file is JSON; save its rows as CSV`},
		{"long JSON", "[[1,0]" + strings.Repeat(",[2,1]", 20000) + "]", options{}, `t.csv: the file is JSON; save its rows as CSV`},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", options{}, `t.csv: the file is an Excel workbook (.xls); save it as CSV`},
		{"a zip archive for CSV", "PK\x03\x04\x00\x00", options{Format: dataset.CSV}, `t.csv: the file is a zip archive, as an Excel workbook (.xlsx) is, too; unpack it, or save the workbook as CSV`},
		{"separator", "a,y\n1,no\n", options{Comma: '"'}, `t.csv: cells cannot be separated by '"'; use a comma, a semicolon or a tab`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readText(c.text, c.opts)
			require.EqualError(t, err, c.want)
			var parse *dataset.ParseError
			require.ErrorAs(t, err, &parse)
		})
	}
	_, err := readText("a,y\n1,no\n", dataset.Options{Format: 9})
	require.EqualError(t, err, "dataset: Format(9) is no format that can be read")
	_, err = dataset.ReadFrame(nil, "t.csv", dataset.Options{})
	require.EqualError(t, err, "dataset: the reader is nil; pass an open file")
	_, err = readText("a,y\n1,no\n", dataset.Options{Header: 9})
	require.EqualError(t, err, "dataset: Header(9) says nothing about a header; set the option to AutoHeader, HasHeader or NoHeader")
}

func TestReadFrameReportsTheReadersError(t *testing.T) {
	broken := errors.New("the line went dead")
	long := "a,b,y\n" + strings.Repeat("1,2,no\n3,4,yes\n", 20000)
	for _, before := range []string{"", "a,b,y\n", long, "1 1:2\n"} {
		_, err := dataset.ReadFrame(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), "t.csv", dataset.Options{})
		require.EqualError(t, err, "t.csv: the file cannot be read: the line went dead")
		require.ErrorIs(t, err, broken)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(long))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	_, err = dataset.ReadFrame(bytes.NewReader(zipped.Bytes()[:zipped.Len()-20]), "t.csv.gz", dataset.Options{})
	require.EqualError(t, err, "t.csv.gz: the file is cut short; copy or download it again")
}

// A quote that is never closed must not make a record of the whole file.
func TestRecordsAreLimited(t *testing.T) {
	line := strings.Repeat("1,2,no\n", 1000)
	endless := io.MultiReader(strings.NewReader("a,b,y\n1,\"2,no\n"), iotest.DataErrReader(&repeat{text: line, n: 20000}))
	_, err := dataset.ReadFrame(endless, "t.csv", dataset.Options{})
	require.EqualError(t, err, "t.csv:1: the record after this line is longer than 67108864 bytes; a quote may never be closed")
}

// A line of separators must not take memory for the cells between them.
func TestCellsAreLimited(t *testing.T) {
	for _, before := range []string{"", "a,b,y\n1,2,no\n", "#,"} {
		commas := io.MultiReader(strings.NewReader(before), &repeat{text: strings.Repeat(",", 1000), n: 60000})
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		_, err := dataset.ReadFrame(commas, "t.csv", dataset.Options{})
		runtime.ReadMemStats(&end)
		require.EqualError(t, err, fmt.Sprintf("t.csv:%d: there are more than 1048576 columns; there can be no more", 1+strings.Count(before, "\n")))
		require.Less(t, end.TotalAlloc-start.TotalAlloc, uint64(256<<20))
	}
}

// repeat is a text n times.
type repeat struct {
	text string
	n    int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.n == 0 || len(p) < len(r.text) {
		if r.n == 0 {
			return 0, io.EOF
		}
		return copy(p, r.text[:len(p)]), nil
	}
	r.n--
	return copy(p, r.text), nil
}

func TestOpenFrame(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent.csv")
	_, err := dataset.OpenFrame(absent, dataset.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	var parse *dataset.ParseError
	require.ErrorAs(t, err, &parse)
	require.Equal(t, absent, parse.Source)
}

// TestFilesAsPeopleHaveThem reads files without being told anything about them but
// where the label is.
func TestFilesAsPeopleHaveThem(t *testing.T) {
	for _, c := range []struct {
		file     string
		opts     dataset.Options
		layout   string
		rows     int
		columns  int // that are features
		features int // that the encoder makes of them
		positive string
		missing  bool
		warnings []string // of encoding
	}{
		{"heart.csv", dataset.Options{}, "CSV separated by commas, with a header", 24, 10, 6 + 2 + 4 + 2 + 3, "1", false, nil},
		{"diabetes.csv", dataset.Options{}, "CSV separated by semicolons, with a header", 22, 8, 8, "tested_positive", true, nil},
		{"spam.tsv", dataset.Options{}, "CSV separated by tabs, with a header", 20, 8, 8, "true", false, nil},
		{"votes.data", dataset.Options{Label: "1"}, "CSV separated by commas, without a header", 26, 16, 32, "republican", true, nil},
		{"radar.data", dataset.Options{Positive: "g"}, "CSV separated by commas, without a header", 20, 34, 33, "g", false, []string{`column "column2" is left out: every value is 0`}},
		{"sonar.data", dataset.Options{Positive: "M"}, "CSV separated by commas, without a header", 16, 60, 60, "M", false, nil},
		{"../wdbc.csv", dataset.Options{}, "CSV separated by commas, with a header", 569, 30, 30, "malignant", false, nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			f, err := dataset.OpenFrame(filepath.Join("testdata", c.file), c.opts)
			require.NoError(t, err)
			s := f.Schema()
			require.Equal(t, c.layout, s.Layout)
			require.Equal(t, c.rows, s.Rows)
			require.Equal(t, c.rows, s.Negatives+s.Positives)
			require.Positive(t, s.Negatives)
			require.Positive(t, s.Positives)
			require.Equal(t, c.positive, s.Positive)
			require.Len(t, s.Columns, c.columns)
			missing := 0
			for _, k := range s.Columns {
				missing += k.Missing
			}
			require.Equal(t, c.missing, missing > 0)

			train, validation, test, err := f.Split(0.2, 0.2, 1)
			require.NoError(t, err)
			e, err := dataset.FitEncoder(f, dataset.EncoderOptions{})
			require.NoError(t, err)
			require.Equal(t, c.warnings, e.Warnings())
			for _, part := range []*dataset.Frame{train, validation, test} {
				m, err := e.Transform(part)
				require.NoError(t, err)
				require.NoError(t, m.Check())
				require.Len(t, m.Features, c.features)
			}
		})
	}
}

func TestReadFrameForAnEncoder(t *testing.T) {
	f, err := readText("age,zip,id,paid\n20,AB1,7,no\n30,77,8,yes\n40,77,9,no\n", dataset.Options{Drop: []string{"id"}})
	require.NoError(t, err)
	e, err := dataset.FitEncoder(f, dataset.EncoderOptions{})
	require.NoError(t, err)

	// All zips are digits, columns are in another order, there is one more, the label is absent.
	rows, err := readText("zip,more,age\n77,x,20\n88,y,\n", dataset.Options{For: e})
	require.NoError(t, err)
	require.Nil(t, rows.Labels())
	m, err := e.Transform(rows)
	require.NoError(t, err)
	require.Equal(t, []string{"age", "zip=77", "zip=AB1"}, m.Features)
	require.Equal(t, []float32{float32(-10 / math.Sqrt(200./3)), 1, 0, 0, 0, 0}, m.X)
	require.Equal(t, []string{`column "zip" has a category that the training rows had not, such as "88", in 1 row; it is encoded as none of them`}, m.Warnings)

	rows, err = readText("age,zip,paid\n20,77,yes\n", dataset.Options{For: e})
	require.NoError(t, err)
	require.Equal(t, []float64{1}, rows.Labels())

	for want, text := range map[string]string{
		`t.csv:1: there is no column "age" and "zip", which the model needs; there is "age|zip"; if something other than commas separates the cells, set the option comma`: "age|zip\n20|1\n",
		`t.csv:1: there is no column "age" and "zip", which the model needs; there is "id" and "paid"`:                                                                     "id,paid\n1,no\n",
		`t.csv:2: column "age": "old" is not a number, and the column holds numbers; mend it, leave it empty if it is not known, or declare the column a category`:         "age,zip\nold,1\n",
		`t.csv:3: column "paid": the label "maybe" is neither "no" nor "yes", which the model was trained on`:                                                              "age,zip,paid\n1,1,no\n2,1,maybe\n",
	} {
		_, err := readText(text, dataset.Options{For: e})
		require.EqualError(t, err, want)
	}

	// Without names, columns are known by their place, whether the label is there or not.
	f, err = readText("no,1,5\nyes,2,6\nno,3,8\n", dataset.Options{Label: "1"})
	require.NoError(t, err)
	e, err = dataset.FitEncoder(f, dataset.EncoderOptions{})
	require.NoError(t, err)
	want, err := e.Transform(f)
	require.NoError(t, err)
	for _, text := range []string{"no,1,5\nyes,2,6\nno,3,8\n", "1,5\n2,6\n3,8\n"} {
		rows, err = readText(text, dataset.Options{For: e})
		require.NoError(t, err)
		got, err := e.Transform(rows)
		require.NoError(t, err)
		require.Equal(t, want.X, got.X)
	}
	// Rows that begin with # are rows to predict, too, and its header may be as savetxt writes it.
	for _, c := range []struct{ train, predict string }{
		{"colour,b,y\n#ff0000,2,no\n#00ff00,4,yes\n", "#colour,b\n#00ff00,4\n"},
		{"#ff0000,2,no\n#00ff00,4,yes\n#0000ff,4,no\n", "#00ff00,4\n"},
		{"# colour,b,y\nred,2,no\n#00ff00,4,yes\n", "colour,b\n#00ff00,4\n"},
		{"u,v,no\nw,x,yes\nu,x,no\n", "# a,b,y\nw,x,yes\n"},
		{"u,v,no\n#w,x,yes\nu,v,no\n", "#w,x\n"},
	} {
		f, err := readText(c.train, dataset.Options{})
		require.NoError(t, err)
		e := fitEncoder(t, f)
		want, err := e.Transform(f.Select([]int{1}))
		require.NoError(t, err)
		rows, err := readText(c.predict, dataset.Options{For: e})
		require.NoError(t, err)
		got, err := e.Transform(rows)
		require.NoError(t, err)
		require.Equal(t, want.X, got.X)
		require.Empty(t, got.Warnings)
	}
	_, err = readText("1\n2\n3\n", dataset.Options{For: e})
	require.EqualError(t, err, "t.csv:1: the row has 1 cell, but the model was trained on rows of 3; if something other than commas separates the cells, set the option comma")
}
