package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// crossValidate says how well the options do, and returns what writes that as JSON.
func (c *trainFlags) crossValidate(ctx context.Context, dev device.Device, frame *dataset.Frame, stdout, _ io.Writer) (write func(io.Writer) error, err error) {
	share := c.validationShare(frame.Rows())
	c.setEpochs(share > 0)
	o := c.options
	o.Logger = nil // which would say the same of every fold
	rows := float64(frame.Rows() - frame.Rows()/c.folds)
	o.Optimizer = c.newOptimizer(int(math.Round(rows - share*rows)))
	if !c.quiet {
		if _, err := fmt.Fprintln(stdout, c.describeFolds(share)); err != nil {
			return nil, err
		}
	}
	folds, err := classifier.CrossValidate(ctx, dev, frame, c.folds, share, o)
	if err != nil {
		return nil, err
	}
	type average struct {
		Mean      float64 `json:"mean"`
		Deviation float64 `json:"deviation"`
	}
	averages := map[string]average{}
	err = buffered(stdout, func(w io.Writer) error {
		for i, e := range folds {
			fmt.Fprintf(w, "fold %d of %d: loss %.4f, accuracy %.4f, AUC %.4f\n", i+1, len(folds), e.Loss, e.Accuracy, e.AUC)
		}
		for _, m := range []struct {
			key, name string
			of        func(*classifier.Evaluation) float64
		}{
			{"loss", "loss", func(e *classifier.Evaluation) float64 { return e.Loss }},
			{"accuracy", "accuracy", func(e *classifier.Evaluation) float64 { return e.Accuracy }},
			{"balanced_accuracy", "balanced accuracy", func(e *classifier.Evaluation) float64 { return e.BalancedAccuracy }},
			{"f1", "F1", func(e *classifier.Evaluation) float64 { return e.F1 }},
			{"auc", "AUC", func(e *classifier.Evaluation) float64 { return e.AUC }},
		} {
			mean, deviation := folds.Of(m.of)
			averages[m.key] = average{mean, deviation}
			fmt.Fprintf(w, "%s %.4f ± %.4f\n", m.name, mean, deviation)
		}
		return nil
	})
	return func(w io.Writer) error {
		data, err := json.Marshal(map[string]any{"seed": o.Seed, "device": dev.Name(), "dtype": o.DType.String(), "folds": folds, "mean": averages})
		if err != nil {
			return err
		}
		return indented(w, data)
	}, err
}

// describeFolds says how the model of each fold is trained, with a share of its rows for validation.
func (c *trainFlags) describeFolds(share float64) string {
	text := fmt.Sprintf("%d folds, %v of the training rows of each for validation", c.folds, share)
	if share == 0 {
		text = fmt.Sprintf("%d folds, without validation", c.folds)
	}
	text += fmt.Sprintf("; %s", count(c.options.Epochs, "epoch"))
	if c.options.Patience > 0 {
		text += fmt.Sprintf(" at most, with a patience of %d", c.options.Patience)
	}
	return text + fmt.Sprintf("; seed %d, %s", c.options.Seed, c.options.DType)
}
