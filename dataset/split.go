package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// splitStream keeps the random numbers of Split apart from those of
// [Batches.Shuffle], which uses the epoch in its place.
const splitStream = 1 << 63

// Split parts the rows at random into a training and a test table. The split is
// stratified: of the n rows of each class, testFraction·n, rounded, become test
// rows, but at least one and at most n-1, so that each part holds rows of both
// classes. The rows of each part are in random order. The same table, fraction
// and seed always give the same split.
//
// The rows are copied; Features is shared with t. Split fails if testFraction is
// not between 0 and 1, both excluded, or if a class has fewer than two rows.
func (t *Table) Split(testFraction float64, seed uint64) (train, test *Table, err error) {
	if !(testFraction > 0 && testFraction < 1) {
		return nil, nil, fmt.Errorf("dataset: a test fraction of %v; it must be greater than 0 and less than 1", testFraction)
	}
	if err := t.Check(); err != nil {
		return nil, nil, err
	}
	var classes [2][]int
	for i, y := range t.Y {
		class := 0
		if y > 0 {
			class = 1
		}
		classes[class] = append(classes[class], i)
	}

	rng := rand.New(rand.NewPCG(seed, splitStream))
	var trainRows, testRows []int
	for class, name := range [2]string{t.Negative, t.Positive} {
		rows := classes[class]
		if len(rows) < 2 {
			return nil, nil, fmt.Errorf("dataset: class %q of table %q has %s; a split needs two or more, at least one for each part",
				name, t.Source, count(len(rows), "row"))
		}
		shuffle(rng, rows)
		n := int(math.Round(testFraction * float64(len(rows))))
		n = min(max(n, 1), len(rows)-1)
		testRows = append(testRows, rows[:n]...)
		trainRows = append(trainRows, rows[n:]...)
	}
	shuffle(rng, trainRows)
	shuffle(rng, testRows)
	return t.pick(trainRows), t.pick(testRows), nil
}

// pick returns a table of the given rows in their order.
func (t *Table) pick(rows []int) *Table {
	out := *t
	out.X = make([]float64, len(rows)*len(t.Features))
	out.Y = make([]float64, len(rows))
	gather(t.X, t.Y, rows, out.X, out.Y)
	return &out
}

// shuffle puts rows in random order.
func shuffle(rng *rand.Rand, rows []int) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}
