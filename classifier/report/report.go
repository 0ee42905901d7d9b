package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

// PageName is the name of the HTML page in the directory of a report.
const PageName = "report.html"

// Report is what [Write] writes. The zero value of a field leaves its part out.
type Report struct {
	Title   string
	Options []Entry // of the run, in the order of the page
	Data    []Entry // the data's summary

	// Scores are logits, one a row, and Labels are -1 and +1. A row is predicted positive
	// if its score is at least the Threshold.
	Scores, Labels     []float64
	Threshold          float64
	Rows               string // which rows these are, such as "test"
	Negative, Positive string // names of the classes

	Curves     []Curve
	Importance *Importance
	Boundary   *Boundary
	DOT        string // the graph in Graphviz's language
	Operations []Operation
}

// Entry is a row of a table.
type Entry struct{ Name, Value string }

// Curve is a value for each epoch, from the first. Values that are not finite leave gaps.
type Curve struct {
	Name   string
	Losses []float64
}

// Importance is how much each feature matters, by its weight or by permutation.
type Importance struct {
	Measure string // what the values are, such as "loss of AUC when permuted"
	Names   []string
	Values  []float64 // one a name
}

// Boundary is the plane of two features, in which the model's decisions can be drawn.
type Boundary struct {
	X, Y   string    // names of the features
	Points []float64 // shape (n, 2), row-major
	Labels []float64 // -1 and +1, shape (n)

	// Score returns the logit of each point; points are as in Points.
	Score func(points []float64) ([]float64, error)
}

// Operation is the time that one operation took over all its launches.
type Operation struct {
	Name     string
	Launches int64
	Total    time.Duration
}

func (r *Report) check() error {
	switch {
	case r == nil:
		return errors.New("report: the report is nil; pass a *report.Report")
	case math.IsNaN(r.Threshold):
		return errors.New("report: the threshold is NaN; it must be a number, such as 0 for a probability of one half")
	}
	if i := r.Importance; i != nil && len(i.Names) != len(i.Values) {
		return fmt.Errorf("report: the importance has %d names and %d values; one of each a feature is needed", len(i.Names), len(i.Values))
	}
	if b := r.Boundary; b != nil {
		switch {
		case len(b.Points) != 2*len(b.Labels):
			return fmt.Errorf("report: the boundary has %d coordinates and %d labels; two coordinates and a label a point are needed", len(b.Points), len(b.Labels))
		case b.Score == nil:
			return errors.New("report: the boundary has no function that scores points; set Boundary.Score")
		}
	}
	return nil
}

// FileNames returns the names of all files that a report can have in its directory, the page's first.
func FileNames() []string {
	return []string{
		PageName,
		"loss.png", "roc.png", "precision_recall.png", "scores.png", "calibration.png", "confusion.png", "features.png", "boundary.png",
		"graph.dot", "graph.svg",
	}
}

// Write writes the report into the directory, which is made if it is not there: a page
// named [PageName], its pictures as PNG files, and graph.dot and graph.svg. Regular files of the names
// that [FileNames] returns are replaced, or removed if this report has no such part, so that what is there
// belongs to the page. Whatever else is there is left alone; it is an error if it has the place of a file, as a
// symbolic link may.
//
// The font of the pictures has the Latin, Greek and Cyrillic scripts. A name with other characters has a
// stand-in there, such as "positive class" or "feature 7", and the page says which.
//
// Nothing is written before everything has been drawn, and no file is ever seen half-written. The page
// is the last.
//
// Graphviz draws the graph if its program dot can be found and is done within ten seconds.
// Without it, the page has the graph as text. Cancelling the context
// stops before the next picture.
func Write(ctx context.Context, dir string, r *Report) error {
	if ctx == nil {
		return errors.New("report: the context is nil; pass context.Background()")
	}
	if err := r.check(); err != nil {
		return err
	}
	e, err := r.evaluate()
	if err != nil {
		return err
	}
	pictures, notes, err := r.draw(ctx, e)
	if err != nil {
		return err
	}
	var svg []byte
	if r.DOT != "" {
		svg = drawGraph(ctx, r.DOT)
	}
	html, err := r.page(e, pictures, notes, svg)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("report: stopped before anything was written: %w", err)
	}

	files := make([]file, 0, len(pictures)+3)
	for _, p := range pictures {
		files = append(files, file{p.Name + ".png", p.PNG})
	}
	if r.DOT != "" {
		files = append(files, file{"graph.dot", []byte(r.DOT)})
	}
	if svg != nil {
		files = append(files, file{"graph.svg", svg})
	}
	files = append(files, file{PageName, html})
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: its directory cannot be made: %w", err)
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("report: %s cannot be written: what is there is not a regular file; move it away or choose another directory", path)
		}
	}
	if err := removeOthers(dir, files); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for _, f := range files {
		if err := atomicfile.Write(filepath.Join(dir, f.name), f.write); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// removeOthers removes the files of an earlier report that are none of this one's.
func removeOthers(dir string, files []file) error {
	for _, name := range FileNames() {
		path := filepath.Join(dir, name)
		if slices.ContainsFunc(files, func(f file) bool { return f.name == name }) {
			continue
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue // not one that a report has made
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

type file struct {
	name string
	data []byte
}

func (f file) write(w io.Writer) error {
	_, err := w.Write(f.data)
	return err
}
