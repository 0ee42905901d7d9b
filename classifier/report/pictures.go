package report

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/pullback-go/pullback/classifier/metrics"
)

// picture is a drawn figure with what the page says about it.
type picture struct {
	Name    string // of the file, without its extension
	Alt     string // what it shows, for those who cannot see it
	Caption string // how to read it
	PNG     []byte
}

// evaluation is what the scores and labels of a report give.
type evaluation struct {
	summary     *metrics.Summary
	ranking     *metrics.Ranking
	calibration metrics.Calibration
}

// evaluate returns nil without scores.
func (r *Report) evaluate() (*evaluation, error) {
	if len(r.Scores) == 0 && len(r.Labels) == 0 {
		return nil, nil
	}
	var e evaluation
	var err error
	if e.summary, err = metrics.Summarize(r.Scores, r.Labels, r.Threshold); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if e.ranking, err = metrics.Rank(r.Scores, r.Labels); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	e.calibration, err = metrics.Calibrate(metrics.Probabilities(r.Scores), r.Labels, metrics.CalibrationBins, metrics.Uniform)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return &e, nil
}

// negative and positive are the names of the classes, as pictures have room for.
func (r *Report) negative() string { return named(r.Negative, "negative") }
func (r *Report) positive() string { return named(r.Positive, "positive") }

// classes returns the names of the negative and the positive class as the picture shows them.
func (f *figure) classes(r *Report, n int) [2]string {
	return [2]string{f.name(r.negative(), n, "negative class"), f.name(r.positive(), n, "positive class")}
}

func named(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return clip(name, 24)
}

// draw draws all pictures that there is something to show in. Notes say what there is
// not.
func (r *Report) draw(ctx context.Context, e *evaluation) (pictures []picture, notes []string, err error) {
	// A drawer returns a nil figure where there is nothing to show.
	drawers := []func(*evaluation) (*figure, picture, error){r.drawLoss}
	if e != nil {
		if s := e.summary; s.Positives > 0 && s.Negatives > 0 {
			drawers = append(drawers, r.drawROC)
		} else {
			notes = append(notes, "All rows are of one class, so that there is no ROC curve.")
		}
		if e.summary.Positives > 0 {
			drawers = append(drawers, r.drawPrecisionRecall)
		}
		drawers = append(drawers, r.drawScores, r.drawCalibration, r.drawConfusion)
	}
	drawers = append(drawers, r.drawImportance, r.drawBoundary)
	var standIns []Entry
	for _, d := range drawers {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("report: stopped before anything was written: %w", err)
		}
		f, p, err := d(e)
		if err != nil {
			return nil, nil, err
		}
		if f == nil {
			continue
		}
		if p.PNG, err = f.png(); err != nil {
			return nil, nil, fmt.Errorf("report: %s.png: %w", p.Name, err)
		}
		pictures, standIns = append(pictures, p), append(standIns, f.standIns...)
	}
	if note := explain(standIns); note != "" {
		notes = append(notes, note)
	}
	return pictures, notes, nil
}

// drawLoss draws the curves over epochs.
func (r *Report) drawLoss(*evaluation) (*figure, picture, error) {
	f := newFigure("Loss", "epoch", "loss")
	f.grid()
	low, high, epochs := math.Inf(1), math.Inf(-1), 0
	for _, c := range r.Curves {
		for i, v := range c.Losses {
			if drawable(v) {
				low, high, epochs = min(low, v), max(high, v), max(epochs, i+1)
			}
		}
	}
	if epochs == 0 {
		return nil, picture{}, nil
	}
	if low > 0 && low < high/2 {
		low = 0 // how far the loss has fallen can be seen only above 0
	}
	f.X.Min, f.X.Max = 1, float64(epochs)
	f.X.Tick.Marker = plot.TickerFunc(wholeTicks)
	f.Y.Min, f.Y.Max = low, high
	var alt []string
	colours := [...]struct {
		colour color.NRGBA
		dashed bool
	}{{blue, false}, {orange, true}, {green, false}, {purple, true}}
	for i, c := range r.Curves {
		style := colours[i%len(colours)]
		number := fmt.Sprintf("curve %d", i+1)
		name := named(c.Name, number)
		row := f.name(name, 24, number) // of the legend; only the first part has one
		for _, part := range finiteParts(c.Losses) {
			if len(part) == 1 {
				f.points(row, part, style.colour, 2.5, draw.CircleGlyph{})
			} else {
				l := f.line(row, thin(part, float64(epochs), high-low), style.colour, 1.6)
				if style.dashed {
					l.Dashes = dashed
				}
			}
			alt = append(alt, fmt.Sprintf("%s: %.4g in epoch %g, %.4g in epoch %g", name,
				part[0].Y, part[0].X, part[len(part)-1].Y, part[len(part)-1].X))
			row = ""
		}
	}
	return f, picture{
		Name:    "loss",
		Alt:     "Loss by epoch. " + strings.Join(alt, "; ") + ".",
		Caption: "Where validation rises while training still falls, the model has begun to learn its training rows by heart.",
	}, nil
}

// finiteParts returns the points (epoch, value) of each run of values that can be drawn.
func finiteParts(values []float64) (parts []plotter.XYs) {
	open := false
	for i, v := range values {
		if !drawable(v) {
			open = false
			continue
		}
		if !open {
			parts, open = append(parts, nil), true
		}
		last := &parts[len(parts)-1]
		*last = append(*last, plotter.XY{X: float64(i + 1), Y: v})
	}
	return parts
}

func (r *Report) drawROC(e *evaluation) (*figure, picture, error) {
	f := newFigure("ROC curve", "false positive rate", "true positive rate")
	f.grid()
	unit(&f.X)
	unit(&f.Y)
	f.line("chance", plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, grey, 1, dashed...)
	var xys plotter.XYs
	for _, p := range e.ranking.ROC() {
		xys = append(xys, plotter.XY{X: p.FPR, Y: p.TPR})
	}
	s := e.summary
	f.line(fmt.Sprintf("area %.4f", s.AUC), thin(xys, 1, 1), blue, 2)
	f.points(fmt.Sprintf("threshold %.4g", r.Threshold), plotter.XYs{{X: 1 - s.Specificity, Y: s.Recall}}, orange, 3.5, draw.CircleGlyph{})
	return f, picture{
		Name: "roc",
		Alt: fmt.Sprintf("ROC curve with an area of %.4f. At the threshold, the true positive rate is %.4f and the false positive rate %.4f.",
			s.AUC, s.Recall, 1-s.Specificity),
		Caption: "Each point is a threshold. The area is the chance that a positive row scores higher than a negative one.",
	}, nil
}

func (r *Report) drawPrecisionRecall(e *evaluation) (*figure, picture, error) {
	f := newFigure("Precision and recall", "recall", "precision")
	f.grid()
	unit(&f.X)
	unit(&f.Y)
	s := e.summary
	share := float64(s.Positives) / float64(s.Rows)
	f.line("chance", plotter.XYs{{X: 0, Y: share}, {X: 1, Y: share}}, grey, 1, dashed...)
	var xys plotter.XYs
	for _, p := range e.ranking.PrecisionRecall() {
		xys = append(xys, plotter.XY{X: p.Recall, Y: p.Precision})
	}
	f.line(fmt.Sprintf("average precision %.4f", s.AveragePrecision), thin(xys, 1, 1), blue, 2).StepStyle = plotter.PreStep
	f.points(fmt.Sprintf("threshold %.4g", r.Threshold), plotter.XYs{{X: s.Recall, Y: s.Precision}}, orange, 3.5, draw.CircleGlyph{})
	return f, picture{
		Name: "precision_recall",
		Alt: fmt.Sprintf("Precision-recall curve with an average precision of %.4f. At the threshold, precision is %.4f and recall %.4f; the share of positive rows is %.4f.",
			s.AveragePrecision, s.Precision, s.Recall, share),
		Caption: "Of the rows called positive, how many are (precision), against how many of the positive rows are found (recall).",
	}, nil
}

func (r *Report) drawCalibration(e *evaluation) (*figure, picture, error) {
	f := newFigure("Calibration", "predicted probability", "share of positive rows")
	f.grid()
	unit(&f.X)
	unit(&f.Y)
	f.line("calibrated", plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, grey, 1, dashed...)
	var xys plotter.XYs
	var alt []string
	for _, bin := range e.calibration {
		xys = append(xys, plotter.XY{X: bin.Predicted, Y: bin.Observed})
		alt = append(alt, fmt.Sprintf("%.2f predicted, %.2f observed (%d)", bin.Predicted, bin.Observed, bin.Rows))
	}
	f.line("", xys, blue, 2)
	f.points(fmt.Sprintf("this model, error %.4f", e.summary.CalibrationError), xys, blue, 3, draw.CircleGlyph{})
	return f, picture{
		Name:    "calibration",
		Alt:     "Calibration in bins of predicted probability, with their rows: " + strings.Join(alt, "; ") + ".",
		Caption: fmt.Sprintf("Below the diagonal, the model promises too much. The error is the mean distance from it over rows, in %d bins.", metrics.CalibrationBins),
	}, nil
}
