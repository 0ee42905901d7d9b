package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/device"
)

// Options says what to measure.
type Options struct {
	Points         []Point
	Devices        []device.Device
	Budget         time.Duration // for everything; at least three samples of each point are taken whatever it is
	LastLevelCache int           // bytes
	Progress       func(done, total int)
}

// rounds is how often every point is visited.
const rounds = 7

// mostSamples is how many samples a visit takes at most.
const mostSamples = 100

// longOperation is the time in ns from which on an operation is its own warm-up.
const longOperation = 1e7

// Report is what came of a run.
type Report struct {
	Results []*Result // in the order of the points, and of the devices within each
	Refused []string  // what devices do not have, a sentence each
	Failed  []string  // what went wrong, a sentence each

	Disturbed float64 // the share of the samples that other programs disturbed, as far as the system tells
}

// entry is a point on a device, from round to round.
type entry struct {
	point      Point
	dev        device.Device
	samples    []sample
	iterations int // launches a sample
	spent      time.Duration
	gone       bool // refused or failed
	result     Result
}

// Run measures. When the context ends it stops and returns what it has, with the context's error.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &Report{}
	entries := make([]*entry, 0, len(o.Points)*len(o.Devices))
	for _, p := range o.Points {
		for _, d := range o.Devices {
			entries = append(entries, &entry{point: p, dev: d, result: Result{Point: p, Device: d.Name(), MaxULP: math.NaN()}})
		}
	}
	scheduler := newScheduler()
	defer scheduler.close()
	length := sampleLength()
	deadline := time.Now().Add(o.Budget)
	fair := o.Budget / time.Duration(max(len(entries), 1))
	total := rounds * len(entries)
	var err error
	for visit := 0; visit < total && err == nil; visit++ {
		e := entries[turn(visit, len(o.Devices), len(entries))]
		if err = ctx.Err(); err != nil {
			break
		}
		round := visit / len(entries)
		share := max(0, time.Until(deadline)/time.Duration(total-visit))
		if !e.gone && (len(e.samples) < 3 || e.spent < fair*time.Duration(round+1)/rounds && time.Now().Before(deadline)) {
			e.visit(ctx, r, scheduler, o.LastLevelCache, share, length)
		}
		o.Progress(visit+1, total)
	}
	taken, disturbed := 0, 0
	for _, e := range entries {
		for _, s := range e.samples {
			taken++
			if s.disturbed {
				disturbed++
			}
		}
		if len(e.samples) > 0 && !e.gone {
			e.result.Samples = kept(e.samples)
			r.Results = append(r.Results, &e.result)
		}
	}
	r.Disturbed = float64(disturbed) / float64(max(taken, 1))
	return r, err
}

// turn returns the entry of a visit: the devices of a point one after the other, beginning with another one
// in each round.
func turn(visit, devices, entries int) int {
	round, at := visit/entries, visit%entries
	return at - at%devices + (at+round)%devices
}

// visit makes the point ready, warms up and takes samples for the share of time that is left of the making.
func (e *entry) visit(ctx context.Context, r *Report, scheduler *scheduler, lastLevelCache int, share, length time.Duration) {
	start := time.Now()
	var checking time.Duration
	x, err := newInstance(e.point, e.dev, lastLevelCache)
	if err == nil {
		scheduler.refresh()
		x.scheduler = scheduler
		checking, err = e.sample(ctx, x, start.Add(share), length)
		err = errors.Join(err, x.close())
	}
	e.spent += time.Since(start) - checking
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return
	}
	e.gone = true
	sentence := fmt.Sprintf("%s: %s in %s: %v", e.dev.Name(), e.point.Op, e.point.DType, err)
	list := &r.Failed
	if calls.Refused(err) {
		list = &r.Refused
	}
	if !slices.Contains(*list, sentence) { // once for all sizes
		*list = append(*list, sentence)
	}
}

// sample runs an instance. It returns the time that went into comparing with the reference,
// which is done once.
func (e *entry) sample(ctx context.Context, x *instance, until time.Time, length time.Duration) (checking time.Duration, err error) {
	first, err := x.timed(1)
	if err != nil {
		return 0, err
	}
	if e.iterations == 0 {
		start := time.Now()
		e.result.Traffic = x.traffic
		if e.result.MaxULP, err = x.ulp(); err != nil {
			return 0, err
		}
		checking = time.Since(start)
		until = until.Add(checking)
		if err := e.calibrate(x, length); err != nil {
			return checking, err
		}
	}
	if first.ns > float64(time.Until(until)) && first.ns > longOperation && e.iterations == 1 {
		e.samples = append(e.samples, first) // too long to be warmed up for
		return checking, nil
	}
	if _, err := x.timed(e.iterations); err != nil {
		return checking, err
	}
	calm := false
	for n := 0; n == 0 || n < mostSamples && (time.Now().Before(until) || !calm && n < 5); n++ {
		if err := ctx.Err(); err != nil {
			return checking, err
		}
		s, err := x.timed(e.iterations)
		if err != nil {
			return checking, err
		}
		e.samples = append(e.samples, s)
		calm = calm || !s.disturbed || s.ns > longOperation // a long one will hardly be left alone
	}
	return checking, nil
}

// calibrate finds how many launches fill a sample, and counts allocations.
func (e *entry) calibrate(x *instance, length time.Duration) error {
	for n := 1; ; {
		s, err := x.timed(n)
		if err != nil {
			return err
		}
		if took := s.ns * float64(n); took >= float64(length) {
			e.iterations = n
			break
		} else {
			n = max(n+1, min(10*n, int(float64(n)*1.2*float64(length)/max(took, 1))))
		}
	}
	e.result.Allocs = math.Inf(1)
	for range 3 { // the least of them: what else the process does may allocate too
		allocs, err := x.allocations(min(e.iterations, 20))
		if err != nil {
			return err
		}
		e.result.Allocs = min(e.result.Allocs, allocs)
		if allocs == 0 {
			break
		}
	}
	return nil
}

// allocations returns how many an operation makes on Go's heap, over n of them; rounded down, as testing.AllocsPerRun does.
func (x *instance) allocations(n int) (float64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := x.loop(n)
	runtime.ReadMemStats(&after)
	return math.Floor(float64(after.Mallocs-before.Mallocs) / float64(n)), err
}

// loop runs n operations and waits for them.
func (x *instance) loop(n int) error {
	for range n {
		if err := x.once(); err != nil {
			return err
		}
	}
	return x.stream.Synchronize()
}

// timed takes a sample of n operations.
func (x *instance) timed(n int) (sample, error) {
	enter := time.Now()
	before := x.scheduler.observe()
	start := time.Now()
	err := x.loop(n)
	end := time.Now()
	after := x.scheduler.observe()
	looking := start.Sub(enter) + time.Since(end)
	return newSample(n, end.Sub(start), looking, before, after), err
}
