// Command train_binary trains a binary classifier on a table of numbers and says
// how well it does on rows it has not seen.
//
//	go run ./examples/train_binary                          # the embedded breast cancer data
//	go run ./examples/train_binary -data my.csv -label paid -positive no
//
// Exit status: 0; 1 if the data, the device or the training cannot be what the
// flags ask for; 2 if the flags cannot be read.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: its flags, where it prints, and its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2 // the flag package has said what is wrong
	}
	if err := c.train(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "train_binary:", err)
		return 1
	}
	return 0
}

// train does what the flags ask for.
func (c *config) train(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if !(c.lr > 0) || math.IsInf(c.lr, 0) {
		return fmt.Errorf("a learning rate of %v; it must be a positive number, such as 0.001", c.lr)
	}
	report, err := newReport(c.json, c.data)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(stdout) // which keeps the first error
	table, err := c.table()
	if err != nil {
		return err
	}
	train, test, err := table.Split(testFraction, c.options.Seed)
	if err != nil {
		return err
	}
	dev, err := device.Open(c.device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()

	fmt.Fprintf(out, "%s: %d rows, %d features; %s: %d %s (+1), %d %s (-1)\n", table.Source, table.Rows(), len(table.Features),
		table.Label, count(table, +1), table.Positive, count(table, -1), table.Negative)
	fmt.Fprintf(out, "training on %d rows, holding out %d; seed %d, %s\n", train.Rows(), test.Rows(), c.options.Seed, c.options.DType)
	if err := out.Flush(); err != nil {
		return err
	}
	show, finish := showProgress(stderr)
	var speed speed
	c.options.Progress = func(p classifier.Progress) {
		speed.add(p)
		show(p)
	}
	model, err := classifier.Fit(ctx, dev, train, c.options)
	finish()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, model.Close()) }()
	onTrain, err := model.Evaluate(train)
	if err != nil {
		return err
	}
	onTest, err := model.Evaluate(test)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "training loss %.4f\n", onTrain.Loss)
	fmt.Fprintf(out, "held-out loss %.4f, accuracy %.4f, AUC %.4f\n", onTest.Loss, onTest.Accuracy, onTest.AUC)
	if err := out.Flush(); err != nil {
		return err
	}
	return report.write(result{
		Seed:           c.options.Seed,
		Device:         dev.Name(),
		DType:          c.options.DType.String(),
		Epochs:         c.options.Epochs,
		TrainLoss:      onTrain.Loss,
		TestLoss:       onTest.Loss,
		Accuracy:       onTest.Accuracy,
		AUC:            onTest.AUC,
		StepsPerSecond: speed.stepsPerSecond,
	})
}

// table reads the data.
func (c *config) table() (*dataset.Table, error) {
	if c.data == "" {
		return dataset.ReadCSV(dataset.BreastCancerCSV(), "wdbc.csv", c.csv)
	}
	return dataset.OpenCSV(c.data, c.csv)
}

// testFraction is the share of the rows that is held out.
const testFraction = 0.2

// count returns the number of rows with the given label.
func count(t *dataset.Table, label float64) (n int) {
	for _, y := range t.Y {
		if y == label {
			n++
		}
	}
	return n
}
