package casefile

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/internal/atomicfile"
)

// Create writes what [Encode] returns to a file.
func Create(path string, list []calls.Call) error {
	data, err := Encode(list)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Encode returns a file of the tensors format with a case for each call, whose
// outcome the reference says.
func Encode(list []calls.Call) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("[")
	for i, c := range list {
		want, err := c.Want()
		if err != nil {
			return nil, err
		}
		j, err := encode(c, want)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(j)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(data)
	}
	b.WriteString("\n]\n")
	return b.Bytes(), nil
}

func encode(c calls.Call, want []reference.Number) (*jsonCase, error) {
	expected := fromNumbers(c.Result(), want)
	var in []*jsonTensor
	for _, t := range c.Inputs {
		in = append(in, fromTensor(t))
	}
	switch op := c.Op.(type) {
	case device.SoftMarginLoss:
		return &jsonCase{Self: in[0], Target: in[1], Reduction: &op.Reduction, Loss: expected}, nil
	case device.SoftMarginLossBackward:
		return &jsonCase{GradOutput: in[0], Self: in[1], Target: in[2], Reduction: &op.Reduction, GradInput: expected}, nil
	}
	attributes, err := reference.Attributes(c.Op)
	return &jsonCase{Op: c.Op.Name(), Attributes: attributes, Inputs: in, Output: expected}, err
}
