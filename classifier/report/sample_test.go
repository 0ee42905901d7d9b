package report_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/pullback-go/pullback/classifier/report"
)

// sample is a report with all parts, about two half moons and a made-up model.
func sample() *report.Report {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 400
	var points, labels []float64
	for i := range n {
		angle := random.Float64() * math.Pi
		x, y, label := math.Cos(angle), math.Sin(angle), -1.
		if i%2 == 0 {
			x, y, label = 1-x, 0.5-y, 1
		}
		points = append(points, x+0.2*random.NormFloat64(), y+0.2*random.NormFloat64())
		labels = append(labels, label)
	}
	score := func(points []float64) ([]float64, error) {
		var scores []float64
		for i := 0; i < len(points); i += 2 {
			x, y := points[i], points[i+1]
			scores = append(scores, 3*(1.2*math.Sin(3*(x-0.5))*1.1-4*(y-0.25)+0.8*(x-0.5)))
		}
		return scores, nil
	}
	scores, _ := score(points)
	training, validation := make([]float64, 30), make([]float64, 30)
	for i := range training {
		t := float64(i)
		training[i] = 0.65*math.Exp(-t/6) + 0.04
		validation[i] = 0.66*math.Exp(-t/6) + 0.09 + 0.002*t
	}
	r := &report.Report{
		Title:   "Two half moons",
		Options: []report.Entry{{"epochs", "30"}, {"hidden", "64, 32"}, {"optimizer", "AdamW, learning rate 0.001"}, {"seed", "1"}},
		Data:    []report.Entry{{"source", "moons"}, {"rows", "2000 (1400 training, 200 validation, 400 test)"}, {"features", "x, y"}},
		Scores:  scores, Labels: labels, Rows: "test", Negative: "upper", Positive: "lower",
		Curves: []report.Curve{{"training", training}, {"validation", validation}},
		Boundary: &report.Boundary{
			X: "x", Y: "y", Points: points, Labels: labels, Score: score,
		},
		Importance: &report.Importance{Measure: "weight"},
		DOT:        "digraph { x -> MatMul; weight -> MatMul; MatMul -> Add; bias -> Add; Add -> Relu }",
		Operations: []report.Operation{{"MatMul", 1200, 43 * time.Millisecond}, {"SoftMarginLoss", 400, 9 * time.Millisecond}, {"AdamW", 1600, 21 * time.Millisecond}},
	}
	for i := range 26 {
		name := "feature " + strings.Repeat(string(rune('a'+i)), 1+i)
		r.Importance.Names = append(r.Importance.Names, name)
		r.Importance.Values = append(r.Importance.Values, 2*random.NormFloat64())
	}
	return r
}
