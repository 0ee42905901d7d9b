package casefile

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/internal/atomicfile"
)

// Create writes what [Write] does to a file.
func Create(path string, cases iter.Seq[[]calls.Call]) error {
	return atomicfile.Write(path, func(w io.Writer) error { return Write(w, cases) })
}

// Write writes a file of the tensors format with a case for each call, whose outcome the reference
// says. A loss and its gradient of the same scores and targets are one case.
func Write(w io.Writer, cases iter.Seq[[]calls.Call]) error {
	separator := "[\n"
	for list := range cases {
		whole := &jsonCase{}
		for _, c := range list {
			if err := whole.add(c); err != nil {
				return err
			}
		}
		data, err := json.Marshal(whole)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", separator, data); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}

// Bytes is how long a case will be at most, with so many elements in the storage of its inputs, of the dtype,
// and so many that are expected.
func Bytes(inputs, expected int, d device.DType) int {
	return inputs*len(`"",`) + inputs*2*d.Size() + 2*expected*len(`"0123456789abcdef",`) + 2000
}

// add adds a call to the case.
func (j *jsonCase) add(c calls.Call) error {
	want, err := c.Want()
	if err != nil {
		return err
	}
	expected := fromNumbers(c.Result(), want)
	var in []*jsonTensor
	for _, t := range c.Inputs {
		in = append(in, fromTensor(t))
	}
	switch op := c.Op.(type) {
	case device.SoftMarginLoss:
		j.Self, j.Target, j.Reduction, j.Loss = in[0], in[1], &op.Reduction, expected
	case device.SoftMarginLossBackward:
		j.GradOutput, j.Self, j.Target, j.Reduction, j.GradInput = in[0], in[1], in[2], &op.Reduction, expected
	default:
		j.Op, j.Inputs, j.Output = c.Op.Name(), in, expected
		j.Attributes, err = reference.Attributes(c.Op)
	}
	return err
}
