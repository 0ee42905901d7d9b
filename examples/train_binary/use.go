package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/internal/atomicfile"
)

// useFlags is what the flags of the commands say that use a model.
type useFlags struct {
	source             source
	model, device, out string
}

// with calls use with the model.
func (c *useFlags) with(use func(*classifier.Model) error) (err error) {
	dev, err := device.Open(c.device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	m, err := classifier.Load(dev, c.model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return use(m)
}

func parsePredict(args []string, stderr io.Writer) (action, error) {
	c := new(useFlags)
	flags := newFlags("train_binary predict", "writes a score, a probability and a label for each row, as CSV, in the order of the rows", stderr)
	c.source.add(flags, "`file` of rows, with the columns that the model was trained on")
	flags.StringVar(&c.model, "model", "", "`file` of the model")
	flags.StringVar(&c.out, "out", "", "`file` to write; the standard output if empty")
	flags.StringVar(&c.device, "device", "cpu", "`device` to compute on")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	return c.predict, required(flags, "model", "data")
}

func (c *useFlags) predict(ctx context.Context, stdout, _ io.Writer) error {
	if err := checkOutput(c.out, c.source.path); err != nil {
		return err
	}
	return c.with(func(m *classifier.Model) error {
		write := func(w io.Writer) error { return writePredictions(ctx, w, m, c.source) }
		if c.out == "" {
			return write(stdout)
		}
		return atomicfile.Write(c.out, write)
	})
}

// writePredictions writes a line a row, as it reads them.
func writePredictions(ctx context.Context, w io.Writer, m *classifier.Model, from source) error {
	f, err := os.Open(from.path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := csv.NewWriter(w)
	err = out.Write([]string{"score", "probability", "label"})
	for p, failed := range m.PredictStream(f, from.path, from.reading()) {
		if failed != nil {
			return failed
		}
		line := []string{strconv.FormatFloat(p.Score, 'g', 9, 64), strconv.FormatFloat(p.Probability, 'g', 9, 64), p.Label}
		if err = errors.Join(ctx.Err(), out.Write(line)); err != nil {
			return err
		}
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

func parseEvaluate(args []string, stderr io.Writer) (action, error) {
	c := new(useFlags)
	flags := newFlags("train_binary evaluate", "says how well a model does on rows with labels", stderr)
	c.source.add(flags, "`file` of rows, with the columns that the model was trained on, and the label")
	flags.StringVar(&c.model, "model", "", "`file` of the model")
	flags.StringVar(&c.device, "device", "cpu", "`device` to compute on")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	return c.evaluate, required(flags, "model", "data")
}

func (c *useFlags) evaluate(_ context.Context, stdout, _ io.Writer) error {
	return c.with(func(m *classifier.Model) error {
		reading := c.source.reading()
		reading.For = m.Encoder()
		frame, err := dataset.OpenFrame(c.source.path, reading)
		if err != nil {
			return err
		}
		e, err := m.Evaluate(frame)
		if err != nil {
			return err
		}
		return buffered(stdout, func(w io.Writer) error {
			fmt.Fprintf(w, "%s: %d rows; %d %s (+1), %d %s (-1)\n", frame.Source(), e.Rows, e.Positives, m.Encoder().Label.Positive, e.Negatives, m.Encoder().Label.Negative)
			printEvaluation(w, c.source.path, e)
			return nil
		})
	})
}

func parseExport(args []string, stderr io.Writer) (action, error) {
	c := new(useFlags)
	flags := newFlags("train_binary export", "writes a model for other runtimes", stderr)
	flags.StringVar(&c.model, "model", "", "`file` of the model")
	flags.StringVar(&c.out, "onnx", "", "ONNX `file` to write")
	flags.StringVar(&c.device, "device", "cpu", "`device` to load the model on")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	return c.export, required(flags, "model", "onnx")
}

func (c *useFlags) export(context.Context, io.Writer, io.Writer) error {
	if err := checkOutput(c.out, c.model); err != nil {
		return err
	}
	return c.with(func(m *classifier.Model) error { return atomicfile.Write(c.out, m.ExportONNX) })
}
