package graph_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// ends ends the program with every goroutine's stack if the test takes too long: what waits
// for ever would otherwise say nothing.
func ends(t *testing.T) {
	watchdog := time.AfterFunc(time.Minute, func() { panic(t.Name() + " does not end") })
	t.Cleanup(func() { watchdog.Stop() })
}

// random returns float32 values from 0 to 1.
func random(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(tensor.Random(tensor.Float32, device.Elements(shape))))
}

// logits is a linear model.
func logits(g *graph.Graph, x *graph.Node) *graph.Node {
	w := g.Parameter("w", typ(device.Float32, x.Shape()[1], 1), nil)
	return ops.Linear(x, w, g.Parameter("b", typ(device.Float32, 1), nil))
}

// TestDeviceClosedWhileRunning closes a device that sessions run on. Each run ends, either with
// its result or with an error that says so, and so does the closing of the sessions.
func TestDeviceClosedWhileRunning(t *testing.T) {
	ends(t)
	for round := range 10 {
		dev, err := device.Open("cpu?threads=3")
		require.NoError(t, err)
		var runners, started sync.WaitGroup
		var sessions []*graph.Session
		for i := range 4 {
			s, err := graph.NewSession(dev)
			require.NoError(t, err)
			sessions = append(sessions, s)
			step := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
				loss := softmarginloss.Forward(logits(g, in[0]), in[1], device.Mean)
				optim.Minimize(g, optim.NewAdam(optim.Constant(0.01)), loss)
				return []*graph.Node{loss}
			})
			x, y := random(2000+i, 50), random(2000+i, 1) // large enough for several threads
			runners.Add(1)
			started.Add(1)
			go func() {
				defer runners.Done()
				_, err := step.RunScalar(x, y)
				started.Done()
				for ; err == nil; _, err = step.RunScalar(x, y) {
				}
				if !isClosed(err) {
					t.Errorf("a run on a closed device: %v", err)
				}
				if _, err := s.Function(step2).Run(x); !isClosed(err) {
					t.Errorf("compiling on a closed device: %v", err)
				}
			}()
		}
		started.Wait()
		time.Sleep(time.Duration(round) * 300 * time.Microsecond)
		require.NoError(t, dev.Close())
		runners.Wait()
		for _, s := range sessions {
			if err := s.Close(); err != nil && !isClosed(err) {
				t.Errorf("closing a session of a closed device: %v", err)
			}
			require.NoError(t, s.Close(), "closed twice")
		}
	}
}

func step2(_ *graph.Graph, in []*graph.Node) []*graph.Node { return []*graph.Node{ops.Exp(in[0])} }

func isClosed(err error) bool {
	var e *device.Error
	return errors.As(err, &e) && e.Code == device.ErrUninitialized
}

// TestPredictWhileTraining has many goroutines predict, each with batches of its own sizes, while
// one trains and one reads and writes parameters, in sessions that share a device.
func TestPredictWhileTraining(t *testing.T) {
	ends(t)
	dev, err := device.Open("cpu?threads=2")
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 2 {
		s, err := graph.NewSession(dev)
		require.NoError(t, err)
		predict := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node { return []*graph.Node{logits(g, in[0])} })
		train := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
			loss := softmarginloss.Forward(logits(g, in[0]), in[1], device.Mean)
			optim.Minimize(g, optim.SGD{LR: optim.Constant(0.1)}, loss)
			return []*graph.Node{loss}
		})
		var session sync.WaitGroup
		run := func(f func(i int) error) {
			session.Add(1)
			go func() {
				defer session.Done()
				for i := range 60 {
					if err := f(i); err != nil {
						t.Error(err)
						return
					}
				}
			}()
		}
		x, y := random(64, 8), random(64, 1)
		_, err = train.RunScalar(x, y)
		require.NoError(t, err)
		var steps atomic.Int64
		run(func(int) error { steps.Add(1); _, err := train.RunScalar(x, y); return err })
		run(func(int) error {
			w, err := s.Value("w")
			if err != nil {
				return err
			}
			predict.SetProfiling(len(s.Parameters()) == 2)
			predict.Profile()
			return s.SetValue("w", w)
		})
		for n := range 12 {
			inputs := []*tensor.Dense{random(1+n, 8), random(40+n%3, 8)}
			run(func(i int) error {
				in := inputs[i%2]
				out, err := predict.Run(in)
				if err == nil && out[0].Shape()[0] != in.Shape()[0] {
					err = fmt.Errorf("%d rows for %d", out[0].Shape()[0], in.Shape()[0])
				}
				return err
			})
		}
		all.Add(1)
		go func() {
			defer all.Done()
			session.Wait()
			if s.Step() != 1+steps.Load() {
				t.Errorf("%d steps, counted as %d", 1+steps.Load(), s.Step())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	require.NoError(t, dev.Close())
}

// TestSessionClosedByItsModel closes the session while a model builds its graph.
func TestSessionClosedByItsModel(t *testing.T) {
	ends(t)
	s := openSession(t, "cpu")
	f := s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		require.NoError(t, s.Close())
		return in
	})
	_, err := f.Run(float32s([]int{1}, 1))
	require.EqualError(t, err, "graph: the session is closed")
}

// TestModelThatPanics leaves the session as it was.
func TestModelThatPanics(t *testing.T) {
	ends(t)
	s := openSession(t, "cpu")
	panics := true
	f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		if panics {
			panic("a mistake")
		}
		return in
	})
	require.PanicsWithValue(t, "a mistake", func() { _, _ = f.Run(float32s([]int{1}, 1)) })
	fill := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{g.PerStep(typ(device.Float32), func(int64, []float64) error { panic("another") })}
	})
	require.PanicsWithValue(t, "another", func() { _, _ = fill.Run() })
	declare := s.Function(func(g *graph.Graph, _ []*graph.Node) []*graph.Node {
		fill := func(x float64) graph.Initializer {
			return func(values []float64) {
				if values[0] = x; panics && x == 2 {
					panic("a third")
				}
			}
		}
		return []*graph.Node{g.Parameter("a", typ(device.Float32), fill(1)), g.Parameter("b", typ(device.Float32), fill(2))}
	})
	require.PanicsWithValue(t, "a third", func() { _, _ = declare.Run() })
	panics = false
	for i, want := range []float32{1, 2} {
		out, err := declare.Run()
		require.NoError(t, err)
		require.Equal(t, want, out[i].Data())
	}
	out, err := f.Run(float32s([]int{1}, 7))
	require.NoError(t, err)
	require.Equal(t, []float32{7}, out[0].Float32s())
}

// TestModelThatRunsItself is an error, however deep it has gone.
func TestModelThatRunsItself(t *testing.T) {
	ends(t)
	s := openSession(t, "cpu")
	var f, other *graph.Function
	var innermost error
	f = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		if _, err := other.Run(float32s([]int{1}, 1)); innermost == nil {
			innermost = err
		}
		return in
	})
	other = s.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		if _, err := f.Run(float32s([]int{1}, 1)); innermost == nil {
			innermost = err
		}
		return in
	})
	_, err := f.Run(float32s([]int{1}, 1))
	require.NoError(t, err) // the model did not look at the error
	require.EqualError(t, innermost, "graph: the model runs its own function, which never ends; build what they share in a function that both call")
}
