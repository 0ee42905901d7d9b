package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// updater is a row of the table of optimizers' updates. step is the same update of one
// element in plain arithmetic; it returns the parameter and changes the state.
type updater struct {
	name  string
	state int // number of state arrays
	run   func(param, grad []float32, state [][]float32)
	step  func(p, g float32, state []float32) float32
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func updates() []updater {
	var list []updater
	for _, decay := range []float32{0, 0.1} {
		decayed := func(p, g float32) float32 {
			if decay != 0 {
				g += float32(decay * p)
			}
			return g
		}
		sgd := SGD{Rate: 0.1, Decay: decay}
		list = append(list, updater{
			fmt.Sprintf("%+v", sgd), 0,
			func(param, grad []float32, _ [][]float32) { sgd.Update(param, grad, nil) },
			func(p, g float32, _ []float32) float32 { return p - float32(sgd.Rate*decayed(p, g)) },
		})
		for _, first := range []bool{false, true} {
			for _, nesterov := range []bool{false, true} {
				k := SGD{Rate: 0.1, Decay: decay, Momentum: 0.9, Undamped: 0.7, First: first, Nesterov: nesterov}
				list = append(list, updater{
					fmt.Sprintf("%+v", k), 1,
					func(param, grad []float32, s [][]float32) { k.Update(param, grad, s[0]) },
					func(p, g float32, s []float32) float32 {
						g = decayed(p, g)
						m := g
						if !first {
							m = float32(k.Momentum*s[0]) + float32(k.Undamped*g)
						}
						s[0] = m
						if nesterov {
							m = g + float32(k.Momentum*m)
						}
						return p - float32(k.Rate*m)
					},
				})
			}
		}
		for _, keep := range []float32{1, 0.99} {
			for _, amsgrad := range []bool{false, true} {
				k := Adam{Rate: 0.1, Decay: decay, Beta1: 0.9, Rest1: 0.1, Beta2: 0.999, Rest2: 0.001, Bias: 0.3, Epsilon: 1e-8, Keep: keep}
				u := updater{name: fmt.Sprintf("%+v AMSGrad:%v", k, amsgrad), state: 2}
				if amsgrad {
					u.state = 3
				}
				u.run = func(param, grad []float32, s [][]float32) {
					s = append(s, nil)
					k.Update(param, grad, s[0], s[1], s[2])
				}
				u.step = func(p, g float32, s []float32) float32 {
					g = decayed(p, g)
					p = float32(p * k.Keep)
					s[0] = float32(k.Beta1*s[0]) + float32(k.Rest1*g)
					s[1] = float32(k.Beta2*s[1]) + float32(float32(k.Rest2*g)*g)
					v := s[1]
					if amsgrad {
						s[2] = max(s[2], v)
						v = s[2]
					}
					d := float32(root(v)/k.Bias) + k.Epsilon
					return p - float32(float32(k.Rate*s[0])/d)
				}
				list = append(list, u)
			}
		}
		for _, centered := range []bool{false, true} {
			for _, momentum := range []bool{false, true} {
				k := RMSprop{Rate: 0.1, Decay: decay, Alpha: 0.9, Rest: 0.1, Epsilon: 1e-8, Momentum: 0.7}
				u := updater{name: fmt.Sprintf("%+v centered:%v momentum:%v", k, centered, momentum), state: 1}
				if centered {
					u.state++
				}
				if momentum {
					u.state++
				}
				u.run = func(param, grad []float32, s [][]float32) {
					square, s := s[0], s[1:]
					var mean, buf []float32
					if centered {
						mean, s = s[0], s[1:]
					}
					if momentum {
						buf = s[0]
					}
					k.Update(param, grad, square, mean, buf)
				}
				u.step = func(p, g float32, s []float32) float32 {
					g = decayed(p, g)
					s[0] = float32(k.Alpha*s[0]) + float32(float32(k.Rest*g)*g)
					v := s[0]
					s = s[1:]
					if centered {
						s[0] = float32(k.Alpha*s[0]) + float32(k.Rest*g)
						v = max(v-float32(s[0]*s[0]), 0)
						s = s[1:]
					}
					u := g / (root(v) + k.Epsilon)
					if momentum {
						s[0] = u + float32(k.Momentum*s[0])
						u = s[0]
					}
					return p - float32(k.Rate*u)
				}
				list = append(list, u)
			}
		}
		adagrad := Adagrad{Rate: 0.1, Decay: decay, Epsilon: 1e-8}
		list = append(list, updater{
			fmt.Sprintf("%+v", adagrad), 1,
			func(param, grad []float32, s [][]float32) { adagrad.Update(param, grad, s[0]) },
			func(p, g float32, s []float32) float32 {
				g = decayed(p, g)
				s[0] += float32(g * g)
				return p - float32(float32(adagrad.Rate*g)/(root(s[0])+adagrad.Epsilon))
			},
		})
	}
	return list
}

// Updates are those of plain arithmetic to the bit, NaN and infinities included.
func TestUpdates(t *testing.T) {
	const n = 1037
	bits := func(x float32) uint32 {
		if x != x {
			x = float32(math.NaN())
		}
		return math.Float32bits(x)
	}
	for _, u := range updates() {
		t.Run(u.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			random := func(draw func() float32) []float32 {
				x := make([]float32, n)
				for i := range x {
					x[i] = draw()
					if r.IntN(20) == 0 {
						x[i] = anyFloat(r)
					}
				}
				return x
			}
			normal := func() float32 { return float32(r.NormFloat64()) }
			param, grad := random(normal), random(normal)
			var state [][]float32
			for range u.state {
				state = append(state, random(func() float32 { return float32(r.ExpFloat64()) }))
			}
			wantParam, wantState := slices.Clone(param), make([][]float32, len(state))
			for i := range state {
				wantState[i] = slices.Clone(state[i])
			}
			for range 3 {
				u.run(param, grad, state)
				for i, g := range grad {
					s := make([]float32, len(state))
					for j := range s {
						s[j] = wantState[j][i]
					}
					wantParam[i] = u.step(wantParam[i], g, s)
					require.Equal(t, bits(wantParam[i]), bits(param[i]), "parameter %d: %v, want %v", i, param[i], wantParam[i])
					for j := range s {
						wantState[j][i] = s[j]
						require.Equal(t, bits(s[j]), bits(state[j][i]), "state %d, %d: %v, want %v", j, i, state[j][i], s[j])
					}
				}
			}
		})
	}
}
