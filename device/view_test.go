package device_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// buffer is memory of so many bytes, without the memory. A pointer to it is one buffer.
type buffer struct{ size int64 }

func (b *buffer) Size() int64 { return b.size }
func (b *buffer) Free() error { return nil }

func newBuffer(size int64) device.Buffer { return &buffer{size} }

// addresses returns where the elements of v lie, in row-major order, counted out
// from the definition: Offset + i·Strides[0] + j·Strides[1] + …
func addresses(v device.View) []int {
	if slices.Contains(v.Shape, 0) {
		return nil // before counting out a large dimension
	}
	list := []int{v.Offset}
	for axis, d := range v.Shape {
		var next []int
		for _, a := range list {
			for i := range d {
				next = append(next, a+i*v.Strides[axis])
			}
		}
		list = next
	}
	return list
}

// randomShape returns a shape of few elements, sometimes none.
func randomShape(r *rand.Rand) []int {
	shape := make([]int, r.IntN(5))
	for i := range shape {
		shape[i] = []int{1, 2, 2, 3, 4}[r.IntN(5)]
		if r.IntN(40) == 0 {
			shape[i] = 0
		}
	}
	return shape
}

// slicedView returns a view made as a program would make it: a contiguous tensor,
// sliced with steps, transposed, with axes of size 1 put in and, if repeated is
// set, axes repeated.
func slicedView(r *rand.Rand, b device.Buffer, d device.DType, repeated bool) device.View {
	whole := device.Contiguous(b, r.IntN(4), device.Type{DType: d, Shape: randomShape(r)})
	v := device.View{Buffer: b, DType: d, Shape: slices.Clone(whole.Shape), Strides: slices.Clone(whole.Strides), Offset: whole.Offset}
	for i, size := range v.Shape {
		if size == 0 || r.IntN(2) == 0 {
			continue
		}
		start, step := r.IntN(size), 1+r.IntN(2)
		v.Offset += start * v.Strides[i]
		v.Shape[i] = (size - start + step - 1) / step
		v.Strides[i] *= step
	}
	v = v.Transpose(r.Perm(len(v.Shape)))
	if r.IntN(3) == 0 {
		at := r.IntN(len(v.Shape) + 1)
		v.Shape, v.Strides = slices.Insert(v.Shape, at, 1), slices.Insert(v.Strides, at, r.IntN(100))
	}
	if repeated && r.IntN(3) == 0 {
		to := slices.Clone(v.Shape)
		for i, size := range to {
			if size == 1 {
				to[i] = 1 + r.IntN(3)
			}
		}
		v = v.BroadcastTo(append([]int{1 + r.IntN(2)}, to...))
	}
	return v
}

// anyView returns a view with strides that need not make sense.
func anyView(r *rand.Rand, b device.Buffer, d device.DType) device.View {
	v := device.View{Buffer: b, DType: d, Shape: randomShape(r), Offset: r.IntN(6)}
	for range v.Shape {
		v.Strides = append(v.Strides, r.IntN(8))
	}
	return v
}

func TestContiguous(t *testing.T) {
	b := newBuffer(1000)
	v := device.Contiguous(b, 7, device.Type{DType: f16, Shape: []int{2, 3, 4}})
	require.Equal(t, device.View{Buffer: b, DType: f16, Shape: []int{2, 3, 4}, Strides: []int{12, 4, 1}, Offset: 7}, v)
	for i, a := range addresses(v) {
		require.Equal(t, 7+i, a)
	}
	require.Equal(t, []int{}, device.RowMajor(nil))
	require.Equal(t, []int{4, 4, 1}, device.RowMajor([]int{3, 0, 4}), "an empty axis counts as one of size 1")
	require.Equal(t, device.Type{DType: f16, Shape: []int{2, 3, 4}}, v.Type())
	v.Buffer = nil
	require.Equal(t, device.Type{}, v.Type(), "a view without a buffer is a missing argument")
}

// A view is contiguous if its elements follow each other.
func TestIsContiguous(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	counts := map[bool]int{}
	for range 20_000 {
		v := slicedView(r, newBuffer(1000), f32, true)
		if r.IntN(2) == 0 {
			v = anyView(r, newBuffer(1000), f32)
		}
		if slices.Contains(v.Shape, 0) {
			continue
		}
		want := true
		for i, a := range addresses(v) {
			want = want && a == v.Offset+i
		}
		require.Equal(t, want, v.IsContiguous(), "%+v", v)
		counts[want]++
	}
	require.Greater(t, min(counts[true], counts[false]), 1000)
}

// Element k of the reshaped view is element k of the view. Where Reshape says that
// it cannot be done, it cannot: the strides that element 1 of every axis asks for
// put some other element in the wrong place.
func TestReshape(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	counts := map[bool]int{}
	for range 50_000 {
		v := slicedView(r, newBuffer(1000), f32, true)
		if r.IntN(4) == 0 {
			v = anyView(r, newBuffer(1000), f32)
		}
		from := addresses(v)
		shape := randomFactors(r, len(from))
		before := device.View{Buffer: v.Buffer, DType: v.DType, Shape: slices.Clone(v.Shape), Strides: slices.Clone(v.Strides), Offset: v.Offset}
		got, ok := v.Reshape(shape)
		require.True(t, v.Same(before), "the view is left alone")
		counts[ok]++
		if ok {
			require.Equal(t, shape, got.Shape, "%+v", v)
			require.Equal(t, from, addresses(got), "%+v as %v: %+v", v, shape, got)
			continue
		}
		require.NotEmpty(t, from, "a view without elements has any shape")
		strides := make([]int, len(shape))
		inner := 1
		for i := len(shape) - 1; i >= 0; i-- {
			if shape[i] > 1 {
				strides[i] = from[inner] - from[0]
			}
			inner *= shape[i]
		}
		only := device.View{Shape: shape, Strides: strides, Offset: v.Offset}
		require.NotEqual(t, from, addresses(only), "%+v as %v has the strides %v", v, shape, strides)
	}
	require.Greater(t, min(counts[true], counts[false]), 5000)
}

// randomFactors returns a shape with n elements.
func randomFactors(r *rand.Rand, n int) []int {
	shape := []int{}
	if n == 0 {
		shape = append(shape, 0)
	}
	for n > 1 {
		d := 1 + r.IntN(n)
		for n%d != 0 {
			d = 1 + r.IntN(n)
		}
		shape = append(shape, d)
		n /= d
	}
	if r.IntN(3) == 0 {
		shape = slices.Insert(shape, r.IntN(len(shape)+1), 1)
	}
	return shape
}

// Element i, j, k of the transposed view is element of the view with the indices put back.
func TestTranspose(t *testing.T) {
	v := device.View{DType: f32, Shape: []int{2, 3, 5}, Strides: []int{100, 10, 1}, Offset: 1000}
	got := v.Transpose([]int{2, 0, 1})
	require.Equal(t, []int{5, 2, 3}, got.Shape)
	all := addresses(got)
	for k := range 5 {
		for i := range 2 {
			for j := range 3 {
				require.Equal(t, 1000+100*i+10*j+k, all[0])
				all = all[1:]
			}
		}
	}
	require.Equal(t, []int{2, 3, 5}, v.Shape)
	require.Equal(t, []int{100, 10, 1}, v.Strides)
}

func TestBroadcastTo(t *testing.T) {
	v := device.View{DType: f32, Shape: []int{3, 1}, Strides: []int{10, 7}, Offset: 5}
	got := v.BroadcastTo([]int{2, 3, 4})
	require.Equal(t, []int{2, 3, 4}, got.Shape)
	require.Equal(t, []int{
		5, 5, 5, 5, 15, 15, 15, 15, 25, 25, 25, 25,
		5, 5, 5, 5, 15, 15, 15, 15, 25, 25, 25, 25,
	}, addresses(got))
	require.Equal(t, []int{}, append([]int{}, addresses(v.BroadcastTo([]int{3, 0}))...))
	require.Equal(t, []int{3, 1}, v.Shape)
}

func TestSame(t *testing.T) {
	a, b := newBuffer(100), newBuffer(100)
	v := device.Contiguous(a, 1, device.Type{DType: f32, Shape: []int{2, 3}})
	require.True(t, v.Same(device.Contiguous(a, 1, device.Type{DType: f32, Shape: []int{2, 3}})))
	for name, u := range map[string]device.View{
		"buffer":  device.Contiguous(b, 1, device.Type{DType: f32, Shape: []int{2, 3}}),
		"offset":  device.Contiguous(a, 2, device.Type{DType: f32, Shape: []int{2, 3}}),
		"dtype":   device.Contiguous(a, 1, device.Type{DType: f16, Shape: []int{2, 3}}),
		"shape":   device.Contiguous(a, 1, device.Type{DType: f32, Shape: []int{3, 2}}),
		"strides": {Buffer: a, DType: f32, Shape: []int{2, 3}, Strides: []int{1, 2}, Offset: 1},
	} {
		require.False(t, v.Same(u), name)
	}
}

// The operations that are views in themselves give the view that their
// documentation says, which is the one that has the elements of the result.
func TestLayoutViews(t *testing.T) {
	v := device.View{Buffer: newBuffer(4000), DType: f32, Shape: []int{2, 1, 3}, Strides: []int{3, 50, 1}, Offset: 2}
	for _, test := range []struct {
		op   device.ViewOp
		want []int // addresses, nil where a copy is needed
	}{
		{device.Reshape{To: dims(t, 3, 2)}, []int{2, 3, 4, 5, 6, 7}},
		{device.Transpose{Permutation: dims(t, 2, 1, 0)}, []int{2, 5, 3, 6, 4, 7}},
		{device.BroadcastTo{To: dims(t, 2, 2, 3)}, []int{2, 3, 4, 2, 3, 4, 5, 6, 7, 5, 6, 7}},
	} {
		got, ok := test.op.View(v)
		require.True(t, ok)
		result, err := test.op.Infer([]device.Type{v.Type()})
		require.NoError(t, err)
		require.True(t, result.Equal(got.Type()), "%s: %v, want %v", test.op.Name(), got.Type(), result)
		require.Equal(t, test.want, addresses(got), test.op.Name())
	}
	_, ok := device.Reshape{To: dims(t, 6)}.View(v.Transpose([]int{2, 1, 0}))
	require.False(t, ok, "a transposed matrix is no vector")
}

func dims(t *testing.T, list ...int) device.Dims {
	d, err := device.MakeDims(list)
	require.NoError(t, err)
	return d
}
