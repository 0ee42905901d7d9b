//go:build linux

package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func optimizerCalls() []call {
	rng := rand.New(rand.NewPCG(9, 10))
	f32 := func(v float64) float64 { return float64(float32(v)) }
	lr, beta1, beta2, decay, eps := f32(0.1), f32(0.9), f32(0.999), f32(0.01), f32(1e-8)
	one := func(v float64) tensor { return contiguous(float, []int{1}, v) }
	var calls []call
	for form := range 8 {
		amsgrad, maximize := form&1 != 0, form&2 != 0
		shape := []int{3, 100}
		n := count(shape)
		param, m, g := values(rng, n, false), values(rng, n, false), values(rng, n, false)
		v, largest := values(rng, n, true), values(rng, n, true)

		// results returns the parameter, the moments and the largest second moment after step t.
		results := func(t float64) [4][]float64 {
			var r [4][]float64
			for i := range param {
				gi := choose(maximize, -g[i], g[i])
				first, second := beta1*m[i]+(1-beta1)*gi, beta2*v[i]+(1-beta2)*gi*gi
				most := math.Max(largest[i], second)
				root := math.Sqrt(choose(amsgrad, most, second) / (1 - math.Pow(beta2, t)))
				next := param[i] - lr*decay*param[i] - lr*first/(1-math.Pow(beta1, t))/(root+eps)
				for k, x := range []float64{next, first, second, most} {
					r[k] = append(r[k], x)
				}
			}
			return r
		}

		dtype := []int{float, half}[form/4]
		tensors := []tensor{contiguous(dtype, shape, param...), contiguous(float, shape, m...), contiguous(float, shape, v...), contiguous(float, shape, largest...), contiguous(dtype, shape, g...)}
		for i := range tensors {
			tensors[i] = tensors[i].laidOut(layouts[(form+i)%3])
		}
		var maximum any
		if amsgrad {
			maximum = tensors[3]
		}

		t := float64(1 + form)
		step := contiguous([]int{float, int64_}[form&1], [][]int{{}, {1}, {1, 1, 1}}[form%3], t)
		r := results(t)
		want := map[int][]float64{0: r[0], 1: r[1], 2: r[2]}
		if amsgrad {
			want[3] = r[3]
		}
		calls = append(calls, call{name: fmt.Sprint("AdamW V2 ", form), op: "aclnnApplyAdamWV2", workspace: -1, want: want,
			args: []any{tensors[0], tensors[1], tensors[2], maximum, tensors[4], step, float32(lr), float32(beta1), float32(beta2), float32(decay), float32(eps), amsgrad, maximize}})

		// The older form has its coefficients in tensors, among them the powers of the step before; here of step 0.
		r = results(1)
		calls = append(calls, call{name: fmt.Sprint("AdamW ", form), op: "aclnnApplyAdamW", workspace: -1, want: map[int][]float64{0: r[0], 1: r[1], 2: r[2]},
			args: []any{tensors[0], tensors[1], tensors[2], one(1), one(1), one(lr), one(decay), one(beta1), one(beta2), one(eps), tensors[4], maximum, amsgrad, maximize}})
	}
	return calls
}
