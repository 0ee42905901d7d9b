package onnx

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// Model is a multi-layer perceptron on standardised features, with one output.
type Model struct {
	Features    []string  // names of the F features, in the order of the input's columns
	Mean, Scale []float64 // of each feature: the first layer gets (x - Mean) / Scale

	// Fill has, for each feature, the value that takes the place of NaN, and is itself NaN
	// where there is none. Nil means none at all; small runtimes lack the operators it needs.
	Fill []float64

	// Imputed has, for each column whose categories are features of 0 and 1, the category that a
	// missing value is taken for. It is metadata alone: in the graph, Fill says so.
	Imputed map[string]string

	Layers []Layer // at least one; the last has one output, the logit of the positive class

	Negative, Positive string  // names of the classes
	Threshold          float32 // a row is positive if its score is at least this

	Producer, ProducerVersion string // the program that trained the model
}

// Layer is x · Weight + Bias. Between layers is max(0, x).
type Layer struct {
	In, Out int
	Weight  []float32 // [In,Out], row-major
	Bias    []float32 // [Out]
}

// maxModel is how many bytes a protocol buffer can have.
const maxModel = math.MaxInt32

func (m *Model) check() error {
	if m == nil {
		return errors.New("onnx: the model is nil")
	}
	width := len(m.Features)
	if width == 0 {
		return errors.New("onnx: the model has no features; at least one is needed")
	}
	if m.Negative == "" || m.Positive == "" || m.Negative == m.Positive {
		return fmt.Errorf("onnx: the classes are named %q and %q, but must have two different names", m.Negative, m.Positive)
	}
	if !finite(float64(m.Threshold)) {
		return fmt.Errorf("onnx: the threshold is %v, but it must be a finite score", m.Threshold)
	}
	if len(m.Mean) != width || len(m.Scale) != width || m.Fill != nil && len(m.Fill) != width {
		return fmt.Errorf("onnx: there are %d features, %d means, %d scales and %d fill values, but there must be as many of each (or no fill values)",
			width, len(m.Mean), len(m.Scale), len(m.Fill))
	}
	names := slices.Concat([]string{m.Negative, m.Positive, m.Producer, m.ProducerVersion}, m.Features)
	for _, column := range slices.Sorted(maps.Keys(m.Imputed)) {
		names = append(names, column, m.Imputed[column])
	}
	for _, text := range names {
		if !utf8.ValidString(text) {
			return fmt.Errorf("onnx: the name %q is not UTF-8, but every name and version must be", text)
		}
	}
	seen := map[string]bool{"": true}
	for i, name := range m.Features {
		again := seen[name]
		seen[name] = true
		switch mean, scale := m.Mean[i], m.Scale[i]; {
		case again:
			return fmt.Errorf("onnx: feature %d is named %q, but each must have a name of its own", i, name)
		case !finite(mean) || !finite(scale) || scale <= 0:
			return fmt.Errorf("onnx: feature %q has mean %v and scale %v, but both must be finite and the scale above 0", name, mean, scale)
		case m.Fill != nil && math.IsInf(m.Fill[i], 0):
			return fmt.Errorf("onnx: feature %q has the fill value %v, but it must be finite, or NaN for none", name, m.Fill[i])
		}
	}
	if len(m.Layers) == 0 {
		return errors.New("onnx: the model has no layers; at least one is needed")
	}
	size := 0
	for i, l := range m.Layers {
		switch {
		case l.In != width:
			return fmt.Errorf("onnx: layer %d has %d inputs, but gets %d", i, l.In, width)
		case l.Out < 1 || l.Out > maxModel/4/l.In: // no product overflows
			return fmt.Errorf("onnx: layer %d has %d outputs, but must have from 1 to %d", i, l.Out, maxModel/4/l.In)
		case len(l.Weight) != l.In*l.Out || len(l.Bias) != l.Out:
			return fmt.Errorf("onnx: layer %d has %d weights and %d biases, but must have %d and %d", i, len(l.Weight), len(l.Bias), l.In*l.Out, l.Out)
		}
		for _, values := range [][]float32{l.Weight, l.Bias} {
			if j := slices.IndexFunc(values, func(v float32) bool { return !finite(float64(v)) }); j >= 0 {
				return fmt.Errorf("onnx: layer %d has the weight or bias %v, but all must be finite", i, values[j])
			}
		}
		width = l.Out
		size += 4 * (len(l.Weight) + len(l.Bias))
	}
	if width != 1 {
		return fmt.Errorf("onnx: the last layer has %d outputs, but must have 1, the score", width)
	}
	if size > maxModel {
		return fmt.Errorf("onnx: the layers take %d bytes, but a model can have at most %d", size, maxModel)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
