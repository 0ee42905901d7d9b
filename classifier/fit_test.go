package classifier_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/optim"
)

// TestBreastCancer holds the defaults to what this data is known to allow:
// linear models and small networks reach 0.97 (Wolberg et al., 1995, report 0.975).
func TestBreastCancer(t *testing.T) {
	dev := open(t, "cpu")
	var accuracy, auc float64
	for seed := uint64(1); seed <= 5; seed++ {
		train, _, test, err := breastCancer().Split(0, 0.2, seed)
		require.NoError(t, err)
		opts := classifier.DefaultOptions()
		opts.Seed = seed
		e := evaluate(t, fit(t, dev, train, opts), test)
		accuracy += e.Accuracy / 5
		auc += e.AUC / 5
	}
	require.GreaterOrEqual(t, accuracy, 0.965)
	require.GreaterOrEqual(t, auc, 0.990)
}

// What every loss, dtype, optimizer and other option is for: the model learns.
func TestEveryOptionLearns(t *testing.T) {
	dev := open(t, "cpu")
	train, validation, test := split(t, breastCancer(), 1)
	for name, change := range map[string]func(*classifier.Options){
		"float64":      func(o *classifier.Options) { o.DType = device.Float64 },
		"float32":      func(o *classifier.Options) {},
		"bfloat16":     func(o *classifier.Options) { o.DType = device.BFloat16 },
		"float16":      func(o *classifier.Options) { o.DType = device.Float16 },
		"BCE":          func(o *classifier.Options) { o.Loss = classifier.BCE },
		"hinge":        func(o *classifier.Options) { o.Loss = classifier.Hinge },
		"linear":       func(o *classifier.Options) { o.Hidden = nil },
		"dropout":      func(o *classifier.Options) { o.Dropout = 0.3 },
		"L2":           func(o *classifier.Options) { o.L2 = 1e-3 },
		"clipping":     func(o *classifier.Options) { o.ClipNorm = 0.1 },
		"balance":      func(o *classifier.Options) { o.Balance = true },
		"class weight": func(o *classifier.Options) { o.PositiveWeight = 3 },
		"validation":   func(o *classifier.Options) { o.Validation, o.Patience, o.Epochs = validation, 5, 50 },
		"all of float16": func(o *classifier.Options) {
			o.DType, o.Loss, o.Dropout, o.L2, o.ClipNorm, o.Balance, o.Validation = device.Float16, classifier.Hinge, 0.1, 1e-3, 1, true, validation
		},
	} {
		opts := classifier.DefaultOptions()
		change(&opts)
		e := evaluate(t, fit(t, dev, train, opts), test)
		require.GreaterOrEqual(t, e.Accuracy, 0.93, name)
		require.GreaterOrEqual(t, e.AUC, 0.985, name)
	}
}

// A network can tell all toys apart, a linear model cannot tell xor: its best AUC is near a half.
func TestToys(t *testing.T) {
	dev := open(t, "cpu")
	opts := classifier.DefaultOptions()
	opts.Optimizer, opts.Epochs = optim.NewAdam(optim.Constant(5e-3)), 60
	for name, noise := range map[string]float64{"moons": 0.15, "circles": 0.08, "spirals": 0.01, "xor": 0, "blobs": 0.5} {
		train, _, test := split(t, toy(t, name, 1000, noise), 1)
		require.GreaterOrEqual(t, evaluate(t, fit(t, dev, train, opts), test).AUC, 0.98, name)
	}
	opts.Hidden = nil
	train, _, test := split(t, toy(t, "xor", 1000, 0), 1)
	require.InDelta(t, 0.5, evaluate(t, fit(t, dev, train, opts), test).AUC, 0.15)
}

func TestSameSeedSameBits(t *testing.T) {
	train, validation, test := split(t, breastCancer(), 1)
	for _, dtype := range []device.DType{device.Float32, device.Float16} {
		opts := classifier.DefaultOptions()
		opts.Epochs, opts.BatchSize, opts.DType = 2, 200, dtype
		opts.Hidden, opts.Dropout = []int{300, 200}, 0.2 // large enough for the threads to share
		opts.Validation, opts.L2, opts.ClipNorm, opts.Balance = validation, 1e-4, 1, true
		want := scores(t, fit(t, open(t, "cpu?threads=1"), train, opts), test)
		for _, name := range []string{"cpu?threads=1", "cpu?threads=2", "cpu?threads=3", "cpu?threads=7"} {
			require.Equal(t, want, scores(t, fit(t, open(t, name), train, opts), test), name)
		}
		opts.Seed = 2
		require.NotEqual(t, want, scores(t, fit(t, open(t, "cpu"), train, opts), test))
	}
}

// Soft margin loss and binary cross-entropy of logits are one function.
func TestBCEIsTheSoftMarginLoss(t *testing.T) {
	dev := open(t, "cpu")
	train, _, test := split(t, breastCancer(), 1)
	opts := classifier.DefaultOptions()
	opts.DType, opts.Epochs = device.Float64, 3
	want := scores(t, fit(t, dev, train, opts), test)
	opts.Loss = classifier.BCE
	m := fit(t, dev, train, opts)
	require.InDeltaSlice(t, want, scores(t, m, test), 1e-9)
	e := evaluate(t, m, test)
	require.InDelta(t, e.LogLoss, e.Loss, 1e-12)
}

// Rows of a class that count twice are rows that are there twice, but for the mean's divisor, which the
// learning rate makes up for. The columns' means and deviations are the same in both classes, so that they stay.
func TestClassWeightIsRepetition(t *testing.T) {
	dev := open(t, "cpu")
	x1, x2 := []float64{1, -1, 1, -1}, []float64{1, -1, -1, 1}
	once := numbers(t, []float64{1, 1, -1, -1}, x1, x2)
	twice := once.Select([]int{0, 1, 0, 1, 2, 3})
	for _, loss := range []classifier.Loss{classifier.SoftMargin, classifier.BCE, classifier.Hinge} {
		opts := classifier.DefaultOptions()
		opts.DType, opts.Loss, opts.BatchSize, opts.Epochs, opts.Hidden, opts.L2 = device.Float64, loss, 100, 200, []int{8}, 0
		opts.Optimizer = optim.SGD{LR: optim.Constant(0.3)}
		want := scores(t, fit(t, dev, twice, opts), once)

		opts.Optimizer = optim.SGD{LR: optim.Constant(0.3 * 4 / 6)}
		opts.PositiveWeight = 2
		got := scores(t, fit(t, dev, once, opts), once)
		require.InDeltaSlice(t, want, got, 1e-9, loss)
		require.Greater(t, math.Abs(got[0]-got[2]), 0.1, "something was learnt")

		// Weights that balance the classes do for the rows that are there twice what no weights do for the others.
		opts.PositiveWeight, opts.Balance = 0, true
		got = scores(t, fit(t, dev, twice, opts), once)
		opts.Balance = false
		require.InDeltaSlice(t, scores(t, fit(t, dev, once, opts), once), got, 1e-9, loss)
	}
}

// For rows x = y = ±1 the minimum of log(1+e^-w) + ½·λ·w² is where 1/(1+e^w) = λ·w.
func TestL2HasItsKnownOptimum(t *testing.T) {
	dev := open(t, "cpu")
	rows := numbers(t, []float64{1, -1}, []float64{1, -1})
	opts := classifier.DefaultOptions()
	opts.DType, opts.Hidden, opts.Epochs = device.Float64, nil, 3000
	opts.Optimizer = optim.SGD{LR: optim.Constant(0.5)}
	for _, lambda := range []float64{0.01, 0.1, 1} {
		opts.L2 = lambda * float64(rows.Rows())
		m := fit(t, dev, rows, opts)
		weights, bias, err := m.Weights()
		require.NoError(t, err)
		require.InDelta(t, lambda*weights[0], 1/(1+math.Exp(weights[0])), 1e-9)
		require.InDelta(t, 0, bias, 1e-9)
		history := m.History()
		require.InDelta(t, math.Log1p(math.Exp(-weights[0])), history[len(history)-1].Loss, 1e-6, "the loss is reported without the penalty")
	}
}

// The gradient at w = 0 is -½ for each of these rows; clipped to c, a step of SGD moves w by c.
func TestClipNorm(t *testing.T) {
	dev := open(t, "cpu")
	rows := numbers(t, []float64{1, -1}, []float64{1, -1})
	opts := classifier.DefaultOptions()
	opts.DType, opts.Hidden, opts.Epochs = device.Float64, nil, 1
	opts.Optimizer = optim.SGD{LR: optim.Constant(1)}
	weight := func(clip float64) float64 {
		opts.ClipNorm = clip
		weights, _, err := fit(t, dev, rows, opts).Weights()
		require.NoError(t, err)
		return weights[0]
	}
	free, clipped, more := weight(0), weight(0.02), weight(0.01)
	require.InDelta(t, 0.01, clipped-more, 1e-5)
	require.Greater(t, free-clipped, 0.05)
}

// The epoch is known at which the validation loss was lowest; a run that ends there has the same weights.
func TestEarlyStoppingRestoresTheBestEpoch(t *testing.T) {
	dev := open(t, "cpu")
	train, validation, test := split(t, toy(t, "moons", 200, 0.4), 1)
	opts := classifier.DefaultOptions()
	opts.Optimizer, opts.Epochs, opts.Patience, opts.Validation = optim.NewAdam(optim.Constant(0.02)), 200, 7, validation
	m := fit(t, dev, train, opts)
	history := m.History()
	best := 0
	for i, e := range history {
		if e.ValidationLoss < history[best].ValidationLoss {
			best = i
		}
	}
	require.Len(t, history, best+1+7, "it stopped when patience was over")
	require.Less(t, len(history), 200)
	e := evaluate(t, m, validation)
	require.InDelta(t, history[best].ValidationLoss, e.Loss, 1e-12)
	require.InDelta(t, history[best].ValidationAUC, e.AUC, 1e-12)

	until := opts
	until.Epochs, until.Patience, until.Validation = best+1, 0, nil
	require.Equal(t, scores(t, fit(t, dev, train, until), test), scores(t, m, test))

	patient := opts
	patient.Patience, patient.Epochs = 0, len(history)
	require.Equal(t, scores(t, m, test), scores(t, fit(t, dev, train, patient), test), "the best is kept without patience too")
}

// With a batch of one row, the gradients of the first scale, 2^16, are beyond float16's range of 65504.
func TestFloat16RecoversFromOverflow(t *testing.T) {
	train, _, test := split(t, breastCancer(), 1)
	var log bytes.Buffer
	opts := classifier.DefaultOptions()
	opts.DType, opts.BatchSize, opts.Epochs = device.Float16, 1, 2
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	e := evaluate(t, fit(t, open(t, "cpu"), train, opts), test)
	require.Contains(t, log.String(), "the step is skipped, and the loss scale halved")
	require.Contains(t, log.String(), "scale=32768")
	require.GreaterOrEqual(t, e.AUC, 0.985)
}

func TestOptionsThatCannotBe(t *testing.T) {
	dev := open(t, "cpu")
	frame := breastCancer()
	for want, change := range map[string]func(*classifier.Options){
		"classifier: 0 epochs; at least 1 is needed":                                                                func(o *classifier.Options) { o.Epochs = 0 },
		"classifier: a batch of -1 rows; at least 1 is needed, or 0 for the usual number":                           func(o *classifier.Options) { o.BatchSize = -1 },
		"classifier: a hidden layer of width -3; at least 1 is needed":                                              func(o *classifier.Options) { o.Hidden = []int{4, -3} },
		"classifier: dtype(0) is not a dtype; set Options.DType, for example to device.Float32":                     func(o *classifier.Options) { o.DType = 0 },
		"classifier: Loss(9) is not a loss; set Options.Loss, for example to classifier.SoftMargin":                 func(o *classifier.Options) { o.Loss = 9 },
		"classifier: a dropout of 1; it must be at least 0 and below 1":                                             func(o *classifier.Options) { o.Dropout = 1 },
		"classifier: an L2 of -1; it must be a positive number, or 0 for none":                                      func(o *classifier.Options) { o.L2 = -1 },
		"classifier: a ClipNorm of NaN; it must be a positive number, or 0 for no clipping":                         func(o *classifier.Options) { o.ClipNorm = math.NaN() },
		"classifier: a class weight of +Inf; it must be a positive number, or 0 for 1":                              func(o *classifier.Options) { o.NegativeWeight = math.Inf(1) },
		"classifier: class weights 0 and 2, and Balance, which computes them; leave one out":                        func(o *classifier.Options) { o.PositiveWeight, o.Balance = 2, true },
		"classifier: a patience of -1 epochs; it must be at least 1, or 0 never to stop early":                      func(o *classifier.Options) { o.Patience = -1 },
		"classifier: Patience needs rows to measure the loss on; set Options.Validation":                            func(o *classifier.Options) { o.Patience = 1 },
		"dataset: a limit of -1 categories; it must be from 1 to 4096":                                              func(o *classifier.Options) { o.Encoder.MaxCategories = -1 },
		`classifier: "other" has no labels, which are needed here; read it with a label column`:                     func(o *classifier.Options) { o.Validation = unlabeled() },
		`dataset: the labels of "other" are "no" and "yes", but the encoder was fitted on "benign" and "malignant"`: func(o *classifier.Options) { o.Validation = labelled("no", "yes") },
		`dataset: "moons" has no column "radius_mean", "texture_mean", "perimeter_mean", "area_mean", "smoothnes`:   func(o *classifier.Options) { o.Validation = toy(t, "moons", 10, 0) },
	} {
		opts := classifier.DefaultOptions()
		change(&opts)
		_, err := classifier.Fit(context.Background(), dev, frame, opts)
		require.Error(t, err, want)
		require.True(t, strings.HasPrefix(err.Error(), want), "%s\n%s", err, want)
	}
	opts := classifier.DefaultOptions()
	_, err := classifier.Fit(context.Background(), dev, nil, opts)
	require.EqualError(t, err, "dataset: the frame is nil; look at the error of the call that should have made it")
	_, err = classifier.Fit(context.Background(), nil, frame, opts)
	require.EqualError(t, err, "graph: the device is nil; open one with device.Open, and look at the error it returns")
	_, err = classifier.Fit(context.Background(), dev, toy(t, "blobs", 10, 1).Select([]int{0}), opts)
	require.Error(t, err)
	two := numbers(t, []float64{1, 1, -1}, []float64{1, 2, 3})
	_, err = classifier.Fit(context.Background(), dev, two.Select([]int{0, 1}), opts)
	require.EqualError(t, err, `classifier: all training rows of "numbers" have the same label; rows of both classes are needed`)
}

// unlabeled returns the breast cancer rows without labels, labelled with other names of the classes, of which the
// greater is that of malignant rows.
func unlabeled() *dataset.Frame {
	all, f := breastCancer(), dataset.NewFrame("other")
	for _, name := range all.Names() {
		values, err := all.Numbers(name)
		if err == nil {
			err = f.AddNumeric(name, values)
		}
		if err != nil {
			panic(err)
		}
	}
	return f
}

func labelled(benign, malignant string) *dataset.Frame {
	f := unlabeled()
	names := make([]string, f.Rows())
	for i, y := range breastCancer().Labels() {
		names[i] = map[float64]string{-1: benign, 1: malignant}[y]
	}
	if err := f.SetLabels("diagnosis", names, ""); err != nil {
		panic(err)
	}
	return f
}

func TestDivergence(t *testing.T) {
	dev := open(t, "cpu")
	for _, dtype := range []device.DType{device.Float32, device.Float16} {
		opts := classifier.DefaultOptions()
		opts.DType = dtype
		opts.Optimizer = optim.SGD{LR: optim.Constant(1e30)}
		_, err := classifier.Fit(context.Background(), dev, breastCancer(), opts)
		require.ErrorContains(t, err, "training has diverged, so lower the learning rate")

		opts.Optimizer = optim.SGD{LR: optim.Constant(1e38)}
		opts.Epochs, opts.BatchSize = 1, 1000 // a single step: no loss sees what it does
		_, err = classifier.Fit(context.Background(), dev, breastCancer(), opts)
		require.ErrorContains(t, err, "after the last step; training has diverged")
	}
}

// impatient is a context that ends once it has been looked at so many times.
type impatient struct {
	context.Context
	looks int
}

func (c *impatient) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opts := classifier.DefaultOptions()
	saved := 0
	opts.Checkpoint = func(*classifier.Model) error { saved++; return nil }
	opts.Progress = func(p classifier.Progress) {
		if p.Step == 3 {
			cancel()
		}
	}
	_, err := classifier.Fit(ctx, open(t, "cpu"), breastCancer(), opts)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "classifier: stopped after step 3 of 270: context canceled")
	require.Equal(t, 1, saved)

	_, err = classifier.Fit(ctx, open(t, "cpu"), breastCancer(), opts)
	require.EqualError(t, err, "classifier: stopped before the first step: context canceled")

	// The context is looked at between the parts of what comes before the first step, too.
	opts.Validation = breastCancer()
	for looks, want := range []string{"before the first step", "before the first step", "before the first step", "before the first step", "after step 0 of 270"} {
		_, err = classifier.Fit(&impatient{context.Background(), looks}, open(t, "cpu"), breastCancer(), opts)
		require.EqualError(t, err, "classifier: stopped "+want+": context canceled", looks)
	}
	require.Equal(t, 1, saved, "there is nothing to save before the first step")
}

func TestProgress(t *testing.T) {
	train, validation, _ := split(t, breastCancer(), 1)
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.BatchSize, opts.Hidden, opts.Validation = 2, 100, nil, validation
	var seen []classifier.Progress
	opts.Progress = func(p classifier.Progress) { seen = append(seen, p) }
	m := fit(t, open(t, "cpu"), train, opts)
	require.Equal(t, 399, train.Rows()) // four batches an epoch, the last of 99
	require.Len(t, seen, 8)
	for i, p := range seen {
		require.Equal(t, []int{1 + i/4, 2, 1 + i, 8, min(100*(1+i%4), 399)}, []int{p.Epoch, p.Epochs, p.Step, p.Steps, p.Rows})
		require.Equal(t, i%4 == 3, p.EndOfEpoch)
		require.Less(t, p.Loss, 2.)
		require.Equal(t, i < 3, math.IsNaN(p.ValidationLoss) && math.IsNaN(p.ValidationAUC))
	}
	require.Equal(t, m.History(), []classifier.Epoch{
		{Loss: seen[3].Loss, ValidationLoss: seen[3].ValidationLoss, ValidationAUC: seen[3].ValidationAUC},
		{Loss: seen[7].Loss, ValidationLoss: seen[7].ValidationLoss, ValidationAUC: seen[7].ValidationAUC},
	})
}

// Between the steps of an epoch nothing is allocated, once both sizes of batch have been met.
func TestStepsDoNotAllocate(t *testing.T) {
	for _, dtype := range []device.DType{device.Float32, device.Float16} {
		opts := classifier.DefaultOptions()
		opts.DType, opts.Epochs, opts.L2, opts.ClipNorm, opts.Balance, opts.Dropout = dtype, 4, 1e-4, 1, true, 0.1
		least := uint64(math.MaxUint64)
		var before runtime.MemStats
		opts.Progress = func(p classifier.Progress) {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			if p.Epoch > 1 && p.Step%18 == 17 {
				least = min(least, now.Mallocs-before.Mallocs)
			}
			if p.Step%18 == 2 {
				before = now
			}
		}
		fit(t, open(t, "cpu?threads=1"), breastCancer(), opts)
		require.Zero(t, least, "mallocs in 15 steps of %v", dtype)
	}
}

func TestLogger(t *testing.T) {
	f := dataset.NewFrame("rows")
	require.NoError(t, f.AddNumeric("x", []float64{1, 2, 3, 4}))
	require.NoError(t, f.AddNumeric("nothing", []float64{7, 7, 7, 7}))
	require.NoError(t, f.SetLabels("y", []string{"a", "b", "a", "b"}, "b"))
	var log bytes.Buffer
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.Logger = 2, slog.New(slog.NewTextHandler(&log, nil))
	fit(t, open(t, "cpu"), f, opts)
	require.Contains(t, log.String(), `level=WARN msg="column \"nothing\" is left out: every value is 7"`)
	require.Equal(t, 2, strings.Count(log.String(), "level=INFO msg=epoch "), log.String())
}
