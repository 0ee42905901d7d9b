package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
)

// drawScores draws a histogram of the scores of each class.
func (r *Report) drawScores(*evaluation) (*figure, picture, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range r.Scores {
		if drawable(s) {
			low, high = min(low, s), max(high, s)
		}
	}
	low, high = widen(low, high)
	bins := int(min(max(math.Sqrt(float64(len(r.Scores))), 8), 40))
	width := (high - low) / float64(bins)

	var rows [2]int
	counts := [2][]float64{make([]float64, bins), make([]float64, bins)}
	for i, s := range r.Scores {
		class := 0
		if r.Labels[i] > 0 {
			class = 1
		}
		// What lies outside, because it is infinite, counts at the end.
		bin := int(math.Floor((max(low, min(high, s)) - low) / width))
		counts[class][min(bin, bins-1)]++
		rows[class]++
	}

	f := newFigure("Scores by class", "score (logit)", "share of the class")
	f.grid()
	f.Y.Min = 0
	for class, name := range f.classes(r, 24) {
		if rows[class] == 0 {
			continue
		}
		xys := plotter.XYs{{X: low, Y: 0}}
		for i, n := range counts[class] {
			share := n / float64(rows[class])
			left, right := low+float64(i)*width, low+float64(i+1)*width
			xys = append(xys, plotter.XY{X: left, Y: share}, plotter.XY{X: right, Y: share})
		}
		xys = append(xys, plotter.XY{X: high, Y: 0})
		c := [2]color.NRGBA{blue, orange}[class]
		l := f.line(fmt.Sprintf("%s (%d)", name, rows[class]), xys, c, 1.4)
		l.FillColor = translucent(c, 0x50)
		if class == 1 {
			l.Dashes = dashed[:1]
		}
	}
	top := f.Y.Max * 1.05
	if drawable(r.Threshold) && low <= r.Threshold && r.Threshold <= high {
		f.line(fmt.Sprintf("threshold %.4g", r.Threshold), plotter.XYs{{X: r.Threshold, Y: 0}, {X: r.Threshold, Y: top}}, ink, 1, dashed...)
	}
	f.Y.Max = top
	return f, picture{
		Name: "scores",
		Alt: fmt.Sprintf("Histograms of the scores of %d %s and %d %s rows, from %.4g to %.4g.",
			rows[0], r.negative(), rows[1], r.positive(), low, high),
		Caption: "The less the two classes overlap, the better they can be told apart. The probability is 1/(1+exp(-score)).",
	}, nil
}
