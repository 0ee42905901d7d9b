package cpu

import (
	"slices"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/cpu/internal/gemm"
	"github.com/pullback-go/pullback/device/cpu/internal/simd"
	"github.com/pullback-go/pullback/device/cpu/internal/simd512"
)

// vectorsAvailable reports whether there are vector kernels for this machine.
func vectorsAvailable() bool { return simd.Available() && gemm.Available() }

// planVector returns the program of an operation computed in float32 by vector
// kernels, nil if there are none for it.
func planVector(op device.Op, inputs []device.View, output device.View) *program {
	switch op := op.(type) {
	case device.MatMul:
		return planVectorProduct(transposeIf(op.TransposeSelf, inputs[0]), transposeIf(op.TransposeOther, inputs[1]), nil, output, gemm.Identity)
	case device.Linear:
		return planVectorProduct(inputs[0], inputs[1], &inputs[2], output, gemm.Identity)
	case device.SoftMarginLoss:
		if p := planHalfLoss(op.Reduction, inputs, output); p != nil {
			return p
		}
		return planVectorLoss(softMargin.loss, softMargin.sum, op.Reduction, inputs, output)
	case device.BCEWithLogits:
		return planVectorLoss(simd.BCEWithLogits, nil, op.Reduction, inputs, output)
	case device.SoftMarginLossBackward:
		if p := planHalfLossBackward(op.Reduction, inputs, output); p != nil {
			return p
		}
		return planVectorLossBackward(softMargin.backward, softMargin.past, softMargin.backwardVector, op.Reduction, inputs, output)
	case device.BCEWithLogitsBackward:
		return planVectorLossBackward(simd.BCEWithLogitsBackwardScalar, simd.BCEWithLogitsBackwardScalar, simd.BCEWithLogitsBackward, op.Reduction, inputs, output)
	case device.ReduceSum:
		return planReduceBy(vectorSums, op.Axes, false, inputs[0], output)
	case device.ReduceMean:
		return planReduceBy(vectorSums, op.Axes, true, inputs[0], output)
	case device.MaximumBackward:
		return planElementwise(simd.MaximumBackward, vectorCheap, inputs, output)
	case device.Optimizer:
		return planOptimizerBy(vectorOptimizer, op, inputs, output)
	}
	if kernel, cost := vectorUnary(op); kernel != nil {
		return planElementwise(unary(kernel), cost, inputs, output)
	}
	if kernel, cost := vectorBinary(op); kernel != nil {
		return planElementwise(binary(kernel), cost, inputs, output)
	}
	return nil
}

// vectorSums are the sums of a reduction, in the order of the plain ones.
var vectorSums = sums[float32]{block: simd.SumFloat64, addRow: simd.AddFloat64}

// What a vector kernel costs for one element, in the units of [cheap].
const (
	vectorCheap  = 1
	vectorCostly = 2
)

// vectorUnary is [unaryKernel] by vector kernels.
func vectorUnary(op device.Op) (kernel func(dst, a []float32), cost int) {
	switch op := op.(type) {
	case device.Neg:
		return simd.Neg, vectorCheap
	case device.Sqrt:
		return simd.Sqrt, vectorCheap
	case device.Square:
		return simd.Square, vectorCheap
	case device.Abs:
		return simd.Abs, vectorCheap
	case device.Sign:
		return simd.Sign, vectorCheap
	case device.ReLU:
		return simd.ReLU, vectorCheap
	case device.LeakyReLU:
		return func(dst, a []float32) { simd.LeakyReLU(dst, a, op.NegativeSlope) }, vectorCheap
	case device.Exp:
		return simd.Exp, vectorCostly
	case device.Log:
		return simd.Log, vectorCostly
	case device.Tanh:
		return simd.Tanh, vectorCostly
	case device.Sigmoid:
		return simd.Sigmoid, vectorCostly
	case device.GELU:
		return simd.GELU, vectorCostly
	case device.Softplus:
		return simd.Softplus, vectorCostly
	}
	return nil, 0
}

// vectorBinary is [binaryKernel] by vector kernels.
func vectorBinary(op device.Op) (kernel func(dst, a, b []float32), cost int) {
	switch op := op.(type) {
	case device.Add:
		return simd.Add, vectorCheap
	case device.Sub:
		return simd.Sub, vectorCheap
	case device.Mul:
		return simd.Mul, vectorCheap
	case device.Div:
		return simd.Div, vectorCheap
	case device.Maximum:
		return simd.Maximum, vectorCheap
	case device.ReLUBackward:
		return simd.ReLUBackward, vectorCheap
	case device.LeakyReLUBackward:
		return func(dst, a, b []float32) { simd.LeakyReLUBackward(dst, a, b, op.NegativeSlope) }, vectorCheap
	case device.TanhBackward:
		return simd.TanhBackward, vectorCheap
	case device.SigmoidBackward:
		return simd.SigmoidBackward, vectorCheap
	case device.GELUBackward:
		return simd.GELUBackward, vectorCostly
	}
	return nil, 0
}

// planVectorLoss is [planLoss] by vector kernels. Without a kernel for the sum of a
// block, the losses of a block are added up.
func planVectorLoss(loss func(dst, self, target []float32), sum func(self, target []float32) float64,
	r device.Reduction, inputs []device.View, output device.View) *program {
	if r == device.None {
		return planElementwise(binary(loss), vectorCostly, inputs, output)
	}
	shape, _ := device.Broadcast(inputs[0].Shape, inputs[1].Shape)
	e := newElementwise(binary(loss), inputs, shape)
	if sum == nil {
		return planLossSums(e, simd.SumFloat64, vectorCostly, r, output)
	}
	return planSums(e, func(start, n int, s scratch) float64 {
		in := e.blocks(start, n, nil, s)
		return sum(in[0], in[1])
	}, vectorCostly, r, output)
}

// planVectorLossBackward is [planLossBackward] by vector kernels: by scalar, which
// takes the norm times gradOutput, if that is one number (by past, which writes past
// the caches, if the gradient is large), else by vector. A mean
// over many gradOutputs is rare, and has one rounding more than the accuracy promised bears, so it
// is left to plain Go.
func planVectorLossBackward(scalar, past func(dst, self, target []float32, factor float32), vector func(dst, gradOutput, self, target []float32, norm float32),
	r device.Reduction, inputs []device.View, output device.View) *program {
	norm := lossNorm(r, output)
	e := newElementwise[float32](nil, inputs, output.Shape)
	if e.elements == 0 {
		return &program{}
	}
	if !e.inputs[0].layout.repeats() {
		if r == device.Mean {
			return nil
		}
		e.kernel = func(dst, gradOutput, self, target []float32) { vector(dst, gradOutput, self, target, 1) }
		return e.plan(vectorCostly, output)
	}
	gradOutput := scalarOf(inputs[0], 0)
	self, target, out := e.inputs[1], e.inputs[2], newOperand[float32](output)
	if self.direct && target.direct && out.direct { // a call for all blocks, as none of them needs scratch
		if e.elements >= pastCaches {
			scalar = past
		}
		return planPieces(e.elements, func(lo, hi int) {
			n := hi - lo
			scalar(out.flat[out.base+lo:][:n], self.flat[self.base+lo:][:n], target.flat[target.base+lo:][:n], float32(gradOutput()*norm))
		})
	}
	e.inputs = e.inputs[1:]
	e.kernel = func(dst, self, target, _ []float32) { scalar(dst, self, target, float32(gradOutput()*norm)) }
	return e.plan(vectorCostly, output)
}

// planVectorLossBoth computes the reduced loss and its gradient in one pass; the inputs
// are the gradient's, of which gradOutput is one number. Nil if the call is not for these kernels.
func planVectorLossBoth(r device.Reduction, inputs []device.View, loss, gradInput device.View) *program {
	if p := planHalfLossBoth(r, inputs, loss, gradInput); p != nil {
		return p
	}
	e := newElementwise[float32](nil, inputs[1:], gradInput.Shape)
	if e.elements == 0 || gradInput.DType == device.Float64 {
		return nil
	}
	gradOutput, norm, out := scalarOf(inputs[0], 0), lossNorm(r, gradInput), newOperand[float32](gradInput)
	return planSums(e, func(start, n int, s scratch) float64 {
		in := e.blocks(start, n, nil, s)
		dst := out.target(start, slot[float32](s, outputSlot)[:n])
		sum := softMargin.both(dst, in[0], in[1], float32(gradOutput()*norm))
		out.store(start, dst)
		return sum
	}, 2*vectorCostly, r, loss)
}

// planVectorLinear is a linear layer followed by ReLU, nil for float64.
func planVectorLinear(inputs []device.View, output device.View) *program {
	if output.DType == device.Float64 {
		return nil
	}
	return planVectorProduct(inputs[0], inputs[1], &inputs[2], output, gemm.ReLU)
}

// lossKernels are the kernels of a loss on elements of type E, float32 or the bits of a
// half type, which are converted in registers.
type lossKernels[E float32 | uint16] struct {
	loss           func(dst, self, target []E)
	sum            func(self, target []E) float64
	backward       func(dst, self, target []E, factor float32)
	backwardVector func(dst, gradOutput, self, target []E, norm float32)
	both           func(dst, self, target []E, factor float32) float64
}

// softMarginKernels are the kernels of the soft margin loss for one instruction set.
type softMarginKernels struct {
	lossKernels[float32]
	past   func(dst, self, target []float32, factor float32) // backward, past the caches
	halves map[device.DType]lossKernels[uint16]
}

// pastCaches is the number of elements from which on a gradient is written past the
// caches: 16 MiB, half of a large one.
const pastCaches = 1 << 22

// softMargin are the fastest kernels that this processor can run.
var softMargin = func() softMarginKernels {
	if simd512.Available() {
		return softMarginKernels{
			lossKernels[float32]{simd512.SoftMarginLoss, simd512.SoftMarginLossSum, simd512.SoftMarginLossBackward,
				simd512.SoftMarginLossBackwardVector, simd512.SoftMarginLossSumBackward},
			simd512.SoftMarginLossBackwardPast,
			map[device.DType]lossKernels[uint16]{
				device.Float16: {simd512.SoftMarginLossFloat16, simd512.SoftMarginLossSumFloat16, simd512.SoftMarginLossBackwardFloat16,
					simd512.SoftMarginLossBackwardVectorFloat16, simd512.SoftMarginLossSumBackwardFloat16},
				device.BFloat16: {simd512.SoftMarginLossBFloat16, simd512.SoftMarginLossSumBFloat16, simd512.SoftMarginLossBackwardBFloat16,
					simd512.SoftMarginLossBackwardVectorBFloat16, simd512.SoftMarginLossSumBackwardBFloat16},
			},
		}
	}
	return softMarginKernels{
		lossKernels[float32]{simd.SoftMarginLoss, simd.SoftMarginLossSum, simd.SoftMarginLossBackward,
			simd.SoftMarginLossBackwardVector, simd.SoftMarginLossSumBackward},
		simd.SoftMarginLossBackward,
		map[device.DType]lossKernels[uint16]{
			device.Float16: {simd.SoftMarginLossFloat16, simd.SoftMarginLossSumFloat16, simd.SoftMarginLossBackwardFloat16,
				simd.SoftMarginLossBackwardVectorFloat16, simd.SoftMarginLossSumBackwardFloat16},
			device.BFloat16: {simd.SoftMarginLossBFloat16, simd.SoftMarginLossSumBFloat16, simd.SoftMarginLossBackwardBFloat16,
				simd.SoftMarginLossBackwardVectorBFloat16, simd.SoftMarginLossSumBackwardBFloat16},
		},
	}
}()

// halves returns the elements of contiguous tensors of the same half type and shape, false if they are not that.
func halves(dtype device.DType, shape []int, views ...device.View) ([][]uint16, bool) {
	var data [][]uint16
	for _, v := range views {
		if v.DType != dtype || !slices.Equal(v.Shape, shape) || !v.IsContiguous() || device.Elements(shape) == 0 {
			return nil, false
		}
		data = append(data, typed[uint16](v.Buffer.(*buffer).mem)[v.Offset:][:device.Elements(shape)])
	}
	return data, true
}

// planHalfLoss computes the loss of contiguous tensors of a half type, nil if the call is not that.
func planHalfLoss(r device.Reduction, inputs []device.View, output device.View) *program {
	kernels, ok := softMargin.halves[inputs[0].DType]
	if !ok {
		return nil
	}
	if r == device.None {
		data, same := halves(output.DType, output.Shape, output, inputs[0], inputs[1])
		if !same {
			return nil
		}
		return planPieces(len(data[0]), func(lo, hi int) { kernels.loss(data[0][lo:hi], data[1][lo:hi], data[2][lo:hi]) })
	}
	data, same := halves(inputs[0].DType, inputs[0].Shape, inputs...)
	if !same {
		return nil
	}
	e := &elementwise[float32]{elements: len(data[0])}
	return planSums(e, func(start, n int, _ scratch) float64 {
		return kernels.sum(data[0][start:][:n], data[1][start:][:n])
	}, vectorCostly, r, output)
}

// planHalfLossBackward computes the gradient of contiguous tensors of a half type, nil
// if the call is not that, or a mean over many gradOutputs, see [planVectorLossBackward].
func planHalfLossBackward(r device.Reduction, inputs []device.View, output device.View) *program {
	kernels, ok := softMargin.halves[output.DType]
	data, same := halves(output.DType, output.Shape, output, inputs[1], inputs[2])
	if !ok || !same {
		return nil
	}
	dst, self, target := data[0], data[1], data[2]
	if device.Elements(inputs[0].Shape) == 1 {
		gradOutput, norm := scalarOf(inputs[0], 0), lossNorm(r, output)
		return planPieces(len(dst), func(lo, hi int) {
			kernels.backward(dst[lo:hi], self[lo:hi], target[lo:hi], float32(gradOutput()*norm))
		})
	}
	gradOutput, same := halves(output.DType, output.Shape, inputs[0])
	if !same || r == device.Mean {
		return nil
	}
	return planPieces(len(dst), func(lo, hi int) {
		kernels.backwardVector(dst[lo:hi], gradOutput[0][lo:hi], self[lo:hi], target[lo:hi], 1)
	})
}

// planHalfLossBoth is [planVectorLossBoth] for contiguous tensors of a half type.
func planHalfLossBoth(r device.Reduction, inputs []device.View, loss, gradInput device.View) *program {
	kernels, ok := softMargin.halves[gradInput.DType]
	data, same := halves(gradInput.DType, gradInput.Shape, gradInput, inputs[1], inputs[2])
	if !ok || !same {
		return nil
	}
	gradOutput, norm := scalarOf(inputs[0], 0), lossNorm(r, gradInput)
	e := &elementwise[float32]{elements: len(data[0])}
	return planSums(e, func(start, n int, _ scratch) float64 {
		return kernels.both(data[0][start:][:n], data[1][start:][:n], data[2][start:][:n], float32(gradOutput()*norm))
	}, 2*vectorCostly, r, loss)
}

// planPieces calls f for the elements from lo up to hi of as many pieces as threads take.
func planPieces(elements int, f func(lo, hi int)) *program {
	return &program{phases: []phase{{parts: blocks(elements), cost: elements * vectorCostly, run: func(lo, hi int, _ []byte, _ scratch) {
		f(lo*blockSize, min(hi*blockSize, elements))
	}}}}
}

// vectorOptimizer is [optimizerKernel] by vector kernels.
func vectorOptimizer(op device.Optimizer) (prepare func(lr, step float64) scalars, _ update[float32]) {
	prepare, _ = optimizerKernel[float32](op)
	switch op := op.(type) {
	case device.SGD:
		k := simd.SGD{Decay: float32(op.WeightDecay), Momentum: float32(op.Momentum), Undamped: float32(1 - op.Dampening), Nesterov: op.Nesterov}
		return prepare, func(x scalars, param, grad []float32, state [3][]float32) {
			k := k
			k.Rate, k.First = float32(x.rate), x.first
			k.Update(param, grad, state[0])
		}
	case device.Adam:
		k := simd.Adam{Beta1: float32(op.Beta1), Rest1: float32(1 - op.Beta1), Beta2: float32(op.Beta2), Rest2: float32(1 - op.Beta2),
			Decay: float32(op.WeightDecay), Epsilon: float32(op.Epsilon)}
		if op.Decoupled {
			k.Decay = 0
		}
		return prepare, func(x scalars, param, grad []float32, state [3][]float32) {
			k := k
			k.Rate, k.Bias, k.Keep = float32(x.rate), float32(x.bias), 1
			if op.Decoupled {
				k.Keep = float32(x.keep)
			}
			k.Update(param, grad, state[0], state[1], state[2])
		}
	case device.RMSprop:
		k := simd.RMSprop{Decay: float32(op.WeightDecay), Alpha: float32(op.Alpha), Rest: float32(1 - op.Alpha),
			Epsilon: float32(op.Epsilon), Momentum: float32(op.Momentum)}
		return prepare, func(x scalars, param, grad []float32, state [3][]float32) {
			k := k
			k.Rate = float32(x.rate)
			mean, buf := state[1], state[2]
			if !op.Centered {
				mean, buf = nil, state[1]
			}
			k.Update(param, grad, state[0], mean, buf)
		}
	case device.Adagrad:
		k := simd.Adagrad{Decay: float32(op.WeightDecay), Epsilon: float32(op.Epsilon)}
		return prepare, func(x scalars, param, grad []float32, state [3][]float32) {
			k := k
			k.Rate = float32(x.rate)
			k.Update(param, grad, state[0])
		}
	}
	return nil, nil
}

// vectorTranspose transposes a matrix, see [gemm.Transpose].
var vectorTranspose = gemm.Transpose

// vectorHalves returns the conversions of a half type.
func vectorHalves(d device.DType) (decode func(dst []float32, src []uint16), encode func(dst []uint16, src []float32)) {
	if d == device.Float16 {
		return simd.Float16ToFloat32, simd.Float32ToFloat16
	}
	return simd.BFloat16ToFloat32, simd.Float32ToBFloat16
}
