package nn

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/pullback-go/pullback/graph"
)

// Init makes the initialiser of the weight with the given name, which joins fanIn
// inputs to fanOut outputs. Fans below 1 count as 1.
type Init func(seed uint64, name string, fanIn, fanOut int) graph.Initializer

// Zeros is 0 everywhere.
func Zeros(uint64, string, int, int) graph.Initializer { return nil }

// XavierUniform draws from U(-b, b) with b = √(6/(fanIn+fanOut)), for layers that
// are followed by tanh or by nothing (Glorot and Bengio, 2010, equation 16).
func XavierUniform(seed uint64, name string, fanIn, fanOut int) graph.Initializer {
	return uniform(seed, name, math.Sqrt(3*xavierVariance(fanIn, fanOut)))
}

// XavierNormal draws from N(0, 2/(fanIn+fanOut)), the variance of [XavierUniform]
// (Glorot and Bengio, 2010, equation 12).
func XavierNormal(seed uint64, name string, fanIn, fanOut int) graph.Initializer {
	return normal(seed, name, math.Sqrt(xavierVariance(fanIn, fanOut)))
}

// KaimingUniform draws from U(-b, b) with b = √(6/fanIn), the variance of
// [KaimingNormal], for layers that are followed by ReLU. It is PyTorch's
// kaiming_uniform_ with the gain of ReLU, √2.
func KaimingUniform(seed uint64, name string, fanIn, _ int) graph.Initializer {
	return uniform(seed, name, math.Sqrt(3*kaimingVariance(fanIn)))
}

// KaimingNormal draws from N(0, 2/fanIn), for layers that are followed by ReLU (He
// et al., 2015, arXiv:1502.01852, equation 10).
func KaimingNormal(seed uint64, name string, fanIn, _ int) graph.Initializer {
	return normal(seed, name, math.Sqrt(kaimingVariance(fanIn)))
}

func xavierVariance(fanIn, fanOut int) float64 { return 2 / float64(max(fanIn, 1)+max(fanOut, 1)) }

func kaimingVariance(fanIn int) float64 { return 2 / float64(max(fanIn, 1)) }

// uniform draws from U(-bound, bound), which has variance bound²/3.
func uniform(seed uint64, name string, bound float64) graph.Initializer {
	return func(values []float64) {
		rng := rand.New(source(seed, name))
		for i := range values {
			values[i] = bound * (2*rng.Float64() - 1)
		}
	}
}

func normal(seed uint64, name string, deviation float64) graph.Initializer {
	return func(values []float64) {
		rng := rand.New(source(seed, name))
		for i := range values {
			values[i] = deviation * rng.NormFloat64()
		}
	}
}

// source returns the random numbers that belong to a name.
func source(seed uint64, name string) *rand.PCG {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return rand.NewPCG(seed, hash.Sum64())
}
