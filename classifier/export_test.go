package classifier_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// Another runtime computes the same scores and probabilities from the raw rows.
func TestExportONNX(t *testing.T) {
	for _, hidden := range [][]int{nil, {8}, {64, 32}} {
		opts := classifier.DefaultOptions()
		opts.Hidden, opts.Epochs = hidden, 3
		frame := breastCancer()
		m := fit(t, open(t, "cpu"), frame, opts)
		var rows []float64
		columns := make([][]float64, 0, 30)
		for _, name := range frame.Names() {
			values, err := frame.Numbers(name)
			require.NoError(t, err)
			columns = append(columns, values)
		}
		for i := range frame.Rows() {
			for _, column := range columns {
				rows = append(rows, column[i])
			}
		}
		requireSameInONNX(t, m, frame, rows)
	}
}

// A categorical column is a column of 0 and 1 for each category.
func TestExportONNXOfCategories(t *testing.T) {
	f := dataset.NewFrame("rows")
	require.NoError(t, f.AddNumeric("size", []float64{1, 2, 3, 9}))
	require.NoError(t, f.AddCategorical("colour", []string{"red", "blue", "red", "green"}))
	require.NoError(t, f.SetLabels("sold", []string{"yes", "no", "no", "yes"}, ""))
	m := fit(t, open(t, "cpu"), f, classifier.DefaultOptions())
	require.Equal(t, []string{"size", "colour=blue", "colour=green", "colour=red"}, m.Encoder().Features())
	requireSameInONNX(t, m, f, []float64{
		1, 0, 0, 1,
		2, 1, 0, 0,
		3, 0, 0, 1,
		9, 0, 1, 0,
	})
}

func requireSameInONNX(t *testing.T, m *classifier.Model, f *dataset.Frame, rows []float64) {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, m.ExportONNX(&file))
	model, err := gonnx.NewModelFromBytes(file.Bytes())
	require.NoError(t, err)
	features := len(rows) / f.Rows()
	out, err := model.Run(gonnx.Tensors{"features": tensor.New(tensor.WithShape(f.Rows(), features), tensor.WithBacking(rows))})
	require.NoError(t, err)
	predictions, err := m.Predict(f)
	require.NoError(t, err)
	got, probabilities := out["score"].Data().([]float32), out["probability"].Data().([]float32)
	for i, p := range predictions {
		require.InDelta(t, p.Score, got[i], 1e-5*max(1, math.Abs(p.Score)))
		require.InDelta(t, p.Probability, probabilities[i], 1e-5)
	}
}

// With gaps in the training rows the file has what fills them.
func TestExportONNXFillsGaps(t *testing.T) {
	m, _ := mixed(t, device.Float32)
	var file bytes.Buffer
	require.NoError(t, m.ExportONNX(&file))
	require.True(t, bytes.Contains(file.Bytes(), []byte("IsNaN")))
}
