package dataset

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// toyStream keeps the random numbers of toys apart from others of the same seed.
const toyStream = splitStream + 2

// toy returns a point of a class; t is from 0 to 1 over the points of the class.
type toy func(class int, t float64, rng *rand.Rand) (x1, x2 float64)

var toys = map[string]toy{
	"moons": func(class int, t float64, _ *rand.Rand) (float64, float64) {
		sin, cos := math.Sincos(math.Pi * t)
		if class == 0 {
			return cos, sin
		}
		return 1 - cos, 0.5 - sin
	},
	"circles": func(class int, t float64, _ *rand.Rand) (float64, float64) {
		sin, cos := math.Sincos(2 * math.Pi * t)
		radius := 1 - 0.5*float64(class)
		return radius * cos, radius * sin
	},
	"spirals": func(class int, t float64, _ *rand.Rand) (float64, float64) {
		radius := 0.1 + 0.9*t
		sin, cos := math.Sincos(3*math.Pi*t + math.Pi*float64(class))
		return radius * cos, radius * sin
	},
	"xor": func(class int, _ float64, rng *rand.Rand) (float64, float64) {
		x1, x2 := rng.Float64(), rng.Float64()
		if rng.IntN(2) == 0 {
			x1, x2 = -x1, -x2
		}
		if class == 1 {
			x2 = -x2
		}
		return x1, x2
	},
	"blobs": func(class int, _ float64, _ *rand.Rand) (float64, float64) {
		center := 2*float64(class) - 1
		return center, center
	},
}

// Toys returns the names of the data sets that [Toy] makes.
func Toys() []string { return slices.Sorted(maps.Keys(toys)) }

// Toy makes one of the classic data sets of two features, x1 and x2, which show what
// a model can tell apart. Of n rows half, rounded down, are of class "1", the others of "0":
//
//	moons     two half circles of radius 1 that reach into each other
//	circles   a circle of radius 0.5 within one of radius 1
//	spirals   two arms that wind one and a half times around each other, to radius 1
//	xor       points of the square from -1 to 1; the sign of x1·x2 tells the class
//	blobs     two clouds around (-1, -1) and (1, 1), which are nothing but noise
//
// Noise is the standard deviation of a normal error that is added to both features.
// The rows are in random order; the seed determines everything. Toy fails if the
// name is another, n is less than 4, or noise is negative or not finite.
func Toy(name string, n int, noise float64, seed uint64) (*Frame, error) {
	point, ok := toys[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("dataset: there is no toy %q; there is %s", name, list(Toys()))
	case n < 4 || n > 1<<24:
		return nil, fmt.Errorf("dataset: a toy of %d rows; from 4 to %d can be made", n, 1<<24)
	case !(noise >= 0) || math.IsInf(noise, 0):
		return nil, fmt.Errorf("dataset: a noise of %v; it must be 0 or a positive number", noise)
	}
	rng := rand.New(rand.NewPCG(seed, toyStream))
	order := rng.Perm(n)
	x1, x2, labels := make([]float64, n), make([]float64, n), make([]string, n)
	negative := n - n/2
	for i, row := range order {
		class, k, size := 0, i, negative
		if i >= negative {
			class, k, size = 1, i-negative, n/2
		}
		t := float64(k) / float64(size-1)
		if name == "circles" {
			t = float64(k) / float64(size) // the end is the beginning
		}
		a, b := point(class, t, rng)
		x1[row], x2[row] = a+noise*rng.NormFloat64(), b+noise*rng.NormFloat64()
		labels[row] = string(rune('0' + class))
	}
	f := NewFrame(name)
	if err := f.AddNumeric("x1", x1); err != nil {
		return nil, err
	}
	if err := f.AddNumeric("x2", x2); err != nil {
		return nil, err
	}
	return f, f.SetLabels("class", labels, "1")
}
