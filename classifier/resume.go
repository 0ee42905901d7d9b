package classifier

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// training is what it takes to go on with a run as if it had never stopped.
type training struct {
	at      position
	tensors map[string]*tensor.Dense // parameters and optimizer states, by name
}

// position is where in a run training is. In JSON every number is written so that it is read
// back to the bit.
type position struct {
	Epoch     int     `json:"epoch"` // of the next step, from 1
	Batch     int     `json:"batch"` // of the next step, from 0
	Step      int64   `json:"step"`  // updates so far, which is less than the steps if some were skipped
	Sum       float64 `json:"sum"`   // of the losses of the epoch's rows so far
	Rows      int     `json:"rows"`  // of the epoch so far
	BestLoss  float64 `json:"best_loss"`
	BestEpoch int     `json:"best_epoch"` // 0 if there is none
	Since     int     `json:"since"`      // epochs since the best
	Scale     float64 `json:"scale"`      // float16's loss scale, 0 for other dtypes
	GoodSteps int     `json:"good_steps"`
}

// check returns an error if no run can be there.
func (p position) check() error {
	power, _ := math.Frexp(p.Scale)
	switch {
	case p.Epoch < 1 || p.Batch < 0 || p.Step < 0 || p.Rows < 0 || p.Since < 0 || p.GoodSteps < 0,
		p.BestEpoch < 0 || p.BestEpoch > p.Epoch, !finite(p.Sum) || !finite(p.BestLoss),
		p.Scale != 0 && power != 0.5 || p.Scale != 0 && p.Scale < smallestScale:
		return fmt.Errorf("training cannot be at %+v", p)
	}
	return nil
}

// capture returns where training is, and copies of all parameters and states.
func (t *trainer) capture() (*training, error) {
	c := &training{at: t.at, tensors: map[string]*tensor.Dense{}}
	session := t.model.session
	for _, name := range append(session.Parameters(), session.States()...) {
		value, err := session.Value(name)
		if err != nil {
			return nil, err
		}
		c.tensors[name] = value
	}
	return c, nil
}

// checkpoint calls Options.Checkpoint with the model as it would be if training ended here.
func (t *trainer) checkpoint() error {
	if t.opts.Checkpoint == nil || !t.stepped {
		return nil
	}
	if err := t.settle(); err != nil {
		return err
	}
	if err := t.opts.Checkpoint(t.model); err != nil {
		return fmt.Errorf("classifier: the checkpoint after step %d: %w", t.stepsDone(), err)
	}
	return t.model.set(t.model.training.tensors)
}

// settle makes the model what training has come to: the best epoch's parameters, if one is
// known, and all that it takes to go on.
func (t *trainer) settle() error {
	var err error
	if t.model.training, err = t.capture(); err != nil {
		return err
	}
	return t.model.set(t.best)
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
	t.model.step.scale = lossScale{scale: at.Scale, good: at.GoodSteps}
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

// afterFirst makes sure, once the optimizer has declared its states, that a run to resume had them all.
func (t *trainer) afterFirst(skipped bool) error {
	if t.stepped = t.stepped || !skipped; t.expected == nil || !t.stepped {
		return nil
	}
	for _, name := range t.model.session.States() {
		if t.expected[name] == nil {
			return fmt.Errorf("classifier: the run to resume lacks the optimizer's %q, so it cannot go on; start anew", name)
		}
	}
	t.expected = nil
	return nil
}
