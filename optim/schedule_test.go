package optim_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/optim"
)

// within requires |got - want| ≤ tolerance·|want|.
func within(t *testing.T, want, got, tolerance float64, msg ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		require.Equal(t, want, got, msg...)
	}
}

// The recorded learning rates are PyTorch 1.13's.
func TestSchedulesFollowPyTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/schedules.json")
	require.NoError(t, err)
	var recorded []struct {
		Schedule string
		BaseLR   float64   `json:"base_lr"`
		LR       []float64 `json:"lr_at_step"`
	}
	require.NoError(t, json.Unmarshal(data, &recorded))

	ours := map[string]func(lr float64) optim.Schedule{
		"StepLR step_size=7 gamma=0.5":             func(lr float64) optim.Schedule { return optim.StepDecay(lr, 0.5, 7) },
		"ExponentialLR gamma=0.9":                  func(lr float64) optim.Schedule { return optim.Exponential(lr, 0.9) },
		"CosineAnnealingLR T_max=20 eta_min=0.001": func(lr float64) optim.Schedule { return optim.Cosine(lr, 0.001, 20) },
		"LinearLR start=0.1 end=1 total=8":         func(lr float64) optim.Schedule { return optim.LinearWarmup(0.1, 8, optim.Constant(lr)) },
		// The recording shows the first 30 of 31 steps: PyTorch's total_steps
		// counts the learning rate that follows the 30th step.
		"OneCycleLR max_lr=0.5 total=30 cos": func(float64) optim.Schedule { return optim.OneCycle(0.5, 31) },
	}
	require.Len(t, recorded, len(ours))
	for _, r := range recorded {
		t.Run(r.Schedule, func(t *testing.T) {
			require.Contains(t, ours, r.Schedule)
			require.Len(t, r.LR, 30)
			schedule := ours[r.Schedule](r.BaseLR)
			for step, want := range r.LR {
				within(t, want, schedule(int64(step)), 1e-12, "step %d", step)
			}
		})
	}
}

// Values that follow from a schedule's definition.
func TestSchedules(t *testing.T) {
	warmed := optim.LinearWarmup(0.5, 4, optim.Cosine(2, 0, 10))
	for _, c := range []struct {
		name     string
		schedule optim.Schedule
		step     int64
		want     float64
	}{
		{"constant", optim.Constant(0.3), 1 << 40, 0.3},
		{"a factor of 0 stops after the first interval", optim.StepDecay(2, 0, 3), 2, 2},
		{"a factor of 0 stops after the first interval", optim.StepDecay(2, 0, 3), 3, 0},
		{"cosine starts at lr", optim.Cosine(2, 1, 4), 0, 2},
		{"cosine is half-way at half its steps", optim.Cosine(2, 1, 4), 2, 1.5},
		{"cosine ends at the minimum", optim.Cosine(2, 1, 4), 4, 1},
		{"cosine rises again", optim.Cosine(2, 1, 4), 8, 2},
		{"cosine has a period", optim.Cosine(2, 1, 4), 4 + 8*1000, 1},
		{"warm-up starts at its share", warmed, 0, 1},
		{"warm-up is linear", warmed, 1, 1.25},
		{"warm-up ends where the cosine starts", warmed, 4, 2},
		{"the cosine is whole after the warm-up", warmed, 9, 1},
		{"the cosine is whole after the warm-up", warmed, 14, 0},
		{"no warm-up", optim.LinearWarmup(0.5, 0, optim.Constant(1)), 0, 1},
		{"a warm-up from 0", optim.LinearWarmup(0, 2, optim.Constant(1)), 0, 0},
		// 0.3·10 - 1 = 2 is the step of the peak.
		{"one cycle starts at peak/25", optim.OneCycle(1, 10), 0, 1. / 25},
		{"one cycle peaks", optim.OneCycle(1, 10), 2, 1},
		{"one cycle ends", optim.OneCycle(1, 10), 9, 1. / 25 / 1e4},
		{"one cycle stays at its end", optim.OneCycle(1, 10), 1000, 1. / 25 / 1e4},
		{"one cycle of one step", optim.OneCycle(1, 1), 0, 1. / 25 / 1e4},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.InDelta(t, c.want, c.schedule(c.step), 1e-12)
		})
	}
}

// A schedule is a learning rate at every step, or NaN at every step.
func TestInvalidSchedulesAreNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		schedule optim.Schedule
		valid    bool
	}{
		"step decay":                {optim.StepDecay(1, 0.5, 3), true},
		"step decay every 0":        {optim.StepDecay(1, 0.5, 0), false},
		"step decay every -1":       {optim.StepDecay(1, 0.5, -1), false},
		"gamma -0.5":                {optim.StepDecay(1, -0.5, 3), false},
		"gamma 1.5":                 {optim.StepDecay(1, 1.5, 3), false},
		"gamma NaN":                 {optim.Exponential(1, nan), false},
		"gamma 0":                   {optim.Exponential(1, 0), true},
		"lr -1":                     {optim.Exponential(-1, 0.5), false},
		"lr +Inf":                   {optim.Cosine(inf, 0, 10), false},
		"lr NaN":                    {optim.Constant(nan), false},
		"cosine":                    {optim.Cosine(0, 1, 1), true},
		"minimum -1":                {optim.Cosine(1, -1, 10), false},
		"cosine of 0 steps":         {optim.Cosine(1, 0, 0), false},
		"warm-up":                   {optim.LinearWarmup(1, 10, optim.Constant(1)), true},
		"warm-up of -1 steps":       {optim.LinearWarmup(0.1, -1, optim.Constant(1)), false},
		"warm-up from 1.1":          {optim.LinearWarmup(1.1, 10, optim.Constant(1)), false},
		"warm-up from NaN":          {optim.LinearWarmup(nan, 10, optim.Constant(1)), false},
		"warm-up to nil":            {optim.LinearWarmup(0.1, 10, nil), false},
		"warm-up to invalid":        {optim.LinearWarmup(0.1, 10, optim.Cosine(1, 0, 0)), false},
		"warm-up from 0 to invalid": {optim.LinearWarmup(0, 10, optim.Cosine(1, 0, 0)), false},
		"one cycle of 0 steps":      {optim.OneCycle(1, 0), false},
		"one cycle of 1 step":       {optim.OneCycle(1, 1), true},
		"one cycle of 2 steps":      {optim.OneCycle(1, 2), true},
		"one cycle of 3 steps":      {optim.OneCycle(1, 3), true},
		"one cycle of 4 steps":      {optim.OneCycle(1, 4), true},
		"peak -1":                   {optim.OneCycle(-1, 10), false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int64{0, 1, 2, 3, 4, 9, 10, 11, 1000, math.MaxInt64} {
				lr := c.schedule(step)
				require.Equal(t, c.valid, lr >= 0 && !math.IsInf(lr, 0), "step %d: %v", step, lr)
				require.Equal(t, !c.valid, math.IsNaN(lr), "step %d: %v", step, lr)
			}
		})
	}
}
