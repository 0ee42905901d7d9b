package classifier

import (
	"io"
	"math"
	"strings"

	"github.com/pullback-go/pullback/classifier/onnx"
	"github.com/pullback-go/pullback/dataset"
)

// ExportONNX writes the model for other runtimes, as package onnx says. Its input has a column for
// each feature of the encoder, in that order: numbers as they are in the table, and 0 or 1 for a category, all
// of them 0 for one that the training rows did not have. If the training rows had gaps, NaN may stand for
// a missing number, and NaN in each of a column's features for a missing category; they are filled in as
// [Model.Predict] does. If they had none, NaN makes the score NaN, since small runtimes lack the operators
// that fill it in. Weights are rounded to float32, and a model of half precision is computed in float32 there. The
// decision is an output too: whether the score is at least the [Model.Threshold].
func (m *Model) ExportONNX(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	negative, positive := m.Labels()
	name, version, _ := strings.Cut(program(), " ")
	out := &onnx.Model{
		Features: m.encoder.Features(),
		Negative: negative, Positive: positive,
		Threshold: smallestFrom(m.Threshold()),
		Imputed:   map[string]string{},
		Producer:  name, ProducerVersion: version,
	}
	var fill []float64
	imputes := false
	for _, c := range m.encoder.Columns {
		if c.LeftOut != "" {
			continue
		}
		imputes = imputes || c.Missing > 0
		if c.Kind == dataset.Numeric {
			out.Mean, out.Scale, fill = append(out.Mean, c.Mean), append(out.Scale, c.Scale), append(fill, c.Median)
			continue
		}
		out.Imputed[c.Name] = c.MostFrequent
		for _, category := range c.Categories {
			hot := 0.
			if category == c.MostFrequent {
				hot = 1
			}
			out.Mean, out.Scale, fill = append(out.Mean, 0), append(out.Scale, 1), append(fill, hot)
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

// smallestFrom returns the smallest finite float32 that is at least x: those that are at least x are at least that.
func smallestFrom(x float64) float32 {
	t := float32(x)
	if float64(t) < x {
		t = math.Nextafter32(t, math.MaxFloat32)
	}
	return min(t, math.MaxFloat32)
}

func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
