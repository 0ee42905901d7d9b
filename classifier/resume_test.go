package classifier_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/optim"
)

// resumable returns options that use whatever has a state, in a dtype.
func resumable(dtype device.DType, validation *dataset.Frame) classifier.Options {
	opts := classifier.DefaultOptions()
	opts.Hidden, opts.Epochs, opts.BatchSize = []int{8, 4}, 5, 64
	opts.DType, opts.Dropout, opts.L2, opts.ClipNorm, opts.Balance = dtype, 0.2, 1e-3, 1, true
	opts.Optimizer = optim.NewAdamW(optim.OneCycle(0.05, 35))
	opts.Validation, opts.Patience = validation, 3
	return opts
}

// A run that is stopped at any step, saved, loaded and resumed comes to the same bits.
func TestResumeIsExact(t *testing.T) {
	dev := open(t, "cpu")
	train, validation, test := split(t, breastCancer(), 1)
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
		opts := resumable(dtype, validation)
		whole := fit(t, dev, train, opts)
		want := filepath.Join(t.TempDir(), "whole")
		require.NoError(t, whole.Save(want))
		path := filepath.Join(t.TempDir(), "model")
		for stop := 1; stop <= 10; stop += 3 {
			part := opts
			var ctx context.Context
			part.Checkpoint = func(m *classifier.Model) error { return m.Save(path) }
			for first := true; ; first = false { // every ten steps
				var cancel context.CancelFunc
				ctx, cancel = context.WithCancel(context.Background())
				steps := 0
				part.Progress = func(p classifier.Progress) {
					if steps++; steps == 10 || first && steps == stop {
						cancel()
					}
				}
				m, err := classifier.Fit(ctx, dev, train, part)
				cancel()
				if part.Resume != nil {
					require.NoError(t, part.Resume.Close())
				}
				if err == nil {
					require.Equal(t, whole.History(), m.History())
					require.Equal(t, scores(t, whole, test), scores(t, m, test))
					require.NoError(t, m.Save(path))
					require.NoError(t, m.Close())
					break
				}
				require.ErrorIs(t, err, context.Canceled)
				part.Resume, err = classifier.Load(dev, path)
				require.NoError(t, err)
			}
			requireSameFile(t, want, path)
		}
	}
}

func requireSameFile(t *testing.T, want, got string) {
	t.Helper()
	a, err := os.ReadFile(want)
	require.NoError(t, err)
	b, err := os.ReadFile(got)
	require.NoError(t, err)
	require.True(t, string(a) == string(b), "files %s and %s differ", want, got)
}

func TestResumeFurther(t *testing.T) {
	dev := open(t, "cpu")
	train, validation, test := split(t, breastCancer(), 1)
	opts := resumable(device.Float32, validation)
	opts.Epochs, opts.Patience = 3, 0
	short := fit(t, dev, train, opts)

	again := opts
	again.Resume = short
	same := fit(t, dev, train, again)
	require.Equal(t, scores(t, short, test), scores(t, same, test), "nothing was left to do")
	again.Resume = same

	again.Epochs, opts.Epochs = 6, 6
	require.Equal(t, scores(t, fit(t, dev, train, opts), test), scores(t, fit(t, dev, train, again), test))
	require.Len(t, short.History(), 3)
}

func TestResumeRefusesAnotherRun(t *testing.T) {
	dev := open(t, "cpu")
	train, validation, test := split(t, breastCancer(), 1)
	opts := resumable(device.Float32, validation)
	opts.Epochs = 2
	from := fit(t, dev, train, opts)
	for name, change := range map[string]func(o *classifier.Options){
		"hidden layers 8,4, but now it is 8":            func(o *classifier.Options) { o.Hidden = []int{8} },
		"loss softmargin, but now it is hinge":          func(o *classifier.Options) { o.Loss = classifier.Hinge },
		"dtype float32, but now it is float64":          func(o *classifier.Options) { o.DType = device.Float64 },
		"batch size 64, but now it is 63":               func(o *classifier.Options) { o.BatchSize = 63 },
		"optimizer AdamW Beta1=0.9 Beta2=0.999":         func(o *classifier.Options) { o.Optimizer = optim.NewAdam(optim.OneCycle(0.05, 35)) },
		"learning rate 0.002, 0.0499 at step 10, 2e-07": func(o *classifier.Options) { o.Optimizer = optim.NewAdamW(optim.Constant(0.05)) },
		"L2 0.001, but now it is 0":                     func(o *classifier.Options) { o.L2 = 0 },
		"clip norm 1, but now it is 2":                  func(o *classifier.Options) { o.ClipNorm = 2 },
		"dropout 0.2, but now it is 0":                  func(o *classifier.Options) { o.Dropout = 0 },
		"class weights 0.7":                             func(o *classifier.Options) { o.Balance = false },
		"seed 1, but now it is 2":                       func(o *classifier.Options) { o.Seed = 2 },
		"validation data 57 rows of 30 features (SH":    func(o *classifier.Options) { o.Validation = test },
	} {
		changed := opts
		change(&changed)
		changed.Resume = from
		_, err := classifier.Fit(context.Background(), dev, train, changed)
		require.ErrorContains(t, err, "classifier: the run to resume had for its "+name)
		require.ErrorContains(t, err, "resume with the options and data it had (only Epochs and Patience may change)")
	}
	// What is made for the number of epochs or for the data is another with others.
	const schedule = "classifier: the run to resume had for its learning rate another schedule; a schedule that depends on the number of epochs " +
		"(cosine, onecycle, warmup) cannot be continued with another number, so resume with the schedule and the Epochs it had"
	seed := opts
	seed.Seed, seed.Resume = 2, from
	_, err := classifier.Fit(context.Background(), dev, test, seed)
	require.ErrorContains(t, err, "had for its seed 1, but now it is 2", "by which rows are often split")
	part := train.Select([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 200, 300, 398})
	for _, c := range []struct {
		train *dataset.Frame
		steps int64
		batch int
		want  string
	}{
		{train, 35, 64, ""},
		{train, 70, 64, schedule},
		{train, 70, 32, "classifier: the run to resume had for its batch size 64, but now it is 32"},
		{part, 35, 64, "classifier: the run to resume had for its training data 399 rows of 30 features (SHA-256 "},
		{part, 5, 64, "classifier: the run to resume had for its training data 399 rows of 30 features (SHA-256 "},
		{part, 35, 0, "classifier: the run to resume had for its training data 399 rows of 30 features (SHA-256 "},
	} {
		changed := opts
		changed.Resume, changed.Optimizer, changed.Epochs, changed.BatchSize = from, optim.NewAdamW(optim.OneCycle(0.05, c.steps)), 3, c.batch
		m, err := classifier.Fit(context.Background(), dev, c.train, changed)
		if c.want == "" {
			require.NoError(t, err)
			require.NoError(t, m.Close())
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	opts.Resume = from
	_, err = classifier.Fit(context.Background(), dev, train.Select(rand.New(rand.NewPCG(1, 1)).Perm(train.Rows())), opts)
	require.ErrorContains(t, err, "had for its training data 399 rows of 30 features (SHA-256 ")
	opts.Epochs = 1
	_, err = classifier.Fit(context.Background(), dev, train, opts)
	require.EqualError(t, err, "classifier: the run to resume has finished epoch 2, but Epochs is 1; it cannot be less")
}

// custom is an optimizer of a user's, around others; hidden is one whose schedule cannot be seen.
type custom struct {
	Inner  *optim.SGD
	Other  optim.Optimizer
	Name   string
	ignore []int
}

func (c custom) Update(params, gradients []*graph.Node) {
	c.Other.Update(params[:1], gradients[:1])
	c.Inner.Update(params[1:], gradients[1:])
}

type hidden struct{ inner optim.SGD }

func (h hidden) Update(params, gradients []*graph.Node) { h.inner.Update(params, gradients) }

func TestResumeWithACustomOptimizer(t *testing.T) {
	dev := open(t, "cpu")
	mine := func() custom {
		return custom{&optim.SGD{LR: optim.Constant(0.1), Momentum: 0.9}, optim.NewAdam(optim.Constant(0.01)), "mine", []int{1}}
	}
	opts := resumable(device.Float32, nil)
	opts.Patience, opts.Epochs, opts.Optimizer = 0, 2, mine()
	from := fit(t, dev, breastCancer(), opts)
	require.Contains(t, from.Settings(), classifier.Setting{Name: "learning rate", Value: "0.1 and 0.01"})
	opts.Epochs = 4
	want := scores(t, fit(t, dev, breastCancer(), opts), breastCancer())
	opts.Resume = from
	opts.Optimizer = mine()
	require.Equal(t, want, scores(t, fit(t, dev, breastCancer(), opts), breastCancer()))
	const was = "classifier: the run to resume had for its optimizer custom Inner.Momentum=0.9 Inner.Dampening=0 Inner.WeightDecay=0 Inner.Nesterov=false Other=Adam "
	const rate = "classifier: the run to resume had for its learning rate 0.1 and 0.01, but now it is "
	for _, c := range []struct {
		change func(c *custom) optim.Optimizer
		want   string
	}{
		{func(c *custom) optim.Optimizer { c.Name = "other"; return c }, was},
		{func(c *custom) optim.Optimizer { c.Inner.Momentum = 0.8; return c }, was},
		{func(c *custom) optim.Optimizer { c.Other = optim.SGD{LR: c.Inner.LR}; return c }, was},
		{func(c *custom) optim.Optimizer { return c.Inner }, was},
		{func(c *custom) optim.Optimizer { c.Inner.LR = optim.Constant(0.5); return c }, rate + "0.5 and 0.01"},
		{func(c *custom) optim.Optimizer { c.Other = optim.NewAdam(c.Inner.LR); return c }, rate + "0.1 and 0.1"},
		{func(c *custom) optim.Optimizer { return hidden{*c.Inner} },
			"classifier: the learning rate of the optimizer is not known, so it cannot be told whether it is that of the run to resume; make its optim.Schedule an exported field"},
	} {
		changed := mine()
		opts.Optimizer = c.change(&changed)
		_, err := classifier.Fit(context.Background(), dev, breastCancer(), opts)
		require.ErrorContains(t, err, c.want)
	}
}

func TestCheckpointIsTheModelThatWouldBe(t *testing.T) {
	dev := open(t, "cpu")
	train, validation, test := split(t, breastCancer(), 1)
	opts := resumable(device.Float32, validation)
	opts.Patience = 0
	var seen [][]float64
	opts.Checkpoint = func(m *classifier.Model) error {
		seen = append(seen, scores(t, m, test))
		return nil
	}
	fit(t, dev, train, opts)
	require.Len(t, seen, opts.Epochs)
	opts.Checkpoint = nil
	for i, got := range seen {
		opts.Epochs = i + 1
		require.Equal(t, scores(t, fit(t, dev, train, opts), test), got)
	}

	opts.Checkpoint = func(*classifier.Model) error { return os.ErrPermission }
	_, err := classifier.Fit(context.Background(), dev, train, opts)
	require.ErrorIs(t, err, os.ErrPermission)
}

// victimVariable names the model file that a process is to train, until it is killed.
const victimVariable = "PULLBACK_CLASSIFIER_VICTIM"

// victimRun is the run that a victim makes, or goes on with if there is a model file.
func victimRun(dev device.Device, path string) error {
	train, validation, _, err := breastCancer().Split(0.1, 0.2, 1)
	if err != nil {
		return err
	}
	opts := resumable(device.Float32, validation)
	opts.Epochs, opts.Patience, opts.Hidden = 150, 0, []int{64, 32}
	opts.Checkpoint = func(m *classifier.Model) error { return m.Save(path) }
	if _, err := os.Stat(path); err == nil {
		if opts.Resume, err = classifier.Load(dev, path); err != nil {
			return err
		}
		defer opts.Resume.Close()
	}
	m, err := classifier.Fit(context.Background(), dev, train, opts)
	if err != nil {
		return err
	}
	if err := m.Save(path); err != nil {
		return err
	}
	return m.Close()
}

func victim(path string) {
	dev, err := device.Open("cpu")
	if err == nil {
		err = victimRun(dev, path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// However often a run is killed, its model file is whole, and it comes to the same bits.
func TestResumeAfterKill(t *testing.T) {
	if testing.Short() {
		t.Skip("this starts processes and kills them")
	}
	dir := t.TempDir()
	want, path := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	dev := open(t, "cpu")
	start := time.Now()
	require.NoError(t, victimRun(dev, want))
	whole := time.Since(start)

	rng := rand.New(rand.NewPCG(1, 1))
	kills := 0
	for try := 0; ; try++ {
		require.Less(t, try, 200, "it never ends")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), victimVariable+"="+path)
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		// More time at every try, so that it comes to an end on a slow machine too.
		wait := time.Duration(rng.Float64() * math.Pow(1.1, float64(try)) * float64(whole) / 4)
		timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if _, loads := os.Stat(path); loads == nil {
			m, err := classifier.Load(dev, path)
			require.NoError(t, err)
			require.NoError(t, m.Close())
		}
		if err == nil {
			break
		}
		require.Equal(t, -1, cmd.ProcessState.ExitCode(), "it was killed, not refused")
		kills++
	}
	t.Logf("killed %d times, a whole run took %v", kills, whole)
	requireSameFile(t, want, path)
}
