package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/device"
)

// useFlags is what the flags of the commands say that use a model.
type useFlags struct {
	source             source
	model, device, out string
}

// with calls use with the model.
func (c *useFlags) with(ctx context.Context, use func(*classifier.Model) error) error {
	return promptly(ctx, func() (err error) {
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
	})
}

func (c *useFlags) modelFile() file { return file{"model", c.model, "model"} }

func parsePredict(args []string, stderr io.Writer) (action, error) {
	c := new(useFlags)
	flags := newFlags("train_binary predict", "writes a score, a probability and a label for each row, as CSV, in the order of the rows", stderr)
	c.source.add(flags, "`file` of rows, with the columns that the model was trained on, or - for the standard input")
	flags.StringVar(&c.model, "model", "", "`file` of the model")
	flags.StringVar(&c.out, "out", "", "`file` to write; the standard output if empty or -")
	flags.StringVar(&c.device, "device", "cpu", "`device` to compute on")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	return c.predict, required(flags, "model", "data")
}

func (c *useFlags) predict(ctx context.Context, stdout, stderr io.Writer) error {
	outputs := []file{{"out", c.out, "predictions"}}
	if err := cmp.Or(checkOverlaps([]file{c.source.file(), c.modelFile()}, outputs), checkWritable(outputs)); err != nil {
		return err
	}
	return writeFile(ctx, cmp.Or(c.out, standardOutput), stdout, func(w io.Writer) error {
		return c.with(ctx, func(m *classifier.Model) error { return writePredictions(w, stderr, m, c.source) })
	})
}

// writePredictions writes a line a row, as it reads them, and in the end notes about all of them.
func writePredictions(w, stderr io.Writer, m *classifier.Model, from source) error {
	f, name, err := from.open()
	if err != nil {
		return err
	}
	defer f.Close()
	out := csv.NewWriter(w)
	err = out.Write([]string{"score", "probability", "label"})
	var warnings []string
	for p, failed := range m.PredictStream(f, name, from.reading()) {
		if failed != nil {
			return failed
		}
		line := []string{strconv.FormatFloat(p.Score, 'g', 9, 64), strconv.FormatFloat(p.Probability, 'g', 9, 64), p.Label}
		if err = out.Write(line); err != nil {
			return err
		}
		warnings = p.Warnings
	}
	out.Flush()
	return errors.Join(err, out.Error(), printNotes(stderr, warnings))
}

func parseEvaluate(args []string, stderr io.Writer) (action, error) {
	c := new(useFlags)
	flags := newFlags("train_binary evaluate", "says how well a model does on rows with labels", stderr)
	c.source.add(flags, "`file` of rows, with the columns that the model was trained on and the label, or - for the standard input")
	flags.StringVar(&c.model, "model", "", "`file` of the model")
	flags.StringVar(&c.device, "device", "cpu", "`device` to compute on")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	return c.evaluate, required(flags, "model", "data")
}

func (c *useFlags) evaluate(ctx context.Context, stdout, stderr io.Writer) error {
	return c.with(ctx, func(m *classifier.Model) error {
		reading := c.source.reading()
		reading.For = m.Encoder()
		frame, err := c.source.readFile(reading)
		if err != nil {
			return err
		}
		e, err := m.Evaluate(frame)
		if err != nil {
			return err
		}
		if err := printNotes(stderr, append(e.Warnings, frame.Schema().Notes...)); err != nil {
			return err
		}
		return buffered(stdout, func(w io.Writer) error {
			fmt.Fprintf(w, "%s: %s; %d %s (+1), %d %s (-1)\n", frame.Source(), count(e.Rows, "row"), e.Positives, m.Encoder().Label.Positive, e.Negatives, m.Encoder().Label.Negative)
			printEvaluation(w, frame.Source(), e)
			return nil
		})
	})
}

func parseExport(args []string, stderr io.Writer) (action, error) {
	c := new(useFlags)
	flags := newFlags("train_binary export", "writes a model for other runtimes", stderr)
	flags.StringVar(&c.model, "model", "", "`file` of the model")
	flags.StringVar(&c.out, "onnx", "", "ONNX `file` to write; the standard output if -")
	flags.StringVar(&c.device, "device", "cpu", "`device` to load the model on")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	return c.export, required(flags, "model", "onnx")
}

func (c *useFlags) export(ctx context.Context, stdout, _ io.Writer) error {
	outputs := []file{{"onnx", c.out, "exported model"}}
	if err := cmp.Or(checkOverlaps([]file{c.modelFile()}, outputs), checkWritable(outputs)); err != nil {
		return err
	}
	return writeFile(ctx, c.out, stdout, func(w io.Writer) error {
		return c.with(ctx, func(m *classifier.Model) error { return m.ExportONNX(w) })
	})
}
