package report

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg" // PNG
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
)

// panel is what one pair of axes shows: all sizes of an operation on all devices.
type panel struct {
	title   string
	results []*measure.Result
}

// title names the panel that a point is drawn in, empty if it is not drawn.
func title(p measure.Point) string {
	if p.Op == measure.TrainStep {
		return ""
	}
	title := p.Op
	if measure.HasReduction(p.Op) {
		title += " " + p.Reduction
	}
	title += ", " + p.DType.String()
	if p.Layout != "contiguous" {
		title += ", " + p.Layout
	}
	return title
}

// Drawable reports whether a picture of the points has a line: two sizes of an operation.
func Drawable(points []measure.Point) bool {
	size := map[string]int{}
	for _, p := range points {
		t := title(p)
		if n, known := size[t]; t != "" && known && n != p.N {
			return true
		}
		size[t] = p.N
	}
	return false
}

// panels sorts results of one dtype, layout and reduction into a panel for each; what was
// measured at a single size only shows no line and is left out, as are training steps.
func panels(results []*measure.Result) []panel {
	var list []panel
	at := map[string]int{}
	sizes := map[string]map[int]bool{}
	for _, r := range results {
		title := title(r.Point)
		if title == "" {
			continue
		}
		if _, known := at[title]; !known {
			at[title] = len(list)
			list = append(list, panel{title: title})
			sizes[title] = map[int]bool{}
		}
		p := &list[at[title]]
		p.results = append(p.results, r)
		sizes[title][r.N] = true
	}
	return slices.DeleteFunc(list, func(p panel) bool { return len(sizes[p.title]) < 2 })
}

// Size of a panel, and how many stand side by side.
const (
	panelWidth  = 11 * vg.Centimeter
	panelHeight = 8 * vg.Centimeter
	perRow      = 3
)

// WritePlot draws time an element over size in a panel for each operation, dtype, reduction and
// layout, one line a device, with the memory limit. The format is "png" or "svg".
func WritePlot(w io.Writer, m machine.Machine, results []*measure.Result, format string) error {
	list := panels(results)
	if len(list) == 0 {
		return errors.New("there is nothing to draw: no operation was measured at two sizes or more")
	}
	columns := min(perRow, len(list))
	rows := (len(list) + columns - 1) / columns
	width, height := panelWidth*vg.Length(columns), panelHeight*vg.Length(rows)
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return err
	}
	page := draw.New(canvas)
	for i, p := range list {
		drawn, err := p.plot(m)
		if err != nil {
			return err
		}
		x, y := vg.Length(i%columns)*panelWidth, height-vg.Length(i/columns+1)*panelHeight
		margin := vg.Points(6)
		drawn.Draw(draw.Crop(page, x+margin, x+panelWidth-width-margin, y+margin, y+panelHeight-height-margin))
	}
	_, err = canvas.WriteTo(w)
	return err
}

// palette is one that people with other colour vision can tell apart (Okabe and Ito, 2008).
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

var markers = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}

// memoryBound reports whether the memory limit says something about the operation.
func memoryBound(op string) bool { return op != measure.MatMul && op != measure.Linear }

// memoryLimit is the speed of additions, on one thread where more bring nothing.
func memoryLimit(m machine.Machine) float64 { return max(m.AddOne, m.AddAll) }

// plot draws the panel.
func (p panel) plot(m machine.Machine) (*plot.Plot, error) {
	g := plot.New()
	g.Title.Text = p.title
	for _, style := range []*text.Style{&g.Title.TextStyle, &g.X.Label.TextStyle, &g.Y.Label.TextStyle,
		&g.X.Tick.Label, &g.Y.Tick.Label, &g.Legend.TextStyle} {
		style.Font.Variant, style.Font.Size = "Sans", font.Points(8)
	}
	g.Title.TextStyle.Font.Size = font.Points(10)
	g.X.Label.Text, g.Y.Label.Text = "elements", "ns an element"
	g.X.Scale, g.Y.Scale = plot.LogScale{}, plot.LogScale{}
	g.X.Tick.Marker, g.Y.Tick.Marker = sizes{p.results}, times{}
	g.Legend.Top = true
	g.Add(plotter.NewGrid())

	lines := map[string]plotter.XYs{}
	var devices []string
	low, high := math.Inf(1), 0.0
	for _, r := range p.results {
		if !slices.Contains(devices, r.Device) {
			devices = append(devices, r.Device)
		}
		y := r.Median() / float64(r.N)
		lines[r.Device] = append(lines[r.Device], plotter.XY{X: float64(r.N), Y: y})
		low, high = min(low, y), max(high, y)
	}
	for i, name := range devices {
		xys := lines[name]
		slices.SortFunc(xys, func(a, b plotter.XY) int { return int(a.X - b.X) })
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		// The later are drawn over the earlier and are thinner, so that lines that coincide are all seen.
		below := vg.Length(len(devices) - 1 - i)
		line.Color = palette[i%len(palette)]
		line.Width = vg.Points(1) + below*vg.Points(1.2)
		points.Color, points.Shape, points.Radius = line.Color, markers[i%len(markers)], vg.Points(2)+below*vg.Points(0.9)
		g.Add(line, points)
		g.Legend.Add(name, line, points)
	}
	if limit := p.limit(m); limit > 0 {
		first, last := p.results[0].N, p.results[0].N
		for _, r := range p.results {
			first, last = min(first, r.N), max(last, r.N)
		}
		line, err := plotter.NewLine(plotter.XYs{{X: float64(first), Y: limit}, {X: float64(last), Y: limit}})
		if err != nil {
			return nil, err
		}
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		g.Add(line)
		g.Legend.Add(fmt.Sprintf("memory limit, %.0f GB/s", memoryLimit(m)), line)
		low, high = min(low, limit), max(high, limit)
	}
	// Whole decades, with room for the legend above the lines.
	g.Y.Min, g.Y.Max = low/1.5, high*8
	return g, nil
}

// limit is the time an element that memory takes if nothing is in the caches, 0 if
// that says nothing.
func (p panel) limit(m machine.Machine) float64 {
	r := p.results[0]
	speed := memoryLimit(m)
	if speed <= 0 || r.Traffic <= 0 || !memoryBound(r.Op) {
		return 0
	}
	for _, s := range p.results { // the largest has the least of what does not grow with it
		if s.N > r.N {
			r = s
		}
	}
	return r.Traffic / float64(r.N) / speed
}

// sizes ticks an axis of sizes at powers of two, or where there are fewer than two of them at what was measured.
type sizes struct{ results []*measure.Result }

func (s sizes) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	first, last := int(math.Ceil(math.Log2(low)-1e-9)), int(math.Floor(math.Log2(high)+1e-9))
	step := max(1, (last-first+5)/6)
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Ldexp(1, e)}
		if (e-first)%step == 0 {
			t.Label = fmt.Sprintf("2^%d", e)
		}
		ticks = append(ticks, t)
	}
	if len(ticks) >= 2 {
		return ticks
	}
	ticks = nil
	for _, r := range s.results {
		n := float64(r.N)
		if !slices.ContainsFunc(ticks, func(t plot.Tick) bool { return math.Abs(math.Log(t.Value/n)) < math.Log(high/low)/6 }) {
			ticks = append(ticks, plot.Tick{Value: n, Label: fmt.Sprint(r.N)})
		}
	}
	return ticks
}

// times ticks an axis of times at every decade, and at 2 and 5 times of it on an axis of fewer than three.
type times struct{}

func (times) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for k := 1.0; k < 10; k++ {
			t := plot.Tick{Value: k * math.Pow(10, e)}
			if k == 1 || (k == 2 || k == 5) && high/low < 1000 {
				t.Label = fmt.Sprintf("%.3g", t.Value)
			}
			if low <= t.Value && t.Value <= high {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}
