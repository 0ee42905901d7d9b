package casefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

func readPointwise(data []byte) (*File, error) {
	var j struct {
		DType string
		Rows  [][]string
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, notJSON(err)
	}
	d, err := device.ParseDType(j.DType)
	if err != nil {
		return nil, fmt.Errorf("the dtype %.40q is not one of float32, float16, bfloat16, float64", j.DType)
	}
	if len(j.Rows) == 0 {
		return nil, errors.New(`there are no rows; "rows" is a list of [self, target, loss, gradient]`)
	}
	if len(j.Rows) > maxElements {
		return nil, fmt.Errorf("%d rows are more than the %d that can be handled", len(j.Rows), maxElements)
	}
	var columns [4][]byte
	for i, row := range j.Rows {
		if len(row) != len(columns) {
			return nil, fmt.Errorf("row %d has %d numbers where self, target, loss and gradient are needed", i+1, len(row))
		}
		for k, s := range row {
			bits, err := parseBits([]string{s}, d)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+1, err)
			}
			columns[k] = append(columns[k], bits...)
		}
	}
	shape := []int{len(j.Rows)}
	vector := func(data []byte) calls.Tensor {
		return calls.Tensor{DType: d, Shape: shape, Strides: []int{1}, Data: data}
	}
	self, target := vector(columns[0]), vector(columns[1])
	one := calls.New(d, []int{}, []float64{1})
	blank := vector(make([]byte, len(columns[0])))

	f := &File{Format: Pointwise, Cases: len(j.Rows)}
	add := func(name string, op device.Op, want []byte, scale func(self, target float64) float64, inputs ...calls.Tensor) {
		numbers := make([]reference.Number, len(j.Rows))
		x, y, w := self.Values(), target.Values(), devicetest.Decode(want, d)
		for i := range numbers {
			numbers[i] = reference.Number{Value: w[i], Scale: math.Abs(w[i])}
			// A product that is rounded first may move the result by |self·target|·2^-24 of itself.
			if margin := math.Abs(x[i] * y[i]); math.Abs(y[i]) != 1 && !math.IsInf(margin, 0) && !math.IsNaN(margin) {
				numbers[i].Scale = max(scale(x[i], y[i]), math.Abs(w[i])*(1+margin/2))
			}
		}
		f.Checks = append(f.Checks, Check{Call: calls.Call{Op: op, Inputs: inputs, Output: blank}, Name: name, PerElement: true, Want: numbers})
	}
	add("loss", device.SoftMarginLoss{}, columns[2], func(x, y float64) float64 { return reference.SoftMargin(x, y).Scale }, self, target)
	add("gradient", device.SoftMarginLossBackward{}, columns[3],
		func(x, y float64) float64 { return reference.SoftMarginGradient(1, x, y).Scale }, one, self, target)
	return f, nil
}
