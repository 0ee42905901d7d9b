package measure

import (
	"math/rand/v2"
	"sync"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// source is a kind of random number.
type source int

const (
	scores    source = iota // around 0, on both sides of any threshold
	labels                  // -1 and +1
	gradients               // small
	weights                 // smaller
	squares                 // positive
)

// length is how many numbers a source has before it repeats. The lengths have no
// factor in common, so that pairs of sources repeat much later.
var length = [...]int{scores: 1<<18 - 5, labels: 1<<18 - 11, gradients: 1<<18 - 17, weights: 1<<18 - 23, squares: 1<<18 - 33}

type tableKey struct {
	source
	device.DType
}

// tables holds the numbers of each source in each dtype as they lie in memory.
var tables sync.Map

func table(s source, d device.DType) []byte {
	if t, ok := tables.Load(tableKey{s, d}); ok {
		return t.([]byte)
	}
	r := rand.New(rand.NewPCG(1, uint64(s)))
	values := make([]float64, length[s])
	for i := range values {
		switch s {
		case scores:
			values[i] = 2 * r.NormFloat64()
		case labels:
			values[i] = float64(2*r.IntN(2) - 1)
		case gradients:
			values[i] = 0.1 * r.NormFloat64()
		case weights:
			values[i] = 0.05 * r.NormFloat64()
		default:
			values[i] = 0.01 * r.Float64()
		}
	}
	t, _ := tables.LoadOrStore(tableKey{s, d}, devicetest.Encode(values, d))
	return t.([]byte)
}

// draw returns the memory of n numbers of the source. Copies of a tensor differ in
// where they start.
func draw(s source, d device.DType, n, copyNumber int) []byte {
	t := table(s, d)
	at := copyNumber * 7919 % length[s] * d.Size()
	data := make([]byte, 0, n*d.Size())
	for len(data) < cap(data) {
		data = append(data, t[at:at+min(len(t)-at, cap(data)-len(data))]...)
		at = 0
	}
	return data
}
