package classifier

import (
	"context"
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// Folds are the evaluations of a cross-validation, one a fold.
type Folds []*Evaluation

// Of returns the mean of a measure over the folds and its population standard deviation.
func (f Folds) Of(measure func(*Evaluation) float64) (mean, deviation float64) {
	values := make([]float64, len(f))
	for i, e := range f {
		values[i] = measure(e)
	}
	return dataset.MeanAndDeviation(values)
}

// CrossValidate parts the rows into k stratified parts by the options' seed, and for each trains a model on
// the others and evaluates it on that part. A share of each fold's training rows, 0 for none, is held back as its
// Options.Validation, as [dataset.Frame.Split] does by that seed. So it says how well the options do on
// these rows; a model to use is then trained on all of them. It fails if the options have Validation, Checkpoint or
// Resume, which are of a single run.
func CrossValidate(ctx context.Context, dev device.Device, frame *dataset.Frame, k int, validation float64, opts Options) (Folds, error) {
	if opts.Validation != nil || opts.Checkpoint != nil || opts.Resume != nil {
		return nil, errors.New("classifier: Validation, Checkpoint and Resume are of a single run; leave them out of a cross-validation")
	}
	parts, err := frame.KFold(k, opts.Seed)
	if err != nil {
		return nil, err
	}
	folds := make(Folds, k)
	for i, part := range parts {
		if folds[i], err = fold(ctx, dev, part, validation, opts); err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", i+1, k, err)
		}
	}
	return folds, nil
}

func fold(ctx context.Context, dev device.Device, part dataset.Fold, validation float64, opts Options) (e *Evaluation, err error) {
	train := part.Train
	if train, opts.Validation, _, err = train.Split(validation, 0, opts.Seed); err != nil {
		return nil, err
	}
	m, err := Fit(ctx, dev, train, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return m.Evaluate(part.Test)
}
