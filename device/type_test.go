package device_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

func TestBroadcast(t *testing.T) {
	// The first rows are the examples of NumPy's manual; nil where NumPy refuses.
	for _, test := range []struct{ a, b, want []int }{
		{[]int{256, 256, 3}, []int{3}, []int{256, 256, 3}},
		{[]int{8, 1, 6, 1}, []int{7, 1, 5}, []int{8, 7, 6, 5}},
		{[]int{5, 4}, []int{1}, []int{5, 4}},
		{[]int{5, 4}, []int{4}, []int{5, 4}},
		{[]int{15, 3, 5}, []int{15, 1, 5}, []int{15, 3, 5}},
		{[]int{15, 3, 5}, []int{3, 5}, []int{15, 3, 5}},
		{[]int{15, 3, 5}, []int{3, 1}, []int{15, 3, 5}},
		{[]int{3}, []int{4}, nil},
		{[]int{2, 1}, []int{8, 4, 3}, nil},
		{[]int{}, []int{}, []int{}},
		{[]int{}, []int{2, 3}, []int{2, 3}},
		{[]int{}, []int{0}, []int{0}},
		{[]int{1}, []int{0}, []int{0}},
		{[]int{0}, []int{0}, []int{0}},
		{[]int{2}, []int{0}, nil},
		{[]int{3, 1}, []int{1, 0}, []int{3, 0}},
		{[]int{1, 1, 1, 1, 1, 1, 1, 1}, []int{2}, []int{1, 1, 1, 1, 1, 1, 1, 2}},
		{[]int{4, 1}, []int{4}, []int{4, 4}}, // the classic mistake, which is legal here
	} {
		for _, pair := range [][2][]int{{test.a, test.b}, {test.b, test.a}} {
			a, b := append([]int{}, pair[0]...), append([]int{}, pair[1]...)
			got, ok := device.Broadcast(a, b)
			require.Equal(t, test.want != nil, ok, "%v with %v", a, b)
			require.Equal(t, test.want, got, "%v with %v", a, b)
			require.Equal(t, pair, [2][]int{a, b}, "the shapes are left alone")
			if ok && len(got) > 0 {
				got[0] = -7
				require.Equal(t, pair, [2][]int{a, b}, "the result is a copy")
			}
		}
	}
}

func TestType(t *testing.T) {
	for _, test := range []struct {
		typ      device.Type
		text     string
		elements int
		bytes    int64
		refusal  string
	}{
		{device.Type{}, "missing", 1, 0, "dtype: dtype(0) is not one of float32, float16, bfloat16, float64"},
		{device.Type{DType: f32}, "float32[]", 1, 4, ""},
		{device.Type{DType: f16, Shape: []int{2, 3}}, "float16[2,3]", 6, 12, ""},
		{device.Type{DType: f64, Shape: []int{2, 0, 3}}, "float64[2,0,3]", 0, 0, ""},
		{device.Type{DType: b16, Shape: []int{1, 1, 1, 1, 1, 1, 1, 1}}, "bfloat16[1,1,1,1,1,1,1,1]", 1, 2, ""},
		{device.Type{DType: b16, Shape: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}}, "bfloat16[1,1,1,1,1,1,1,1,1]", 1, 2,
			"shape: rank 9 is more than the 8 dimensions that are supported"},
		{device.Type{DType: f32, Shape: []int{2, -3}}, "float32[2,-3]", -6, -24, "shape: dimension 1 of [2,-3] is negative"},
		{device.Type{DType: 7, Shape: []int{2}}, "dtype(7)[2]", 2, 0, "dtype: dtype(7) is not one of float32, float16, bfloat16, float64"},
	} {
		require.Equal(t, test.text, test.typ.String())
		require.Equal(t, test.elements, test.typ.Elements(), test.text)
		require.Equal(t, test.bytes, test.typ.Bytes(), test.text)
		if test.refusal == "" {
			require.NoError(t, test.typ.Check(), test.text)
		} else {
			require.EqualError(t, test.typ.Check(), test.refusal+" (161002 ACLNN_ERR_PARAM_INVALID)", test.text)
		}
	}
}

// The largest tensor has one element less than 2^53, or than 2^28 where an int has 32 bits.
func TestTypeCheckOverflow(t *testing.T) {
	const half = min(1<<53, math.MaxInt/8+1)
	for _, test := range []struct {
		shape []int
		ok    bool
	}{
		{[]int{half / 2}, true},
		{[]int{half/2 - 1, 2}, true},
		{[]int{half - 1}, true},
		{[]int{half}, false},
		{[]int{half / 2, 2}, false},
		{[]int{math.MaxInt}, false},
		{[]int{math.MaxInt, math.MaxInt}, false},
		{[]int{1 << 16, 1 << 16, 1 << 16, 1 << 16}, false}, // 2^64, which wraps round to 0
		{[]int{math.MaxInt, 0, math.MaxInt}, true},
	} {
		err := device.Type{DType: f64, Shape: test.shape}.Check()
		require.Equal(t, test.ok, err == nil, "%v: %v", test.shape, err)
	}
}

func TestAxisSet(t *testing.T) {
	for _, test := range []struct {
		axes []int
		text string
	}{
		{nil, "[]"}, {[]int{0}, "[0]"}, {[]int{2, 0}, "[0,2]"}, {[]int{1, 1}, "[1]"}, {[]int{7, 6, 5, 4, 3, 2, 1, 0}, "[0,1,2,3,4,5,6,7]"},
	} {
		s, err := device.Axes(test.axes...)
		require.NoError(t, err)
		require.Equal(t, test.text, s.String())
		for axis := -2; axis < 12; axis++ {
			want := false
			for _, a := range test.axes {
				want = want || a == axis
			}
			require.Equal(t, want, s.Contains(axis), "%v contains %d", s, axis)
		}
	}
	for _, axis := range []int{-1, 8, math.MaxInt} {
		_, err := device.Axes(0, axis)
		require.ErrorIs(t, err, invalid)
		require.ErrorContains(t, err, "outside 0 to 7")
	}
	for rank := range device.MaxRank + 1 {
		all := device.AllAxes(rank)
		for axis := range 10 {
			require.Equal(t, axis < rank, all.Contains(axis), "AllAxes(%d) contains %d", rank, axis)
		}
	}
}

func TestDims(t *testing.T) {
	for _, list := range [][]int{{}, {0}, {5, 0, 3}, {1, 2, 3, 4, 5, 6, 7, 8}} {
		d, err := device.MakeDims(list)
		require.NoError(t, err)
		require.Equal(t, list, append([]int{}, d.Slice()...))
		require.Equal(t, device.ShapeString(list), d.String())
		same, err := device.MakeDims(append([]int{}, list...))
		require.NoError(t, err)
		require.True(t, d == same, "equal lists are equal values")
		longer, err := device.MakeDims(append([]int{0}, list[:min(len(list), 7)]...))
		require.NoError(t, err)
		require.False(t, d == longer, "%v and %v", d, longer)
		if s := d.Slice(); len(s) > 0 {
			s[0] = 99
			require.Equal(t, list, d.Slice(), "Slice returns a copy")
		}
	}
	_, err := device.MakeDims(make([]int, 9))
	require.EqualError(t, err, "shape: [0,0,0,0,0,0,0,0,0] has rank 9, more than the 8 dimensions that are supported (161002 ACLNN_ERR_PARAM_INVALID)")
}

func TestReducedShape(t *testing.T) {
	shape := []int{2, 3, 5}
	for axes, want := range [][2][]int{
		{{2, 3, 5}, {2, 3, 5}}, {{3, 5}, {1, 3, 5}}, {{2, 5}, {2, 1, 5}}, {{5}, {1, 1, 5}},
		{{2, 3}, {2, 3, 1}}, {{3}, {1, 3, 1}}, {{2}, {2, 1, 1}}, {{}, {1, 1, 1}},
	} {
		require.Equal(t, want[0], device.ReducedShape(shape, device.AxisSet(axes), false), "axes %v", device.AxisSet(axes))
		require.Equal(t, want[1], device.ReducedShape(shape, device.AxisSet(axes), true), "axes %v, kept", device.AxisSet(axes))
	}
	require.Equal(t, []int{2, 3, 5}, shape)
}
