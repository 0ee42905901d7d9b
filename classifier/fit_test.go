package classifier_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/optim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, name string) device.Device {
	t.Helper()
	dev, err := device.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// fit trains on the breast cancer data and returns the held-out scores and metrics.
func fit(t testing.TB, device string, opts classifier.Options) ([]float64, classifier.Metrics) {
	t.Helper()
	train, test, err := dataset.BreastCancer().Split(0.2, opts.Seed)
	require.NoError(t, err)
	model, err := classifier.Fit(context.Background(), open(t, device), train, opts)
	require.NoError(t, err)
	scores, err := model.Scores(test)
	require.NoError(t, err)
	metrics, err := model.Evaluate(test)
	require.NoError(t, err)
	require.Equal(t, classifier.Measure(scores, test.Y), metrics)
	require.NoError(t, model.Close())
	return scores, metrics
}

// TestBreastCancer holds the defaults to what this data is known to allow:
// linear models and small networks reach 0.97 (Wolberg et al., 1995, report 0.975).
func TestBreastCancer(t *testing.T) {
	var accuracy, auc float64
	for seed := uint64(1); seed <= 5; seed++ {
		opts := classifier.DefaultOptions()
		opts.Seed = seed
		_, m := fit(t, "cpu", opts)
		accuracy += m.Accuracy / 5
		auc += m.AUC / 5
	}
	require.GreaterOrEqual(t, accuracy, 0.965)
	require.GreaterOrEqual(t, auc, 0.990)
}

func TestEveryDTypeLearns(t *testing.T) {
	for _, dtype := range []device.DType{device.Float64, device.Float32, device.BFloat16, device.Float16} {
		opts := classifier.DefaultOptions()
		opts.DType = dtype
		_, m := fit(t, "cpu", opts)
		require.GreaterOrEqual(t, m.Accuracy, 0.95, dtype)
	}
}

func TestSameSeedSameBits(t *testing.T) {
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.BatchSize = 2, 200
	opts.Hidden = []int{300, 200} // large enough for the threads to share
	want, _ := fit(t, "cpu?threads=1", opts)
	for _, name := range []string{"cpu?threads=1", "cpu?threads=2", "cpu?threads=3", "cpu?threads=7"} {
		got, _ := fit(t, name, opts)
		require.Equal(t, want, got, name)
	}
	opts.Seed = 2
	other, _ := fit(t, "cpu", opts)
	require.NotEqual(t, want, other)
}

func TestOptionsThatCannotBe(t *testing.T) {
	table := dataset.BreastCancer()
	dev := open(t, "cpu")
	for want, change := range map[string]func(*classifier.Options){
		"classifier: 0 epochs; at least 1 is needed":                                              func(o *classifier.Options) { o.Epochs = 0 },
		"classifier: a batch of 0 rows; at least 1 is needed":                                     func(o *classifier.Options) { o.BatchSize = 0 },
		"classifier: a hidden layer of width -3; at least 1 is needed":                            func(o *classifier.Options) { o.Hidden = []int{4, -3} },
		"classifier: there is no optimizer; set Options.Optimizer, for example to optim.NewAdamW": func(o *classifier.Options) { o.Optimizer = nil },
		"classifier: dtype(0) is not a dtype; set Options.DType, for example to device.Float32":   func(o *classifier.Options) { o.DType = 0 },
	} {
		opts := classifier.DefaultOptions()
		change(&opts)
		_, err := classifier.Fit(context.Background(), dev, table, opts)
		require.EqualError(t, err, want)
	}

	opts := classifier.DefaultOptions()
	opts.Optimizer = optim.SGD{LR: optim.Constant(1e30)}
	_, err := classifier.Fit(context.Background(), dev, table, opts)
	require.ErrorContains(t, err, "training has diverged, so lower the learning rate")

	opts.Optimizer = optim.SGD{LR: optim.Constant(1e38)}
	opts.Epochs, opts.BatchSize = 1, 1000 // a single step: no loss sees what it does
	_, err = classifier.Fit(context.Background(), dev, table, opts)
	require.ErrorContains(t, err, "after the last step; training has diverged")

	ctx, cancel := context.WithCancel(context.Background())
	opts = classifier.DefaultOptions()
	opts.Progress = func(p classifier.Progress) {
		if p.Step == 3 {
			cancel()
		}
	}
	_, err = classifier.Fit(ctx, dev, table, opts)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "classifier: stopped after step 3 of 270: context canceled")
}

func TestProgress(t *testing.T) {
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.BatchSize, opts.Hidden = 2, 100, nil
	var seen []classifier.Progress
	opts.Progress = func(p classifier.Progress) { seen = append(seen, p) }
	fit(t, "cpu", opts) // 456 rows: five batches an epoch, the last of 56
	require.Len(t, seen, 10)
	for i, p := range seen {
		require.Equal(t, classifier.Progress{Epoch: 1 + i/5, Epochs: 2, Step: 1 + i, Steps: 10, EndOfEpoch: i%5 == 4, Loss: p.Loss}, p)
		require.False(t, math.IsNaN(p.Loss))
	}
}

func TestModelServesManyGoroutines(t *testing.T) {
	train, test, err := dataset.BreastCancer().Split(0.2, 1)
	require.NoError(t, err)
	opts := classifier.DefaultOptions()
	opts.Epochs = 1
	model, err := classifier.Fit(context.Background(), open(t, "cpu"), train, opts)
	require.NoError(t, err)
	want, err := model.Scores(test)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got, err := model.Scores(test)
			if err != nil {
				t.Error(err)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("row %d: %v, want %v", i, got[i], want[i])
				}
			}
		}()
	}
	wg.Wait()
	require.NoError(t, model.Close())
	_, err = model.Scores(test)
	require.EqualError(t, err, "graph: the session is closed")

}

func TestScoresNeedsTheFeaturesButNoLabels(t *testing.T) {
	table := dataset.BreastCancer()
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.Hidden = 1, nil
	model, err := classifier.Fit(context.Background(), open(t, "cpu"), table, opts)
	require.NoError(t, err)
	defer model.Close()
	want, err := model.Scores(table)
	require.NoError(t, err)
	require.Len(t, want, 569)

	rows := &dataset.Table{Source: "new rows", Features: table.Features, X: table.X[:60]}
	got, err := model.Scores(rows)
	require.NoError(t, err)
	require.Len(t, got, 2)
	_, err = model.Evaluate(rows)
	require.ErrorContains(t, err, "has 2 rows, but 0 labels")
	require.InDeltaSlice(t, want[:2], got, 1e-6)

	swapped := *rows
	swapped.Features = append([]string{}, rows.Features...)
	swapped.Features[0], swapped.Features[1] = swapped.Features[1], swapped.Features[0]
	_, err = model.Scores(&swapped)
	require.ErrorContains(t, err, "but the model was trained on")
	_, err = model.Scores(nil)
	require.EqualError(t, err, "classifier: the table to score is nil")
	_, err = classifier.Fit(context.Background(), open(t, "cpu"), nil, opts)
	require.EqualError(t, err, "dataset: the table is nil; look at the error of the call that should have made it")
	_, err = classifier.Fit(context.Background(), nil, table, opts)
	require.EqualError(t, err, "graph: the device is nil; open one with device.Open, and look at the error it returns")
}

func ExampleFit() {
	dev, err := device.Open("cpu")
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	train, test, err := dataset.BreastCancer().Split(0.2, 1)
	if err != nil {
		panic(err)
	}
	model, err := classifier.Fit(context.Background(), dev, train, classifier.DefaultOptions())
	if err != nil {
		panic(err)
	}
	defer model.Close()
	metrics, err := model.Evaluate(test)
	if err != nil {
		panic(err)
	}
	fmt.Println("AUC above 0.99:", metrics.AUC > 0.99)
	// Output: AUC above 0.99: true
}
