package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/classifier/report"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// train does what the flags ask for.
func (c *trainFlags) train(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	inputs, outputs := c.files()
	if err := checkOverlaps(inputs, outputs); err != nil {
		return err
	}
	if c.report != "" { // now, since the other outputs may be in it
		tidy, err := makeFolder(c.report)
		defer tidy()
		if err != nil {
			return fmt.Errorf("the directory of the report cannot be made: %w", err)
		}
	}
	if err := checkWritable(outputs); err != nil {
		return err
	}
	text := stdout
	if c.json == standardOutput {
		text = stderr
	}
	var frame *dataset.Frame
	var dev device.Device
	err = promptly(ctx, func() (err error) {
		if frame, err = c.source.read(c.options.Seed); err != nil {
			return err
		}
		if dev, err = device.Open(c.device); err != nil || c.quiet {
			return err
		}
		_, err = fmt.Fprint(text, frame.Schema())
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	if !c.quiet {
		c.options.Logger = slog.New(notes{stderr})
	}
	work := c.fit
	if c.folds > 0 {
		work = c.crossValidate
	}
	write, err := work(ctx, dev, frame, text, stderr)
	if err != nil || c.json == "" {
		return err
	}
	return writeFile(ctx, c.json, stdout, write)
}

func (c *trainFlags) check() error {
	chosen := c.choosesThreshold()
	score, err := strconv.ParseFloat(c.threshold, 64)
	switch {
	case !(c.lr > 0) || math.IsInf(c.lr, 0):
		return fmt.Errorf("a learning rate of %v; it must be a positive number, such as 0.001", c.lr)
	case c.options.Epochs < 0 || c.options.BatchSize < 0:
		return fmt.Errorf("%d epochs with a batch of %d rows; at least 1 of each is needed", c.options.Epochs, c.options.BatchSize)
	case !chosen && (err != nil || math.IsNaN(score) || math.IsInf(score, 0)):
		return fmt.Errorf("a threshold of %q; it must be a finite number, f1 or youden", c.threshold)
	case c.folds < 0 || c.folds == 1:
		return fmt.Errorf("cross-validation with %s; it takes 2 or more, or 0 for none", count(c.folds, "fold"))
	case c.folds > 0 && (c.save != "" || c.resume != "" || c.report != "" || c.tested || c.threshold != "0"):
		return errors.New("with -folds no model is kept and every row is tested with once, so -save, -resume, -report, -test and -threshold have no meaning; leave them out")
	case c.save == standardOutput:
		return errors.New("-save cannot write to the standard output: a model needs a regular file")
	case c.validation == 0 && c.options.Patience > 0:
		return errors.New("-patience needs rows to measure the loss on; set -validation to a share such as 0.1")
	case c.validation == 0 && chosen:
		return fmt.Errorf("-threshold %s needs rows to choose it by; set -validation to a share such as 0.1", c.threshold)
	}
	return c.source.check()
}

// files returns the files that are read and those that are written.
func (c *trainFlags) files() (inputs, outputs []file) {
	inputs = []file{{"resume", c.resume, "model to resume"}}
	if !c.source.isToy() {
		inputs = append(inputs, c.source.file())
	}
	outputs = []file{{"json", c.json, "result"}, {"save", c.save, "model"}}
	if c.report != "" {
		for _, name := range report.FileNames() {
			outputs = append(outputs, file{"report", filepath.Join(c.report, name), "report"})
		}
	}
	return inputs, outputs
}

// fit trains a model and says how well it does, and returns what writes that as JSON.
func (c *trainFlags) fit(ctx context.Context, dev device.Device, frame *dataset.Frame, stdout, stderr io.Writer) (write func(io.Writer) error, err error) {
	train, validation, test, err := frame.Split(c.validationShare(frame.Rows()), c.test, c.options.Seed)
	if err != nil {
		return nil, err
	}
	c.setEpochs(validation.Rows() > 0)
	o := c.options
	o.Validation = validation
	o.Optimizer = c.newOptimizer(train.Rows())
	if c.resume != "" {
		if o.Resume, err = classifier.Load(dev, c.resume); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, o.Resume.Close()) }()
	}
	var speed speed
	show, finish := func(classifier.Progress) {}, func() {}
	if !c.quiet {
		if _, err := fmt.Fprintf(stdout, "training on %s, %d for validation, %d held out; seed %d, %s\n", count(train.Rows(), "row"), validation.Rows(), test.Rows(), o.Seed, o.DType); err != nil {
			return nil, err
		}
		show, finish = showProgress(stderr, train.Rows())
	}
	o.Progress = func(p classifier.Progress) {
		speed.add(p)
		show(p)
	}
	if c.save != "" {
		o.Checkpoint = c.checkpoint(ctx)
	}
	model, err := classifier.Fit(ctx, dev, train, o)
	finish()
	if err != nil {
		return nil, c.explainStop(ctx, err)
	}
	defer func() { err = errors.Join(err, model.Close()) }()
	if history := model.History(); !c.quiet && validation.Rows() > 0 {
		best := 0
		for i, e := range history {
			if e.ValidationLoss < history[best].ValidationLoss {
				best = i
			}
		}
		if _, err := fmt.Fprintf(stdout, "epoch %d of %d has the lowest validation loss and is kept\n", best+1, len(history)); err != nil {
			return nil, err
		}
	}
	if err := c.setThreshold(model, validation); err != nil {
		return nil, err
	}
	if c.save != "" {
		if err := model.Save(c.save); err != nil {
			return nil, err
		}
	}
	r := result{Seed: o.Seed, Device: dev.Name(), DType: o.DType.String(), Epochs: len(model.History()), StepsPerSecond: speed.stepsPerSecond}
	if err := r.judge(model, train, test, stdout); err != nil {
		return nil, err
	}
	if c.report != "" {
		page, err := report.Of(model, train, test)
		if err != nil {
			return nil, err
		}
		if err := report.Write(ctx, c.report, page); err != nil {
			return nil, err
		}
	}
	return r.write, nil
}

// setThreshold sets the model's threshold as -threshold says.
func (c *trainFlags) setThreshold(m *classifier.Model, validation *dataset.Frame) error {
	switch c.threshold {
	case "f1":
		return m.ChooseThreshold(validation, classifier.MaxF1)
	case "youden":
		return m.ChooseThreshold(validation, classifier.MaxYouden)
	}
	score, err := strconv.ParseFloat(c.threshold, 64)
	if err != nil {
		return err
	}
	return m.SetThreshold(score)
}

// checkpoint returns what saves the model while it is trained: at the end of epochs a second apart, and when
// training is stopped.
func (c *trainFlags) checkpoint(ctx context.Context) func(*classifier.Model) error {
	last := time.Now()
	return func(m *classifier.Model) error {
		if ctx.Err() == nil && time.Since(last) < time.Second {
			return nil
		}
		last, c.saved = time.Now(), true
		return m.Save(c.save)
	}
}

// explainStop adds how to go on to the error of a run that was stopped and saved.
func (c *trainFlags) explainStop(ctx context.Context, err error) error {
	if !c.saved || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w; to go on, repeat the command with -resume %q", err, c.save)
}
