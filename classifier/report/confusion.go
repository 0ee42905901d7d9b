package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (r *Report) drawConfusion(e *evaluation) (*figure, picture, error) {
	c := e.summary.Confusion
	f := newFigure("Confusion matrix", "predicted", "actual")
	f.X.Tick.Length, f.Y.Tick.Length = 0, 0
	f.X.LineStyle.Width, f.Y.LineStyle.Width = 0, 0
	names := f.classes(r, 14)
	f.X.Tick.Marker = plot.ConstantTicks{{Value: 0.5, Label: names[0]}, {Value: 1.5, Label: names[1]}}
	f.Y.Tick.Marker = plot.ConstantTicks{{Value: 1.5, Label: names[0]}, {Value: 0.5, Label: names[1]}}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, 2, 0, 2
	f.Add(cells{{c.TN, c.FP}, {c.FN, c.TP}})
	return f, picture{
		Name: "confusion",
		Alt: fmt.Sprintf("Confusion matrix. Of %d %s rows, %d were predicted %s and %d %s; of %d %s rows, %d were predicted %s and %d %s.",
			c.TN+c.FP, r.negative(), c.TN, r.negative(), c.FP, r.positive(),
			c.TP+c.FN, r.positive(), c.TP, r.positive(), c.FN, r.negative()),
		Caption: fmt.Sprintf("Rows predicted %s are those with a score of at least %.4g. Shares are of the actual class.", r.positive(), r.Threshold),
	}, nil
}

// cells draws a confusion matrix by actual class, from the top, and predicted class.
type cells [2][2]int

func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := p.X.Label.TextStyle
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	large := style
	large.Font = sans(16, true)
	for actual, row := range m {
		for predicted, n := range row {
			share := 0.
			if total := row[0] + row[1]; total > 0 {
				share = float64(n) / float64(total)
			}
			left, bottom := float64(predicted), float64(1-actual)
			const gap = 1.5
			x0, x1 := x(left)+gap, x(left+1)-gap
			y0, y1 := y(bottom)+gap, y(bottom+1)-gap
			c.FillPolygon(blend(color.NRGBA{0xf2, 0xf5, 0xf8, 0xff}, blue, share),
				[]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
			large.Color, style.Color = ink, ink
			if share > 0.85 { // where white has more contrast
				large.Color, style.Color = color.White, color.White
			}
			middle := vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}
			c.FillText(large, vg.Point{X: middle.X, Y: middle.Y + 7}, fmt.Sprint(n))
			c.FillText(style, vg.Point{X: middle.X, Y: middle.Y - 10}, fmt.Sprintf("%.1f%%", 100*share))
		}
	}
}
