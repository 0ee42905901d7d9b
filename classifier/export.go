package classifier

import (
	"io"
	"math"
	"strings"

	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/classifier/onnx"
	"github.com/pullback-go/pullback/dataset"
)

// ExportONNX writes the model for other runtimes, as package onnx says. Its input has a column for
// each feature of the encoder, in that order: numbers as they are in the table, NaN where
// one is missing if the training rows had gaps, and 0 or 1 for a category. Weights are rounded to float32, and a model
// of half precision is computed in float32 there.
func (m *Model) ExportONNX(w io.Writer) error {
	negative, positive := m.Labels()
	name, version, _ := strings.Cut(program(), " ")
	out := &onnx.Model{
		Features: m.encoder.Features(),
		Negative: negative, Positive: positive,
		Threshold: metrics.Probabilities([]float64{m.Threshold()})[0],
		Producer:  name, ProducerVersion: version,
	}
	var fill []float64
	imputes := false
	for _, c := range m.encoder.Columns {
		switch {
		case c.LeftOut != "":
		case c.Kind == dataset.Numeric:
			out.Mean, out.Scale = append(out.Mean, c.Mean), append(out.Scale, c.Scale)
			fill = append(fill, c.Median)
			imputes = imputes || c.Missing > 0
		default:
			for range c.Categories {
				out.Mean, out.Scale = append(out.Mean, 0), append(out.Scale, 1)
				fill = append(fill, math.NaN())
			}
		}
	}
	if imputes {
		out.Fill = fill
	}
	values, err := m.values()
	if err != nil {
		return err
	}
	sizes := m.network.mlp.Sizes
	for i, size := range sizes[1:] {
		out.Layers = append(out.Layers, onnx.Layer{In: sizes[i], Out: size,
			Weight: narrow(float64s(values[2*i])), Bias: narrow(float64s(values[2*i+1]))})
	}
	return onnx.Write(w, out)
}

func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
