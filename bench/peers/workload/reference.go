package workload

import "math"

// parameter is a vector of parameters with its gradient and Adam's moments.
type parameter struct {
	value, gradient, first, second []float64
}

func newParameter(values []float32) parameter {
	n := len(values)
	return parameter{widen(values), make([]float64, n), make([]float64, n), make([]float64, n)}
}

// update is step t, from 1, of Adam: Kingma and Ba, "Adam: a method for stochastic
// optimization", 2015, algorithm 1.
func (p parameter) update(t int) {
	for i, g := range p.gradient {
		p.first[i] = Beta1*p.first[i] + (1-Beta1)*g
		p.second[i] = Beta2*p.second[i] + (1-Beta2)*g*g
		m := p.first[i] / (1 - math.Pow(Beta1, float64(t)))
		v := p.second[i] / (1 - math.Pow(Beta2, float64(t)))
		p.value[i] -= LearningRate * m / (math.Sqrt(v) + Epsilon)
	}
	clear(p.gradient)
}

// losses returns the losses of the first steps, in float64.
func (j Job) losses(steps int) []float64 {
	layers := j.Layers()
	var weights, biases []parameter
	for _, l := range layers {
		weights, biases = append(weights, newParameter(l.Weight)), append(biases, newParameter(l.Bias))
	}
	features, labels := j.Batch()
	inputs := make([][]float64, len(layers)+1) // of each layer for one row, then the score
	losses := make([]float64, steps)
	for t := range losses {
		for row := range j.Rows {
			inputs[0] = widen(features[row*j.Sizes[0]:][:j.Sizes[0]])
			for k, l := range layers {
				out := append([]float64(nil), biases[k].value...)
				for i, x := range inputs[k] {
					for o, w := range weights[k].value[i*l.Out:][:l.Out] {
						out[o] += x * w
					}
				}
				if k < len(layers)-1 {
					for o := range out {
						out[o] = max(out[o], 0)
					}
				}
				inputs[k+1] = out
			}
			label := float64(labels[row])
			e := math.Exp(-label * inputs[len(layers)][0])
			losses[t] += math.Log1p(e) / float64(j.Rows)

			delta := []float64{-label * e / (1 + e) / float64(j.Rows)} // the loss's gradient for a layer's output
			for k := len(layers) - 1; k >= 0; k-- {
				before := make([]float64, layers[k].In)
				for i, x := range inputs[k] {
					at := i * layers[k].Out
					for o, d := range delta {
						weights[k].gradient[at+o] += x * d
						before[i] += weights[k].value[at+o] * d
					}
					if x <= 0 { // the ReLU that made it; nobody reads the gradient for the features
						before[i] = 0
					}
				}
				for o, d := range delta {
					biases[k].gradient[o] += d
				}
				delta = before
			}
		}
		for k := range layers {
			weights[k].update(t + 1)
			biases[k].update(t + 1)
		}
	}
	return losses
}

func widen(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return wide
}
