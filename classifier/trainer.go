package classifier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/classifier/metrics"
	"github.com/pullback-go/pullback/dataset"
)

// trainer is a run of training.
type trainer struct {
	model      *Model
	opts       Options
	rows       *dataset.Matrix
	batches    *dataset.Batches
	validation *dataset.Matrix // nil if there are no such rows
	log        *slog.Logger

	at       position
	stepped  bool                     // a step was made, so that the session has all states
	expected map[string]*tensor.Dense // what a run to resume had, until the first step; else nil
	best     map[string]*tensor.Dense // parameters of the best epoch; nil if there is none
	last     Progress
}

// run makes the steps that remain.
func (t *trainer) run(ctx context.Context) error {
	for t.at.Epoch <= t.opts.Epochs && !t.patienceIsOver() {
		t.batches.Shuffle(t.at.Epoch)
		for epoch := t.at.Epoch; t.at.Epoch == epoch; {
			if err := ctx.Err(); err != nil {
				err = fmt.Errorf("classifier: stopped after step %d of %d: %w", t.stepsDone(), t.opts.Epochs*t.batches.Len(), err)
				return errors.Join(err, t.checkpoint())
			}
			if err := t.next(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *trainer) patienceIsOver() bool { return t.opts.Patience > 0 && t.at.Since >= t.opts.Patience }

// stepsDone counts the batches of all epochs so far.
func (t *trainer) stepsDone() int { return (t.at.Epoch-1)*t.batches.Len() + t.at.Batch }

// next makes a step.
func (t *trainer) next() error {
	x, y := t.batches.At(t.at.Batch)
	loss, skipped, err := t.model.step.run(x, y)
	if err != nil {
		return err
	}
	t.at.Batch++
	switch {
	case !finite(loss):
		return fmt.Errorf("classifier: the loss is %v at step %d (epoch %d); training has diverged, so lower the learning rate", loss, t.stepsDone(), t.at.Epoch)
	case t.at.Scale != 0 && t.model.step.scale.scale < smallestScale:
		return fmt.Errorf("classifier: at step %d (epoch %d) the loss has gradients that are not finite at any scale; training has diverged, so lower the learning rate", t.stepsDone(), t.at.Epoch)
	}
	if err := t.afterFirst(skipped); err != nil {
		return err
	}
	t.at.Scale, t.at.GoodSteps = t.model.step.scale.scale, t.model.step.scale.good
	if skipped {
		t.log.Warn("a gradient is not finite: the step is skipped, and the loss scale halved", "step", t.stepsDone(), "scale", t.at.Scale)
	} else {
		t.at.Step++
	}
	n := y.Shape()[0]
	t.at.Sum, t.at.Rows = t.at.Sum+loss*float64(n), t.at.Rows+n
	return t.report()
}

// report tells how far training has got, after the work that the end of an epoch brings.
func (t *trainer) report() error {
	p := &t.last
	p.Epoch, p.Epochs, p.Step, p.Steps = t.at.Epoch, t.opts.Epochs, t.stepsDone(), t.opts.Epochs*t.batches.Len()
	p.Rows, p.Loss, p.EndOfEpoch = t.at.Rows, t.at.Sum/float64(t.at.Rows), t.at.Batch == t.batches.Len()
	if p.EndOfEpoch {
		if err := t.endEpoch(p); err != nil {
			return err
		}
	}
	if t.opts.Progress != nil {
		t.opts.Progress(*p)
	}
	if p.EndOfEpoch {
		return t.checkpoint()
	}
	return nil
}

// endEpoch measures the loss on the validation rows and keeps the parameters if they are the best so far.
func (t *trainer) endEpoch(p *Progress) error {
	e := Epoch{Loss: p.Loss, ValidationLoss: math.NaN(), ValidationAUC: math.NaN()}
	if t.validation != nil {
		scores, err := t.model.score(t.validation.X)
		if err != nil {
			return err
		}
		ranking, err := metrics.Rank(scores, t.validation.Y)
		if err != nil {
			return fmt.Errorf("classifier: after epoch %d: %w; training has diverged, so lower the learning rate", p.Epoch, err)
		}
		r := t.model.step.recipe
		e.ValidationLoss, e.ValidationAUC = r.loss.mean(scores, t.validation.Y, r.negative, r.positive), ranking.AUC()
		t.at.Since++
		if e.ValidationLoss < t.at.BestLoss || t.at.BestEpoch == 0 && finite(e.ValidationLoss) {
			t.at.BestLoss, t.at.BestEpoch, t.at.Since = e.ValidationLoss, p.Epoch, 0
			if t.best, err = t.model.parameters(); err != nil {
				return err
			}
		}
		p.ValidationLoss, p.ValidationAUC = e.ValidationLoss, e.ValidationAUC
	}
	t.model.history = append(t.model.history, e)
	t.log.Info("epoch", "epoch", p.Epoch, "epochs", p.Epochs, "loss", e.Loss, "validation_loss", e.ValidationLoss, "validation_auc", e.ValidationAUC)
	t.at.Epoch, t.at.Batch, t.at.Sum, t.at.Rows = t.at.Epoch+1, 0, 0, 0
	return nil
}

// finish is settle for the end of training, which no loss has seen.
func (t *trainer) finish() error {
	err := t.model.compile()
	switch {
	case err == nil && t.stepped:
		err = t.settle()
	case err == nil && t.model.training != nil: // nothing was left to do
		t.model.training = &training{at: t.at, tensors: t.model.training.tensors}
		err = t.model.set(t.best)
	}
	if err != nil {
		return err
	}
	values, err := t.model.values()
	if err != nil {
		return err
	}
	scores, err := t.model.score(t.rows.X[:min(t.rows.Rows(), maxRows)*len(t.rows.Features)])
	if err != nil {
		return err
	}
	sound := allFinite(scores)
	for _, v := range values {
		sound = sound && allFinite(float64s(v))
	}
	if !sound {
		return fmt.Errorf("classifier: scores are not finite after the last step; training has diverged, so lower the learning rate")
	}
	return nil
}
