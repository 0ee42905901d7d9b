package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/classifier/report"
	"github.com/pullback-go/pullback/dataset"
)

// reportRows is how many rows importance is measured on and a boundary is drawn with.
const reportRows = 5000

// writeReport writes the page of -report.
func (c *trainFlags) writeReport(ctx context.Context, m *classifier.Model, frame, train, test *dataset.Frame) error {
	rows, called := test, "test"
	if rows == nil {
		rows, called = train, "training"
	}
	scores, err := m.Scores(rows)
	if err != nil {
		return err
	}
	r := &report.Report{Title: frame.Source(), Scores: scores, Labels: rows.Labels(), Threshold: m.Threshold(), Rows: called}
	r.Negative, r.Positive = m.Labels()
	for _, s := range m.Settings() {
		r.Options = append(r.Options, report.Entry(s))
	}
	r.Data = describe(frame.Schema())
	r.Curves = curves(m.History())
	some := sample(rows, c.options.Seed)
	if r.Importance, err = importance(m, some, c.options.Seed); err != nil {
		return err
	}
	if r.Boundary, err = boundary(m, some); err != nil {
		return err
	}
	var dot strings.Builder
	if err := m.WriteDOT(&dot); err != nil {
		return err
	}
	r.DOT = dot.String()
	profile, err := m.Profile(train)
	if err != nil {
		return err
	}
	for _, p := range profile {
		r.Operations = append(r.Operations, report.Operation{Name: p.Op + " " + p.Type, Launches: p.Launches, Total: p.Total})
	}
	return report.Write(ctx, c.report, r)
}

// sample returns no more rows than a report needs.
func sample(f *dataset.Frame, seed uint64) *dataset.Frame {
	if f.Rows() <= reportRows {
		return f
	}
	return f.Select(rand.New(rand.NewPCG(seed, 0)).Perm(f.Rows())[:reportRows])
}

func describe(s *dataset.Schema) []report.Entry {
	entries := []report.Entry{
		{Name: "source", Value: s.Source + ", " + s.Layout},
		{Name: "rows", Value: fmt.Sprint(s.Rows)},
		{Name: "label " + s.Label, Value: fmt.Sprintf("%d %s (+1), %d %s (-1)", s.Positives, s.Positive, s.Negatives, s.Negative)},
	}
	for _, c := range s.Columns {
		_, value, _ := strings.Cut(c.String(), ": ")
		entries = append(entries, report.Entry{Name: c.Name, Value: value})
	}
	return entries
}

func curves(history []classifier.Epoch) []report.Curve {
	training, validation := report.Curve{Name: "training"}, report.Curve{Name: "validation"}
	for _, e := range history {
		training.Losses = append(training.Losses, e.Loss)
		validation.Losses = append(validation.Losses, e.ValidationLoss)
	}
	if len(history) > 0 && history[0].ValidationLoss == history[0].ValidationLoss {
		return []report.Curve{training, validation}
	}
	return []report.Curve{training}
}

// importance returns the weights of a linear model, and permutation importance of any other.
func importance(m *classifier.Model, f *dataset.Frame, seed uint64) (*report.Importance, error) {
	if weights, _, err := m.Weights(); err == nil {
		return &report.Importance{Measure: "weight of the standardised feature", Names: m.Encoder().Features(), Values: weights}, nil
	}
	columns, err := m.Importance(f, seed)
	if err != nil {
		return nil, err
	}
	out := &report.Importance{Measure: "drop of the AUC when permuted"}
	for _, c := range columns {
		out.Names, out.Values = append(out.Names, c.Column), append(out.Values, c.Mean)
	}
	return out, nil
}

// boundary returns the plane of two numeric columns, nil if the model has others.
func boundary(m *classifier.Model, f *dataset.Frame) (*report.Boundary, error) {
	var names []string
	for _, c := range m.Encoder().Columns {
		if c.LeftOut == "" {
			names = append(names, c.Name)
		}
	}
	if len(names) != 2 || len(m.Encoder().Features()) != 2 {
		return nil, nil
	}
	x, err := f.Numbers(names[0])
	if err != nil {
		return nil, err
	}
	y, err := f.Numbers(names[1])
	if err != nil {
		return nil, err
	}
	b := &report.Boundary{X: names[0], Y: names[1], Labels: f.Labels()}
	for i := range x {
		b.Points = append(b.Points, x[i], y[i])
	}
	b.Score = func(points []float64) ([]float64, error) {
		x, y := make([]float64, len(points)/2), make([]float64, len(points)/2)
		for i := range x {
			x[i], y[i] = points[2*i], points[2*i+1]
		}
		plane := dataset.NewFrame("plane")
		if err := plane.AddNumeric(names[0], x); err != nil {
			return nil, err
		}
		if err := plane.AddNumeric(names[1], y); err != nil {
			return nil, err
		}
		return m.Scores(plane)
	}
	return b, nil
}
