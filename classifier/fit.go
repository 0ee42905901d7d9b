package classifier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/optim"
)

// Fit trains a model on the rows with the device, which must stay open until the model is
// closed. How columns become features is learnt from these rows alone. The result depends on
// nothing but the rows, the options and the kind of device.
//
// When the context ends, Fit stops after the current step, calls Options.Checkpoint, and
// returns the context's error. A loss that is not finite is an error too.
func Fit(ctx context.Context, dev device.Device, train *dataset.Frame, opts Options) (*Model, error) {
	if err := given(ctx, "context", "context.Background()"); err != nil {
		return nil, err
	}
	t, err := newTrainer(dev, train, opts)
	if err != nil {
		return nil, err
	}
	t.log.Info("training", "rows", t.rows.Rows(), "features", len(t.rows.Features), "epochs", opts.Epochs, "device", dev.Name())
	if err = t.run(ctx); err == nil {
		err = t.finish()
	}
	if err != nil {
		t.log.Info("stopped", "reason", err)
		return nil, errors.Join(err, t.model.Close())
	}
	t.log.Info("trained", "epochs", len(t.model.history), "best_epoch", t.at.BestEpoch)
	return t.model, nil
}

// newTrainer makes all checks and prepares the first step.
func newTrainer(dev device.Device, train *dataset.Frame, opts Options) (t *trainer, err error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if opts.Optimizer == nil {
		opts.Optimizer = optim.NewAdamW(optim.Constant(DefaultRate(opts.Hidden)))
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = DefaultBatchSize(train.Rows())
	}
	encoder, err := dataset.FitEncoder(train, opts.Encoder)
	if err != nil {
		return nil, err
	}
	n := newNetwork(len(encoder.Features()), opts.Hidden, opts.DType)
	n.mlp.Seed, n.mlp.Dropout = opts.Seed, opts.Dropout
	m, err := newModel(dev, n, opts.Loss, encoder)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t, err = nil, errors.Join(err, m.Close())
		}
	}()
	t = &trainer{model: m, opts: opts, log: opts.Logger}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if err := t.encode(train); err != nil {
		return nil, err
	}
	r := &recipe{network: n, loss: opts.Loss, l2: opts.L2 / float64(train.Rows()), clipNorm: opts.ClipNorm, optimizer: opts.Optimizer}
	if r.negative, r.positive, err = opts.classWeights(t.rows.Y); err != nil {
		return nil, err
	}
	if t.batches, err = t.rows.Batches(opts.BatchSize, opts.Seed, n.hostDType()); err != nil {
		return nil, err
	}
	m.recipe, m.batchSize = r, opts.BatchSize
	m.settings = settings(opts, *r, t.rows, t.validation)
	t.step = newStep(m.session, *r)
	t.at = position{Epoch: 1, Scale: t.step.scale.scale}
	t.last.ValidationLoss, t.last.ValidationAUC = math.NaN(), math.NaN()
	if opts.Resume != nil {
		err = t.resume(opts.Resume)
	}
	return t, err
}

// encode makes features of the training and the validation rows.
func (t *trainer) encode(train *dataset.Frame) (err error) {
	m := t.model
	if t.rows, err = m.encode(train, true); err != nil {
		return err
	}
	if !slices.Contains(t.rows.Y, -1) || !slices.Contains(t.rows.Y, +1) {
		return fmt.Errorf("classifier: all training rows of %q have the same label; rows of both classes are needed", train.Source())
	}
	warnings := m.encoder.Warnings()
	if t.opts.Validation != nil {
		if t.validation, err = m.encode(t.opts.Validation, true); err != nil {
			return err
		}
		warnings = append(warnings, t.validation.Warnings...)
	}
	for _, warning := range warnings {
		t.log.Warn(warning)
	}
	return nil
}

// resume starts from where another run was.
func (t *trainer) resume(from *Model) error {
	if err := from.check(); err != nil {
		return err
	}
	if from.training == nil {
		return errors.New("classifier: the model to resume was saved without the state of its training, so it cannot go on; start anew")
	}
	if err := difference(from.settings, t.model.settings); err != nil {
		return err
	}
	at := from.training.at
	switch {
	case at.Epoch-1 > t.opts.Epochs || at.Epoch-1 == t.opts.Epochs && at.Batch > 0:
		return fmt.Errorf("classifier: the run to resume has finished epoch %d, but Epochs is %d; it cannot be less", at.Epoch-1, t.opts.Epochs)
	case at.Batch >= t.batches.Len() || len(from.history) != at.Epoch-1 || (at.Scale != 0) != (t.at.Scale != 0):
		return errors.New("classifier: the run to resume is at a place where it cannot have been, so its state is damaged; start anew")
	}
	t.at, t.model.training = at, from.training
	t.model.history = slices.Clone(from.history)
	t.step.scale = lossScale{scale: at.Scale, good: at.GoodSteps}
	if n := len(t.model.history); n > 0 {
		t.last.ValidationLoss, t.last.ValidationAUC = t.model.history[n-1].ValidationLoss, t.model.history[n-1].ValidationAUC
	}
	if at.BestEpoch > 0 {
		best, err := from.parameters()
		if err != nil {
			return err
		}
		t.best = best
	}
	if err := t.model.set(from.training.tensors); err != nil {
		return err
	}
	t.expected = from.training.tensors
	return t.model.session.SetStep(at.Step)
}
