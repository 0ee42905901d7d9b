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

// readPointwise reads the rest of the object. Its names may come in any order, so rows are kept
// as they are until all has been read.
func (f *File) readPointwise() error {
	f.Format = Pointwise
	var dtype string
	var rows []json.RawMessage
	for f.more() {
		f.source.allow(maxRowBytes)
		name, err := f.json.Token()
		if err != nil {
			return f.wrong(err)
		}
		switch name {
		case "rows":
			if rows, err = f.readRows(rows); err != nil {
				return err
			}
		case "dtype":
			raw, err := f.value(maxRowBytes)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(raw, &dtype); err != nil {
				return notJSON(err)
			}
		default:
			if _, err := f.value(maxCaseBytes); err != nil {
				return err
			}
		}
	}
	if err := f.end(); err != nil {
		return err
	}
	d, err := device.ParseDType(dtype)
	if err != nil {
		return fmt.Errorf("the dtype %.40q is not one of float32, float16, bfloat16, float64", dtype)
	}
	if len(rows) == 0 {
		return errors.New(`there are no rows; "rows" is a list of [self, target, loss, gradient]`)
	}
	f.rows, err = pointwise(d, rows)
	return err
}

func (f *File) readRows(rows []json.RawMessage) ([]json.RawMessage, error) {
	if t, err := f.json.Token(); err != nil {
		return nil, f.wrong(err)
	} else if t != json.Delim('[') {
		return nil, errors.New(`"rows" is no list of [self, target, loss, gradient]`)
	}
	for f.more() {
		raw, err := f.value(maxRowBytes)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		if rows = append(rows, raw); len(rows) > maxRows {
			return nil, fmt.Errorf("there are more than the %d rows that can be handled", maxRows)
		}
	}
	if _, err := f.json.Token(); err != nil {
		return nil, f.wrong(err)
	}
	return rows, nil
}

// pointwise makes the two calls that rows are checked with.
func pointwise(d device.DType, rows []json.RawMessage) (*Case, error) {
	var columns [4][]byte
	size := d.Size()
	for i, row := range rows {
		bits, err := parseBits(row, d)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		if len(bits) != len(columns)*size {
			return nil, fmt.Errorf("row %d has %d numbers where self, target, loss and gradient are needed", i+1, len(bits)/size)
		}
		for k := range columns {
			columns[k] = append(columns[k], bits[k*size:(k+1)*size]...)
		}
	}
	shape := []int{len(rows)}
	vector := func(data []byte) calls.Tensor {
		return calls.Tensor{DType: d, Shape: shape, Strides: []int{1}, Data: data}
	}
	self, target := vector(columns[0]), vector(columns[1])
	one := calls.New(d, []int{}, []float64{1})
	blank := vector(make([]byte, len(columns[0])))

	c := &Case{Rows: len(rows)}
	x, y := self.Values(), target.Values()
	add := func(name string, op device.Op, want []byte, scale func(self, target float64) float64, inputs ...calls.Tensor) {
		numbers := make([]reference.Number, len(rows))
		w := devicetest.Decode(want, d)
		for i := range numbers {
			numbers[i] = reference.Number{Value: w[i], Scale: math.Abs(w[i])}
			// A product that is rounded first may move the result by |self·target|·2^-24 of itself in float32, and by
			// |self·target|·2^-53 in float64: that is as many ulps as |self·target|, beside those of [reference.Tolerance].
			if margin := math.Abs(x[i] * y[i]); d.Size() >= 4 && math.Abs(y[i]) != 1 && !math.IsInf(margin, 0) && !math.IsNaN(margin) {
				numbers[i].Scale = max(scale(x[i], y[i]), math.Abs(w[i])*(1+margin/reference.Tolerance(op, d, 1)))
			}
		}
		c.Checks = append(c.Checks, Check{Call: calls.Call{Op: op, Inputs: inputs, Output: blank}, Name: name, Want: numbers})
	}
	add("loss", device.SoftMarginLoss{}, columns[2], func(x, y float64) float64 { return reference.SoftMargin(x, y, d).Scale }, self, target)
	add("gradient", device.SoftMarginLossBackward{}, columns[3],
		func(x, y float64) float64 { return reference.SoftMarginGradient(1, x, y, d).Scale }, one, self, target)
	return c, nil
}
