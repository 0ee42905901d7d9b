package ascend

import (
	"math"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// steps appends the calls of an operation on operands that have passed [device.Check].
type steps func(r *recipe, in []operand, out operand)

// stepsOf returns the recipe of an operation, nil if there is none.
func stepsOf(op device.Op, stableLoss bool) steps {
	switch op := op.(type) {
	case device.Square:
		return func(r *recipe, in []operand, out operand) { r.elementwise("aclnnMul", []operand{in[0], in[0]}, out) }
	case device.Add:
		return func(r *recipe, in []operand, out operand) { r.elementwise("aclnnAdd", in, out, 1.0) }
	case device.Sub:
		return func(r *recipe, in []operand, out operand) { r.elementwise("aclnnSub", in, out, 1.0) }
	case device.ReLUBackward:
		return func(r *recipe, in []operand, out operand) {
			r.elementwise("aclnnThresholdBackward", r.broadcastAll(in), out, 0.0)
		}
	case device.TanhBackward:
		return func(r *recipe, in []operand, out operand) {
			r.elementwise("aclnnTanhBackward", r.broadcastAll(in), out)
		}
	case device.SigmoidBackward:
		return func(r *recipe, in []operand, out operand) {
			r.elementwise("aclnnSigmoidBackward", r.broadcastAll(in), out)
		}
	case device.LeakyReLU:
		return func(r *recipe, in []operand, out operand) { r.elementwise("aclnnLeakyRelu", in, out, op.NegativeSlope) }
	case device.LeakyReLUBackward:
		return func(r *recipe, in []operand, out operand) {
			r.elementwise("aclnnLeakyReluBackward", r.broadcastAll(in), out, op.NegativeSlope, false)
		}
	case device.GELU:
		return gelu
	case device.GELUBackward:
		return geluBackward
	case device.Softplus:
		return func(r *recipe, in []operand, out operand) { r.softplus(r.cast(in[0], acl.Float), out) }
	case device.MaximumBackward:
		return maximumBackward
	case device.Cast, device.Copy:
		return func(r *recipe, in []operand, out operand) { r.copy(in[0], out) }
	case device.Reshape:
		return func(r *recipe, in []operand, out operand) { r.reshape(in[0], out) }
	case device.Transpose:
		return func(r *recipe, in []operand, out operand) {
			r.copy(in[0].as(in[0].view().Transpose(op.Permutation.Slice())), out)
		}
	case device.BroadcastTo:
		return func(r *recipe, in []operand, out operand) { r.copy(in[0].as(in[0].view().BroadcastTo(out.shape)), out) }
	case device.ReduceSum:
		return func(r *recipe, in []operand, out operand) {
			r.reduce("aclnnReduceSum", op.Axes, op.KeepDims, in[0], out)
		}
	case device.ReduceMean:
		return func(r *recipe, in []operand, out operand) { r.reduce("aclnnMean", op.Axes, op.KeepDims, in[0], out) }
	case device.MatMul:
		return func(r *recipe, in []operand, out operand) {
			r.matMul(transposedIf(op.TransposeSelf, in[0]), transposedIf(op.TransposeOther, in[1]), none, out)
		}
	case device.Linear:
		return func(r *recipe, in []operand, out operand) { r.matMul(in[0], in[1], in[2], out) }
	case device.SoftMarginLoss:
		if stableLoss {
			return func(r *recipe, in []operand, out operand) { r.stableLoss(op.Reduction, in, out) }
		}
		return func(r *recipe, in []operand, out operand) {
			r.call("aclnnSoftMarginLoss", in[0], in[1], int64(op.Reduction), out)
		}
	case device.SoftMarginLossBackward:
		if stableLoss {
			return func(r *recipe, in []operand, out operand) { r.stableLossBackward(op.Reduction, in, out) }
		}
		return func(r *recipe, in []operand, out operand) {
			r.call("aclnnSoftMarginLossBackward", in[0], in[1], in[2], int64(op.Reduction), out)
		}
	case device.BCEWithLogits:
		return func(r *recipe, in []operand, out operand) {
			r.bceWithLogits("aclnnBinaryCrossEntropyWithLogits", op.Reduction, in, out)
		}
	case device.BCEWithLogitsBackward:
		return func(r *recipe, in []operand, out operand) {
			r.bceWithLogits("aclnnBinaryCrossEntropyWithLogitsBackward", op.Reduction, in, out)
		}
	case device.SGD:
		return func(r *recipe, in []operand, _ operand) { r.sgd(op, in) }
	case device.Adam:
		return func(r *recipe, in []operand, _ operand) { r.adam(op, in) }
	case device.RMSprop:
		return func(r *recipe, in []operand, _ operand) { r.rmsprop(op, in) }
	case device.Adagrad:
		return func(r *recipe, in []operand, _ operand) { r.adagrad(op, in) }
	}
	if name := operatorName(op); name != "" {
		return func(r *recipe, in []operand, out operand) { r.elementwise(name, in, out) }
	}
	return nil
}

// operatorName returns the aclnn operator that computes the operation from its
// inputs alone, "" if there is none.
func operatorName(op device.Op) string {
	switch op.(type) {
	case device.Neg:
		return "aclnnNeg"
	case device.Exp:
		return "aclnnExp"
	case device.Log:
		return "aclnnLog"
	case device.Sqrt:
		return "aclnnSqrt"
	case device.Abs:
		return "aclnnAbs"
	case device.Sign:
		return "aclnnSign"
	case device.Tanh:
		return "aclnnTanh"
	case device.Sigmoid:
		return "aclnnSigmoid"
	case device.ReLU:
		return "aclnnRelu"
	case device.Mul:
		return "aclnnMul"
	case device.Div:
		return "aclnnDiv"
	case device.Maximum:
		return "aclnnMaximum"
	}
	return ""
}

// elementwise appends an operator that takes the inputs, attributes and the output.
func (r *recipe) elementwise(name string, in []operand, out operand, attributes ...any) {
	dtype := computed(out, in...)
	var args []any
	for _, x := range r.castAll(in, dtype) {
		args = append(args, x)
	}
	args = append(args, attributes...)
	r.store(out, dtype, func(out operand) { r.to(out, name, args...) })
}

// broadcastAll returns the inputs as views of the shape in which they meet, for
// operators that do not broadcast.
func (r *recipe) broadcastAll(in []operand) []operand {
	shape := broadcast(in...)
	views := make([]operand, len(in))
	for i, x := range in {
		views[i] = x.as(x.view().BroadcastTo(shape))
	}
	return views
}

// copy appends a copy, which casts where the dtypes differ.
func (r *recipe) copy(x, out operand) {
	if !x.same(out) {
		r.call("aclnnInplaceCopy", out, x)
	}
}

// reshape copies x in row-major order to out, which has another shape. Where strides
// can express neither under the shape of the other, it goes through contiguous memory.
func (r *recipe) reshape(x, out operand) {
	if v, ok := x.view().Reshape(out.shape); ok {
		r.copy(x.as(v), out)
		return
	}
	if v, ok := out.view().Reshape(x.shape); ok {
		r.copy(x, out.as(v))
		return
	}
	row := r.temp(x.dtype, x.shape)
	r.copy(x, row)
	row.shape, row.strides = out.shape, device.RowMajor(out.shape)
	r.copy(row, out)
}

// reduce appends a sum or mean. Of no axes it is a copy; CANN would take all.
func (r *recipe) reduce(name string, axes device.AxisSet, keepDims bool, x, out operand) {
	var dims []int
	for i := range x.shape {
		if axes.Contains(i) {
			dims = append(dims, i)
		}
	}
	if len(dims) == 0 {
		r.copy(x, out)
		return
	}
	dtype := computed(out, x)
	x = r.cast(x, dtype)
	r.store(out, dtype, func(out operand) { r.call(name, x, dims, keepDims, out.dtype, out) })
}

func transposedIf(transpose bool, x operand) operand {
	if transpose {
		return x.transposed()
	}
	return x
}

// keepDType is the cubeMathType that computes in the operands' own dtype.
const keepDType int8 = 0

// matMul appends a·b + bias, without bias if that is none.
func (r *recipe) matMul(a, b, bias, out operand) {
	dtype := computed(out, a, b)
	if bias.buffer != nil {
		dtype = computed(out, a, b, bias)
	}
	a, b, bias = r.cast(a, dtype), r.cast(b, dtype), r.cast(bias, dtype)
	switch {
	case a.shape[1] > 0 && bias.buffer == nil:
		r.store(out, dtype, func(out operand) { r.call("aclnnMatmul", a, b, out, keepDType) })
	case a.shape[1] > 0:
		r.store(out, dtype, func(out operand) { r.call("aclnnAddmm", bias, a, b, 1.0, 1.0, out, keepDType) })
	case bias.buffer == nil: // a sum of no terms; of empty tensors CANN's documentation says nothing
		r.call("aclnnInplaceZero", out)
	default:
		r.copy(bias.as(bias.view().BroadcastTo(out.shape)), out)
	}
}

// bceWithLogits appends the loss or its gradient: the inputs in one shape, in
// float32, without weights.
func (r *recipe) bceWithLogits(name string, reduction device.Reduction, in []operand, out operand) {
	var args []any
	for _, x := range r.castAll(r.broadcastAll(in), acl.Float) {
		args = append(args, x)
	}
	r.store(out, acl.Float, func(out operand) { r.to(out, name, append(args, none, none, int64(reduction))...) })
}

// softplus appends max(x, 0) + log1p(e^-|x|) of a float32 x.
func (r *recipe) softplus(x, out operand) {
	t := r.to(r.float(x.shape), "aclnnAbs", x)
	r.call("aclnnNeg", t, t)
	r.call("aclnnExp", t, t)
	r.call("aclnnLog1p", t, t)
	positive := r.to(r.float(x.shape), "aclnnRelu", x)
	r.store(out, acl.Float, func(out operand) { r.call("aclnnAdd", positive, t, 1.0, out) })
}

// stableLoss appends softplus(-target·self), reduced.
func (r *recipe) stableLoss(reduction device.Reduction, in []operand, out operand) {
	in = r.castAll(in, acl.Float)
	shape := broadcast(in...)
	margin := r.to(r.float(shape), "aclnnMul", in[0], in[1])
	r.call("aclnnNeg", margin, margin)
	if reduction == device.None {
		r.softplus(margin, out)
		return
	}
	losses := r.float(shape)
	r.softplus(margin, losses)
	name := "aclnnReduceSum"
	if reduction == device.Mean {
		name = "aclnnMean"
	}
	losses.shape, losses.strides = []int{losses.elements()}, []int{1} // rank 0 has no axis to reduce
	r.store(out, acl.Float, func(out operand) { r.reduce(name, device.AllAxes(1), false, losses, out) })
}

// stableLossBackward appends -target·sigmoid(-target·self)·norm·gradOutput.
func (r *recipe) stableLossBackward(reduction device.Reduction, in []operand, out operand) {
	in = r.castAll(in, acl.Float)
	gradOutput, self, target := in[0], in[1], in[2]
	norm := 1.0
	if reduction == device.Mean {
		norm = 1 / float64(out.elements())
	}
	t := r.to(r.float(broadcast(self, target)), "aclnnMul", self, target)
	r.call("aclnnNeg", t, t)
	r.call("aclnnSigmoid", t, t)
	r.call("aclnnMul", t, target, t)
	r.call("aclnnMuls", t, -norm, t)
	r.store(out, acl.Float, func(out operand) { r.call("aclnnMul", t, gradOutput, out) })
}

// gelu appends self · erfc(-self/√2) / 2, which does not cancel for negative self.
func gelu(r *recipe, in []operand, out operand) {
	x := r.cast(in[0], acl.Float)
	t := r.to(r.float(x.shape), "aclnnMuls", x, -math.Sqrt2/2)
	r.call("aclnnErfc", t, t)
	r.call("aclnnMuls", t, 0.5, t)
	r.store(out, acl.Float, func(out operand) { r.call("aclnnMul", t, x, out) })
}

// geluBackward appends gradOutput · (erfc(-self/√2)/2 + self · e^(-self²/2)/√2π).
func geluBackward(r *recipe, in []operand, out operand) {
	in = r.castAll(in, acl.Float)
	gradOutput, x := in[0], in[1]
	cdf := r.to(r.float(x.shape), "aclnnMuls", x, -math.Sqrt2/2)
	r.call("aclnnErfc", cdf, cdf)
	r.call("aclnnMuls", cdf, 0.5, cdf)
	density := r.to(r.float(x.shape), "aclnnMul", x, x)
	r.call("aclnnMuls", density, -0.5, density)
	r.call("aclnnExp", density, density)
	r.call("aclnnMuls", density, 1/math.Sqrt(2*math.Pi), density)
	r.call("aclnnMul", density, x, density)
	r.call("aclnnAdd", cdf, density, 1.0, cdf)
	r.store(out, acl.Float, func(out operand) { r.call("aclnnMul", gradOutput, cdf, out) })
}

// maximumBackward appends gradOutput where self > other, half of it where they are equal, else 0.
func maximumBackward(r *recipe, in []operand, out operand) {
	in = r.castAll(in, acl.Float)
	gradOutput, self, other := in[0], in[1], in[2]
	shape := broadcast(self, other)
	equal := r.to(r.temp(acl.Bool, shape), "aclnnEqTensor", self, other)
	larger := r.to(r.temp(acl.Bool, shape), "aclnnGtTensor", self, other)
	zero := r.float(nil)
	r.call("aclnnInplaceZero", zero)
	half := r.to(r.float(gradOutput.shape), "aclnnMuls", gradOutput, 0.5)
	rest := r.to(r.float(out.shape), "aclnnSWhere", equal, half, zero)
	r.store(out, acl.Float, func(out operand) { r.call("aclnnSWhere", larger, gradOutput, rest, out) })
}
