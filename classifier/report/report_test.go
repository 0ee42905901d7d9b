package report_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/classifier/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	blue   = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
)

// write writes the report into a new directory and returns its files.
func write(t *testing.T, r *report.Report) map[string][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "report")
	require.NoError(t, report.Write(context.Background(), dir, r))
	return read(t, dir)
}

func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
	}
	return files
}

// page is what a parser finds on the page.
type page struct {
	text     string // of all elements, one a line
	elements map[string]int
	images   []struct{ source, alt string }
}

// parse reads the page with a strict XML parser, which refuses anything that is not
// escaped or closed, and requires that nothing on it makes a request or runs.
func parse(t *testing.T, data []byte) (p page) {
	t.Helper()
	p.elements = map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				p.text += s + "\n"
			}
		case xml.StartElement:
			p.elements[token.Name.Local]++
			require.Contains(t, []string{
				"html", "head", "meta", "title", "style", "body", "header", "main", "section", "h1", "h2", "p", "div", "figure", "figcaption",
				"img", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "details", "summary", "pre",
			}, token.Name.Local)
			var source, alt string
			for _, a := range token.Attr {
				require.Contains(t, []string{"lang", "charset", "name", "content", "http-equiv", "class", "id", "src", "alt", "scope"}, a.Name.Local)
				switch a.Name.Local {
				case "src":
					source = a.Value
				case "alt":
					alt = a.Value
				}
			}
			if token.Name.Local == "img" {
				require.NotEmpty(t, alt)
				p.images = append(p.images, struct{ source, alt string }{source, alt})
			}
		}
	}
	require.NotContains(t, p.text, "url(")
	require.NotContains(t, p.text, "@import")
	require.Contains(t, string(data), "default-src 'none'")
	return p
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	require.NotEmpty(t, data)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img
}

// count counts the pixels of a colour in a part of the picture, given in shares of its
// width and height from the top left.
func count(img image.Image, c color.NRGBA, left, top, right, bottom float64) (n int) {
	b := img.Bounds()
	pixels, ok := img.(*image.RGBA) // opaque, so that it is as good as NRGBA
	if !ok {
		panic(fmt.Sprintf("a picture of type %T", img))
	}
	w, h := float64(b.Dx()), float64(b.Dy())
	for y := int(top * h); y < int(bottom*h); y++ {
		for x := int(left * w); x < int(right*w); x++ {
			if pixels.RGBAAt(x, y) == color.RGBA(c) {
				n++
			}
		}
	}
	return n
}

func TestWrite(t *testing.T) {
	t.Setenv("PATH", "")
	r := sample()
	files := write(t, r)
	names := []string{
		"boundary.png", "calibration.png", "confusion.png", "features.png", "graph.dot", "loss.png",
		"precision_recall.png", "report.html", "roc.png", "scores.png",
	}
	require.ElementsMatch(t, names, keys(files), "nothing else is left behind")
	require.ElementsMatch(t, append(names, "graph.svg"), report.FileNames())
	require.Equal(t, r.DOT, string(files["graph.dot"]))

	p := parse(t, files["report.html"])
	require.Len(t, p.images, 8)
	for _, image := range p.images {
		data, ok := strings.CutPrefix(image.source, "data:image/png;base64,")
		require.True(t, ok)
		decoded, err := base64.StdEncoding.DecodeString(data)
		require.NoError(t, err)
		found := slices.ContainsFunc(names, func(name string) bool { return bytes.Equal(decoded, files[name]) })
		require.True(t, found, "a picture on the page is none of the files: %s", image.alt)
	}

	s, err := metrics.Summarize(r.Scores, r.Labels, r.Threshold)
	require.NoError(t, err)
	for _, want := range []string{
		"Two half moons\n", "Measured on 400 test rows: 200 upper, 200 lower.",
		fmt.Sprintf("%.4f\n", s.AUC), fmt.Sprintf("%.4f\n", s.MCC), fmt.Sprintf("%.4f\n", s.LogLoss),
		"optimizer\nAdamW, learning rate 0.001\n", "source\nmoons\n",
		"MatMul\n1200\n43 ms\n35.8 µs\n58.9%\nAdamW\n1600\n21 ms\n13.1 µs\n28.8%\n", r.DOT, "Every feature",
	} {
		require.Contains(t, p.text, want)
	}
	checkColours(t, files)
	require.Equal(t, sample().Operations, r.Operations, "the report is not changed")
}

func TestSameBytes(t *testing.T) {
	defer report.SetDPI(60)()
	require.Equal(t, write(t, sample()), write(t, sample()))
}

func keys(m map[string][]byte) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// checkColours looks for the colours of lines and areas.
func checkColours(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, colours := range map[string][]color.NRGBA{
		"loss": {blue, orange}, "roc": {blue, orange}, "precision_recall": {blue, orange}, "calibration": {blue},
		"scores": {blue, orange}, "features": {blue, orange}, "boundary": {blue, orange},
	} {
		img := decode(t, files[name+".png"])
		require.Equal(t, 968, img.Bounds().Dx())
		for _, c := range colours {
			require.Greater(t, count(img, c, 0, 0, 1, 1), 200, "%s: %v", name, c)
		}
	}
}

// What is drawn is where it should be.
func TestPictures(t *testing.T) {
	// A perfect ranking's ROC curve goes through the upper left corner, and that of the
	// opposite through the lower right one.
	labels := []float64{-1, -1, 1, 1}
	perfect := write(t, &report.Report{Scores: []float64{-2, -1, 1, 2}, Labels: labels})
	right := decode(t, perfect["roc.png"])
	wrong := decode(t, write(t, &report.Report{Scores: []float64{2, 1, -1, -2}, Labels: labels})["roc.png"])
	require.Greater(t, count(right, blue, 0.1, 0.15, 0.5, 0.5), 200)
	require.Zero(t, count(right, blue, 0.5, 0.5, 1, 0.9))
	require.Zero(t, count(wrong, blue, 0.2, 0.3, 0.9, 0.7))
	require.Greater(t, count(wrong, blue, 0.5, 0.5, 1, 0.9), 200)

	// All right: the diagonal of the confusion matrix is of the full colour, and no more.
	matrix := decode(t, perfect["confusion.png"])
	require.Greater(t, count(matrix, blue, 0, 0, 0.6, 0.5), 5000)
	require.Greater(t, count(matrix, blue, 0.6, 0.5, 1, 1), 5000)
	require.Zero(t, count(matrix, blue, 0.65, 0, 1, 0.45))

	// The classes' histograms are on their sides, and of two losses the larger is above.
	scores := decode(t, perfect["scores.png"])
	require.Greater(t, count(scores, blue, 0.1, 0.3, 0.5, 0.8), 200)
	require.Zero(t, count(scores, blue, 0.6, 0.3, 1, 0.8))
	require.Greater(t, count(scores, orange, 0.6, 0.3, 1, 0.8), 200)
	require.Zero(t, count(scores, orange, 0.1, 0.3, 0.5, 0.8))
	loss := decode(t, write(t, &report.Report{Curves: []report.Curve{
		{Name: "training", Losses: []float64{0.1, 0.1}}, {Name: "validation", Losses: []float64{1, 1}},
	}})["loss.png"])
	require.Greater(t, count(loss, blue, 0.1, 0.7, 1, 0.9), 200)
	require.Zero(t, count(loss, blue, 0.1, 0.2, 1, 0.6))
	require.Zero(t, count(loss, orange, 0.1, 0.5, 1, 0.9))

	// A feature that only hurts has a bar to the left, in the other colour.
	bars := decode(t, write(t, &report.Report{Importance: &report.Importance{Names: []string{"a", "b"}, Values: []float64{1, -1}}})["features.png"])
	require.Zero(t, count(bars, orange, 0, 0, 0.5, 1))
	require.Zero(t, count(bars, blue, 0.6, 0, 1, 1))

	// The plane is of the negative class's colour on the left and at the bottom, where scores
	// are low: below the threshold.
	for threshold, colours := range map[float64]map[[2]float64]bool{
		0:    {{0.3, 0.52}: false, {0.8, 0.52}: true, {0.55, 0.8}: false, {0.55, 0.25}: true},
		1e3:  {{0.3, 0.52}: false, {0.8, 0.52}: false, {0.55, 0.8}: false, {0.55, 0.25}: true},
		-1e3: {{0.3, 0.52}: true, {0.8, 0.52}: true, {0.55, 0.8}: false, {0.55, 0.25}: true},
	} {
		plane := decode(t, write(t, &report.Report{Threshold: threshold, Boundary: &report.Boundary{
			Points: []float64{-1, -1, 1, 1}, Labels: []float64{-1, 1},
			Score: func(points []float64) (scores []float64, err error) {
				for i := 0; i < len(points); i += 2 {
					scores = append(scores, 1e3*(points[i]+2*points[i+1]))
				}
				return scores, nil
			},
		}})["boundary.png"])
		b := plane.Bounds()
		for at, positive := range colours {
			c := color.NRGBAModel.Convert(plane.At(int(at[0]*float64(b.Dx())), int(at[1]*float64(b.Dy())))).(color.NRGBA)
			require.Equal(t, positive, c.R > c.B, "%v, threshold %v: %v", at, threshold, c)
		}
	}
}

// Every part is optional, and what cannot be drawn is left out rather than refused.
func TestEdgeCases(t *testing.T) {
	defer report.SetDPI(60)()
	t.Setenv("PATH", "")
	nan, inf := math.NaN(), math.Inf(1)
	constant := func(v float64) func([]float64) ([]float64, error) {
		return func(points []float64) ([]float64, error) { return slices.Repeat([]float64{v}, len(points)/2), nil }
	}
	for name, c := range map[string]struct {
		report report.Report
		files  string // besides the page, without extension, sorted
		text   string
	}{
		"empty":               {report.Report{}, "", "Report\n"},
		"one epoch":           {report.Report{Curves: []report.Curve{{"training", []float64{0.5}}}}, "loss", ""},
		"epochs diverge":      {report.Report{Curves: []report.Curve{{"training", []float64{0.5, 0.4, nan, inf, 0.3, 1e300}}}}, "loss", ""},
		"no loss is a number": {report.Report{Curves: []report.Curve{{"training", []float64{nan, inf}}, {"validation", nil}}}, "", ""},
		"constant loss of 0":  {report.Report{Curves: []report.Curve{{"", []float64{0, 0, 0}}}}, "loss", ""},
		"five curves":         {report.Report{Curves: slices.Repeat([]report.Curve{{strings.Repeat("long ", 30), []float64{1e-100, -1e100}}}, 5)}, "loss", ""},
		"one row":             {report.Report{Scores: []float64{1}, Labels: []float64{1}}, "calibration confusion precision_recall scores", "no ROC curve"},
		"only negative":       {report.Report{Scores: []float64{1, -2}, Labels: []float64{-1, -1}}, "calibration confusion scores", "undefined"},
		"all scores equal":    {report.Report{Scores: []float64{7, 7, 7}, Labels: []float64{1, -1, -1}}, "calibration confusion precision_recall roc scores", ""},
		"infinite scores":     {report.Report{Scores: []float64{inf, -inf, 1e300}, Labels: []float64{1, -1, 1}, Threshold: inf}, "calibration confusion precision_recall roc scores", "+Inf"},
		"importance of NaN":   {report.Report{Importance: &report.Importance{Names: []string{"a", "b"}, Values: []float64{nan, 0}}}, "features", "Another 1 of 2"},
		"no feature":          {report.Report{Importance: &report.Importance{}}, "", ""},
		"no point":            {report.Report{Boundary: &report.Boundary{Score: constant(0)}}, "boundary", ""},
		"one point":           {report.Report{Boundary: &report.Boundary{Points: []float64{3, 3}, Labels: []float64{1}, Score: constant(inf)}}, "boundary", ""},
		"point of NaN":        {report.Report{Boundary: &report.Boundary{Points: []float64{nan, 3, -1e100, 1e100}, Labels: []float64{1, -1}, Score: constant(-inf)}}, "boundary", ""},
		"nothing launched":    {report.Report{Operations: []report.Operation{{"Add", 0, 0}}}, "", "Add\n0\n0 µs\n–\n–\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files := write(t, &c.report)
			p := parse(t, files["report.html"])
			require.Contains(t, p.text, c.text)
			var pictures []string
			for file, data := range files {
				if picture, ok := strings.CutSuffix(file, ".png"); ok {
					decode(t, data)
					pictures = append(pictures, picture)
				}
			}
			slices.Sort(pictures)
			require.Equal(t, c.files, strings.Join(pictures, " "))
			require.Len(t, files, 1+len(pictures))
			require.Len(t, p.images, len(pictures))
		})
	}
}

// Names come from other people's files. They must appear as they are, and do nothing.
func TestHostileNames(t *testing.T) {
	defer report.SetDPI(60)()
	t.Setenv("PATH", "")
	const name = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp;{{.Title}}` + "`${x}`</style></pre>\u202e"
	r := sample()
	r.Title, r.Rows, r.Negative, r.Positive, r.DOT = name, name, name, name, name
	r.Curves[0].Name = name
	r.Boundary.X, r.Boundary.Y = name, name
	r.Importance.Measure = name
	r.Importance.Names[0] = name
	r.Options = []report.Entry{{name, name}}
	r.Data = []report.Entry{{name, name}}
	r.Operations[0].Name = name
	p := parse(t, write(t, r)["report.html"]) // refuses a script, and attributes such as onerror
	// The title twice; the rows and their classes; two each of data and options; a feature and its
	// measure; an operation; the graph.
	require.Equal(t, 13, strings.Count(p.text, name))
	require.Len(t, p.images, 8)
}

// Names that the font lacks are stand-ins in the pictures, which are those of a report with these for names,
// and the page has the true ones and says so.
func TestNamesOfOtherScripts(t *testing.T) {
	defer report.SetDPI(60)()
	t.Setenv("PATH", "")
	named := func(negative, positive, curve, x, y, measure, feature string) *report.Report {
		r := sample()
		r.Negative, r.Positive, r.Curves[0].Name, r.Boundary.X, r.Boundary.Y = negative, positive, curve, x, y
		r.Importance.Measure, r.Importance.Names[6], r.Importance.Values[6] = measure, feature, 100
		return r
	}
	got := write(t, named("阴性", "阳性", "تدريب", "שלום", "😀", "重要性", "年龄"))
	want := write(t, named("negative class", "positive class", "curve 1", "feature 1", "feature 2", "importance", "feature 7"))
	for _, name := range keys(want) {
		if name != report.PageName {
			require.Equal(t, want[name], got[name], name)
		}
	}
	p := parse(t, got[report.PageName])
	for _, s := range []string{
		"“curve 1” is تدريب, “negative class” is 阴性, “positive class” is 阳性, “importance” is 重要性, “feature 7” is 年龄, “feature 1” is שלום, “feature 2” is 😀.\n",
		"200 阴性, 200 阳性", "年龄\n100\n", "Rows predicted 阳性",
	} {
		require.Contains(t, p.text, s)
	}
	require.True(t, slices.ContainsFunc(p.images, func(image struct{ source, alt string }) bool { return strings.Contains(image.alt, "predicted 阴性") }))
	require.NotContains(t, parse(t, want[report.PageName]).text, "in their place")
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	broken := errors.New("broken")
	boundary := func(scores []float64, err error) *report.Boundary {
		return &report.Boundary{Score: func([]float64) ([]float64, error) { return scores, err }}
	}
	for want, r := range map[string]*report.Report{
		"the report is nil":            nil,
		"the threshold is NaN":         {Threshold: nan},
		"1 values and 2 labels":        {Scores: []float64{1}, Labels: []float64{1, -1}},
		"row 0 (from 0) is NaN":        {Scores: []float64{nan}, Labels: []float64{1}},
		"label of row 0 (from 0) is 0": {Scores: []float64{1}, Labels: []float64{0}},
		"1 names and 0 values":         {Importance: &report.Importance{Names: []string{"a"}}},
		"3 coordinates and 1 labels":   {Boundary: &report.Boundary{Points: make([]float64, 3), Labels: make([]float64, 1)}},
		"set Boundary.Score":           {Boundary: &report.Boundary{}},
		"broken":                       {Boundary: boundary(nil, broken)},
		"returned 2 scores for":        {Boundary: boundary([]float64{1, 2}, nil)},
		"returned NaN":                 {Boundary: boundary(slices.Repeat([]float64{nan}, 161*161), nil)},
	} {
		dir := filepath.Join(t.TempDir(), "report")
		err := report.Write(context.Background(), dir, r)
		require.ErrorContains(t, err, want)
		require.NoDirExists(t, dir, "nothing is written")
		if want == "broken" {
			require.ErrorIs(t, err, broken)
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := filepath.Join(t.TempDir(), "report")
	require.ErrorIs(t, report.Write(ctx, dir, sample()), context.Canceled)
	require.NoDirExists(t, dir)
	var none context.Context
	require.EqualError(t, report.Write(none, dir, sample()), "report: the context is nil; pass context.Background()")
	require.NoDirExists(t, dir)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o644))
	require.ErrorContains(t, report.Write(context.Background(), file, &report.Report{}), "directory cannot be made")
	require.ErrorContains(t, report.Write(context.Background(), filepath.Join(file, "below"), &report.Report{}), "directory cannot be made")
}

// Other files are left alone, and those of an earlier report replaced or removed.
func TestExistingDirectory(t *testing.T) {
	defer report.SetDPI(60)()
	t.Setenv("PATH", "")
	dir := t.TempDir()
	require.NoError(t, report.Write(context.Background(), dir, sample()))
	require.Len(t, read(t, dir), 10)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "graph.svg"), []byte("<svg/>"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.png"), nil, 0o600))
	require.NoError(t, report.Write(context.Background(), dir, &report.Report{Curves: sample().Curves, DOT: "digraph {}"}))
	require.ElementsMatch(t, []string{"graph.dot", "loss.png", "mine.png", "report.html"}, keys(read(t, dir)))

	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "roc.png"), 0o755))
	require.NoError(t, report.Write(context.Background(), dir, &report.Report{}))
	require.DirExists(t, filepath.Join(dir, "roc.png"), "no report has made it")

	// A link is neither followed nor removed, whether it has the place of a file or not.
	dir = t.TempDir()
	mine := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o600))
	if err := os.Symlink(mine, filepath.Join(dir, "loss.png")); err == nil { // as not everyone may on Windows
		require.NoError(t, report.Write(context.Background(), dir, &report.Report{}))
		err = report.Write(context.Background(), dir, &report.Report{Curves: sample().Curves, DOT: "digraph {}"})
		require.ErrorContains(t, err, "loss.png cannot be written: what is there is not a regular file")
		require.ElementsMatch(t, []string{"loss.png", "report.html"}, keys(read(t, dir)), "nothing is written")
		require.Equal(t, "mine", string(read(t, dir)["loss.png"]))
	}

	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "report.html"), bytes.Repeat([]byte("old"), 1e6), 0o644))
	require.NoError(t, report.Write(context.Background(), dir, &report.Report{Title: "new"}))
	files := read(t, dir)
	require.Len(t, files, 2)
	require.Equal(t, "mine", string(files["notes.txt"]))
	require.Contains(t, parse(t, files["report.html"]).text, "new\n")

	// A directory in the place of a picture: the page, which is the last, is still the old one.
	require.NoError(t, os.Mkdir(filepath.Join(dir, "loss.png"), 0o755))
	err := report.Write(context.Background(), dir, &report.Report{Title: "newer", Curves: []report.Curve{{"training", []float64{2, 1}}}})
	require.ErrorContains(t, err, "loss.png cannot be written")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "no temporary file is left")
	old, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	require.Equal(t, files["report.html"], old)
}

func TestGraphviz(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins for dot are shell scripts")
	}
	defer report.SetGraphvizTimeout(2 * time.Second)()
	const text = "digraph { a -> b }"
	for name, c := range map[string]struct {
		script string
		drawn  bool
	}{
		"draws":          {"read line; echo \"<svg xmlns='http://www.w3.org/2000/svg'>$1 $line</svg>\"", true},
		"fails":          {"echo '<svg/>'; exit 1", false},
		"writes no SVG":  {"echo hello", false},
		"reads nothing":  {"exit 0", false},
		"does not end":   {"while :; do :; done", false},
		"is not at hand": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			t.Setenv("PATH", bin)
			if c.script != "" {
				require.NoError(t, os.WriteFile(filepath.Join(bin, "dot"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755))
			}
			if name == "does not end" {
				defer report.SetGraphvizTimeout(100 * time.Millisecond)()
			}
			files := write(t, &report.Report{DOT: text + "\n"})
			p := parse(t, files["report.html"])
			require.Contains(t, p.text, text, "the text is there in any case")
			if !c.drawn {
				require.ElementsMatch(t, []string{"report.html", "graph.dot"}, keys(files))
				require.Empty(t, p.images)
				return
			}
			require.Equal(t, "<svg xmlns='http://www.w3.org/2000/svg'>-Tsvg "+text+"</svg>\n", string(files["graph.svg"]))
			require.Len(t, p.images, 1)
			require.Equal(t, "data:image/svg+xml;base64,"+base64.StdEncoding.EncodeToString(files["graph.svg"]), p.images[0].source)
		})
	}
	t.Run("the real one", func(t *testing.T) {
		if _, err := exec.LookPath("dot"); err != nil {
			t.Skip("Graphviz is not installed")
		}
		require.NoError(t, xml.Unmarshal(write(t, &report.Report{DOT: text})["graph.svg"], new(struct {
			XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		})))
	})
}
