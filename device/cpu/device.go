package cpu

import (
	"sync"

	"github.com/pullback-go/pullback/device"
)

// cpu is the device.
type cpu struct {
	name string
	pool *pool
	simd bool // use vector kernels where there are some

	open   sync.RWMutex // held for reading by whatever must finish before Close
	closed bool
}

func (d *cpu) Name() string { return d.name }

// Close waits for launches that run, and ends the pool's goroutines.
func (d *cpu) Close() error {
	d.open.Lock()
	defer d.open.Unlock()
	if !d.closed {
		d.closed = true
		d.pool.close()
	}
	return nil
}

// Plan checks the call and resolves it to an executor.
func (d *cpu) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	if err := d.check(op, inputs, output); err != nil {
		return nil, err
	}
	var p *program
	custom, _ := op.(device.Custom)
	switch {
	case custom != nil:
		var err error
		if p, err = planCustom(custom, inputs, output); err != nil {
			return nil, err
		}
	case len(inputs) == 0: // an operation the device does not know
	case output.DType == device.Float64 || inputs[0].DType == device.Float64: // only Cast has one without the other
		p = plan[float64](op, inputs, output)
	default:
		if d.simd {
			p = planVector(op, inputs, output)
		}
		if p == nil {
			p = plan[float32](op, inputs, output)
		}
	}
	if p == nil {
		return nil, &device.Error{Code: device.ErrUnsupported, Op: op.Name(),
			Reason: d.name + " has no such operation; use operations of package device, or give yours a kernel, see device.Custom"}
	}
	return &executor{program: *p, device: d, op: op.Name()}, nil
}

// check makes the checks of phase one.
func (d *cpu) check(op device.Op, inputs []device.View, output device.View) error {
	if err := device.Check(op, inputs, output); err != nil {
		return err
	}
	d.open.RLock()
	defer d.open.RUnlock()
	if d.closed {
		return device.Closed(op.Name())
	}
	for i, v := range inputs {
		if err := d.checkBuffer(op.Name(), device.ArgName(op, i), v.Buffer); err != nil {
			return err
		}
	}
	return d.checkBuffer(op.Name(), "output", output.Buffer)
}

// plan returns the program of an operation with the compute type F, nil if there
// is no such operation.
func plan[F float](op device.Op, inputs []device.View, output device.View) *program {
	switch op := op.(type) {
	case device.SoftMarginLoss:
		return planLoss(softMarginLoss[F], sum[F], costly, op.Reduction, inputs, output)
	case device.BCEWithLogits:
		return planLoss(bceWithLogits[F], sum[F], costly, op.Reduction, inputs, output)
	case device.SoftMarginLossBackward:
		return planLossBackward(softMarginLossBackward[F], op.Reduction, inputs, output)
	case device.BCEWithLogitsBackward:
		return planLossBackward(bceWithLogitsBackward[F], op.Reduction, inputs, output)
	case device.ReduceSum:
		return planReduce(plainSums[F](), op.Axes, false, inputs[0], output)
	case device.ReduceMean:
		return planReduce(plainSums[F](), op.Axes, true, inputs[0], output)
	case device.MatMul:
		return planMatMul[F](transposeIf(op.TransposeSelf, inputs[0]), transposeIf(op.TransposeOther, inputs[1]), nil, output)
	case device.Linear:
		return planMatMul[F](inputs[0], inputs[1], &inputs[2], output)
	case device.MaximumBackward:
		return planElementwise(maximumBackward[F], cheap, inputs, output)
	case device.Dropout:
		return planDropout(dropout[F], moderate, op, inputs[0], inputs[1], output)
	case device.Optimizer:
		return planOptimizer(optimizerKernel[F], op, inputs, output)
	case device.ViewOp:
		return planLayout[F](op, inputs[0], output)
	case device.Copy, device.Cast:
		return planCopy[F](inputs[0], output)
	}
	if kernel, cost := unaryKernel[F](op); kernel != nil {
		return planElementwise(unary(kernel), cost, inputs, output)
	}
	if kernel, cost := binaryKernel[F](op); kernel != nil {
		return planElementwise(binary(kernel), cost, inputs, output)
	}
	return nil
}
