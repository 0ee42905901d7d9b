package classifier

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// Options says how a model is built and trained. Start from [DefaultOptions].
type Options struct {
	Hidden    []int           // widths of the hidden layers; none makes a logistic regression
	Epochs    int             // passes over the training rows
	BatchSize int             // rows a step; the last batch of an epoch may be shorter
	Optimizer optim.Optimizer // its schedule counts steps
	Seed      uint64          // of the initial weights and of the order of the rows

	// DType is the dtype of the layers' products. Weights, their updates and the loss
	// are float64 for float64 and float32 otherwise.
	DType device.DType

	// Progress, if not nil, is called after every step.
	Progress func(Progress)
}

// Progress is how far a training run has got.
type Progress struct {
	Epoch, Epochs int     // from 1
	Step, Steps   int     // of the whole run, from 1
	EndOfEpoch    bool    // this step is its epoch's last
	Loss          float64 // mean loss over the rows of the epoch so far
}

// DefaultOptions returns what suits a table of a few hundred to a few hundred thousand rows.
func DefaultOptions() Options {
	return Options{
		Hidden:    []int{64, 32},
		Epochs:    15,
		BatchSize: 32,
		Optimizer: optim.NewAdamW(optim.Constant(1e-3)),
		Seed:      1,
		DType:     device.Float32,
	}
}

func (o Options) check() error {
	switch {
	case o.Epochs < 1:
		return fmt.Errorf("classifier: %d epochs; at least 1 is needed", o.Epochs)
	case o.BatchSize < 1:
		return fmt.Errorf("classifier: a batch of %d rows; at least 1 is needed", o.BatchSize)
	case o.Optimizer == nil:
		return errors.New("classifier: there is no optimizer; set Options.Optimizer, for example to optim.NewAdamW")
	case !o.DType.Valid():
		return fmt.Errorf("classifier: %v is not a dtype; set Options.DType, for example to device.Float32", o.DType)
	}
	for _, width := range o.Hidden {
		if width < 1 {
			return fmt.Errorf("classifier: a hidden layer of width %d; at least 1 is needed", width)
		}
	}
	return nil
}

// Fit trains a model on the table with the device, which must stay open until
// the model is closed. Features are standardised by the table's own mean and
// deviation. The result depends on nothing but the table, the options and the
// kind of device.
//
// Cancelling the context stops after the current step, and Fit returns its
// error. A loss that is not finite is an error too.
func Fit(ctx context.Context, dev device.Device, train *dataset.Table, opts Options) (m *Model, err error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	scaler, err := dataset.FitScaler(train)
	if err != nil {
		return nil, err
	}
	m = &Model{
		features: slices.Clone(train.Features),
		scaler:   scaler,
		dtype:    opts.DType,
		mlp: nn.MLP{
			Name:  "mlp",
			Sizes: append(append([]int{len(train.Features)}, opts.Hidden...), 1),
			Seed:  opts.Seed,
		},
	}
	scaled, err := m.scaler.Apply(train)
	if err != nil {
		return nil, err
	}
	batches, err := dataset.NewBatches(scaled, opts.BatchSize, opts.Seed, m.hostDType())
	if err != nil {
		return nil, err
	}
	if m.session, err = graph.NewSession(dev); err != nil {
		return nil, err
	}
	session := m.session
	defer func() {
		if err != nil {
			m, err = nil, errors.Join(err, session.Close())
		}
	}()
	m.predict = m.session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{m.logits(in[0])}
	})
	step := m.session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		loss := softmarginloss.Forward(m.logits(in[0]), in[1], device.Mean)
		optim.Minimize(g, opts.Optimizer, loss)
		return []*graph.Node{loss}
	})
	if err := m.train(ctx, step, batches, opts); err != nil {
		return nil, err
	}
	metrics, err := m.Evaluate(train) // no loss has seen the last update
	if err == nil && (math.IsNaN(metrics.Loss) || math.IsInf(metrics.Loss, 0)) {
		err = fmt.Errorf("classifier: the loss is %v after the last step; training has diverged, so lower the learning rate", metrics.Loss)
	}
	return m, err
}

// train runs the steps of all epochs.
func (m *Model) train(ctx context.Context, step *graph.Function, batches *dataset.Batches, opts Options) error {
	p := Progress{Epochs: opts.Epochs, Steps: opts.Epochs * batches.Len()}
	for p.Epoch = 1; p.Epoch <= opts.Epochs; p.Epoch++ {
		batches.Shuffle(p.Epoch)
		var sum, rows float64
		for i := range batches.Len() {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("classifier: stopped after step %d of %d: %w", p.Step, p.Steps, err)
			}
			x, y := batches.At(i)
			loss, err := step.RunScalar(x, y)
			if err != nil {
				return err
			}
			p.Step++
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return fmt.Errorf("classifier: the loss is %v at step %d (epoch %d); training has diverged, so lower the learning rate", loss, p.Step, p.Epoch)
			}
			n := float64(y.Shape()[0])
			sum, rows = sum+loss*n, rows+n
			p.Loss, p.EndOfEpoch = sum/rows, i == batches.Len()-1
			if opts.Progress != nil {
				opts.Progress(p)
			}
		}
	}
	return nil
}

// logits builds the network in the model's dtype, on rows and with scores of the host's.
func (m *Model) logits(x *graph.Node) *graph.Node {
	return ops.Cast(m.mlp.Forward(ops.Cast(x, m.dtype), false), x.DType())
}

// hostDType is the dtype in which rows are uploaded and scores come back.
func (m *Model) hostDType() tensor.Dtype {
	if m.dtype.Compute() == device.Float64 {
		return tensor.Float64
	}
	return tensor.Float32
}
