package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars is how many features a picture has at most.
const bars = 20

type feature struct {
	Name   string
	Value  float64
	number int // among the features, from 1
}

// negligible is the share of the largest value below which another is nothing but rounding.
const negligible = 1e-12

// ranked returns the features by decreasing size of their values, and those without a
// number last.
func (i *Importance) ranked() []feature {
	if i == nil {
		return nil
	}
	largest := 0.
	for _, v := range i.Values {
		if drawable(v) {
			largest = max(largest, math.Abs(v))
		}
	}
	all := make([]feature, len(i.Names))
	for j, name := range i.Names {
		all[j] = feature{name, i.Values[j], j + 1}
		if math.Abs(i.Values[j]) < negligible*largest {
			all[j].Value = 0
		}
	}
	slices.SortStableFunc(all, func(a, b feature) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return all
}

func (r *Report) drawImportance(*evaluation) (*figure, picture, error) {
	var shown barChart
	all := r.Importance.ranked()
	for _, f := range all {
		if drawable(f.Value) && len(shown) < bars {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return nil, picture{}, nil
	}
	measure := clip(cmp.Or(r.Importance.Measure, "importance"), 60)
	f := newFigure("Features", "", "")
	f.X.Label.Text = f.name(measure, 40, "importance")
	f.height = pictureHeight/4 + vg.Length(len(shown))*16
	f.Y.LineStyle.Width, f.Y.Tick.Length = 0, 0
	f.Y.Min, f.Y.Max = 0, float64(len(shown))
	f.X.Min, f.X.Max = 0, 0
	var names plot.ConstantTicks
	var alt []string
	for i, s := range shown {
		f.X.Min, f.X.Max = min(f.X.Min, s.Value), max(f.X.Max, s.Value)
		names = append(names, plot.Tick{Value: float64(len(shown)-i) - 0.5, Label: f.name(s.Name, 26, fmt.Sprintf("feature %d", s.number))})
		if i < 5 {
			alt = append(alt, fmt.Sprintf("%s %.4g", clip(s.Name, 60), s.Value))
		}
	}
	f.grid().Horizontal.Width = 0
	f.Y.Tick.Marker = names
	f.Add(shown)
	caption := "The largest first, whatever their sign."
	if left := len(all) - len(shown); left > 0 {
		caption += fmt.Sprintf(" Another %d of %d features are in the table only.", left, len(all))
	}
	return f, picture{
		Name:    "features",
		Alt:     fmt.Sprintf("Bar chart of %s. The largest: %s.", measure, strings.Join(alt, ", ")),
		Caption: caption,
	}, nil
}

// barChart draws horizontal bars, the first at the top.
type barChart []feature

func (b barChart) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, f := range b {
		fill := orange
		if f.Value < 0 {
			fill = blue
		}
		bottom := float64(len(b) - 1 - i)
		x0, x1, y0, y1 := x(0), x(f.Value), y(bottom+0.15), y(bottom+0.85)
		c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
	}
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.8}, x(0), y(0), x(0), y(float64(len(b))))
}
