package measure

import (
	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Work that the reference may take: elements, and multiplications of matrix products.
const (
	mostElements = 1 << 17
	mostProducts = 1 << 23
)

// largestError compares the memory that a call left in its output with the reference, and
// returns the largest error in ulp. Of large outputs it looks at rows in the beginning, the middle and the end;
// a reduction takes all there is.
func largestError(c calls.Call, output []byte) (float64, error) {
	got := c.Result()
	got.Data = output
	op, divisor, reduced := parts(c)
	rows := c.Inputs[0].Shape
	if len(rows) != 2 {
		rows = c.Inputs[1].Shape // the gradient's first input may be a scalar
	}
	n, columns := rows[0], rows[1]
	step := max(1, mostElements/columns)
	if reduced {
		var total reference.Total
		for lo := 0; lo < n; lo += step {
			numbers, err := rowsOf(c, op, lo, min(step, n-lo))
			if err != nil {
				return 0, err
			}
			for _, x := range numbers {
				total.Add(x)
			}
		}
		return reference.Distance(got.Values()[0], total.Over(divisor), got.DType), nil
	}
	if rule, _ := reference.Lookup(c.Op.Name()); rule.Kind == reference.Matrices {
		step = max(1, mostProducts/(columns*columns))
	}
	starts := []int{0}
	if step = min(step, n); step < n {
		step = max(1, step/3)
		starts = []int{0, (n - step) / 2, n - step}
	}
	worst := 0.0
	for _, lo := range starts {
		numbers, err := rowsOf(c, op, lo, step)
		if err != nil {
			return 0, err
		}
		for i, x := range got.Crop(0, lo, step).Values() {
			want := reference.Number{Value: numbers[i].Value / divisor, Scale: numbers[i].Scale / divisor}
			worst = max(worst, reference.Distance(x, want, got.DType))
		}
	}
	return worst, nil
}

// parts returns the operation that makes the rows of c one by one, what its results are to be
// divided by, and whether they are to be summed.
func parts(c calls.Call) (op device.Op, divisor float64, reduced bool) {
	n := float64(device.Elements(c.Inputs[len(c.Inputs)-1].Shape))
	switch op := c.Op.(type) {
	case device.SoftMarginLoss:
		if op.Reduction != device.Mean {
			n = 1
		}
		return device.SoftMarginLoss{}, n, op.Reduction != device.None
	case device.SoftMarginLossBackward:
		if op.Reduction != device.Mean {
			n = 1
		}
		return device.SoftMarginLossBackward{}, n, false
	case device.ReduceSum:
		return device.Copy{}, 1, true
	}
	return c.Op, 1, false
}

// rowsOf computes n rows of the result from lo on.
func rowsOf(c calls.Call, op device.Op, lo, n int) ([]reference.Number, error) {
	rule, _ := reference.Lookup(op.Name())
	in := make([]reference.Tensor, len(c.Inputs))
	for i, t := range c.Inputs {
		if len(t.Shape) == 2 && (rule.Kind != reference.Matrices || i == 0) {
			t = t.Crop(0, lo, n)
		}
		in[i] = t.Reference()
	}
	return reference.Compute(op, in)
}
