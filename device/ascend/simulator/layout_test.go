//go:build linux

package simulator

import "math"

func comparisonCalls() []call {
	a, b := contiguous(float, []int{2, 2}, 1, 2, 3, math.NaN()), contiguous(half, []int{2}, 1, 3)
	out := func(dtype int) tensor { return contiguous(dtype, []int{2, 2}, 0, 1, 0, 1) }
	x := contiguous(bfloat, []int{2, 2}, 1, 2, 3, 4)
	return []call{
		{op: "aclnnGtTensor", name: "gt", workspace: -1, args: []any{a, b, out(boolean)}, want: map[int][]float64{2: {0, 0, 1, 0}}},
		{op: "aclnnEqTensor", name: "eq", workspace: -1, args: []any{a, b, out(boolean)}, want: map[int][]float64{2: {1, 0, 0, 0}}},
		{op: "aclnnEqTensor", name: "eq to float", workspace: -1, args: []any{a, b, out(float)}, want: map[int][]float64{2: {1, 0, 0, 0}}},
		{op: "aclnnGtScalar", name: "gt number", workspace: -1, args: []any{a, number(1.5), out(boolean).laidOut("spread")}, want: map[int][]float64{2: {0, 1, 1, 0}}},
		{op: "aclnnEqScalar", name: "eq number", workspace: -1, args: []any{a, scalar{2, int32_}, out(boolean)}, want: map[int][]float64{2: {0, 1, 0, 0}}},
		{op: "aclnnSWhere", name: "where", workspace: -1, args: []any{out(boolean), x, b, out(float)}, want: map[int][]float64{3: {1, 2, 1, 4}}},
		{op: "aclnnSWhere", name: "where, broadcast", workspace: -1, args: []any{contiguous(boolean, []int{2, 1}, 1, 0), x.laidOut("transposed"), b, out(bfloat).laidOut("spread")},
			want: map[int][]float64{3: {1, 2, 1, 3}}},
	}
}

func moveCalls() []call {
	x := contiguous(float, []int{2, 3}, 0, -1.75, 2.5, 3e9, -3e9, math.NaN())
	zero := func(dtype int, shape ...int) tensor {
		return contiguous(dtype, shape, make([]float64, count(shape))...)
	}
	big := contiguous(int64_, []int{2}, 1<<62, -(1 << 62))
	cube := contiguous(half, []int{2, 3, 2}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	return []call{
		{op: "aclnnCast", name: "to int32", workspace: -1, args: []any{x, int32_, zero(int32_, 2, 3)}, want: map[int][]float64{2: {0, -1, 2, math.MaxInt32, math.MinInt32, 0}}},
		{op: "aclnnCast", name: "to bool", workspace: -1, args: []any{x, boolean, zero(boolean, 2, 3)}, want: map[int][]float64{2: {0, 1, 1, 1, 1, 1}}},
		{op: "aclnnCast", name: "to double", workspace: -1, args: []any{x.laidOut("transposed"), double, zero(double, 2, 3)}, want: map[int][]float64{2: {0, -1.75, 2.5, 3e9, -3e9, math.NaN()}}},
		{op: "aclnnCast", name: "from bool", workspace: -1, args: []any{contiguous(boolean, []int{3}, 1, 0, 5), float, zero(float, 3)}, want: map[int][]float64{2: {1, 0, 1}}},
		{op: "aclnnCast", name: "bits of int64", args: []any{big, int64_, zero(int64_, 2)}, want: map[int][]float64{2: {1 << 62, -(1 << 62)}}},
		{op: "aclnnInplaceCopy", name: "copy", workspace: -1, args: []any{zero(half, 2, 3).laidOut("spread"), contiguous(float, []int{3}, 1, 2, 3)}, want: map[int][]float64{0: {1, 2, 3, 1, 2, 3}}},
		{op: "aclnnInplaceCopy", name: "copy of equal types", workspace: -1, args: []any{zero(half, 2, 3, 2).laidOut("transposed"), cube}, want: map[int][]float64{0: cube.storage}},
		{op: "aclnnInplaceCopy", name: "copy to itself", args: []any{cube, ref(0)}, want: map[int][]float64{0: cube.storage}},
		{op: "aclnnPermute", name: "permute", workspace: -1, args: []any{cube, ints{2, 0, -2}, zero(half, 2, 2, 3)}, want: map[int][]float64{2: {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}}},
		{op: "aclnnInplaceFillScalar", name: "fill", workspace: -1, args: []any{zero(half, 2, 3).laidOut("spread"), number(0.1)}, want: map[int][]float64{0: {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}}},
		{op: "aclnnInplaceFillScalar", name: "fill with an integer", workspace: -1, args: []any{zero(int64_, 2), scalar{9, int64_}}, want: map[int][]float64{0: {9, 9}}},
		{op: "aclnnInplaceZero", name: "zero", workspace: -1, args: []any{x.laidOut("spread")}, want: map[int][]float64{0: make([]float64, 6)}},
	}
}

// roundingCalls casts every midpoint between neighbouring float16 and bfloat16 numbers, and its own neighbours.
func roundingCalls() []call {
	var calls []call
	for _, dtype := range []int{half, bfloat} {
		value, infinite, step := halfValue, uint16(0x7c00), 1
		if dtype == bfloat {
			value = func(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }
			infinite, step = 0x7f80, 3
		}
		var from, to []float64
		add := func(x, want float64) {
			from, to = append(from, x, -x), append(to, want, -want)
		}
		for bits := 0; bits < int(infinite); bits += step {
			low, high := value(uint16(bits)), value(uint16(bits+1))
			middle := low + (high-low)/2
			if bits+1 == int(infinite) {
				below := value(uint16(bits - 1))
				middle = low + (low-below)/2
			}
			even := choose(bits%2 == 0, low, high)
			add(middle, even)
			add(float64(math.Nextafter32(float32(middle), 0)), low)
			add(float64(math.Nextafter32(float32(middle), math.MaxFloat32)), high)
		}
		self := contiguous(float, []int{len(from)}, from...)
		out := contiguous(dtype, []int{len(from)}, make([]float64, len(from))...)
		calls = append(calls, call{op: "aclnnCast", name: "rounding", workspace: -1, args: []any{self, dtype, out}, want: map[int][]float64{2: to}})
	}
	return calls
}
