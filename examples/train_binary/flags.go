package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/optim"
)

// newFlags returns an empty set of flags of a command.
func newFlags(command, summary string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "Usage of %s: %s\n", command, summary)
		flags.PrintDefaults()
	}
	return flags
}

// finish reads the arguments, none of which may be anything but a flag. A mistake is one line and
// where to look, since the whole usage would push it off the screen.
func finish(flags *flag.FlagSet, args []string) error {
	usage := flags.Usage
	flags.Usage = func() {} // which Parse calls for mistakes, too
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage()
	case err != nil:
		hint(flags)
	case flags.NArg() > 0:
		fmt.Fprintf(flags.Output(), "unexpected argument %q; the commands are predict, evaluate and export, and the data file is given with -data\n", flags.Arg(0))
		hint(flags)
		err = errors.New("unexpected argument")
	}
	return err
}

func hint(flags *flag.FlagSet) {
	fmt.Fprintf(flags.Output(), "%s -h lists the flags\n", flags.Name())
}

// required returns an error, having said so, unless all of the flags were given.
func required(flags *flag.FlagSet, names ...string) error {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() != "" })
	for _, name := range names {
		if !given[name] {
			fmt.Fprintf(flags.Output(), "-%s is needed\n", name)
			hint(flags)
			return errors.New("missing flag")
		}
	}
	return nil
}

// choice adds a flag that takes one of some words; the first is the default.
func choice(flags *flag.FlagSet, to *string, name, usage string, words ...string) {
	*to = words[0]
	flags.Func(name, fmt.Sprintf("%s: %s (default %s)", usage, strings.Join(words, ", "), words[0]), func(word string) error {
		if !slices.Contains(words, word) {
			return fmt.Errorf("the choices are %s", strings.Join(words, ", "))
		}
		*to = word
		return nil
	})
}

// trainFlags is what the flags of training say.
type trainFlags struct {
	source           source
	device           string
	validation, test float64 // shares of the rows; validation may be unset
	tested           bool    // test was given
	folds            int
	lr               float64
	optimizer        string
	schedule         string
	threshold        string
	save, resume     string
	saved            bool // to save, while training
	report, json     string
	quiet            bool
	options          classifier.Options
}

// unset is a share that is not given.
const unset = -1

// fewRows is the number of rows below which those for validation are too few to tell epochs apart, and
// worth more in training.
const fewRows = 500

// validationShare returns the share of so many rows to choose the best epoch on.
func (c *trainFlags) validationShare(rows int) float64 {
	switch {
	case c.validation != unset:
		return c.validation
	case rows < fewRows && c.options.Patience == 0 && !c.choosesThreshold():
		return 0
	}
	return 0.1
}

// Where validation rows say when to stop, there is no need to stop before.
const validatedEpochs, validatedPatience = 60, 10

// setEpochs sets how long to train, unless that is given.
func (c *trainFlags) setEpochs(validated bool) {
	o := &c.options
	switch {
	case o.Epochs > 0:
	case validated:
		o.Epochs, o.Patience = validatedEpochs, cmp.Or(o.Patience, validatedPatience)
	default:
		o.Epochs = classifier.DefaultOptions().Epochs
	}
}

func (c *trainFlags) choosesThreshold() bool { return c.threshold == "f1" || c.threshold == "youden" }

func parseTrain(args []string, stderr io.Writer) (action, error) {
	c := &trainFlags{options: classifier.DefaultOptions(), validation: unset}
	o := &c.options
	flags := newFlags("train_binary", "trains a model; train_binary predict, evaluate and export use one, each with flags of its own (train_binary predict -h)", stderr)
	c.source.add(flags, "`file` of rows, - for the standard input, or "+toyList()+" to make some; the embedded breast cancer data if empty")
	c.source.addTraining(flags, &o.Encoder)
	flags.StringVar(&c.device, "device", "cpu", "`device` to train on, such as cpu?threads=1 or ascend:0")
	flags.Var((*widths)(&o.Hidden), "hidden", "`widths` of the hidden layers, such as 64,32; none for a logistic regression")
	flags.Func("loss", "`name` of the loss: softmargin, bce or hinge (default softmargin)", func(name string) (err error) {
		o.Loss, err = classifier.ParseLoss(name)
		return err
	})
	choice(flags, &c.optimizer, "optimizer", "`name` of the optimizer", "adamw", "adam", "sgd", "rmsprop", "adagrad")
	flags.Float64Var(&c.lr, "lr", 0, "learning `rate`, the highest of a schedule; if 0 it is 0.003, or 0.02 without hidden layers")
	choice(flags, &c.schedule, "schedule", "how the learning rate changes, by `name`", "constant", "cosine", "onecycle", "warmup")
	flags.Func("dtype", "`type` of the layers' arithmetic: float32, float16, bfloat16 or float64 (default float32)", func(name string) (err error) {
		o.DType, err = device.ParseDType(name)
		return err
	})
	flags.IntVar(&o.Epochs, "epochs", 0, fmt.Sprintf("passes over the training rows; if 0 they are %d, or where there are rows for validation up to %d with a -patience of %d",
		classifier.DefaultOptions().Epochs, validatedEpochs, validatedPatience))
	flags.IntVar(&o.BatchSize, "batch", 0, "rows in a mini-batch; if 0 it is 32, or fewer of less than 384 rows")
	flags.Float64Var(&o.L2, "l2", o.L2, "half of this times the sum of the squared weights, over the rows, is added to the loss")
	flags.Float64Var(&o.ClipNorm, "clip", 0, "greatest norm of the gradient; 0 for any")
	flags.Float64Var(&o.Dropout, "dropout", 0, "share of the hidden activations that is dropped in training")
	flags.BoolVar(&o.Balance, "balance", false, "weigh the classes so that both count the same")
	flags.Func("class-weight", "`weights` of the negative and the positive class, such as 1,3", func(text string) error {
		negative, positive, _ := strings.Cut(text, ",")
		for to, text := range map[*float64]string{&o.NegativeWeight: negative, &o.PositiveWeight: positive} {
			var err error
			if *to, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil || !(*to > 0) || math.IsInf(*to, 0) {
				return errors.New("it must be two positive numbers separated by a comma")
			}
		}
		return nil
	})
	flags.Func("validation", fmt.Sprintf("`share` of the rows, with -folds of those that a fold trains on, on which the best epoch is chosen; 0 for none (default 0.1, but of fewer than %d rows 0 unless -patience or -threshold needs some)", fewRows), func(text string) (err error) {
		if c.validation, err = strconv.ParseFloat(text, 64); err == nil && !(c.validation >= 0 && c.validation < 1) {
			err = errors.New("it must be at least 0 and below 1")
		}
		return err
	})
	flags.Float64Var(&c.test, "test", 0.2, "share of the rows to test with; 0 for none")
	flags.IntVar(&o.Patience, "patience", 0, "stop after so many epochs without a lower validation loss; 0 for never")
	flags.IntVar(&c.folds, "folds", 0, "cross-validate with so many folds, each trained as a model would be otherwise, and keep no model")
	flags.StringVar(&c.threshold, "threshold", "0", "`score` from which on a row is positive, or f1 or youden for the best by the validation rows")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the split, the initial weights and the order of the rows")
	flags.StringVar(&c.save, "save", "", "save the model to this `file`, also while it is trained")
	flags.StringVar(&c.resume, "resume", "", "go on with the training of the model in this `file`")
	flags.StringVar(&c.report, "report", "", "write a page with pictures into this `directory`")
	flags.StringVar(&c.json, "json", "", "also write the result to this `file`; if -, to the standard output, and all else to the standard error")
	flags.BoolVar(&c.quiet, "quiet", false, "print nothing but the result")
	if err := finish(flags, args); err != nil {
		return nil, err
	}
	flags.Visit(func(f *flag.Flag) { c.tested = c.tested || f.Name == "test" })
	if c.lr == 0 {
		c.lr = classifier.DefaultRate(o.Hidden)
	}
	return c.train, nil
}

// newOptimizer returns the optimizer for so many training rows, with PyTorch's defaults but for SGD's usual momentum.
func (c *trainFlags) newOptimizer(rows int) optim.Optimizer {
	batch := cmp.Or(c.options.BatchSize, classifier.DefaultBatchSize(rows))
	lr := newSchedule(c.schedule, c.lr, int64(c.options.Epochs)*int64((rows-1)/batch+1))
	switch c.optimizer {
	case "sgd":
		return optim.SGD{LR: lr, Momentum: 0.9}
	case "adam":
		return optim.NewAdam(lr)
	case "rmsprop":
		return optim.NewRMSprop(lr)
	case "adagrad":
		return optim.NewAdagrad(lr)
	}
	return optim.NewAdamW(lr)
}

// newSchedule returns the schedule of a name for a run of so many steps.
func newSchedule(name string, lr float64, steps int64) optim.Schedule {
	switch name {
	case "cosine":
		return optim.Cosine(lr, 0, steps)
	case "onecycle":
		return optim.OneCycle(lr, steps)
	case "warmup":
		warm := steps / 10
		return optim.LinearWarmup(0.1, warm, optim.Cosine(lr, 0, steps-warm))
	}
	return optim.Constant(lr)
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

// names is a flag that lists names.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(s string) error {
	*n = nil
	for _, name := range strings.Split(s, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("it must be names separated by commas")
		}
		*n = append(*n, name)
	}
	return nil
}
