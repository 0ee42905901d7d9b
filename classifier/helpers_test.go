package classifier_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(victimVariable); path != "" {
		victim(path)
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, name string) device.Device {
	t.Helper()
	dev, err := device.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

func breastCancer() *dataset.Frame {
	f, err := dataset.ReadFrame(dataset.BreastCancerCSV(), "wdbc.csv", dataset.Options{Label: "diagnosis"})
	if err != nil {
		panic(err)
	}
	return f
}

// split parts rows into those to train on, a tenth for validation, and a fifth for the test.
func split(t testing.TB, f *dataset.Frame, seed uint64) (train, validation, test *dataset.Frame) {
	t.Helper()
	train, validation, test, err := f.Split(0.1, 0.2, seed)
	require.NoError(t, err)
	return train, validation, test
}

func toy(t testing.TB, name string, rows int, noise float64) *dataset.Frame {
	t.Helper()
	f, err := dataset.Toy(name, rows, noise, 1)
	require.NoError(t, err)
	return f
}

// fit trains a model, which is closed at the end of the test.
func fit(t testing.TB, dev device.Device, train *dataset.Frame, opts classifier.Options) *classifier.Model {
	t.Helper()
	m, err := classifier.Fit(context.Background(), dev, train, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func scores(t testing.TB, m *classifier.Model, f *dataset.Frame) []float64 {
	t.Helper()
	s, err := m.Scores(f)
	require.NoError(t, err)
	return s
}

func evaluate(t testing.TB, m *classifier.Model, f *dataset.Frame) *classifier.Evaluation {
	t.Helper()
	e, err := m.Evaluate(f)
	require.NoError(t, err)
	return e
}

// numbers makes a frame of numeric columns x1, x2 and so on and labels -1 and +1.
func numbers(t testing.TB, labels []float64, columns ...[]float64) *dataset.Frame {
	t.Helper()
	f := dataset.NewFrame("numbers")
	for i, column := range columns {
		require.NoError(t, f.AddNumeric("x"+string(rune('1'+i)), column))
	}
	names := make([]string, len(labels))
	for i, y := range labels {
		names[i] = map[float64]string{-1: "no", 1: "yes"}[y]
	}
	require.NoError(t, f.SetLabels("y", names, "yes"))
	return f
}
