package measure

import (
	"math"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Work that the reference may take: elements, and multiplications of matrix products.
const (
	mostElements = 1 << 17
	mostProducts = 1 << 23
)

// checker holds results to the reference. What the reference says of a point is kept until another one is
// asked for: the devices of a point come one after the other.
type checker struct {
	point Point
	want  [][]block // of each call
}

// block is what some rows of a result must be, or the whole of a reduced one.
type block struct {
	row, rows int
	want      []reference.Number
}

// check compares the memory that calls left in their outputs with the reference, and returns the largest error in
// ulp. It is wrong if it is more than the call may have.
func (k *checker) check(p Point, list []calls.Call, outputs [][]byte) (ulp float64, wrong bool, err error) {
	if k.want == nil || k.point != p {
		k.point, k.want = p, nil
		for _, c := range list {
			blocks, err := blocksOf(c)
			if err != nil {
				k.want = nil
				return 0, false, err
			}
			k.want = append(k.want, blocks)
		}
	}
	allowed := tolerances(list)
	for i, c := range list {
		result, worst := c.Result(), 0.0
		result.Data = outputs[i]
		for _, b := range k.want[i] {
			part := result
			if len(result.Shape) > 0 {
				part = result.Crop(0, b.row, b.rows)
			}
			for e, x := range part.Values() {
				worst = max(worst, reference.Distance(x, b.want[e], result.DType))
			}
		}
		ulp = max(ulp, worst)
		wrong = wrong || worst > allowed[i]
	}
	return ulp, wrong, nil
}

// tolerances are what verify allows. It leaves out optimizers, and so does this.
func tolerances(list []calls.Call) []float64 {
	list = slices.Clone(list)
	for i, c := range list {
		if rule, _ := reference.Lookup(c.Op.Name()); rule.Kind == reference.Loss {
			// One row of targets is like the others, and what they are broadcast to stays.
			inputs := slices.Clone(c.Inputs)
			last := len(inputs) - 1
			inputs[last] = inputs[last].Crop(0, 0, 1)
			list[i].Inputs = inputs
		}
	}
	allowed := calls.Tolerances(list)
	for i, c := range list {
		if _, updates := c.Op.(device.Updater); updates {
			allowed[i] = math.Inf(1)
		}
	}
	return allowed
}

// blocksOf computes what a call must leave. Of large outputs it looks at rows in the beginning, the middle and the
// end; a reduction takes all there is.
func blocksOf(c calls.Call) ([]block, error) {
	op, divisor, reduced := parts(c)
	shape := c.Inputs[0].Shape
	if len(shape) != 2 {
		shape = c.Inputs[1].Shape // the gradient's first input may be a scalar
	}
	n, columns := shape[0], shape[1]
	step := max(1, mostElements/columns)
	if reduced {
		var total reference.Total
		for lo := 0; lo < n; lo += step {
			numbers, err := rowsOf(c, op, lo, min(step, n-lo))
			if err != nil {
				return nil, err
			}
			for _, x := range numbers {
				total.Add(x)
			}
		}
		return []block{{want: []reference.Number{total.Over(divisor)}}}, nil
	}
	if rule, _ := reference.Lookup(c.Op.Name()); rule.Kind == reference.Matrices {
		step = max(1, mostProducts/(columns*columns))
	}
	starts := []int{0}
	if step = min(step, n); step < n {
		step = max(1, step/3)
		starts = []int{0, (n - step) / 2, n - step}
	}
	var blocks []block
	for _, lo := range starts {
		numbers, err := rowsOf(c, op, lo, step)
		if err != nil {
			return nil, err
		}
		for i := range numbers {
			numbers[i] = reference.Number{Value: numbers[i].Value / divisor, Scale: numbers[i].Scale / divisor}
		}
		blocks = append(blocks, block{lo, step, numbers})
	}
	return blocks, nil
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
	return reference.Compute(op, in, c.Result().DType)
}
