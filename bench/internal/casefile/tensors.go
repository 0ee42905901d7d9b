package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// jsonCase is a case of the tensors format: a loss, or any operation.
type jsonCase struct {
	GradOutput *jsonTensor       `json:"gradOutput,omitempty"`
	Self       *jsonTensor       `json:"self,omitempty"`
	Target     *jsonTensor       `json:"target,omitempty"`
	Reduction  *device.Reduction `json:"reduction,omitempty"`
	Loss       *jsonTensor       `json:"loss,omitempty"`
	GradInput  *jsonTensor       `json:"gradInput,omitempty"`

	Op         string          `json:"op,omitempty"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Inputs     jsonInputs      `json:"inputs,omitempty"`
	Output     *jsonTensor     `json:"output,omitempty"`
}

// jsonInputs are the operands of an operation. A list that is far too long is not read to its end.
type jsonInputs []*jsonTensor

const maxInputs = 16

func (list *jsonInputs) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New(`"inputs" is no list of tensors`)
	}
	for d.More() {
		var t *jsonTensor
		if err := d.Decode(&t); err != nil {
			return err
		}
		if *list = append(*list, t); len(*list) > maxInputs {
			return fmt.Errorf("there are more than %d inputs", maxInputs)
		}
	}
	return nil
}

// tensors reads a case of the tensors format.
func (b *builder) tensors(data []byte) error {
	var c jsonCase
	if err := json.Unmarshal(data, &c); err != nil {
		return notJSON(err)
	}
	if c.Op != "" {
		if c.Loss != nil || c.GradInput != nil {
			return errors.New(`it has an "op", and a "loss" or a "gradInput" too; a case is one or the other`)
		}
		op, err := reference.Op(c.Op, c.Attributes)
		if err != nil {
			return err
		}
		return b.add(c.Op, op, c.Inputs, c.Output)
	}
	if c.Loss == nil && c.GradInput == nil {
		return errors.New(`nothing is expected; a case has "loss" or "gradInput", or an "op" with its "output"`)
	}
	if c.Reduction == nil {
		return errors.New(`there is no "reduction"; it is 0 (none), 1 (mean) or 2 (sum)`)
	}
	if c.Loss != nil {
		if err := b.add("loss", device.SoftMarginLoss{Reduction: *c.Reduction}, []*jsonTensor{c.Self, c.Target}, c.Loss); err != nil {
			return err
		}
	}
	if c.GradInput == nil {
		return nil
	}
	if err := b.add("gradient", device.SoftMarginLossBackward{Reduction: *c.Reduction}, []*jsonTensor{c.GradOutput, c.Self, c.Target}, c.GradInput); err != nil {
		return err
	}
	if c.Loss != nil { // of the same tensors, which is what lets a device make them in one pass
		copy(b.checks[1].Inputs[1:], b.checks[0].Inputs)
	}
	return nil
}

// add adds one call. The result's shape must be the one that is expected.
func (b *builder) add(name string, op device.Op, inputs []*jsonTensor, output *jsonTensor) error {
	if output == nil {
		return fmt.Errorf("%s: the output is missing", op.Name())
	}
	c := Check{Call: calls.Call{Op: op}, Name: name}
	types := make([]device.Type, len(inputs))
	for k, j := range inputs {
		t, err := b.operand(j)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", op.Name(), device.ArgName(op, k), err)
		}
		c.Inputs, types[k] = append(c.Inputs, t), t.Type()
	}
	out, want, scale, err := b.expected(output)
	if err != nil {
		return fmt.Errorf("%s: output: %w", op.Name(), err)
	}
	result, err := op.Infer(types)
	if err != nil {
		return err
	}
	if !slices.Equal(result.Shape, out.Shape) {
		return fmt.Errorf("%s: output: its shape %s is not the result's, %s", op.Name(), device.ShapeString(out.Shape), device.ShapeString(result.Shape))
	}
	c.Output = out
	if scale == nil {
		numbers, err := c.Call.Want()
		if err != nil {
			return err
		}
		for _, n := range numbers {
			scale = append(scale, n.Scale)
		}
	}
	c.Want = make([]reference.Number, len(want))
	for k := range want {
		c.Want[k] = reference.Number{Value: want[k], Scale: scale[k]}
	}
	c.Tolerance = c.Call.Tolerance()
	if !given(output.Scale) && out.DType == device.Float64 {
		c.Tolerance = max(c.Tolerance, 8) // what is expected was computed in float64 itself, with errors like the device's
	}
	b.checks = append(b.checks, c)
	return nil
}
