package ops

import (
	"math/rand/v2"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// Dropout returns x with a share p in [0, 1) of its elements, chosen at random
// at every training step, set to 0 and the others divided by 1 - p. The choice
// follows from the seed and the session's step counter alone; give each use of
// Dropout in a model a seed of its own. Leave it out of a model for prediction.
func Dropout(x *graph.Node, p float64, seed uint64) *graph.Node {
	key := x.Graph().PerStep(device.Type{DType: device.Float32, Shape: []int{2}}, func(step int64, key []float64) error {
		bits := rand.NewPCG(seed, uint64(step)).Uint64()
		key[0], key[1] = float64(bits>>40), float64(bits>>16&(1<<24-1))
		return nil
	})
	return dropout(x, key, p)
}

func dropout(x, key *graph.Node, p float64) *graph.Node { // linear in x
	return graph.Apply(device.Dropout{P: p}, func(n, g *graph.Node) nodes {
		return nodes{dropout(g, n.Input(1), p), nil}
	}, x, key)
}
