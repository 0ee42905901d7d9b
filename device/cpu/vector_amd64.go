package cpu

import (
	"slices"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/cpu/internal/gemm"
	"github.com/pullback-go/pullback/device/cpu/internal/simd"
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
		return planSoftMarginLoss(op.Reduction, inputs, output)
	case device.BCEWithLogits:
		return planLoss(simd.BCEWithLogits, simd.SumFloat64, vectorCostly, op.Reduction, inputs, output)
	case device.SoftMarginLossBackward:
		if p := planHalfLossBackward(op.Reduction, inputs, output); p != nil {
			return p
		}
		kernels := softMargin
		if allHalves(inputs, output) {
			kernels = &simd.SoftMarginDecoded
		}
		return planVectorLossBackward(kernels.Backward, kernels.BackwardPast, kernels.BackwardVector, op.Reduction, inputs, output)
	case device.BCEWithLogitsBackward:
		if op.Reduction == device.Mean && device.Elements(inputs[0].Shape) > 1 {
			return nil // rare, and one rounding more than the accuracy promised bears
		}
		return planVectorLossBackward(simd.BCEWithLogitsBackwardScalar, simd.BCEWithLogitsBackwardScalar, simd.BCEWithLogitsBackward, op.Reduction, inputs, output)
	case device.ReduceSum:
		return planReduce(vectorSums, op.Axes, false, inputs[0], output)
	case device.ReduceMean:
		return planReduce(vectorSums, op.Axes, true, inputs[0], output)
	case device.MaximumBackward:
		return planElementwise(simd.MaximumBackward, vectorCheap, inputs, output)
	case device.Dropout:
		return planDropout(vectorDropout, 2*vectorCostly, op, inputs[0], inputs[1], output)
	case device.Optimizer:
		return planOptimizer(vectorOptimizer, op, inputs, output)
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

// vectorDropout is [dropout] by a vector kernel, to the bit.
func vectorDropout(dst, src []float32, key0, key1 float32, start int, p float64) {
	simd.Dropout(dst, src, device.DropoutSeed(key0, key1), start, p)
}

// planSoftMarginLoss is [planLoss] for the soft margin loss, which has kernels of its own for sums and halves.
func planSoftMarginLoss(r device.Reduction, inputs []device.View, output device.View) *program {
	if p := planHalfLoss(r, inputs, output); p != nil {
		return p
	}
	if r == device.None {
		return planElementwise(binary(softMargin.Loss), vectorCostly, inputs, output)
	}
	shape, _ := device.Broadcast(inputs[0].Shape, inputs[1].Shape)
	e := newElementwise[float32](nil, inputs, shape)
	if e.elements > 0 && e.inputs[0].direct && e.inputs[1].direct {
		self, target := inPlace(e.inputs[0], e.elements), inPlace(e.inputs[1], e.elements)
		return planLossParts(e.elements, vectorCostly, func(lo, hi int, sums []float64) {
			softMargin.Sums(self[lo:hi], target[lo:hi], sums)
		}, r, output)
	}
	return planSums(e, func(start, n int, s scratch) float64 {
		in, sums := e.blocks(start, n, s), slot[float64](s, sumSlot)[:1]
		softMargin.Sums(in[0], in[1], sums)
		return sums[0]
	}, vectorCostly, r, output)
}

// inPlace returns the elements of a direct operand.
func inPlace(o operand[float32], elements int) []float32 { return o.flat[o.base:][:elements] }

// planLossParts adds up what f stores: the sum of every block from element lo up to hi. A call for many blocks
// saves the time from a block's last loss to its sum, which passes beside the next block's first losses.
func planLossParts(elements, cost int, f func(lo, hi int, sums []float64), r device.Reduction, output device.View) *program {
	t := newTotals[float32](1, elements, r == device.Mean, output)
	return t.plan(phase{parts: t.blocks, cost: elements * cost, run: func(lo, hi int, workspace []byte, s scratch) {
		sums := slot[float64](s, sumSlot)
		for n := 0; lo < hi; lo += n {
			n = min(hi-lo, len(sums))
			f(lo*blockSize, min((lo+n)*blockSize, elements), sums[:n])
			t.put(0, lo, sums[:n], workspace, s)
		}
	}})
}

// Kernels sum up blocks.
var _ = [1]struct{}{}[blockSize-simd.Part]

// planVectorLossBackward is [planLossBackward] by vector kernels: by scalar, which
// takes the norm times gradOutput, if that has one element (by past, which writes past
// the caches, if the gradient is large), else by vector, even if all its elements are the
// same one: how it is laid out must not show in the bits.
func planVectorLossBackward(scalar, past func(dst, self, target []float32, factor float32), vector func(dst, gradOutput, self, target []float32, norm float32),
	r device.Reduction, inputs []device.View, output device.View) *program {
	norm := lossNorm(r, output)
	e := newElementwise[float32](nil, inputs, output.Shape)
	if e.elements == 0 {
		return &program{}
	}
	if device.Elements(inputs[0].Shape) > 1 {
		e.kernel = func(dst, gradOutput, self, target []float32) { vector(dst, gradOutput, self, target, float32(norm)) }
		return e.plan(vectorCostly, output)
	}
	gradOutput := scalarOf(inputs[0], 0)
	if out := newOperand[float32](output); e.inputs[1].direct && e.inputs[2].direct && out.direct { // a call for all blocks, as none of them needs scratch
		if e.elements >= pastCaches {
			scalar = past
		}
		dst, self, target := inPlace(out, e.elements), inPlace(e.inputs[1], e.elements), inPlace(e.inputs[2], e.elements)
		return planPieces(e.elements, func(lo, hi int) {
			scalar(dst[lo:hi], self[lo:hi], target[lo:hi], float32(gradOutput()*norm))
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
	if e.inputs[0].direct && e.inputs[1].direct && out.direct {
		dst, self, target := inPlace(out, e.elements), inPlace(e.inputs[0], e.elements), inPlace(e.inputs[1], e.elements)
		both := softMargin.SumsBackward
		if e.elements >= pastCaches {
			both = softMargin.SumsBackwardPast
		}
		return planLossParts(e.elements, 2*vectorCostly, func(lo, hi int, sums []float64) {
			both(dst[lo:hi], self[lo:hi], target[lo:hi], float32(gradOutput()*norm), sums)
		}, r, loss)
	}
	for i := range e.inputs {
		e.inputs[i].notInPlaceOf(gradInput)
	}
	return planSums(e, func(start, n int, s scratch) float64 {
		in, sums := e.blocks(start, n, s), slot[float64](s, sumSlot)[:1]
		dst := out.target(start, slot[float32](s, outputSlot)[:n])
		softMargin.SumsBackward(dst, in[0], in[1], float32(gradOutput()*norm), sums)
		out.store(start, dst)
		return sums[0]
	}, 2*vectorCostly, r, loss)
}

// planVectorLinear is a linear layer followed by ReLU, nil for float64.
func planVectorLinear(inputs []device.View, output device.View) *program {
	if output.DType == device.Float64 {
		return nil
	}
	return planVectorProduct(inputs[0], inputs[1], &inputs[2], output, gemm.ReLU)
}

// pastCaches is the number of elements from which on a gradient is written past the
// caches: 16 MiB, half of a large one.
const pastCaches = 1 << 22

// softMargin are the kernels of the soft margin loss on float32, and softMarginHalves those on the bits of a
// half type, which are converted in registers.
var (
	softMargin       = &simd.SoftMarginFloat32
	softMarginHalves = map[device.DType]*simd.SoftMarginLoss[uint16]{
		device.Float16:  &simd.SoftMarginFloat16,
		device.BFloat16: &simd.SoftMarginBFloat16,
	}
)

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

// allHalves reports whether the tensors of a loss gradient have one half type, but for a gradOutput of one
// element: what kernels compute must not depend on how the tensors are laid out.
func allHalves(inputs []device.View, output device.View) bool {
	if _, ok := softMarginHalves[output.DType]; !ok {
		return false
	}
	return inputs[1].DType == output.DType && inputs[2].DType == output.DType &&
		(device.Elements(inputs[0].Shape) == 1 || inputs[0].DType == output.DType)
}

// planHalfLoss computes the loss of contiguous tensors of a half type, nil if the call is not that.
func planHalfLoss(r device.Reduction, inputs []device.View, output device.View) *program {
	kernels, ok := softMarginHalves[inputs[0].DType]
	if !ok {
		return nil
	}
	if r == device.None {
		data, same := halves(output.DType, output.Shape, output, inputs[0], inputs[1])
		if !same {
			return nil
		}
		return planPieces(len(data[0]), func(lo, hi int) { kernels.Loss(data[0][lo:hi], data[1][lo:hi], data[2][lo:hi]) })
	}
	data, same := halves(inputs[0].DType, inputs[0].Shape, inputs...)
	if !same {
		return nil
	}
	self, target := data[0], data[1]
	return planLossParts(len(self), vectorCostly, func(lo, hi int, sums []float64) {
		kernels.Sums(self[lo:hi], target[lo:hi], sums)
	}, r, output)
}

// planHalfLossBackward computes the gradient of contiguous tensors of a half type, nil if the call is not that.
func planHalfLossBackward(r device.Reduction, inputs []device.View, output device.View) *program {
	kernels, ok := softMarginHalves[output.DType]
	data, same := halves(output.DType, output.Shape, output, inputs[1], inputs[2])
	if !ok || !same {
		return nil
	}
	dst, self, target := data[0], data[1], data[2]
	if device.Elements(inputs[0].Shape) == 1 {
		gradOutput, norm := scalarOf(inputs[0], 0), lossNorm(r, output)
		return planPieces(len(dst), func(lo, hi int) {
			kernels.Backward(dst[lo:hi], self[lo:hi], target[lo:hi], float32(gradOutput()*norm))
		})
	}
	gradOutput, same := halves(output.DType, output.Shape, inputs[0])
	if !same {
		return nil
	}
	norm := float32(lossNorm(r, output))
	return planPieces(len(dst), func(lo, hi int) {
		kernels.BackwardVector(dst[lo:hi], gradOutput[0][lo:hi], self[lo:hi], target[lo:hi], norm)
	})
}

// planHalfLossBoth is [planVectorLossBoth] for contiguous tensors of a half type.
func planHalfLossBoth(r device.Reduction, inputs []device.View, loss, gradInput device.View) *program {
	kernels, ok := softMarginHalves[gradInput.DType]
	data, same := halves(gradInput.DType, gradInput.Shape, gradInput, inputs[1], inputs[2])
	if !ok || !same {
		return nil
	}
	gradOutput, norm := scalarOf(inputs[0], 0), lossNorm(r, gradInput)
	dst, self, target := data[0], data[1], data[2]
	return planLossParts(len(dst), 2*vectorCostly, func(lo, hi int, sums []float64) {
		kernels.SumsBackward(dst[lo:hi], self[lo:hi], target[lo:hi], float32(gradOutput()*norm), sums)
	}, r, loss)
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

// vectorHalves returns the conversions of a half type.
func vectorHalves(d device.DType) (decode func(dst []float32, src []uint16), encode func(dst []uint16, src []float32)) {
	if d == device.Float16 {
		return simd.Float16ToFloat32, simd.Float32ToFloat16
	}
	return simd.BFloat16ToFloat32, simd.Float32ToBFloat16
}
