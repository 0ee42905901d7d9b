package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/optim"
)

// config is what the flags say.
type config struct {
	data    string
	csv     dataset.CSVOptions
	device  string
	json    string
	lr      float64
	options classifier.Options
}

// parse reads the flags, and prints what is wrong with them and the usage to stderr.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{options: classifier.DefaultOptions()}
	o := &c.options
	flags := flag.NewFlagSet("train_binary", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.data, "data", "", "CSV `file` with a header; the embedded breast cancer data if empty")
	flags.StringVar(&c.csv.Label, "label", "", "`column` of the label; the last if empty")
	flags.StringVar(&c.csv.Positive, "positive", "", "label `value` of the positive class; guessed if empty")
	flags.StringVar(&c.device, "device", "cpu", "`device` to train on, such as cpu?threads=1")
	flags.StringVar(&c.json, "json", "", "also write the result to this `file`")
	flags.IntVar(&o.Epochs, "epochs", o.Epochs, "passes over the training rows")
	flags.IntVar(&o.BatchSize, "batch", o.BatchSize, "rows in a mini-batch")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the split, the initial weights and the order of the rows")
	flags.Float64Var(&c.lr, "lr", 1e-3, "learning rate")
	optimizer := optimizers["adamw"]
	flags.Func("optimizer", "`name` of the optimizer: sgd, adam, adamw, rmsprop or adagrad (default adamw)", func(name string) error {
		if optimizer = optimizers[name]; optimizer == nil {
			return fmt.Errorf("the choices are %s", strings.Join(slices.Sorted(maps.Keys(optimizers)), ", "))
		}
		return nil
	})
	flags.Func("dtype", "`type` of the layers' arithmetic: float32, float16, bfloat16 or float64 (default float32)", func(name string) (err error) {
		o.DType, err = device.ParseDType(name)
		return err
	})
	flags.Var((*widths)(&o.Hidden), "hidden", "`widths` of the hidden layers, such as 64,32; none for a logistic regression")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "unexpected argument %q; the data file is given with -data\n", flags.Arg(0))
		flags.Usage()
		return nil, errors.New("unexpected argument")
	}
	o.Optimizer = optimizer(optim.Constant(c.lr))
	return c, nil
}

// optimizers are the choices of -optimizer, with PyTorch's defaults but for SGD's usual momentum.
var optimizers = map[string]func(optim.Schedule) optim.Optimizer{
	"sgd":     func(lr optim.Schedule) optim.Optimizer { return optim.SGD{LR: lr, Momentum: 0.9} },
	"adam":    func(lr optim.Schedule) optim.Optimizer { return optim.NewAdam(lr) },
	"adamw":   func(lr optim.Schedule) optim.Optimizer { return optim.NewAdamW(lr) },
	"rmsprop": func(lr optim.Schedule) optim.Optimizer { return optim.NewRMSprop(lr) },
	"adagrad": func(lr optim.Schedule) optim.Optimizer { return optim.NewAdagrad(lr) },
}

// widths is a flag that lists the widths of layers.
type widths []int

func (w *widths) String() string {
	if len(*w) == 0 {
		return "none"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(*w), " ", ","), "[]")
}

func (w *widths) Set(s string) error {
	*w = nil
	if s == "none" {
		return nil
	}
	for _, field := range strings.Split(s, ",") {
		width, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || width < 1 {
			return errors.New("it must be positive numbers separated by commas, or none")
		}
		*w = append(*w, width)
	}
	return nil
}
