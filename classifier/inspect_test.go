package classifier_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/device"
)

func TestWriteDOT(t *testing.T) {
	dev := open(t, "cpu")
	opts := classifier.DefaultOptions()
	opts.Epochs = 1
	m := fit(t, dev, breastCancer(), opts)
	var step, prediction bytes.Buffer
	require.NoError(t, m.WriteDOT(&step))
	for _, part := range []string{"SoftMarginLossBackward", "Decoupled:true", "mlp/2/weight", "[32,30]"} {
		require.Contains(t, step.String(), part)
	}
	require.NotContains(t, step.String(), "output 1", "the step returns its loss alone")

	// It is drawn from what runs, so drawing it often leaves nothing behind.
	var again bytes.Buffer
	heap := func() uint64 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	before := heap()
	for range 1000 {
		again.Reset()
		require.NoError(t, m.WriteDOT(&again))
	}
	require.Less(t, int64(heap()-before), int64(100_000), "less than 100 bytes a graph")
	require.Equal(t, strings.Count(step.String(), "salmon"), strings.Count(again.String(), "salmon"), "an update for each parameter")

	// A step in float16 computes the gradients in a program of its own: the loss and six gradients, of a scaled loss.
	opts.DType = device.Float16
	var half bytes.Buffer
	require.NoError(t, fit(t, dev, breastCancer(), opts).WriteDOT(&half))
	require.Equal(t, 3, strings.Count(half.String(), "lightblue"), "rows, labels and the scale")
	require.Contains(t, half.String(), "output 6")
	require.NotContains(t, half.String(), "Decoupled:true")

	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, m.Save(path))
	loaded, err := classifier.Load(dev, path)
	require.NoError(t, err)
	defer loaded.Close()
	require.NoError(t, loaded.WriteDOT(&prediction))
	require.Contains(t, prediction.String(), "mlp/2/weight")
	require.NotContains(t, prediction.String(), "SoftMargin")
	_, err = loaded.Profile(breastCancer())
	require.ErrorContains(t, err, "a model that was loaded has no training step to profile")
}

func TestProfile(t *testing.T) {
	for _, dtype := range []device.DType{device.Float32, device.Float16} {
		opts := classifier.DefaultOptions()
		opts.Epochs, opts.DType = 1, dtype
		m := fit(t, open(t, "cpu"), breastCancer(), opts)
		before := scores(t, m, breastCancer())
		rows, err := m.Profile(breastCancer())
		require.NoError(t, err)
		updates := int64(0)
		for _, r := range rows {
			if strings.Contains(r.Op, "Adam") {
				updates += r.Launches
			}
		}
		require.GreaterOrEqual(t, updates, int64(40), "steps were made, each with an update at least")
		require.Equal(t, before, scores(t, m, breastCancer()), "the model stays as it is")
	}
}

func TestEvaluationAsJSON(t *testing.T) {
	opts := classifier.DefaultOptions()
	opts.Epochs = 1
	e := evaluate(t, fit(t, open(t, "cpu"), breastCancer(), opts), breastCancer())
	data, err := json.Marshal(e)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(data, &fields))
	require.Equal(t, e.Loss, fields["loss"])
	require.Equal(t, e.AUC, fields["auc"])
	var back classifier.Evaluation
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, *e, back)

	// What is missing is not a number, in a value that had one too.
	require.NoError(t, json.Unmarshal([]byte(`{"rows":3}`), &back))
	require.True(t, math.IsNaN(back.Loss) && math.IsNaN(back.AUC))
	require.Equal(t, 3, back.Rows)
}
