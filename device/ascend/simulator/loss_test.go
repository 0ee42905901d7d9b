//go:build linux

package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sigmoid(x float64) float64 { return math.Exp(-softplus(-x)) }

// reduce returns the losses, their mean or their sum.
func reduce(losses []float64, reduction int) []float64 {
	if reduction == 0 {
		return losses
	}
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	if reduction == 1 {
		sum /= float64(len(losses))
	}
	return []float64{sum}
}

func lossCalls() []call {
	rng := rand.New(rand.NewPCG(7, 8))
	var calls []call
	for _, r := range []int{0, 1, 2, 3, -4} {
		for form, shapes := range [][][]int{{{2, 3}, {2, 3}, {2, 3}}, {{4, 1}, {3}, {4, 3}}, {{}, {}, {}}, {{90, 7}, {7}, {1, 90, 7}}, {{0}, {0}, {0}}} {
			shape := shapes[2]
			if form == 3 {
				shape = []int{90, 7}
			}
			dtypes := [][]int{{float, float, float}, {half, float, half}, {bfloat, bfloat, bfloat}}[(form+r+4)%3]
			self := contiguous(dtypes[0], shapes[0], values(rng, count(shapes[0]), false)...).laidOut(layouts[form%3])
			target := contiguous(dtypes[1], shapes[1], values(rng, count(shapes[1]), false)...).laidOut(layouts[(form+1)%3])
			for i := range target.storage {
				target.storage[i] = choose(target.storage[i] < 0, -1, 1)
			}
			xs, ys := self.broadcast(shape), target.broadcast(shape)
			losses := make([]float64, len(xs))
			for i := range losses {
				losses[i] = softplus(-xs[i] * ys[i])
			}
			left := shape
			if r != 0 {
				left = []int{}
			}
			out := contiguous(dtypes[2], left, repeat(canary, count(left))...)
			want := reduce(losses, r)
			if count(shape) == 0 && (r < 0 || r > 2) {
				want = []float64{canary}
			}
			calls = append(calls, call{name: fmt.Sprint("soft margin loss ", r, form), op: "aclnnSoftMarginLoss", workspace: -1, args: []any{self, target, r, out}, want: map[int][]float64{3: want}})

			if r < 0 || r > 2 {
				continue
			}
			whole := shapes[2] // with gradOutput's dimensions, if it has them
			if r%2 == 1 {
				whole = shape
			}
			grad := contiguous(dtypes[1], [][]int{whole, {}}[r%2], values(rng, count([][]int{whole, {}}[r%2]), false)...)
			gs := grad.broadcast(whole)
			xs, ys = self.broadcast(whole), target.broadcast(whole)
			slopes := make([]float64, len(gs))
			for i := range slopes {
				slopes[i] = -ys[i] * sigmoid(-xs[i]*ys[i]) * gs[i]
				if r == 1 {
					slopes[i] /= float64(len(gs))
				}
			}
			out = contiguous(dtypes[2], whole, make([]float64, len(slopes))...).laidOut(layouts[form%3])
			calls = append(calls, call{name: fmt.Sprint("its gradient ", r, form), op: "aclnnSoftMarginLossBackward", workspace: -1, args: []any{grad, self, target, r, out}, want: map[int][]float64{4: slopes}})
		}
		if r < 0 || r > 2 {
			continue
		}
		for form := range 4 {
			shape := []int{5, 3}
			self := contiguous(float, shape, values(rng, 15, false)...).laidOut(layouts[form%3])
			target := contiguous(half, shape, make([]float64, 15)...)
			for i := range target.storage {
				target.storage[i] = float64(rng.IntN(5)) / 4
			}
			weight, positive := repeat(1, 15), repeat(1, 15)
			args := []any{self, target, nil, nil}
			if form%2 == 1 {
				w := contiguous(float, []int{5, 1}, values(rng, 5, true)...)
				args[2], weight = w, w.broadcast(shape)
			}
			if form >= 2 {
				p := contiguous(bfloat, []int{3}, values(rng, 3, true)...)
				args[3], positive = p, p.broadcast(shape)
			}
			xs, ys := self.values(), target.values()
			grad := contiguous(float, shape, values(rng, 15, false)...)
			losses, slopes := make([]float64, 15), make([]float64, 15)
			for i := range losses {
				p, q := positive[i]*ys[i], 1-ys[i]
				losses[i] = weight[i] * (p*softplus(-xs[i]) + q*softplus(xs[i]))
				slopes[i] = grad.storage[i] * weight[i] * (q*sigmoid(xs[i]) - p*sigmoid(-xs[i]))
				if r == 1 {
					slopes[i] /= 15
				}
			}
			left := shape
			if r != 0 {
				left = []int{}
			}
			out := contiguous(float, left, make([]float64, count(left))...)
			all := contiguous(half, shape, make([]float64, 15)...)
			calls = append(calls,
				call{name: fmt.Sprint("cross entropy ", r, form), op: "aclnnBinaryCrossEntropyWithLogits", workspace: -1, args: append(args[:4:4], r, out), want: map[int][]float64{5: reduce(losses, r)}},
				call{name: fmt.Sprint("its gradient ", r, form), op: "aclnnBinaryCrossEntropyWithLogitsBackward", workspace: -1, args: append(append([]any{grad}, args...), r, all), want: map[int][]float64{6: slopes}})
		}
	}
	// The loss and its gradient are finite and accurate at every margin.
	margins := []float64{-1e30, -1000, -100, -89, -88, -20, -1e-3, 0, 1e-3, 20, 88, 89, 100, 1000, 1e30}
	for i := range margins {
		margins[i] = float64(float32(margins[i]))
	}
	n := len(margins)
	losses, slopes := make([]float64, n), make([]float64, n)
	for i, m := range margins {
		losses[i], slopes[i] = softplus(-m), -sigmoid(-m)
	}
	self, one := contiguous(float, []int{n}, margins...), contiguous(float, []int{}, 1)
	return append(calls,
		call{name: "far margins", op: "aclnnSoftMarginLoss", workspace: -1, args: []any{self, one, 0, contiguous(float, []int{n}, make([]float64, n)...)}, want: map[int][]float64{3: losses}},
		call{name: "their gradients", op: "aclnnSoftMarginLossBackward", workspace: -1, args: []any{one, self, one, 0, contiguous(float, []int{n}, make([]float64, n)...)}, want: map[int][]float64{4: slopes}})
}
