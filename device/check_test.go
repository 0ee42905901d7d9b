package device_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// An output that is refused for elements that overlap may be a false alarm, but
// not for a view that slicing and transposing made; and one that is taken has none.
func TestCheckOutputOverlapsItself(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	counts := map[bool]int{}
	for range 30_000 {
		plain := r.IntN(2) == 0
		out := anyView(r, newBuffer(4000), f32)
		if plain {
			out = slicedView(r, newBuffer(4000), f32, false)
		}
		in := device.Contiguous(newBuffer(4000), 0, out.Type())
		err := device.Check(device.Copy{}, []device.View{in}, out)
		distinct := addresses(out)
		slices.Sort(distinct)
		overlaps := len(slices.Compact(distinct)) < len(addresses(out))
		counts[overlaps]++
		switch {
		case overlaps:
			require.ErrorContains(t, err, "make elements overlap", "%+v", out)
			require.ErrorIs(t, err, invalid)
		case plain:
			require.NoError(t, err, "%+v", out)
		case err != nil:
			require.ErrorContains(t, err, "make elements overlap", "%+v", out)
		}
	}
	require.Greater(t, min(counts[true], counts[false]), 5000)
}

// An output that shares a byte with an input is refused; one that shares none is
// taken, if slicing and transposing made the two.
func TestCheckOutputOverlapsInput(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	counts := map[bool]int{}
	for range 60_000 {
		b := newBuffer(4000)
		dtypes := []device.DType{f32, f16}
		in, out := slicedView(r, b, dtypes[r.IntN(2)], true), slicedView(r, b, dtypes[r.IntN(2)], false)
		in.Offset, out.Offset = in.Offset+r.IntN(20), out.Offset+r.IntN(40)
		if r.IntN(4) == 0 { // the same tensor, once more: columns of it, or all in another order
			out = in
			out.Offset += r.IntN(3)
			out = out.Transpose(r.Perm(len(out.Shape)))
		}
		used := map[int]bool{}
		for _, a := range addresses(in) {
			for i := range in.DType.Size() {
				used[a*in.DType.Size()+i] = true
			}
		}
		shares := false
		for _, a := range addresses(out) {
			for i := range out.DType.Size() {
				shares = shares || used[a*out.DType.Size()+i]
			}
		}
		err := device.Check(storeAs{out.Type()}, []device.View{in}, out)
		if err != nil && strings.Contains(err.Error(), "make elements overlap") {
			continue // another test's
		}
		counts[shares]++
		if shares {
			require.ErrorContains(t, err, "shares memory with", "%+v in %+v", out, in)
			require.ErrorIs(t, err, invalid)
		} else {
			require.NoError(t, err, "%+v in %+v", out, in)
		}
	}
	require.Greater(t, min(counts[true], counts[false]), 5000)
}

// storeAs is an operation that makes a type of anything, and is not element-wise.
type storeAs struct{ t device.Type }

func (storeAs) Name() string                                { return "StoreAs" }
func (op storeAs) Infer([]device.Type) (device.Type, error) { return op.t, nil }

// The very same view is taken by the operations that say so, and by no other.
func TestCheckInPlace(t *testing.T) {
	for _, o := range ops(t) {
		if _, updater := o.op.(device.Updater); updater {
			continue
		}
		_, elementwise := o.op.(device.Elementwise)
		result, err := o.op.Infer(o.inputs)
		require.NoError(t, err)
		for i, in := range o.inputs {
			views := make([]device.View, len(o.inputs))
			for j, typ := range o.inputs {
				views[j] = device.Contiguous(newBuffer(4000), 0, typ)
			}
			if !result.Equal(in) {
				continue
			}
			err := device.Check(o.op, views, views[i])
			if elementwise {
				require.NoError(t, err, "%s in place of %s", o.op.Name(), o.args[i])
			} else {
				require.ErrorContains(t, err, o.op.Name()+": output: it shares memory with "+o.args[i])
			}
			shifted := views[i]
			shifted.Buffer, views[i].Offset = views[i].Buffer, 1
			require.ErrorContains(t, device.Check(o.op, views, shifted), o.op.Name()+": output: it shares memory with "+o.args[i])
		}
	}
}

func TestCheck(t *testing.T) {
	b := newBuffer(24 * 4)
	x := device.Contiguous(b, 0, device.Type{DType: f32, Shape: []int{2, 3}})
	out := device.Contiguous(newBuffer(24*4), 0, x.Type())
	out5 := device.Contiguous(newBuffer(100), 0, device.Type{DType: f32, Shape: []int{5}})
	out222 := device.Contiguous(newBuffer(100), 0, device.Type{DType: f32, Shape: []int{2, 2, 2}})
	with := func(v device.View, change func(v *device.View)) device.View { change(&v); return v }
	sgd := device.SGD{Momentum: 0.9}
	grad, state := device.Contiguous(newBuffer(24), 0, x.Type()), device.Contiguous(newBuffer(24), 0, x.Type())
	lr, step := device.Contiguous(newBuffer(4), 0, device.Type{DType: f32}), device.Contiguous(newBuffer(4), 0, device.Type{DType: f32})

	for _, test := range []struct {
		op     device.Op
		inputs []device.View
		output device.View
		want   string // empty if the call is good
	}{
		{device.Exp{}, []device.View{x}, out, ""},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Offset = 18 })}, out, ""},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Strides = []int{0, 0} })}, out, ""},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Strides = []int{10, 6} })}, out, ""}, // the last element is 22
		{device.Exp{}, []device.View{x}, with(out, func(v *device.View) { v.DType = b16 }), ""},
		{sgd, []device.View{x, grad, lr, step, state}, x, ""},

		{nil, nil, out, "op: the operation is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{device.Add{}, []device.View{x, {}}, device.View{}, "Add: other: the tensor is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{device.Exp{}, []device.View{x}, device.View{}, "Exp: output: the tensor is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{device.Exp{}, []device.View{{}}, out, "Exp: self: the tensor is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{device.Exp{}, []device.View{x}, with(out, func(v *device.View) { v.DType = f64 }),
			"Exp: output: a result of float32 cannot be stored as float64 (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{x}, with(out, func(v *device.View) { v.DType = 0 }),
			"Exp: output: a result of float32 cannot be stored as dtype(0) (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{x}, with(out, func(v *device.View) { v.Shape = []int{6} }),
			"Exp: output: shape [6] is not the result's shape [2,3] (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Strides = []int{3} })}, out,
			"Exp: self: 1 strides for the 2 dimensions of [2,3] (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Offset = -1 })}, out,
			"Exp: self: offset -1 is negative (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Strides = []int{-3, 1} })}, out,
			"Exp: self: stride -3 of axis 0 is negative (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Offset = 19 })}, out,
			"Exp: self: shape [2,3] with strides [3,1] and offset 19 reaches beyond the 24 elements of the buffer (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{with(x, func(v *device.View) { v.Shape, v.Strides = []int{5}, []int{math.MaxInt/2 + 1} })}, out5,
			fmt.Sprintf("Exp: self: shape [5] with strides [%d] and offset 0 reaches beyond the 24 elements of the buffer (161002 ACLNN_ERR_PARAM_INVALID)", math.MaxInt/2+1)},
		{device.Exp{}, []device.View{with(x, func(v *device.View) {
			v.Shape, v.Strides, v.Offset = []int{2, 2, 2}, []int{math.MaxInt, math.MaxInt, 3}, 1
		})}, out222,
			fmt.Sprintf("Exp: self: shape [2,2,2] with strides [%d,%[1]d,3] and offset 1 reaches beyond the 24 elements of the buffer (161002 ACLNN_ERR_PARAM_INVALID)", math.MaxInt)},
		{device.Exp{}, []device.View{x}, with(out, func(v *device.View) { v.Strides = []int{0, 1} }),
			"Exp: output: strides [0,1] of shape [2,3] make elements overlap; an output cannot be a broadcast view (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.Exp{}, []device.View{x}, with(x, func(v *device.View) { v.Offset = 5 }),
			"Exp: output: it shares memory with self; give it memory of its own, or make it the very same view (161002 ACLNN_ERR_PARAM_INVALID)"},
		{sgd, []device.View{x, grad, lr, step, state}, out,
			"SGD: output: the operation updates its input in place, so the output must be the same view as param (161002 ACLNN_ERR_PARAM_INVALID)"},
		{sgd, []device.View{x, grad, lr, step, with(state, func(v *device.View) { v.Strides = []int{0, 1} })}, x,
			"SGD: momentum: strides [0,1] of shape [2,3] make elements overlap; an updated tensor cannot be a broadcast view (161002 ACLNN_ERR_PARAM_INVALID)"},
		{sgd, []device.View{x, grad, lr, lr, state}, x,
			"SGD: step: it shares memory with lr, but is overwritten; give it memory of its own (161002 ACLNN_ERR_PARAM_INVALID)"},
		{sgd, []device.View{x, grad, lr, step, grad}, x,
			"SGD: momentum: it shares memory with grad, but is overwritten; give it memory of its own (161002 ACLNN_ERR_PARAM_INVALID)"},
	} {
		err := device.Check(test.op, test.inputs, test.output)
		if test.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, test.want)
		}
	}
}

// A view of an empty tensor names no element, so it reaches nowhere.
func TestCheckEmpty(t *testing.T) {
	empty := device.View{Buffer: newBuffer(0), DType: f32, Shape: []int{3, 0}, Strides: []int{vast, vast}, Offset: vast}
	require.NoError(t, device.Check(device.Exp{}, []device.View{empty}, empty))
}
