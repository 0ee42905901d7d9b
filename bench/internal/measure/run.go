package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/pullback-go/pullback/device"
)

// Options says what to measure.
type Options struct {
	Points         []Point
	Devices        []device.Device
	Budget         time.Duration // for everything; at least three samples of each point are taken whatever it is
	Until          time.Time     // what has not been begun by then is left out, unless it is zero
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
	Late    int       // points on devices that there was no time for

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
	late       bool // not begun in time
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
	// In any order, so that what there is no time for is not all of the last operations.
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(o.Points))
	check := &checker{}
	var err error
	for visit := 0; visit < total && err == nil; visit++ {
		at := turn(visit, len(o.Devices), len(entries))
		e := entries[order[at/len(o.Devices)]*len(o.Devices)+at%len(o.Devices)]
		if err = ctx.Err(); err != nil {
			break
		}
		round := visit / len(entries)
		share := max(0, time.Until(deadline)/time.Duration(total-visit))
		switch {
		case e.gone:
		case !o.Until.IsZero() && time.Now().After(o.Until):
			e.late = len(e.samples) == 0
		case len(e.samples) < 3 || e.spent < fair*time.Duration(round+1)/rounds && time.Now().Before(deadline):
			e.visit(ctx, r, scheduler, check, o.LastLevelCache, share, fair, length)
		}
		o.Progress(visit+1, total)
	}
	taken, disturbed := 0, 0
	for _, e := range entries {
		if e.late {
			r.Late++
		}
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

// visit makes the point ready, warms up and takes samples for the share of time that is left of the making; three,
// if the making has taken all that the point is to have, since it will hardly be visited again.
func (e *entry) visit(ctx context.Context, r *Report, scheduler *scheduler, k *checker, lastLevelCache int, share, fair, length time.Duration) {
	start := time.Now()
	x, err := Start(e.point, e.dev, lastLevelCache)
	if err == nil {
		scheduler.refresh()
		x.scheduler = scheduler
		err = e.sample(ctx, x, k, start.Add(share), start.Add(fair-e.spent), length)
		err = errors.Join(err, x.Close())
	}
	e.spent += time.Since(start)
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return
	}
	e.gone = true
	reason := err.Error()
	if refusal := (*device.Error)(nil); errors.As(err, &refusal) { // without the places in the source that it came through
		reason = refusal.Error()
	}
	sentence := fmt.Sprintf("%s: %s in %s: %s", e.dev.Name(), e.point.Op, e.point.DType, reason)
	list := &r.Failed
	if Refused(err) {
		list = &r.Refused
	}
	if !slices.Contains(*list, sentence) { // once for all sizes
		*list = append(*list, sentence)
	}
}

// Refused reports whether the error is that of a device which does not have the operation or the dtype.
func Refused(err error) bool {
	return errors.Is(err, device.ErrUnsupported) || errors.Is(err, device.ErrParamInvalid)
}

// sample runs an instance until a time, and compares with the reference if that has not been done. From
// due on the point has had its share of the budget.
func (e *entry) sample(ctx context.Context, x *Instance, k *checker, until, due time.Time, length time.Duration) error {
	first, err := x.timed(1)
	if err != nil {
		return err
	}
	if e.iterations == 0 {
		e.result.Traffic = x.Traffic
		if e.result.MaxULP, e.result.Wrong, err = x.check(k); err != nil {
			return err
		}
		if err := e.calibrate(x, first, length); err != nil {
			return err
		}
	}
	least := 1
	if time.Now().After(due) {
		least = 3
	}
	if first.ns > longOperation && e.iterations == 1 && (least > 1 || first.ns > float64(time.Until(until))) {
		e.samples = append(e.samples, first) // too long to be warmed up for
		least--
	} else if _, err := x.timed(e.iterations); err != nil {
		return err
	}
	calm := least == 0
	for n := 0; n < least || n < mostSamples && (time.Now().Before(until) || !calm && n < 5); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := x.timed(e.iterations)
		if err != nil {
			return err
		}
		e.samples = append(e.samples, s)
		calm = calm || !s.disturbed || s.ns > longOperation // a long one will hardly be left alone
	}
	return nil
}

// calibrate finds how many launches fill a sample, and counts allocations. The first launch of a short operation
// says little, since it touched new memory.
func (e *entry) calibrate(x *Instance, first sample, length time.Duration) error {
	e.iterations = 1
	for n := 1; first.ns < longOperation; {
		s, err := x.timed(n)
		if err != nil {
			return err
		}
		e.iterations = n
		took := s.ns * float64(n)
		if took >= float64(length) {
			break
		}
		n = max(n+1, min(10*n, int(float64(n)*1.2*float64(length)/max(took, 1))))
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
func (x *Instance) allocations(n int) (float64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := x.Run(n)
	runtime.ReadMemStats(&after)
	return math.Floor(float64(after.Mallocs-before.Mallocs) / float64(n)), err
}

// timed takes a sample of n operations.
func (x *Instance) timed(n int) (sample, error) {
	enter := time.Now()
	before := x.scheduler.observe()
	start := time.Now()
	err := x.Run(n)
	end := time.Now()
	after := x.scheduler.observe()
	looking := start.Sub(enter) + time.Since(end)
	return newSample(n, end.Sub(start), looking, before, after), err
}
