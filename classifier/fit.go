package classifier

import (
	"cmp"
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
// returns the context's error; before the first step, it stops once the columns, the training or the validation rows that
// it is at are encoded, without a checkpoint. A loss that is not finite is an error too.
func Fit(ctx context.Context, dev device.Device, train *dataset.Frame, opts Options) (*Model, error) {
	if err := given(ctx, "context", "context.Background()"); err != nil {
		return nil, err
	}
	t, err := newTrainer(ctx, dev, train, opts)
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

// early returns the error of a context that has ended before the first step.
func early(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("classifier: stopped before the first step: %w", err)
	}
	return nil
}

// newTrainer makes all checks and prepares the first step. Encoding many rows takes its time, so it looks at the
// context in between.
func newTrainer(ctx context.Context, dev device.Device, train *dataset.Frame, opts Options) (t *trainer, err error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if opts.Optimizer == nil {
		opts.Optimizer = optim.NewAdamW(optim.Constant(DefaultRate(opts.Hidden)))
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = DefaultBatchSize(train.Rows())
	}
	if err := early(ctx); err != nil {
		return nil, err
	}
	encoder, err := dataset.FitEncoder(train, opts.Encoder)
	if err = cmp.Or(err, early(ctx)); err != nil {
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
	if err := t.encode(ctx, train); err != nil {
		return nil, err
	}
	r := recipe{network: n, loss: opts.Loss, l2: opts.L2 / float64(train.Rows()), clipNorm: opts.ClipNorm, optimizer: opts.Optimizer}
	if r.negative, r.positive, err = opts.classWeights(t.rows.Y); err != nil {
		return nil, err
	}
	if t.batches, err = t.rows.Batches(opts.BatchSize, opts.Seed, n.hostDType()); err != nil {
		return nil, err
	}
	m.settings = settings(opts, r, t.rows, t.validation)
	m.step, m.batchSize = newStep(m.session, r), opts.BatchSize
	t.at = position{Epoch: 1, Scale: m.step.scale.scale}
	t.last.ValidationLoss, t.last.ValidationAUC = math.NaN(), math.NaN()
	if opts.Resume != nil {
		err = t.resume(opts.Resume)
	}
	return t, err
}

// encode makes features of the training and the validation rows.
func (t *trainer) encode(ctx context.Context, train *dataset.Frame) (err error) {
	m := t.model
	t.rows, err = m.encode(train, true)
	if err = cmp.Or(err, early(ctx)); err != nil {
		return err
	}
	if !slices.Contains(t.rows.Y, -1) || !slices.Contains(t.rows.Y, +1) {
		return fmt.Errorf("classifier: all training rows of %q have the same label; rows of both classes are needed", train.Source())
	}
	warnings := m.encoder.Warnings()
	if t.opts.Validation != nil {
		t.validation, err = m.encode(t.opts.Validation, true)
		if err = cmp.Or(err, early(ctx)); err != nil {
			return err
		}
		warnings = append(warnings, t.validation.Warnings...)
	}
	for _, warning := range warnings {
		t.log.Warn(warning)
	}
	return nil
}
