package casefile

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/device"
)

// status reads a case of the status format.
func (b *builder) status(data []byte) error {
	var j struct {
		Name, Op                         string
		GradOutput, Self, Target, Output *jsonTensor
		Reduction                        device.Reduction
		Code                             *device.Code
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return notJSON(err)
	}
	if j.Code == nil {
		return errors.New("the code is missing, which phase one must return")
	}
	c := Check{Name: j.Name, Code: *j.Code}
	inputs := []*jsonTensor{j.Self, j.Target}
	switch j.Op {
	case "forward":
		c.Op = device.SoftMarginLoss{Reduction: j.Reduction}
	case "backward":
		c.Op = device.SoftMarginLossBackward{Reduction: j.Reduction}
		inputs = append([]*jsonTensor{j.GradOutput}, inputs...)
	default:
		return fmt.Errorf("the op %.40q is neither forward nor backward", j.Op)
	}
	for k, in := range append(inputs, j.Output) {
		t, err := b.blank(in)
		if err != nil {
			return fmt.Errorf("%s: %w", argument(c.Op, k, len(inputs)), err)
		}
		if k == len(inputs) {
			c.Output = t
		} else {
			c.Inputs = append(c.Inputs, t)
		}
	}
	b.checks = append(b.checks, c)
	return nil
}

func argument(op device.Op, k, inputs int) string {
	if k == inputs {
		return "output"
	}
	return device.ArgName(op, k)
}

// blank is a tensor of ones, or a missing one.
func (b *builder) blank(j *jsonTensor) (calls.Tensor, error) {
	if j == nil {
		return calls.Tensor{}, nil
	}
	t, err := j.typed()
	if err == nil {
		t.Data, err = b.ones(t)
	}
	return t, err
}
