package classifier_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
)

func TestCrossValidate(t *testing.T) {
	dev := open(t, "cpu")
	opts := classifier.DefaultOptions()
	opts.Epochs = 5
	frame := breastCancer()
	for _, validation := range []float64{0, 0.2} {
		if validation > 0 {
			opts.Patience = 1 // which needs some rows
		}
		folds, err := classifier.CrossValidate(context.Background(), dev, frame, 4, validation, opts)
		require.NoError(t, err)
		require.Len(t, folds, 4)

		// Each fold is what fitting and evaluating it by hand gives.
		parts, err := frame.KFold(4, opts.Seed)
		require.NoError(t, err)
		var sum, squares float64
		rows := 0
		for i, part := range parts {
			one, train := opts, part.Train
			if validation > 0 {
				train, one.Validation, _, err = part.Train.Split(validation, 0, opts.Seed)
				require.NoError(t, err)
			}
			require.Equal(t, evaluate(t, fit(t, dev, train, one), part.Test), folds[i])
			sum += folds[i].AUC
			squares += folds[i].AUC * folds[i].AUC
			rows += folds[i].Rows
		}
		require.Equal(t, frame.Rows(), rows, "each row is tested once")
		mean, deviation := folds.Of(func(e *classifier.Evaluation) float64 { return e.AUC })
		require.InDelta(t, sum/4, mean, 1e-12)
		require.InDelta(t, math.Sqrt(squares/4-mean*mean), deviation, 1e-7)
		require.Greater(t, mean, 0.98)
	}

	_, err := classifier.CrossValidate(context.Background(), dev, frame, 1, 0.2, opts)
	require.ErrorContains(t, err, "at least 2 are needed")
	_, err = classifier.CrossValidate(context.Background(), dev, frame, 4, 1, opts)
	require.ErrorContains(t, err, "fold 1 of 4: dataset: a validation fraction of 1")
	opts.Validation = frame
	_, err = classifier.CrossValidate(context.Background(), dev, frame, 4, 0.2, opts)
	require.ErrorContains(t, err, "Validation, Checkpoint and Resume are of a single run")
	opts.Validation = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = classifier.CrossValidate(ctx, dev, frame, 4, 0.2, opts)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "fold 1 of 4: ")
}
