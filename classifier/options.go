package classifier

import (
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/optim"
)

// Options says how a model is built and trained. Start from [DefaultOptions].
type Options struct {
	// Hidden has the widths of the hidden layers, with ReLU after each. None makes a linear
	// model.
	Hidden  []int
	Dropout float64 // in [0, 1): the share of hidden activations that is dropped in training
	Loss    Loss    // what is minimised

	Epochs    int             // passes over the training rows
	BatchSize int             // rows a step, 0 for DefaultBatchSize of the training rows; the last batch of an epoch may be shorter
	Optimizer optim.Optimizer // its schedule counts steps; nil means AdamW at DefaultRate(Hidden)
	L2        float64         // ½·L2·Σw²/rows over the weights, not the biases, is added to the mean loss (scikit-learn's alpha)
	ClipNorm  float64         // gradients are scaled down to this norm, see optim.ClipNorm; 0 means never

	// A row's loss is multiplied by the weight of its class; 0 means 1. Balance takes
	// the weights of dataset.BalancedWeights instead, under which both classes weigh the same.
	NegativeWeight, PositiveWeight float64
	Balance                        bool

	// DType is the dtype of the layers' products. Weights, their updates and the loss
	// are float64 for float64 and float32 otherwise.
	DType device.DType

	Encoder dataset.EncoderOptions // how the columns become features
	Seed    uint64                 // of the initial weights, the order of the rows and dropout

	// Validation has rows that are not trained on. If there are any, the loss on them is
	// measured after each epoch, and the model is that of the epoch in which it was lowest.
	// Training stops early after Patience epochs without a lower one; 0 means never.
	Validation *dataset.Frame
	Patience   int

	// Progress, if not nil, is called after every step.
	Progress func(Progress)

	// Logger, if not nil, gets a line an epoch, and warnings about what is left out of the data
	// and about float16's loss scale.
	Logger *slog.Logger

	// Checkpoint, if not nil, is called at the end of every epoch and when the context ends,
	// with the model that Fit would return if training were to end there, which is
	// valid during the call. It is meant to call Save. An error ends training.
	Checkpoint func(*Model) error

	// Resume, if not nil, is a model whose training is to go on, such as one that was
	// saved by Checkpoint and loaded. All other options, and the rows, must be as they were; only
	// Epochs and Patience may be changed, and Epochs only if the optimizer's schedule is not made for
	// their number, as cosine, one-cycle and warm-up are. The model stays as it is.
	Resume *Model
}

// DefaultOptions returns what suits a table of a hundred to a few hundred thousand rows. Larger ones train faster
// in larger batches, such as 1024 rows.
func DefaultOptions() Options {
	return Options{
		Hidden: []int{64, 32},
		Epochs: 15,
		L2:     5,
		Seed:   1,
		DType:  device.Float32,
	}
}

// DefaultRate returns the learning rate that suits AdamW for a model with such hidden layers:
// 0.003, or 0.02 if there are none, since its loss is convex and its gradients are small.
func DefaultRate(hidden []int) float64 {
	if len(hidden) == 0 {
		return 0.02
	}
	return 3e-3
}

// DefaultBatchSize returns 32, or fewer rows where there are so few that an epoch would not have a dozen
// steps, but at least 8.
func DefaultBatchSize(rows int) int { return min(max(rows/12, 8), 32) }

func (o Options) check() error {
	for _, width := range o.Hidden {
		if width < 1 {
			return fmt.Errorf("classifier: a hidden layer of width %d; at least 1 is needed", width)
		}
	}
	for _, w := range [2]float64{o.NegativeWeight, o.PositiveWeight} {
		if !notNegative(w) {
			return fmt.Errorf("classifier: a class weight of %v; it must be a positive number, or 0 for 1", w)
		}
	}
	switch {
	case o.Epochs < 1:
		return fmt.Errorf("classifier: %d epochs; at least 1 is needed", o.Epochs)
	case o.BatchSize < 0:
		return fmt.Errorf("classifier: a batch of %d rows; at least 1 is needed, or 0 for the usual number", o.BatchSize)
	case !o.DType.Valid():
		return fmt.Errorf("classifier: %v is not a dtype; set Options.DType, for example to device.Float32", o.DType)
	case !o.Loss.valid():
		return fmt.Errorf("classifier: %v is not a loss; set Options.Loss, for example to classifier.SoftMargin", o.Loss)
	case !(o.Dropout >= 0 && o.Dropout < 1):
		return fmt.Errorf("classifier: a dropout of %v; it must be at least 0 and below 1", o.Dropout)
	case !notNegative(o.L2):
		return fmt.Errorf("classifier: an L2 of %v; it must be a positive number, or 0 for none", o.L2)
	case !notNegative(o.ClipNorm):
		return fmt.Errorf("classifier: a ClipNorm of %v; it must be a positive number, or 0 for no clipping", o.ClipNorm)
	case o.Balance && (o.NegativeWeight != 0 || o.PositiveWeight != 0):
		return fmt.Errorf("classifier: class weights %v and %v, and Balance, which computes them; leave one out", o.NegativeWeight, o.PositiveWeight)
	case o.Patience < 0:
		return fmt.Errorf("classifier: a patience of %d epochs; it must be at least 1, or 0 never to stop early", o.Patience)
	case o.Patience > 0 && o.Validation == nil:
		return errors.New("classifier: Patience needs rows to measure the loss on; set Options.Validation")
	}
	return nil
}

func notNegative(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// classWeights returns the weights of the classes.
func (o Options) classWeights(labels []float64) (negative, positive float64, err error) {
	if o.Balance {
		return dataset.BalancedWeights(labels)
	}
	negative, positive = o.NegativeWeight, o.PositiveWeight
	if negative == 0 {
		negative = 1
	}
	if positive == 0 {
		positive = 1
	}
	return negative, positive, nil
}
