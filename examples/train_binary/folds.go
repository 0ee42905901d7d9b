package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// crossValidate says how well the options do.
func (c *trainFlags) crossValidate(ctx context.Context, dev device.Device, frame *dataset.Frame, stdout io.Writer) error {
	c.setEpochs(false)
	o := c.options
	o.Logger = nil // which would say the same of every fold
	rows := frame.Rows() - frame.Rows()/max(c.folds, 1)
	o.Optimizer = c.newOptimizer(rows)
	folds, err := classifier.CrossValidate(ctx, dev, frame, c.folds, o)
	if err != nil {
		return err
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
	if err != nil {
		return err
	}
	return c.writeJSON(func(w io.Writer) error {
		data, err := json.Marshal(map[string]any{"seed": o.Seed, "device": dev.Name(), "dtype": o.DType.String(), "folds": folds, "mean": averages})
		if err != nil {
			return err
		}
		return indented(w, data)
	})
}
