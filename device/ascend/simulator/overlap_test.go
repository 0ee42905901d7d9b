//go:build linux

package simulator

import "math/rand/v2"

// overlapCalls writes results over what they are computed from, through another view of the memory.
func overlapCalls() []call {
	rng := rand.New(rand.NewPCG(11, 12))
	const n = 20 // more than a block of elements
	square := []int{n, n}
	across, down := []int{n, 1}, []int{1, n}
	transposed := func(v []float64) []float64 {
		t := make([]float64, len(v))
		for i := range v {
			t[i%n*n+i/n] = v[i]
		}
		return t
	}
	zip := func(f func(a, b float64) float64, a, b []float64) []float64 {
		c := make([]float64, len(a))
		for i := range a {
			c[i] = f(a[i], b[i%len(b)])
		}
		return c
	}
	add := func(a, b float64) float64 { return a + b }
	mul := func(a, b float64) float64 { return a * b }
	product := func(a, b []float64) []float64 {
		c := make([]float64, n*n)
		for i := range c {
			for k := range n {
				c[i] += a[i/n*n+k] * b[k*n+i%n]
			}
		}
		return c
	}
	x := values(rng, n*n, false)
	y := values(rng, n*n, false)
	matrix := func(v []float64) tensor { return contiguous(float, square, v...) }
	zeros, ones := repeat(0, n*n), repeat(1, n*n)
	halved := zip(mul, x, []float64{-0.5}) // the gradient of x where self is 0 and target 1
	sums := make([]float64, n)
	for i := range x {
		sums[i/n] += x[i]
	}
	summed := append([]float64(nil), x...)
	for i := range n {
		summed[i*n] = sums[i]
	}
	return []call{
		{op: "aclnnInplaceCopy", name: "own transpose", workspace: -1, args: []any{matrix(x), view{0, square, down, 0}}, want: map[int][]float64{0: transposed(x)}},
		{op: "aclnnInplaceCopy", name: "own transpose, 3 by 3", workspace: 512, args: []any{contiguous(float, []int{3, 3}, 1, 2, 3, 4, 5, 6, 7, 8, 9), view{0, []int{3, 3}, []int{1, 3}, 0}},
			want: map[int][]float64{0: {1, 4, 7, 2, 5, 8, 3, 6, 9}}},
		{op: "aclnnInplaceCopy", name: "into the transpose", workspace: -1, args: []any{matrix(x).laidOut("transposed"), view{0, square, across, 0}}, want: map[int][]float64{0: transposed(x)}},
		{op: "aclnnCast", name: "transpose to itself", workspace: -1, args: []any{matrix(x), float, view{0, square, down, 0}}, want: map[int][]float64{0: transposed(x)}},
		{op: "aclnnPermute", name: "in place", workspace: -1, args: []any{matrix(x), ints{1, 0}, ref(0)}, want: map[int][]float64{0: transposed(x)}},
		{op: "aclnnAdd", name: "plus transpose", workspace: -1, args: []any{matrix(x), view{0, square, down, 0}, number(1), ref(0)}, want: map[int][]float64{0: zip(add, x, transposed(x))}},
		{op: "aclnnInplaceAdd", name: "plus transpose", workspace: -1, args: []any{matrix(x), view{0, square, down, 0}, number(1)}, want: map[int][]float64{0: zip(add, x, transposed(x))}},
		{op: "aclnnInplaceMul", name: "by its first row", workspace: -1, args: []any{matrix(x), view{0, []int{n}, []int{1}, 0}}, want: map[int][]float64{0: zip(mul, x, x[:n])}},
		{op: "aclnnInplaceCopy", name: "one further", workspace: -1, args: []any{contiguous(float, []int{n*n - 1}, x...), view{0, []int{n*n - 1}, []int{1}, 1}}, want: map[int][]float64{0: x[1:]}},
		{op: "aclnnSoftMarginLossBackward", name: "gradient over its transpose", workspace: -1, args: []any{matrix(x), matrix(zeros), matrix(ones), 0, view{0, square, down, 0}},
			want: map[int][]float64{0: transposed(halved)}},
		{op: "aclnnSoftMarginLossBackward", name: "gradient of a transpose", workspace: -1, args: []any{matrix(x).laidOut("transposed"), matrix(zeros), matrix(ones), 0, view{0, square, across, 0}},
			want: map[int][]float64{0: transposed(halved)}},
		{op: "aclnnReduceSum", name: "over the first column", workspace: -1, args: []any{matrix(x), ints{1}, false, float, view{0, []int{n}, []int{n}, 0}}, want: map[int][]float64{0: summed}},
		{op: "aclnnMm", name: "over a factor", workspace: -1, args: []any{matrix(x), matrix(y), ref(0), 0}, want: map[int][]float64{0: product(x, y)}},
		{op: "aclnnMm", name: "squared in place", workspace: -1, args: []any{matrix(x), ref(0), view{0, square, down, 0}, 0}, want: map[int][]float64{0: transposed(product(x, x))}},
		{op: "aclnnInplaceAddmm", name: "of itself", workspace: -1, args: []any{matrix(x), ref(0), matrix(y), number(1), number(1), 0}, want: map[int][]float64{0: zip(add, x, product(x, y))}},
	}
}
