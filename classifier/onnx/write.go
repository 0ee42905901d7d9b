package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

const (
	irVersion    = 8  // of the format; opset 13 needs 7 or more
	opsetVersion = 13 // of the operators' definitions
)

// Write writes the model. The same model always gives the same bytes. It is an error if
// anything about the model does not fit together, see [Model], or if a number in it is not finite.
func Write(w io.Writer, m *Model) error {
	if err := m.check(); err != nil {
		return err
	}
	if w == nil {
		return errors.New("onnx: the writer is nil; pass a file or a buffer")
	}
	metadata, err := m.metadata()
	if err != nil {
		return err
	}
	model := message{}.
		integer(modelIRVersion, irVersion).
		text(modelProducerName, m.Producer).
		text(modelProducerVersion, m.ProducerVersion).
		nested(modelGraph, m.graph()).
		nested(modelOpsetImport, message{}.integer(opsetVersionNumber, opsetVersion)).
		append(metadata)
	if len(model) > maxModel {
		return fmt.Errorf("onnx: the model takes %d bytes, but can have at most %d", len(model), maxModel)
	}
	if _, err := w.Write(model); err != nil {
		return fmt.Errorf("onnx: the model cannot be written: %w", err)
	}
	return nil
}

// graph returns the GraphProto: the operators in the order in which they run, and their constants.
func (m *Model) graph() message {
	features := len(m.Features)
	g := message{}.text(graphName, "classifier")
	node := func(operator, output string, attributes message, inputs ...string) string {
		n := message{}
		for _, input := range inputs {
			n = n.text(nodeInput, input)
		}
		n = n.text(nodeOutput, output).text(nodeName, output+"/"+operator).text(nodeOperator, operator).append(attributes)
		g = g.nested(graphNode, n)
		return output
	}
	constant := func(t message) { g = g.nested(graphInitializer, t) }

	x := "features"
	if slices.ContainsFunc(m.Fill, finite) {
		constant(doubles("fill", m.Fill))
		missing := node("IsNaN", "missing", nil, x)
		x = node("Where", "filled", nil, missing, "fill", x)
	}
	constant(doubles("mean", m.Mean))
	constant(doubles("scale", m.Scale))
	x = node("Sub", "centred", nil, x, "mean")
	x = node("Div", "standardised", nil, x, "scale")
	to := message{}.text(attributeName, "to").integer(attributeInt, typeFloat).integer(attributeType, attributeTypeInt)
	x = node("Cast", "input", message{}.nested(nodeAttribute, to), x)
	for i, l := range m.Layers {
		layer := fmt.Sprintf("layer/%d", i)
		constant(floats(layer+"/weight", l.Weight, l.In, l.Out))
		constant(floats(layer+"/bias", l.Bias, l.Out))
		if i == len(m.Layers)-1 {
			x = node("Gemm", "score", nil, x, layer+"/weight", layer+"/bias")
		} else {
			x = node("Gemm", layer+"/product", nil, x, layer+"/weight", layer+"/bias")
			x = node("Relu", layer+"/output", nil, x)
		}
	}
	node("Sigmoid", "probability", nil, x)
	constant(floats("threshold", []float32{m.Threshold}, 1))
	node("GreaterOrEqual", "positive", nil, x, "threshold")
	return g.
		nested(graphInput, value("features", typeDouble, features)).
		nested(graphOutput, value("score", typeFloat, 1)).
		nested(graphOutput, value("probability", typeFloat, 1)).
		nested(graphOutput, value("positive", typeBool, 1))
}

// metadata returns the ModelProto's fields of metadata.
func (m *Model) metadata() (message, error) {
	features, err := json.Marshal(m.Features)
	if err != nil {
		return nil, err
	}
	labels, err := json.Marshal([]string{m.Negative, m.Positive})
	if err != nil {
		return nil, err
	}
	imputed, err := json.Marshal(m.Imputed)
	if err != nil {
		return nil, err
	}
	entry := func(key, value string) message { return message{}.text(entryKey, key).text(entryValue, value) }
	fields := message{}.
		nested(modelMetadata, entry("features", string(features))).
		nested(modelMetadata, entry("labels", string(labels))).
		nested(modelMetadata, entry("threshold", strconv.FormatFloat(float64(m.Threshold), 'g', -1, 64)))
	if len(m.Imputed) > 0 {
		fields = fields.nested(modelMetadata, entry("imputed", string(imputed)))
	}
	return fields, nil
}

// value returns a ValueInfoProto: a name for rows of a number of columns. How many rows there are
// is open, and called N.
func value(name string, elements uint64, columns int) message {
	shape := message{}.
		nested(shapeDimension, message{}.text(dimensionName, "N")).
		nested(shapeDimension, message{}.integer(dimensionSize, uint64(columns)))
	tensor := message{}.integer(tensorTypeElements, elements).nested(tensorTypeShape, shape)
	return message{}.text(valueName, name).nested(valueType, message{}.nested(typeTensor, tensor))
}
