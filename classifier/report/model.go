package report

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
)

// sampleRows is how many rows importance is measured on and a boundary is drawn with.
const sampleRows = 5000

// Of returns the report of a model that [classifier.Fit] returned: how it was trained on its training
// rows, and how well it does on the test rows, which it has not seen; or, if these are nil, on the
// training rows. A linear model's features are ranked by weight, those of any other by permutation. Of
// a model of two numbers there is a picture of its decisions.
func Of(m *classifier.Model, train, test *dataset.Frame) (*Report, error) {
	if train == nil {
		return nil, errors.New("report: the training rows are nil; pass those that the model was trained on")
	}
	rows, called := test, "test"
	if rows == nil {
		rows, called = train, "training"
	}
	scores, err := m.Scores(rows)
	if err != nil {
		return nil, err
	}
	labels, err := m.Encoder().Labels(rows) // as they were in training, whatever is positive in these rows
	if err != nil {
		return nil, err
	}
	r := &Report{
		Title: train.Source(), Data: describe(train.Schema()), Curves: curves(m.History()),
		Scores: scores, Labels: labels, Threshold: m.Threshold(), Rows: called,
	}
	r.Negative, r.Positive = m.Labels()
	for _, s := range m.Settings() {
		r.Options = append(r.Options, Entry(s))
	}
	some := rows
	if n := rows.Rows(); n > sampleRows {
		some = rows.Select(rand.New(rand.NewPCG(0, 0)).Perm(n)[:sampleRows])
	}
	if r.Importance, err = importance(m, some); err != nil {
		return nil, err
	}
	if r.Boundary, err = boundary(m, some); err != nil {
		return nil, err
	}
	var dot strings.Builder
	if err := m.WriteDOT(&dot); err != nil {
		return nil, err
	}
	r.DOT = dot.String()
	profile, err := m.Profile(train)
	for _, p := range profile {
		r.Operations = append(r.Operations, Operation{Name: p.Op + " " + p.Type, Launches: p.Launches, Total: p.Total})
	}
	return r, err
}

// describe describes the training rows.
func describe(s *dataset.Schema) []Entry {
	entries := []Entry{
		{"source", s.Source + ", " + s.Layout},
		{"training rows", fmt.Sprint(s.Rows)},
		{"label " + s.Label, fmt.Sprintf("%d %s (+1), %d %s (-1)", s.Positives, s.Positive, s.Negatives, s.Negative)},
	}
	for _, c := range s.Columns {
		_, value, _ := strings.Cut(c.String(), ": ")
		entries = append(entries, Entry{c.Name, value})
	}
	return entries
}

func curves(history []classifier.Epoch) []Curve {
	training, validation := Curve{Name: "training"}, Curve{Name: "validation"}
	for _, e := range history {
		training.Losses = append(training.Losses, e.Loss)
		validation.Losses = append(validation.Losses, e.ValidationLoss)
	}
	if len(history) > 0 && !math.IsNaN(history[0].ValidationLoss) {
		return []Curve{training, validation}
	}
	return []Curve{training}
}

// importance returns the weights of a linear model, and the permutation importance of any other; nil if the
// rows lack a class, without which there is no AUC to measure it by.
func importance(m *classifier.Model, f *dataset.Frame) (*Importance, error) {
	if weights, _, err := m.Weights(); err == nil {
		return &Importance{Measure: "weight of the standardised feature", Names: m.Encoder().Features(), Values: weights}, nil
	}
	if labels := f.Labels(); !slices.Contains(labels, -1) || !slices.Contains(labels, +1) {
		return nil, nil
	}
	columns, err := m.Importance(f, 0)
	if err != nil {
		return nil, err
	}
	out := &Importance{Measure: "drop of the AUC when permuted"}
	for _, c := range columns {
		out.Names, out.Values = append(out.Names, c.Column), append(out.Values, c.Mean)
	}
	return out, nil
}

// boundary returns the plane of two numeric columns, nil if the model has others.
func boundary(m *classifier.Model, f *dataset.Frame) (*Boundary, error) {
	var names []string
	for _, c := range m.Encoder().Columns {
		if c.LeftOut == "" {
			names = append(names, c.Name)
		}
	}
	if len(names) != 2 || len(m.Encoder().Features()) != 2 {
		return nil, nil
	}
	b := &Boundary{X: names[0], Y: names[1]}
	var err error
	if b.Labels, err = m.Encoder().Labels(f); err != nil {
		return nil, err
	}
	x, err := f.Numbers(b.X)
	if err != nil {
		return nil, err
	}
	y, err := f.Numbers(b.Y)
	if err != nil {
		return nil, err
	}
	for i := range x {
		b.Points = append(b.Points, x[i], y[i])
	}
	b.Score = func(points []float64) ([]float64, error) {
		x, y := make([]float64, len(points)/2), make([]float64, len(points)/2)
		for i := range x {
			x[i], y[i] = points[2*i], points[2*i+1]
		}
		plane := dataset.NewFrame("plane")
		if err := plane.AddNumeric(b.X, x); err != nil {
			return nil, err
		}
		if err := plane.AddNumeric(b.Y, y); err != nil {
			return nil, err
		}
		return m.Scores(plane)
	}
	return b, nil
}
