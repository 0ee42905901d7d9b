package measure

import (
	"math"
	"slices"
	"time"
)

// sample is the time of an operation in ns, and whether other programs disturbed it.
type sample struct {
	ns        float64
	disturbed bool
}

// observation is what the system says of its scheduling at one moment.
type observation struct {
	thread    int   // that runs the caller
	waited    int64 // ns that this thread was ready to run and had no processor
	waitedAll int64 // the same, of all threads of the process
	preempted int64 // times that any of them had its processor taken away
}

// newSample works out a sample of n operations from what the clock and the scheduler said.
// The time that the launching thread had to wait for a processor is not the operations'.
func newSample(n int, took, looking time.Duration, before, after observation) sample {
	waited := time.Duration(after.waited - before.waited)
	s := sample{disturbed: after.preempted != before.preempted || time.Duration(after.waitedAll-before.waitedAll) > took/50}
	// On another thread, or if the looking itself was interrupted, it is not known when the waiting was.
	if after.thread != before.thread || looking > 300*time.Microsecond || waited >= took {
		s.disturbed = s.disturbed || looking > 300*time.Microsecond
		waited = 0
	}
	s.ns = float64((took - waited).Nanoseconds()) / float64(n)
	return s
}

// leastSamples is how many undisturbed samples make the others dispensable.
const leastSamples = 5

// kept returns the times that count, in rising order.
func kept(samples []sample) []float64 {
	var calm, all []float64
	for _, s := range samples {
		all = append(all, s.ns)
		if !s.disturbed {
			calm = append(calm, s.ns)
		}
	}
	if len(calm) >= leastSamples {
		all = calm
	}
	slices.Sort(all)
	return all
}

// sampleLength is how long a sample must be for the clock to tell its time to
// one part in some thousands.
func sampleLength() time.Duration {
	step := time.Duration(math.MaxInt64)
	for range 100 {
		start := time.Now()
		d := time.Since(start)
		for d == 0 {
			d = time.Since(start)
		}
		step = min(step, d)
	}
	return max(4000*step, 200*time.Microsecond)
}
