package ascend

import (
	"errors"
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// recipe writes an operation down as a sequence of aclnn operators. Its methods
// append to the executor's calls, and after the first failure do nothing, so that a
// recipe reads like the formula.
type recipe struct {
	*executor
	lib *library
	err error
}

// operand is a tensor as an aclTensor describes it: a View whose dtype may be bool.
type operand struct {
	buffer         *buffer
	dtype          acl.DataType
	shape, strides []int
	offset         int
}

// none is the operand of an optional argument that is left out.
var none operand

// handles are the descriptors that the calls of an executor refer to.
type handles struct {
	tensors []acl.Tensor
	scalars []acl.Scalar
	arrays  []acl.IntArray
}

func (h *handles) destroy(lib *library) error {
	var errs []error
	for _, t := range h.tensors {
		errs = append(errs, lib.DestroyTensor(t))
	}
	for _, s := range h.scalars {
		errs = append(errs, lib.DestroyScalar(s))
	}
	for _, a := range h.arrays {
		errs = append(errs, lib.DestroyIntArray(a))
	}
	*h = handles{}
	return errors.Join(errs...)
}

// dataTypes are CANN's names for the dtypes that an NPU has.
var dataTypes = map[device.DType]acl.DataType{
	device.Float32:  acl.Float,
	device.Float16:  acl.Float16,
	device.BFloat16: acl.BFloat16,
}

func operandOf(v device.View) operand {
	if device.Elements(v.Shape) == 0 { // whose offset and strides may be anything
		v.Strides, v.Offset = device.RowMajor(v.Shape), 0
	}
	return operand{v.Buffer.(*buffer), dataTypes[v.DType], v.Shape, v.Strides, v.Offset}
}

// view is what operand was made from, for the methods that a View has.
func (o operand) view() device.View {
	return device.View{Buffer: o.buffer, Shape: o.shape, Strides: o.strides, Offset: o.offset}
}

// as returns the operand with another view of its memory.
func (o operand) as(v device.View) operand {
	o.shape, o.strides, o.offset = v.Shape, v.Strides, v.Offset
	return o
}

func (o operand) transposed() operand { return o.as(o.view().Transpose([]int{1, 0})) }

func (o operand) same(p operand) bool { return o.dtype == p.dtype && o.view().Same(p.view()) }

func (o operand) elements() int { return device.Elements(o.shape) }

var elementSizes = map[acl.DataType]int{acl.Float: 4, acl.Float16: 2, acl.BFloat16: 2, acl.Bool: 1}

// call appends an aclnn operator. An operand becomes a tensor, a float64 a scalar,
// a []int an array, the rest is passed on: int64, int8, bool, float32 and DataType.
func (r *recipe) call(name string, args ...any) {
	if r.err != nil {
		return
	}
	c := call{}
	if c.operator, r.err = r.lib.Operator(name); r.err != nil {
		return
	}
	for _, arg := range args {
		switch a := arg.(type) {
		case operand:
			arg = r.tensor(a)
		case float64:
			arg = r.scalar(name, a)
		case []int:
			var list acl.IntArray
			if list, r.err = r.lib.CreateIntArray(int64s(a)); r.err == nil {
				r.handles.arrays = append(r.handles.arrays, list)
			}
			arg = list
		}
		if r.err != nil {
			return
		}
		c.args = append(c.args, arg)
	}
	r.calls = append(r.calls, c)
}

// scalar returns a number for the host's side of an operator. One that is finite but not
// in float32 would make NaN of a product with 0.
func (r *recipe) scalar(name string, x float64) acl.Scalar {
	if math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) {
		r.err = &device.Error{Code: device.ErrParamInvalid, Op: name, Reason: fmt.Sprintf("the attribute %v is too large for float32", x)}
		return 0
	}
	var s acl.Scalar
	if s, r.err = r.lib.CreateScalar(float32(x)); r.err == nil {
		r.handles.scalars = append(r.handles.scalars, s)
	}
	return s
}

// tensor returns the descriptor of an operand. The storage that it states is the whole buffer.
func (r *recipe) tensor(o operand) acl.Tensor {
	if o.buffer == nil {
		return 0
	}
	var t acl.Tensor
	storage := o.buffer.size / int64(elementSizes[o.dtype])
	t, r.err = r.lib.CreateTensor(o.dtype, int64s(o.shape), int64s(o.strides), int64(o.offset), []int64{storage}, o.buffer.at)
	if r.err == nil {
		r.handles.tensors = append(r.handles.tensors, t)
	}
	return t
}

func int64s(list []int) []int64 {
	wide := make([]int64, len(list))
	for i, x := range list {
		wide[i] = int64(x)
	}
	return wide
}

// temp returns memory for a value between two calls.
func (r *recipe) temp(dtype acl.DataType, shape []int) operand {
	o := operand{dtype: dtype, shape: shape, strides: device.RowMajor(shape)}
	if r.err == nil {
		o.buffer, r.err = r.device.alloc(int64(device.Elements(shape)) * int64(elementSizes[dtype]))
	}
	if r.err == nil {
		r.temps = append(r.temps, o.buffer)
	}
	return o
}

// float returns memory for a float32 value.
func (r *recipe) float(shape []int) operand { return r.temp(acl.Float, shape) }

// to appends an operator that writes to memory of its own, and returns that.
func (r *recipe) to(out operand, name string, args ...any) operand {
	r.call(name, append(args, out)...)
	return out
}

// cast returns x in the dtype: x itself, or a copy.
func (r *recipe) cast(x operand, dtype acl.DataType) operand {
	if x.buffer == nil || x.dtype == dtype {
		return x
	}
	return r.to(r.temp(dtype, x.shape), "aclnnCast", x, dtype)
}

// castAll returns the operands in the dtype.
func (r *recipe) castAll(xs []operand, dtype acl.DataType) []operand {
	cast := make([]operand, len(xs))
	for i, x := range xs {
		cast[i] = r.cast(x, dtype)
	}
	return cast
}

// store lets compute write a value of the dtype, then puts it into out if that has another.
func (r *recipe) store(out operand, dtype acl.DataType, compute func(out operand)) {
	if out.dtype == dtype {
		compute(out)
		return
	}
	value := r.temp(dtype, out.shape)
	compute(value)
	r.call("aclnnCast", value, out.dtype, out)
}

// broadcast returns the shape in which operands that passed Infer meet.
func broadcast(xs ...operand) []int {
	shape := xs[0].shape
	for _, x := range xs[1:] {
		shape, _ = device.Broadcast(shape, x.shape)
	}
	return shape
}

// computed returns the dtype to compute in: that of all operands if they have the
// same, and else float32, so that a result is rounded only once.
func computed(out operand, in ...operand) acl.DataType {
	for _, x := range in {
		if x.dtype != out.dtype {
			return acl.Float
		}
	}
	return out.dtype
}
