//go:build linux

package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func matmulCalls() []call {
	rng := rand.New(rand.NewPCG(5, 6))
	var calls []call
	matrix := func(dtype int, shape ...int) tensor {
		return contiguous(dtype, shape, values(rng, count(shape), false)...)
	}
	for i, row := range []struct {
		op     string
		a, b   []int
		out    []int
		batchA []int // a's batch for each of out's, and b's
		batchB []int
	}{
		{"aclnnMm", []int{2, 3}, []int{3, 4}, []int{2, 4}, []int{0}, []int{0}},
		{"aclnnMm", []int{9, 300}, []int{300, 260}, []int{9, 260}, []int{0}, []int{0}},
		{"aclnnMm", []int{1, 5}, []int{5, 1}, []int{1, 1}, []int{0}, []int{0}},
		{"aclnnMm", []int{2, 0}, []int{0, 3}, []int{2, 3}, []int{0}, []int{0}},
		{"aclnnMm", []int{0, 2}, []int{2, 3}, []int{0, 3}, []int{}, []int{}},
		{"aclnnMatmul", []int{3, 2}, []int{2, 3}, []int{3, 3}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{4}, []int{4}, []int{}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{4}, []int{4, 3}, []int{3}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{3, 4}, []int{4}, []int{3}, []int{0}, []int{0}},
		{"aclnnMatmul", []int{2, 3, 4}, []int{4, 2}, []int{2, 3, 2}, []int{0, 1}, []int{0, 0}},
		{"aclnnMatmul", []int{4}, []int{2, 4, 3}, []int{2, 3}, []int{0, 0}, []int{0, 1}},
		{"aclnnMatmul", []int{2, 3, 4}, []int{4}, []int{2, 3}, []int{0, 1}, []int{0, 0}},
		{"aclnnMatmul", []int{2, 1, 3, 4}, []int{3, 4, 2}, []int{2, 3, 3, 2}, []int{0, 0, 0, 1, 1, 1}, []int{0, 1, 2, 0, 1, 2}},
	} {
		for form := range 3 {
			dtypes := [][3]int{{float, float, float}, {half, half, half}, {bfloat, half, float}}[form]
			a, b := matrix(dtypes[0], row.a...), matrix(dtypes[1], row.b...)
			va, vb := a.values(), b.values()
			k := row.a[len(row.a)-1]
			m, n := 1, 1
			if len(row.a) > 1 {
				m = row.a[len(row.a)-2]
			}
			if len(row.b) > 1 {
				n = row.b[len(row.b)-1]
			}
			var want []float64
			for t := range row.batchA {
				for r := range m {
					for c := range n {
						sum := 0.0
						for p := range k {
							sum += va[row.batchA[t]*m*k+r*k+p] * vb[row.batchB[t]*k*n+p*n+c]
						}
						want = append(want, sum)
					}
				}
			}
			out := contiguous(dtypes[2], row.out, make([]float64, len(want))...)
			calls = append(calls, call{name: fmt.Sprint(row.op, row.a, row.b, form), op: row.op, workspace: -1,
				args: []any{a.laidOut(layouts[(i+form)%3]), b.laidOut(layouts[(i+2*form)%3]), out.laidOut(layouts[form]), 0}, want: map[int][]float64{2: want}})
		}
	}
	for i, bias := range [][]int{{4, 3}, {3}, {4, 1}, {}} {
		for _, beta := range []float64{0.5, 0} {
			self, a, b := matrix(float, bias...), matrix(half, 4, 2), matrix(float, 2, 3)
			if beta == 0 {
				for k := range self.storage {
					self.storage[k] = math.NaN() // which must not matter
				}
			}
			added, va, vb := self.broadcast([]int{4, 3}), a.values(), b.values()
			want := make([]float64, 12)
			for k := range want {
				r, c := k/3, k%3
				want[k] = 2 * (va[2*r]*vb[c] + va[2*r+1]*vb[3+c])
				if beta != 0 {
					want[k] += beta * added[k]
				}
			}
			calls = append(calls, call{name: fmt.Sprint("addmm", bias, beta), op: "aclnnAddmm", workspace: -1,
				args: []any{self.laidOut(layouts[i%3]), a.laidOut("transposed"), b, number(beta), number(2), contiguous(float, []int{4, 3}, make([]float64, 12)...).laidOut("spread"), 0},
				want: map[int][]float64{5: want}})
			if len(bias) == 2 && bias[1] == 3 {
				calls = append(calls, call{name: fmt.Sprint("in-place addmm", beta), op: "aclnnInplaceAddmm", workspace: -1,
					args: []any{self, a, b, number(beta), number(2), 0}, want: map[int][]float64{0: want}})
			}
		}
	}
	return calls
}
