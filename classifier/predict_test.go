package classifier_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/optim"
)

func TestPredict(t *testing.T) {
	dev := open(t, "cpu")
	frame := breastCancer()
	for _, dtype := range []device.DType{device.Float64, device.Float32, device.BFloat16, device.Float16} {
		opts := classifier.DefaultOptions()
		opts.Epochs, opts.DType = 2, dtype
		m := fit(t, dev, frame, opts)
		want := scores(t, m, frame)
		require.NoError(t, m.SetThreshold(want[3]))
		predictions, err := m.Predict(frame)
		require.NoError(t, err)
		require.Len(t, predictions, 569)
		require.True(t, predictions[3].Positive, "the threshold itself is positive")
		for i, p := range predictions {
			require.Equal(t, want[i], p.Score)
			require.InDelta(t, 1/(1+math.Exp(-p.Score)), p.Probability, 1e-15)
			require.Equal(t, p.Score >= want[3], p.Positive)
			require.Equal(t, map[bool]string{true: "malignant", false: "benign"}[p.Positive], p.Label)
		}

		// The file is predicted as the frame is, with its label or not.
		i := 0
		for p, err := range m.PredictStream(dataset.BreastCancerCSV(), "wdbc.csv", dataset.Options{}) {
			require.NoError(t, err)
			require.Equal(t, predictions[i], p)
			i++
		}
		require.Equal(t, 569, i)
		for range m.PredictStream(dataset.BreastCancerCSV(), "wdbc.csv", dataset.Options{}) {
			break // which must not panic
		}
		few := scores(t, m, unlabeled().Select([]int{7, 5}))
		require.InDeltaSlice(t, []float64{want[7], want[5]}, few, 1e-5, "a row's score does not depend on the others")
	}
}

func TestPredictStreamRefuses(t *testing.T) {
	m := fit(t, open(t, "cpu"), toy(t, "moons", 100, 0.1), classifier.DefaultOptions())
	for content, want := range map[string]string{
		"x1,x3\n1,2\n":         `rows.csv:1: there is no column "x2", which the model needs; there is "x1" and "x3"`,
		"x1,x2\n1,2\n3,four\n": `rows.csv:3: column "x2": "four" is not a number`,
		"":                     "rows.csv: the file is empty",
	} {
		var got error
		for _, err := range m.PredictStream(strings.NewReader(content), "rows.csv", dataset.Options{}) {
			require.NoError(t, got, "an error is the last")
			got = err
		}
		require.ErrorContains(t, got, want)
	}
	_, err := m.Predict(breastCancer())
	require.ErrorContains(t, err, `has no column "x1" and "x2"`)
	_, err = m.Predict(nil)
	require.EqualError(t, err, "dataset: the frame is nil; look at the error of the call that should have made it")
	_, err = m.Evaluate(unlabeled())
	require.Error(t, err)
}

// A label means what it meant in training: whichever is the positive one to the rows, and however a number is spelt.
func TestLabelsKeepTheirMeaning(t *testing.T) {
	opts := classifier.DefaultOptions()
	opts.Epochs = 2
	for _, c := range []struct{ training, same, others *dataset.Frame }{
		{breastCancer(), func() *dataset.Frame {
			f, err := dataset.ReadFrame(dataset.BreastCancerCSV(), "wdbc.csv", dataset.Options{Label: "diagnosis", Positive: "benign"})
			require.NoError(t, err)
			return f
		}(), labelled("no", "yes")},
		{labelled("0", "1"), labelled("0.0", "1.0"), labelled("0", "2")},
		{labelled("-1", "+1"), labelled("-1", "1"), labelled("1", "2")},
	} {
		m := fit(t, open(t, "cpu"), c.training, opts)
		want := evaluate(t, m, c.training)
		require.Equal(t, want, evaluate(t, m, c.same))
		importance, err := m.Importance(c.training, 1)
		require.NoError(t, err)
		got, err := m.Importance(c.same, 1)
		require.NoError(t, err)
		require.Equal(t, importance, got)
		_, err = m.Evaluate(c.others)
		require.ErrorContains(t, err, "but the encoder was fitted on")
	}
}

// Callers learn of categories that the training rows did not have, each column once, however long the file is.
func TestWarnings(t *testing.T) {
	m, f := mixed(t, device.Float32)
	const rows = 3000 // more than are predicted at once
	var file, labelled strings.Builder
	file.WriteString("size,colour,weight\n")
	labelled.WriteString("size,colour,weight,sold\n")
	for i := range rows {
		colour := "red"
		if i == 1 || i == rows-1 {
			colour = "violet"
		}
		fmt.Fprintf(&file, "%d,%s,2\n", i%7, colour)
		fmt.Fprintf(&labelled, "%d,%s,2,%s\n", i%7, colour, []string{"yes", "no"}[i%2])
	}
	want := []string{`column "colour" has a category that the training rows had not, such as "violet", in 2 rows; it is encoded as none of them`}

	var last classifier.Prediction
	for p, err := range m.PredictStream(strings.NewReader(file.String()), "new.csv", dataset.Options{}) {
		require.NoError(t, err)
		last = p
	}
	require.Equal(t, want, last.Warnings)
	frame, err := dataset.ReadFrame(strings.NewReader(labelled.String()), "new.csv", dataset.Options{For: m.Encoder()})
	require.NoError(t, err)
	predictions, err := m.Predict(frame)
	require.NoError(t, err)
	require.Equal(t, want, predictions[rows-1].Warnings)
	require.Equal(t, last.Score, predictions[rows-1].Score)
	e := evaluate(t, m, frame)
	require.Equal(t, want, e.Warnings)
	data, err := json.Marshal(e)
	require.NoError(t, err)
	var back classifier.Evaluation
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, *e, back)

	predictions, err = m.Predict(f)
	require.NoError(t, err)
	require.Empty(t, predictions[0].Warnings)
	require.Empty(t, evaluate(t, m, f).Warnings)
}

// What there is no model for is an error, or nothing, and so is what lacks an argument.
func TestNoModel(t *testing.T) {
	rows := breastCancer()
	for _, m := range []*classifier.Model{nil, {}} {
		for name, err := range map[string]func() error{
			"Scores":          func() error { _, err := m.Scores(rows); return err },
			"Predict":         func() error { _, err := m.Predict(rows); return err },
			"Evaluate":        func() error { _, err := m.Evaluate(rows); return err },
			"Importance":      func() error { _, err := m.Importance(rows, 1); return err },
			"Profile":         func() error { _, err := m.Profile(rows); return err },
			"Weights":         func() error { _, _, err := m.Weights(); return err },
			"Save":            func() error { return m.Save(filepath.Join(t.TempDir(), "model")) },
			"ExportONNX":      func() error { return m.ExportONNX(io.Discard) },
			"WriteDOT":        func() error { return m.WriteDOT(io.Discard) },
			"SetThreshold":    func() error { return m.SetThreshold(1) },
			"ChooseThreshold": func() error { return m.ChooseThreshold(rows, classifier.MaxF1) },
			"PredictStream": func() (err error) {
				for _, err = range m.PredictStream(strings.NewReader(""), "rows", dataset.Options{}) {
				}
				return err
			},
		} {
			require.EqualError(t, err(), "classifier: the model is nil; look at the error of Load or Fit", name)
		}
		require.NoError(t, m.Close())
		require.Nil(t, m.Encoder())
		require.Nil(t, m.Settings())
		require.Nil(t, m.History())
		require.Zero(t, m.Threshold())
		negative, positive := m.Labels()
		require.Empty(t, negative+positive)
	}

	dev := open(t, "cpu")
	opts := classifier.DefaultOptions()
	opts.Epochs = 1
	m := fit(t, dev, rows, opts)
	var none context.Context
	resume := opts
	resume.Resume = new(classifier.Model)
	for want, err := range map[string]func() error{
		"classifier: the context is nil; pass context.Background()":                              func() error { _, err := classifier.Fit(none, dev, rows, opts); return err },
		"fold 1 of 2: classifier: the context is nil; pass context.Background()":                 func() error { _, err := classifier.CrossValidate(none, dev, rows, 2, 0, opts); return err },
		"classifier: the model is nil; look at the error of Load or Fit":                         func() error { _, err := classifier.Fit(t.Context(), dev, rows, resume); return err },
		"classifier: the writer is nil; pass a file or a buffer":                                 func() error { return m.WriteDOT(nil) },
		"onnx: the writer is nil; pass a file or a buffer":                                       func() error { return m.ExportONNX(nil) },
		"classifier: there is no threshold rule 7; use classifier.MaxF1 or classifier.MaxYouden": func() error { return m.ChooseThreshold(rows, 7) },
		"classifier: the reader is nil; pass an open file": func() (err error) {
			for _, err = range m.PredictStream(nil, "rows", dataset.Options{}) {
			}
			return err
		},
	} {
		require.EqualError(t, err(), want)
	}
}

// A file of any length is predicted in the memory of a few thousand rows.
func TestPredictStreamIsBounded(t *testing.T) {
	m := fit(t, open(t, "cpu"), toy(t, "moons", 100, 0.1), classifier.DefaultOptions())
	const rows = 300_000
	r, w := io.Pipe()
	go func() {
		_, err := fmt.Fprintln(w, "x1,x2")
		for i := 0; i < rows && err == nil; i++ {
			_, err = fmt.Fprintf(w, "%d.5,-%d\n", i%7, i%5)
		}
		w.CloseWithError(err)
	}()
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	before, most, n := memory.HeapAlloc, uint64(0), 0
	for _, err := range m.PredictStream(r, "rows", dataset.Options{}) {
		require.NoError(t, err)
		if n++; n%50_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapAlloc-min(before, memory.HeapAlloc))
		}
	}
	require.Equal(t, rows, n)
	require.Less(t, most, uint64(2<<20), "bytes held; the predictions alone would be 12 MB")
}

func TestModelServesManyGoroutines(t *testing.T) {
	train, _, test := split(t, breastCancer(), 1)
	opts := classifier.DefaultOptions()
	opts.Epochs = 1
	m := fit(t, open(t, "cpu"), train, opts)
	want, err := m.Predict(test)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rows := test.Select([]int{i, i + 1, i + 2})
			for range 5 {
				got, err := m.Predict(rows)
				if err != nil {
					t.Error(err)
					return
				}
				for k, p := range got {
					if math.Abs(p.Score-want[i+k].Score) > 1e-5 {
						t.Errorf("row %d: %v, want %v", i+k, p, want[i+k])
					}
				}
				_, err = m.Evaluate(test)
				if err = orElse(err, m.SetThreshold(0), m.WriteDOT(io.Discard), m.ExportONNX(io.Discard)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	require.NoError(t, m.Close())
	_, err = m.Scores(test)
	require.EqualError(t, err, "graph: the session is closed")
}

func orElse(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestThreshold(t *testing.T) {
	train, validation, _ := split(t, toy(t, "moons", 400, 0.35), 1)
	opts := classifier.DefaultOptions()
	opts.Hidden, opts.Optimizer = nil, optim.NewAdam(optim.Constant(0.01))
	m := fit(t, open(t, "cpu"), train, opts)
	require.Zero(t, m.Threshold())
	values := scores(t, m, validation)
	best := func(measure func(*classifier.Evaluation) float64) (most float64) {
		for _, s := range values { // the best of all thresholds, one after the other
			require.NoError(t, m.SetThreshold(s))
			most = max(most, measure(evaluate(t, m, validation)))
		}
		return most
	}
	f1 := func(e *classifier.Evaluation) float64 { return e.F1 }
	youden := func(e *classifier.Evaluation) float64 { return e.Recall + e.Specificity - 1 }
	for rule, measure := range map[classifier.ThresholdRule]func(*classifier.Evaluation) float64{classifier.MaxF1: f1, classifier.MaxYouden: youden} {
		want := best(measure)
		require.NoError(t, m.ChooseThreshold(validation, rule))
		require.InDelta(t, want, measure(evaluate(t, m, validation)), 1e-12)
	}
	// No score is near, and the threshold is between two that are neighbours.
	before := m.Threshold()
	above, below := math.Inf(1), math.Inf(-1)
	for _, s := range values {
		if s >= before {
			above = min(above, s)
		} else {
			below = max(below, s)
		}
	}
	require.Equal(t, (above+below)/2, before)
	// If all rows are to be positive, it is the lowest score.
	positives := numbers(t, []float64{1, -1}, []float64{1, -1})
	opts.L2, opts.Epochs = 0, 1
	opts.Optimizer = optim.SGD{LR: optim.Constant(0)}
	constant := fit(t, open(t, "cpu"), positives, opts)
	require.NoError(t, constant.ChooseThreshold(positives.Select([]int{0, 0}), classifier.MaxF1))
	require.Equal(t, scores(t, constant, positives)[0], constant.Threshold())

	require.EqualError(t, m.SetThreshold(math.NaN()), "classifier: a threshold of NaN; it must be a finite number, such as 0 for a probability of one half")
	y := validation.Labels()
	var negatives []int
	for i := range y {
		if y[i] < 0 {
			negatives = append(negatives, i)
		}
	}
	require.EqualError(t, m.ChooseThreshold(validation.Select(negatives), classifier.MaxF1), `classifier: no threshold can be chosen by the rows of "moons", which lack a class`)
	require.Equal(t, before, m.Threshold())
}

// Only x1 says anything of the class, so permuting it brings the AUC to a half, and
// permuting the category, in whose place the colour is, changes nothing.
func TestImportance(t *testing.T) {
	const rows = 2000
	x1, noise, colour, labels := make([]float64, rows), make([]float64, rows), make([]string, rows), make([]string, rows)
	for i := range rows {
		labels[i] = []string{"a", "b"}[i%2]
		x1[i], noise[i], colour[i] = float64(i%2), math.Sin(float64(i*i)), []string{"red", "green", "blue"}[i/2%3]
	}
	f := dataset.NewFrame("rows")
	require.NoError(t, f.AddCategorical("colour", colour))
	require.NoError(t, f.AddNumeric("x1", x1))
	require.NoError(t, f.AddNumeric("noise", noise))
	require.NoError(t, f.SetLabels("y", labels, "b"))
	opts := classifier.DefaultOptions()
	opts.Hidden = nil
	m := fit(t, open(t, "cpu"), f, opts)
	got, err := m.Importance(f, 1)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, []string{"colour", "x1", "noise"}, []string{got[0].Column, got[1].Column, got[2].Column})
	require.InDelta(t, 0.5, got[1].Mean, 0.05)
	require.InDelta(t, 0, got[0].Mean, 0.01)
	require.InDelta(t, 0, got[2].Mean, 0.01)
	require.Less(t, got[1].Deviation, 0.03)
	again, err := m.Importance(f, 1)
	require.NoError(t, err)
	require.Equal(t, got, again)

	weights, _, err := m.Weights()
	require.NoError(t, err)
	require.Len(t, weights, 5, "a feature a colour, and two")
	require.Greater(t, weights[3], 1.0)
	opts.Hidden = []int{2}
	opts.Epochs = 1
	_, _, err = fit(t, open(t, "cpu"), f, opts).Weights()
	require.ErrorContains(t, err, "the model has hidden layers")
}
