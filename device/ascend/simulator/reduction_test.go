//go:build linux

package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func reductionCalls() []call {
	rng := rand.New(rand.NewPCG(3, 4))
	nan := math.NaN()
	var calls []call
	add := func(op string, self tensor, dims []int, keep bool, noop bool, to int) {
		// Each result is the sum over the elements whose other indices agree.
		reduced := map[int]bool{}
		for _, d := range dims {
			reduced[(d+len(self.shape))%max(len(self.shape), 1)] = true
		}
		if len(dims) == 0 && !noop {
			for i := range self.shape {
				reduced[i] = true
			}
		}
		left, n := []int{}, 1
		strides := make([]int, len(self.shape)) // of the result for each index of self
		stride := 1
		for i := len(self.shape) - 1; i >= 0; i-- {
			if reduced[i] {
				n *= self.shape[i]
			} else {
				strides[i] = stride
				stride *= self.shape[i]
			}
		}
		for i, d := range self.shape {
			if !reduced[i] {
				left = append(left, d)
			} else if keep {
				left = append(left, 1)
			}
		}
		sums := make([]float64, count(left))
		index := tensor{shape: self.shape, strides: strides}
		for i, at := range index.positions() {
			sums[at] += self.values()[i]
		}
		if op != "aclnnReduceSum" {
			for i := range sums {
				sums[i] /= float64(n)
			}
		}
		args := []any{self, ints(dims), keep, to, contiguous(to, left, make([]float64, len(sums))...)}
		if op == "aclnnMeanV2" {
			args[3] = noop
		}
		calls = append(calls, call{name: fmt.Sprint(op, self.shape, dims, keep, noop), op: op, workspace: -1, args: args, want: map[int][]float64{4: sums}})
	}
	for i, dims := range [][]int{{}, {0}, {1}, {2}, {-1}, {0, 2}, {2, 1}, {0, 1, 2}} {
		for _, op := range []string{"aclnnReduceSum", "aclnnMean", "aclnnMeanV2"} {
			self := contiguous([]int{float, half, bfloat}[i%3], []int{3, 4, 5}, values(rng, 60, false)...)
			add(op, self.laidOut(layouts[i%3]), dims, i%2 == 0, op == "aclnnMeanV2" && i == 0, float)
		}
	}
	add("aclnnReduceSum", contiguous(float, []int{2, 700}, values(rng, 1400, false)...), []int{1}, false, false, half)
	add("aclnnReduceSum", contiguous(int64_, []int{3}, 1<<40, 2, 3), []int{0}, true, false, int64_)
	add("aclnnReduceSum", contiguous(float, []int{}, 5), []int{}, false, false, float)
	add("aclnnMean", contiguous(float, []int{}, 5), []int{}, true, false, float)
	add("aclnnReduceSum", contiguous(float, []int{2, 0}), []int{1}, false, false, float)
	add("aclnnMean", contiguous(float, []int{2, 0}), []int{1}, false, false, float)
	add("aclnnReduceSum", contiguous(float, []int{0, 2}), []int{1}, true, false, float)
	// In float32 the ones would be lost one by one.
	add("aclnnReduceSum", contiguous(float, []int{1001}, append([]float64{1 << 25}, repeat(1, 1000)...)...), []int{}, false, false, float)
	return append(calls,
		call{name: "max", op: "aclnnMax", workspace: -1, args: []any{contiguous(half, []int{2, 2}, 1, -3, 2, 0).laidOut("spread"), contiguous(float, []int{}, 0)}, want: map[int][]float64{1: {2}}},
		call{name: "max of NaN", op: "aclnnMax", args: []any{contiguous(float, []int{3}, 1, nan, 2), contiguous(float, []int{}, 0)}, want: map[int][]float64{1: {nan}}},
	)
}

func repeat(v float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = v
	}
	return values
}
