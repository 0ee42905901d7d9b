package report

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Colours that can be told apart with any kind of colour vision (Okabe and Ito, 2008).
var (
	blue   = color.NRGBA{0x00, 0x72, 0xb2, 0xff} // the negative class; the first of several lines
	orange = color.NRGBA{0xd5, 0x5e, 0x00, 0xff} // the positive class; the second
	green  = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	purple = color.NRGBA{0xcc, 0x79, 0xa7, 0xff}

	ink  = color.NRGBA{0x22, 0x22, 0x22, 0xff} // text
	grey = color.NRGBA{0x80, 0x80, 0x80, 0xff} // lines to compare with
	pale = color.NRGBA{0xe8, 0xe8, 0xe8, 0xff} // grid
)

// The size of a picture. Text is large for it, so that it can be read on a phone.
const (
	pictureWidth  = 4.4 * vg.Inch
	pictureHeight = 3.4 * vg.Inch
	margin        = 8 // points
)

// dpi is dots per inch: 968 pixels to the width of a picture.
var dpi = 220

// figure is a plot with its title and legend above it, where they hide no data.
type figure struct {
	*plot.Plot
	title  string
	legend []legendEntry
	height vg.Length

	standIns []Entry // for names that cannot be drawn
}

type legendEntry struct {
	name string
	icon plot.Thumbnailer
}

func newFigure(title, x, y string) *figure {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.Padding = vg.Points(4)
		axis.Label.TextStyle.Color, axis.Tick.Label.Color = ink, ink
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(10, false), sans(9, false)
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = grey, grey
		axis.Tick.Length = vg.Points(3)
		axis.Tick.Marker = plot.TickerFunc(ticks)
		axis.Padding = 0
	}
	return &figure{Plot: p, title: title, height: pictureHeight}
}

func sans(size float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// grid draws lines at the ticks. It must be added first, to lie below the data.
func (f *figure) grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = pale, pale
	f.Add(g)
	return g
}

// line adds a line, with a row in the legend unless the name is empty.
func (f *figure) line(name string, xys plotter.XYs, c color.Color, width float64, dashes ...vg.Length) *plotter.Line {
	l := &plotter.Line{XYs: xys, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(width), Dashes: dashes}}
	f.Add(l)
	if name != "" {
		f.legend = append(f.legend, legendEntry{name, l})
	}
	return l
}

// points adds dots, with a row in the legend unless the name is empty.
func (f *figure) points(name string, xys plotter.XYs, c color.Color, radius float64, shape draw.GlyphDrawer) {
	s := &plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}}
	f.Add(s)
	if name != "" {
		f.legend = append(f.legend, legendEntry{name, s})
	}
}

// unit sets an axis to run from 0 to 1.
func unit(a *plot.Axis) { a.Min, a.Max = 0, 1 }

// dashes of lines that are not the first of their picture.
var dashed = []vg.Length{vg.Points(4), vg.Points(3)}

// png draws the figure.
func (f *figure) png() ([]byte, error) {
	for _, a := range []*plot.Axis{&f.X, &f.Y} {
		a.Min, a.Max = widen(a.Min, a.Max)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(pictureWidth, f.height), vgimg.UseDPI(dpi))
	all := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)

	style := f.X.Label.TextStyle
	style.XAlign, style.YAlign = draw.XLeft, draw.YTop
	bold := style
	bold.Font = sans(11.5, true)
	all.FillText(bold, vg.Point{X: all.Min.X, Y: all.Max.Y}, f.title)
	all.Max.Y -= bold.Height(f.title) + 5

	const icon, gap = 16, 5
	at := vg.Point{X: all.Min.X, Y: all.Max.Y}
	line := style.Height("Xg") + 3
	for i, e := range f.legend {
		name := clip(e.name, 44)
		width := icon + gap + style.Width(name)
		if i > 0 && at.X+width > all.Max.X {
			at.X, at.Y = all.Min.X, at.Y-line
		}
		box := draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y - line + 4}, Max: vg.Point{X: at.X + icon, Y: at.Y - 2},
		}}
		e.icon.Thumbnail(&box)
		all.FillText(style, vg.Point{X: at.X + icon + gap, Y: at.Y}, name)
		at.X += width + 2*gap
	}
	if len(f.legend) > 0 {
		all.Max.Y = at.Y - line
	}
	all.Max.Y -= 4
	f.Draw(all)

	var b bytes.Buffer
	err := png.Encode(&b, canvas.Image())
	return b.Bytes(), err
}

// largest is the largest number that pictures show: far beyond it, the difference of
// two float64 may be infinite.
const largest = 1e100

// drawable reports whether a picture can show the number.
func drawable(v float64) bool { return math.Abs(v) <= largest }

// widen returns a range around the given one in which float64 has room for ticks.
func widen(low, high float64) (float64, float64) {
	if !(low <= high) { // nothing has been added
		return 0, 1
	}
	const least = 1 / largest
	size := max(math.Abs(low), math.Abs(high))
	switch {
	case size < least:
		return -0.5, 0.5
	case high-low < max(size*1e-9, least):
		return low - size/2, high + size/2
	}
	return low, high
}

// ticks puts about five marks at multiples of 1, 2 or 5 times a power of ten.
func ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 6 {
			step *= factor
		}
	}
	var all []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		v := i*step + 0 // -0 becomes 0
		all = append(all, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return all
}

// wholeTicks are the ticks that are whole numbers.
func wholeTicks(low, high float64) []plot.Tick {
	return slices.DeleteFunc(ticks(low, high), func(t plot.Tick) bool { return t.Value != math.Round(t.Value) })
}

// thin leaves out points that are closer to the one before than the eye can see, in a
// picture of the given width and height in the units of the data.
func thin(xys plotter.XYs, width, height float64) plotter.XYs {
	const resolution = 2000
	kept := xys[:0:0]
	for i, p := range xys {
		if i == 0 || i == len(xys)-1 {
			kept = append(kept, p)
			continue
		}
		last := kept[len(kept)-1]
		if math.Abs(p.X-last.X)*resolution >= width || math.Abs(p.Y-last.Y)*resolution >= height {
			kept = append(kept, p)
		}
	}
	return kept
}
