package report

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	gridSide     = 161  // scored points along each axis
	drawnPoints  = 1500 // of each class; more would hide the plane
	boundaryRoom = 0.08 // share of the points' range on each side
)

func (r *Report) drawBoundary(*evaluation) (*figure, picture, error) {
	b := r.Boundary
	if b == nil {
		return nil, picture{}, nil
	}
	var classes [2]plotter.XYs
	var x, y [2]float64
	x[0], x[1], y[0], y[1] = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, label := range b.Labels {
		p := plotter.XY{X: b.Points[2*i], Y: b.Points[2*i+1]}
		if !drawable(p.X) || !drawable(p.Y) {
			continue
		}
		class := 0
		if label > 0 {
			class = 1
		}
		classes[class] = append(classes[class], p)
		x[0], x[1], y[0], y[1] = min(x[0], p.X), max(x[1], p.X), min(y[0], p.Y), max(y[1], p.Y)
	}
	for _, axis := range []*[2]float64{&x, &y} {
		axis[0], axis[1] = widen(axis[0], axis[1])
		room := boundaryRoom * (axis[1] - axis[0])
		axis[0], axis[1] = axis[0]-room, axis[1]+room
	}

	g := &plane{x: x, y: y, threshold: r.Threshold}
	points := make([]float64, 0, 2*gridSide*gridSide)
	for row := range gridSide {
		for column := range gridSide {
			points = append(points, at(x, column), at(y, row))
		}
	}
	var err error
	if g.scores, err = b.Score(points); err != nil {
		return nil, picture{}, fmt.Errorf("report: the points of the decision boundary cannot be scored: %w", err)
	}
	if len(g.scores) != gridSide*gridSide {
		return nil, picture{}, fmt.Errorf("report: Boundary.Score returned %d scores for %d points; one a point is needed", len(g.scores), gridSide*gridSide)
	}
	for _, s := range g.scores {
		if math.IsNaN(s) {
			return nil, picture{}, errors.New("report: Boundary.Score returned NaN for a point; look for NaN in the model's weights")
		}
	}

	f := newFigure("Decision boundary", "", "")
	f.X.Label.Text, f.Y.Label.Text = f.name(cmp.Or(b.X, "x"), 40, "feature 1"), f.name(cmp.Or(b.Y, "y"), 40, "feature 2")
	f.Add(g)
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = x[0], x[1], y[0], y[1]
	for class, name := range f.classes(r, 24) {
		shape := [2]draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}}[class]
		// A white glyph beneath each gives it an edge.
		chosen := every(classes[class], drawnPoints)
		radius := 2.0
		f.points("", chosen, color.White, radius+0.7, shape)
		f.points(fmt.Sprintf("%s (%d)", name, len(classes[class])), chosen, [2]color.NRGBA{blue, orange}[class], radius, shape)
	}
	f.legend = append(f.legend, legendEntry{fmt.Sprintf("score %.4g", r.Threshold), &plotter.Line{LineStyle: boundaryStyle}})
	return f, picture{
		Name: "boundary",
		Alt: fmt.Sprintf("The plane of %s and %s, coloured by the predicted class, with the line where the score is %.4g and the points of both classes.",
			clip(cmp.Or(b.X, "x"), 60), clip(cmp.Or(b.Y, "y"), 60), r.Threshold),
		Caption: "The deeper the colour, the surer the model. On the line it changes its mind.",
	}, nil
}

// every returns at most n of the points, evenly spaced.
func every(points plotter.XYs, n int) plotter.XYs {
	if len(points) <= n {
		return points
	}
	chosen := make(plotter.XYs, n)
	for i := range chosen {
		chosen[i] = points[i*len(points)/n]
	}
	return chosen
}

// at is the i-th of the grid's places along an axis.
func at(axis [2]float64, i int) float64 {
	return axis[0] + (axis[1]-axis[0])*float64(i)/(gridSide-1)
}

// plane draws scores on a grid, rows from the bottom, as colours and as the line of the
// threshold.
type plane struct {
	x, y      [2]float64
	scores    []float64
	threshold float64
}

var boundaryStyle = draw.LineStyle{Color: ink, Width: 1.5}

func (g *plane) Plot(c draw.Canvas, p *plot.Plot) {
	// Pixels have the colour of their centre, the grid is one of corners.
	img := image.NewNRGBA(image.Rect(0, 0, gridSide, gridSide))
	for row := range gridSide {
		for column := range gridSide {
			margin := g.margin(column, row)
			side := blue
			if margin >= 0 {
				side = orange
			}
			depth := math.Abs(1/(1+math.Exp(-margin)) - 0.5) // none on the line, wherever the threshold is
			img.SetNRGBA(column, gridSide-1-row, blend(color.NRGBA{0xff, 0xff, 0xff, 0xff}, side, 0.9*depth))
		}
	}
	plotter.NewImage(img, g.x[0], g.y[0], g.x[1], g.y[1]).Plot(c, p)

	tx, ty := p.Transforms(&c)
	point := func(column, row float64) vg.Point {
		return vg.Point{
			X: tx(g.x[0] + (g.x[1]-g.x[0])*column/(gridSide-1)),
			Y: ty(g.y[0] + (g.y[1]-g.y[0])*row/(gridSide-1)),
		}
	}
	for row := range gridSide - 1 {
		for column := range gridSide - 1 {
			for _, s := range g.crossings(column, row) {
				a, b := point(s[0][0], s[0][1]), point(s[1][0], s[1][1])
				// A little longer at both ends, so that there are no gaps in bends.
				along := b.Sub(a)
				if l := vg.Length(math.Hypot(float64(along.X), float64(along.Y))); l > 0 {
					along = along.Scale(0.3 / l)
				}
				a, b = a.Sub(along), b.Add(along)
				c.StrokeLine2(boundaryStyle, a.X, a.Y, b.X, b.Y)
			}
		}
	}
}

// margin returns by how much the score at a place of the grid is above the threshold, at most a million either way,
// since infinite scores cannot be interpolated.
func (g *plane) margin(column, row int) float64 {
	score := g.scores[row*gridSide+column]
	if score == g.threshold {
		return 0 // both may be infinite
	}
	return max(-1e6, min(1e6, score-g.threshold))
}

// crossings returns the line of the threshold through a cell of the grid, as up to two
// segments between points (column, row): marching squares.
func (g *plane) crossings(column, row int) [][2][2]float64 {
	corners := [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} // around the cell
	var above [4]float64
	for i, corner := range corners {
		above[i] = g.margin(column+corner[0], row+corner[1])
	}
	var cuts [][2]float64
	for i := range corners {
		j := (i + 1) % 4
		if (above[i] >= 0) != (above[j] >= 0) {
			t := above[i] / (above[i] - above[j])
			a, b := corners[i], corners[j]
			cuts = append(cuts, [2]float64{
				float64(column+a[0]) + t*float64(b[0]-a[0]), float64(row+a[1]) + t*float64(b[1]-a[1]),
			})
		}
	}
	switch len(cuts) {
	case 2:
		return [][2][2]float64{{cuts[0], cuts[1]}}
	case 4: // a saddle: the mean decides which corners hang together
		if (above[0]+above[1]+above[2]+above[3] >= 0) == (above[0] >= 0) {
			return [][2][2]float64{{cuts[0], cuts[1]}, {cuts[2], cuts[3]}}
		}
		return [][2][2]float64{{cuts[3], cuts[0]}, {cuts[1], cuts[2]}}
	}
	return nil
}
