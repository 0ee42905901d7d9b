package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// splitStream keeps the random numbers of Split apart from those of
// [Batches.Shuffle], which uses the epoch in its place.
const splitStream = 1 << 63

// foldStream keeps the random numbers of KFold apart from those of Split.
const foldStream = splitStream + 1

// Split parts the rows at random into training, validation and test rows, views
// that copy nothing. The split is stratified: of the n rows of each class
// test·n, rounded, become test rows and validation·n validation rows, but at least
// one of each and as many as leave a training row. A fraction of 0 gives a nil frame.
// Rows keep their order; mini-batches shuffle them. The same frame, fractions
// and seed always give the same split.
//
// Split fails if a fraction is negative or both make 1 or more, if a class has
// fewer rows than there are parts, or if the frame has no labels.
func (f *Frame) Split(validationFraction, testFraction float64, seed uint64) (train, validation, test *Frame, err error) {
	if !(validationFraction >= 0 && testFraction >= 0 && validationFraction+testFraction < 1) {
		return nil, nil, nil, fmt.Errorf("dataset: a validation fraction of %v and a test fraction of %v; neither may be negative, and together they must be less than 1",
			validationFraction, testFraction)
	}
	classes, err := f.classes()
	if err != nil {
		return nil, nil, nil, err
	}
	rng := rand.New(rand.NewPCG(seed, splitStream))
	var parts [3][][]int // test, validation and training rows, of each class
	for class, rows := range classes {
		needed, take := 1, [2]int{}
		for i, fraction := range [2]float64{testFraction, validationFraction} {
			if fraction > 0 {
				needed++
				take[i] = max(int(math.Round(fraction*float64(len(rows)))), 1)
			}
		}
		if len(rows) < needed {
			return nil, nil, nil, f.tooFew(class, len(rows), fmt.Sprintf("a split into %d parts needs at least one for each part", needed))
		}
		for take[0]+take[1] >= len(rows) { // the larger part gives a row up for training
			if take[0] >= take[1] {
				take[0]--
			} else {
				take[1]--
			}
		}
		shuffle(rng, rows)
		parts[0] = append(parts[0], rows[:take[0]])
		parts[1] = append(parts[1], rows[take[0]:take[0]+take[1]])
		parts[2] = append(parts[2], rows[take[0]+take[1]:])
	}
	var frames [3]*Frame
	for i, part := range parts {
		if rows := slices.Concat(part...); len(rows) > 0 {
			slices.Sort(rows)
			frames[i] = f.view(rows)
		}
	}
	return frames[2], frames[1], frames[0], nil
}

// Fold is one way to part rows for cross-validation.
type Fold struct {
	Train, Test *Frame
}

// KFold parts the rows at random into k parts and returns k folds, each of which
// tests with one part and trains on the others, views that copy nothing. The parts are
// stratified: the rows of each class are dealt out evenly, so that the parts'
// numbers of them differ by one at most. The same frame, k and seed always give the same folds.
//
// KFold fails if k is less than 2, if a class has fewer than k rows, or if the
// frame has no labels.
func (f *Frame) KFold(k int, seed uint64) ([]Fold, error) {
	if k < 2 {
		return nil, fmt.Errorf("dataset: %s; at least 2 are needed", count(k, "fold"))
	}
	classes, err := f.classes()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, foldStream))
	part := make([]int, f.Rows()) // of each row
	next := 0                     // goes on from class to class, so that the parts are even too
	for class, rows := range classes {
		if len(rows) < k {
			return nil, f.tooFew(class, len(rows), fmt.Sprintf("%d folds need at least one each", k))
		}
		shuffle(rng, rows)
		for _, row := range rows {
			part[row] = next % k
			next++
		}
	}
	folds := make([]Fold, k)
	for i := range folds {
		var train, test []int
		for row, p := range part {
			if p == i {
				test = append(test, row)
			} else {
				train = append(train, row)
			}
		}
		folds[i] = Fold{Train: f.view(train), Test: f.view(test)}
	}
	return folds, nil
}

// classes returns the rows of the negative and of the positive class.
func (f *Frame) classes() (rows [2][]int, err error) {
	if err := f.checkLabeled(); err != nil {
		return rows, err
	}
	positives := 0
	for i := range f.Rows() {
		if f.y[f.row(i)] > 0 {
			positives++
		}
	}
	rows[0], rows[1] = make([]int, 0, f.Rows()-positives), make([]int, 0, positives)
	for i := range f.Rows() {
		class := 0
		if f.y[f.row(i)] > 0 {
			class = 1
		}
		rows[class] = append(rows[class], i)
	}
	return rows, nil
}

func (f *Frame) tooFew(class, rows int, need string) error {
	return fmt.Errorf("dataset: class %s of %q has %s; %s", quote([2]string{f.negative, f.positive}[class]), f.source, count(rows, "row"), need)
}

// shuffle puts rows in random order.
func shuffle(rng *rand.Rand, rows []int) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

// BalancedWeights returns the weight of a row of each class under which both
// classes weigh the same and the mean weight is 1: n/(2·n_class) for n rows
// (scikit-learn's class_weight="balanced"). It fails if a class has no rows or a label
// is neither -1 nor +1.
func BalancedWeights(labels []float64) (negative, positive float64, err error) {
	var n [2]float64
	for i, y := range labels {
		switch y {
		case -1:
			n[0]++
		case 1:
			n[1]++
		default:
			return 0, 0, fmt.Errorf("dataset: label %d (from 0) is %v; a label must be -1 or +1", i, y)
		}
	}
	if n[0] == 0 || n[1] == 0 {
		return 0, 0, fmt.Errorf("dataset: the negative class has %s and the positive %s; both are needed to balance them", count(int(n[0]), "row"), count(int(n[1]), "row"))
	}
	all := n[0] + n[1]
	return all / (2 * n[0]), all / (2 * n[1]), nil
}
