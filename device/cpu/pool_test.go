package cpu

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// meeting is a phase of n large parts, each of which waits until all have begun: only n
// threads at once can run it.
func meeting(n int) *phase {
	var begun sync.WaitGroup
	begun.Add(n)
	return &phase{parts: n, cost: 1 << 30, run: func(lo, hi int, _ []byte, _ scratch) {
		for range hi - lo {
			begun.Done()
		}
		begun.Wait()
	}}
}

func TestPoolRunsPartsAtOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 7} {
		p := newPool(threads)
		for range 100 {
			p.run(meeting(threads), nil, newScratch())
		}
		p.close()
	}
}

// Every part is run once, with any number of threads and parts.
func TestPoolRunsEveryPartOnce(t *testing.T) {
	p := newPool(4)
	defer p.close()
	for _, parts := range []int{0, 1, 2, 3, 5, 16, 17, 1000} {
		runs := make([]atomic.Int32, parts)
		p.run(&phase{parts: parts, cost: 1 << 30, run: func(lo, hi int, _ []byte, _ scratch) {
			for i := lo; i < hi; i++ {
				runs[i].Add(1)
			}
		}}, nil, newScratch())
		for i := range runs {
			require.EqualValues(t, 1, runs[i].Load(), "part %d of %d", i, parts)
		}
	}
}

// A phase stays with its caller, in one piece, if it is small or the pool is busy.
func TestPoolLeavesPhaseToCaller(t *testing.T) {
	p := newPool(4)
	defer p.close()
	alone := func(cost int) {
		calls := 0
		p.run(&phase{parts: 100, cost: cost, run: func(lo, hi int, _ []byte, _ scratch) {
			calls++
			require.Equal(t, [2]int{0, 100}, [2]int{lo, hi})
		}}, nil, newScratch())
		require.Equal(t, 1, calls)
	}
	alone(16 << 10)
	p.run(&phase{parts: 1 << 10, cost: 1 << 30, run: func(lo, _ int, _ []byte, _ scratch) {
		if lo == 0 {
			alone(1 << 30)
		}
	}}, nil, newScratch())
}

// Several streams of one device may launch at the same time, and get what one alone would.
func TestStreamsLaunchAtOnce(t *testing.T) {
	f := newFixture(t, 3)
	var streams []func()
	for range 4 {
		s, err := f.device.NewStream()
		require.NoError(t, err)
		own := &fixture{TB: t, device: f.device, stream: s}
		var launches []func()
		for _, c := range []call{
			{device.SoftMarginLoss{Reduction: device.Mean}, [][]int{{1 << 15}, {1 << 15}}},
			{device.MatMul{TransposeOther: true}, [][]int{{64, 128}, {96, 128}}},
			{device.Cast{To: device.Float16}, [][]int{{1 << 18}}},
		} {
			inputs := c.inputs(own, device.Float32)
			output := own.output(c.op, inputs)
			launch := own.plan(c.op, inputs, output)
			require.NoError(t, launch())
			want := string(bits(output))
			launches = append(launches, func() {
				clear(bits(output))
				if err := launch(); err != nil || want != string(bits(output)) {
					t.Errorf("%s differs when other streams launch beside it (%v)", c, err)
				}
			})
		}
		streams = append(streams, func() {
			for range 20 {
				for _, launch := range launches {
					launch()
				}
			}
		})
	}
	var wg sync.WaitGroup
	for _, run := range streams {
		wg.Go(run)
	}
	wg.Wait()
}

// Close lets launches finish, and what comes later is refused.
func TestCloseWhileLaunching(t *testing.T) {
	for range 20 {
		d, err := device.Open("cpu?threads=3")
		require.NoError(t, err)
		var wg sync.WaitGroup
		var launched atomic.Int32
		for range 3 {
			s, err := d.NewStream()
			require.NoError(t, err)
			f := &fixture{TB: t, device: d, stream: s}
			c := call{device.Exp{}, [][]int{{1 << 15}}}
			inputs := c.inputs(f, device.Float32)
			launch := f.plan(c.op, inputs, f.output(c.op, inputs))
			wg.Go(func() {
				for {
					if err := launch(); err != nil {
						if !isCode(err, device.ErrUninitialized) {
							t.Error(err)
						}
						return
					}
					launched.Add(1)
				}
			})
		}
		for launched.Load() < 3 {
			time.Sleep(time.Microsecond)
		}
		require.NoError(t, d.Close())
		wg.Wait()
	}
}
