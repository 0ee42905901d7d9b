package classifier

import (
	"fmt"
	"math"

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

// parameters returns the values of the network's parameters by name.
func (m *Model) parameters() (map[string]*tensor.Dense, error) {
	values, err := m.values()
	if err != nil {
		return nil, err
	}
	named := make(map[string]*tensor.Dense, len(values))
	for i, p := range m.network.parameters() {
		named[p.name] = values[i]
	}
	return named, nil
}

// set puts values in the place of the session's.
func (m *Model) set(values map[string]*tensor.Dense) error {
	for name, value := range values {
		if err := m.session.SetValue(name, value); err != nil {
			return err
		}
	}
	return nil
}
