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
	folds, err := classifier.CrossValidate(context.Background(), dev, frame, 4, opts)
	require.NoError(t, err)
	require.Len(t, folds, 4)

	// Each fold is what fitting and evaluating it by hand gives.
	parts, err := frame.KFold(4, opts.Seed)
	require.NoError(t, err)
	var sum, squares float64
	rows := 0
	for i, part := range parts {
		require.Equal(t, evaluate(t, fit(t, dev, part.Train, opts), part.Test), folds[i])
		sum += folds[i].AUC
		squares += folds[i].AUC * folds[i].AUC
		rows += folds[i].Rows
	}
	require.Equal(t, frame.Rows(), rows, "each row is tested once")
	mean, deviation := folds.Of(func(e *classifier.Evaluation) float64 { return e.AUC })
	require.InDelta(t, sum/4, mean, 1e-12)
	require.InDelta(t, math.Sqrt(squares/4-mean*mean), deviation, 1e-7)
	require.Greater(t, mean, 0.98)

	_, err = classifier.CrossValidate(context.Background(), dev, frame, 1, opts)
	require.ErrorContains(t, err, "at least 2 are needed")
	opts.Validation = frame
	_, err = classifier.CrossValidate(context.Background(), dev, frame, 4, opts)
	require.ErrorContains(t, err, "Validation, Checkpoint and Resume are of a single run")
	opts.Validation = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = classifier.CrossValidate(ctx, dev, frame, 4, opts)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "fold 1 of 4: ")
}
