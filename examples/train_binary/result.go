package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// result is what -json writes, followed by the measures of the test rows.
type result struct {
	Seed           uint64   `json:"seed"`
	Device         string   `json:"device"`
	DType          string   `json:"dtype"`
	Epochs         int      `json:"epochs"` // that were made
	TrainLoss      float64  `json:"train_loss"`
	TestLoss       *float64 `json:"test_loss,omitempty"`
	StepsPerSecond float64  `json:"steps_per_second"`

	test *metrics.Summary
}

// judge adds how well the model does on the rows, and prints it. There may be no test rows.
func (r *result) judge(m *classifier.Model, train, test *dataset.Frame, stdout io.Writer) error {
	onTrain, err := m.Evaluate(train)
	if err != nil {
		return err
	}
	r.TrainLoss = onTrain.Loss
	var onTest *classifier.Evaluation
	if test != nil {
		if onTest, err = m.Evaluate(test); err != nil {
			return err
		}
		r.TestLoss, r.test = &onTest.Loss, &onTest.Summary
	}
	return buffered(stdout, func(w io.Writer) error {
		fmt.Fprintf(w, "training loss %.4f\n", onTrain.Loss)
		if onTest != nil {
			printEvaluation(w, "held-out", onTest)
		}
		return nil
	})
}

func (r *result) write(w io.Writer) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if r.test != nil {
		summary, err := json.Marshal(r.test)
		if err != nil {
			return err
		}
		data = append(append(data[:len(data)-1], ','), summary[1:]...)
	}
	return indented(w, data)
}

func indented(w io.Writer, data []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(w)
	return err
}

// printEvaluation prints the measures of an evaluation.
func printEvaluation(w io.Writer, rows string, e *classifier.Evaluation) {
	fmt.Fprintf(w, "balanced accuracy %.4f, precision %.4f, recall %.4f, F1 %.4f, MCC %.4f\n", e.BalancedAccuracy, e.Precision, e.Recall, e.F1, e.MCC)
	fmt.Fprintf(w, "average precision %.4f, log loss %.4f, Brier score %.4f, calibration error %.4f\n", e.AveragePrecision, e.LogLoss, e.Brier, e.CalibrationError)
	fmt.Fprintf(w, "at threshold %.4g: %d true and %d false positives, %d true and %d false negatives\n",
		e.Threshold, e.Confusion.TP, e.Confusion.FP, e.Confusion.TN, e.Confusion.FN)
	fmt.Fprintf(w, "%s loss %.4f, accuracy %.4f, AUC %.4f\n", rows, e.Loss, e.Accuracy, e.AUC)
}
