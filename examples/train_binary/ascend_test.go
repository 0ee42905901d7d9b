//go:build !noascend

package main

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/simulator"
)

// TestAscend trains on the simulated NPU what the CPU trains: in float32 to the same
// loss within 1e-4, in half precision to the same accuracy within 0.01.
func TestAscend(t *testing.T) {
	if _, err := simulator.Build(context.Background()); errors.Is(err, simulator.ErrNoCompiler) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	train, _, test, err := dataset.BreastCancer().Split(0, 0.2, 1)
	require.NoError(t, err)
	evaluate := func(name string, dtype device.DType) *classifier.Evaluation {
		opts := classifier.DefaultOptions()
		opts.DType = dtype
		dev, err := device.Open(name)
		require.NoError(t, err)
		defer dev.Close()
		model, err := classifier.Fit(context.Background(), dev, train, opts)
		require.NoError(t, err)
		e, err := model.Evaluate(test)
		require.NoError(t, err)
		require.NoError(t, model.Close())
		return e
	}
	want := evaluate("cpu", device.Float32)
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
		got := evaluate("ascend:sim", dtype)
		require.InDelta(t, want.Accuracy, got.Accuracy, 0.01, dtype)
		if dtype == device.Float32 {
			require.InDelta(t, want.Loss, got.Loss, 1e-4)
		}
	}
}
