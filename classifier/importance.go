package classifier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// Importance is how much a column matters to a model.
type Importance struct {
	Column    string
	Mean      float64 // drop of the AUC when the column's values are permuted among the rows
	Deviation float64 // standard deviation of that drop over the permutations
}

// permutations is how often each column is permuted.
const permutations = 5

// Importance returns the permutation importance (Breiman, 2001) of each column that the
// model uses, in their order: the mean drop of the AUC over five permutations of its values. All
// features of a categorical column are permuted together. Two columns that say the same can
// both seem unimportant. The same rows and seed give the same result. It fails if the rows lack a class.
func (m *Model) Importance(f *dataset.Frame, seed uint64) ([]Importance, error) {
	x, err := m.encode(f, true)
	if err != nil {
		return nil, err
	}
	whole, err := m.auc(x.X, x.Y)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(whole) {
		return nil, fmt.Errorf("classifier: the rows of %q lack a class, so there is no AUC to measure importance by", f.Source())
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	width, rows := len(x.Features), x.Rows()
	permuted := slices.Clone(x.X)
	var out []Importance
	at := 0
	for _, c := range m.encoder.Columns {
		if c.LeftOut != "" {
			continue
		}
		size := max(len(c.Categories), 1)
		var drops [permutations]float64
		for k := range drops {
			for to, from := range rng.Perm(rows) {
				copy(permuted[to*width+at:][:size], x.X[from*width+at:])
			}
			auc, err := m.auc(permuted, x.Y)
			if err != nil {
				return nil, err
			}
			drops[k] = whole - auc
		}
		for row := range rows {
			copy(permuted[row*width+at:][:size], x.X[row*width+at:])
		}
		mean, deviation := dataset.MeanAndDeviation(drops[:])
		out = append(out, Importance{Column: c.Name, Mean: mean, Deviation: deviation})
		at += size
	}
	return out, nil
}

// auc returns the area under the ROC curve of encoded rows.
func (m *Model) auc(x []float32, y []float64) (float64, error) {
	scores, err := m.score(x)
	if err != nil {
		return 0, err
	}
	ranking, err := metrics.Rank(scores, y)
	if err != nil {
		return 0, err
	}
	return ranking.AUC(), nil
}
