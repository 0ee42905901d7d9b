package report_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/classifier/report"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
)

func TestOf(t *testing.T) {
	dev, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	moons, err := dataset.Toy("moons", 300, 0.1, 1)
	require.NoError(t, err)
	train, validation, test, err := moons.Split(0.2, 0.2, 1)
	require.NoError(t, err)
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.Validation = 2, validation
	m, err := classifier.Fit(context.Background(), dev, train, opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()

	r, err := report.Of(m, train, test)
	require.NoError(t, err)
	require.Equal(t, "test", r.Rows)
	require.Equal(t, test.Labels(), r.Labels)
	require.Len(t, r.Curves, 2)
	require.Len(t, r.Curves[1].Losses, 2)
	require.Equal(t, []string{"x1", "x2"}, r.Importance.Names)
	require.Contains(t, r.DOT, "digraph")
	require.Contains(t, r.Data, report.Entry{Name: "training rows", Value: "180"})
	launches := int64(0)
	for _, o := range r.Operations {
		if strings.HasPrefix(o.Name, "Linear") {
			launches += o.Launches
		}
	}
	require.Positive(t, launches, "%v", r.Operations)
	scores, err := r.Boundary.Score(r.Boundary.Points)
	require.NoError(t, err)
	require.Equal(t, r.Scores, scores, "the plane's points are the test rows")

	// A label means what it meant in training.
	reversed := dataset.NewFrame("reversed")
	names := make([]string, test.Rows())
	for i, y := range test.Labels() {
		names[i] = map[float64]string{-1: "0.0", 1: "1.0"}[y]
	}
	for _, name := range test.Names() {
		values, err := test.Numbers(name)
		require.NoError(t, err)
		require.NoError(t, reversed.AddNumeric(name, values))
	}
	require.NoError(t, reversed.SetLabels("class", names, "0.0"))
	again, err := report.Of(m, train, reversed)
	require.NoError(t, err)
	require.Equal(t, r.Labels, again.Labels)
	require.Equal(t, r.Boundary.Labels, again.Boundary.Labels)
	require.Equal(t, r.Scores, again.Scores)

	// Of rows of one class there is no AUC, nor what is measured by it, and everything else.
	var positive []int
	for i, y := range test.Labels() {
		if y > 0 {
			positive = append(positive, i)
		}
	}
	r, err = report.Of(m, train, test.Select(positive))
	require.NoError(t, err)
	require.Nil(t, r.Importance)
	require.Len(t, r.Scores, len(positive))
	require.NoError(t, report.Write(context.Background(), t.TempDir(), r))

	_, err = report.Of(nil, train, test)
	require.EqualError(t, err, "classifier: the model is nil; look at the error of Load or Fit")
	_, err = report.Of(m, nil, test)
	require.EqualError(t, err, "report: the training rows are nil; pass those that the model was trained on")

	frame := dataset.BreastCancer()
	opts.Hidden, opts.Validation = nil, nil
	linear, err := classifier.Fit(context.Background(), dev, frame, opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, linear.Close()) }()
	r, err = report.Of(linear, frame, nil)
	require.NoError(t, err)
	require.Equal(t, "training", r.Rows)
	require.Len(t, r.Curves, 1)
	require.Nil(t, r.Boundary)
	weights, _, err := linear.Weights()
	require.NoError(t, err)
	require.Equal(t, weights, r.Importance.Values)
}
