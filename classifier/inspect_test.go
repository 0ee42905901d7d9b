package classifier_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
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
}
