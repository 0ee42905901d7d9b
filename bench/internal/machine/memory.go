package machine

import (
	"sync"
	"time"
)

// Memory measures how fast memory far larger than the caches can be copied, and
// added element by element into a third array. It is the best of several rounds: a limit is
// what the machine can do, and whatever else runs only takes away from it.
type Memory struct {
	a, b, c []float64
	threads int
}

// NewMemory takes three arrays of twice the bytes of the last cache each, but at most 256 MiB.
func NewMemory(lastLevelCache, threads int) *Memory {
	n := min(2*lastLevelCache, 256<<20) / 8
	m := &Memory{make([]float64, n), make([]float64, n), make([]float64, n), threads}
	for i := range m.a { // touched, and not all the same page of zeros
		m.a[i], m.b[i], m.c[i] = float64(i), float64(i)*0.5, 1
	}
	return m
}

// Measure runs rounds of each limit and raises what is recorded in the machine.
func (m *Memory) Measure(to *Machine, rounds int) {
	for range rounds {
		raise(&to.CopyOne, m.speed(1, 2, copyPart))
		raise(&to.AddOne, m.speed(1, 3, addPart))
		raise(&to.CopyAll, m.speed(m.threads, 2, copyPart))
		raise(&to.AddAll, m.speed(m.threads, 3, addPart))
	}
}

func raise(best *float64, x float64) { *best = max(*best, x) }

// speed runs part over the arrays, shared out among threads, and returns GB/s. Each
// element moves so many arrays' worth of bytes.
func (m *Memory) speed(threads, arrays int, part func(a, b, c []float64)) float64 {
	n := len(m.a)
	var done sync.WaitGroup
	start := time.Now()
	for t := 1; t < threads; t++ {
		lo, hi := n*t/threads, n*(t+1)/threads
		done.Go(func() { part(m.a[lo:hi], m.b[lo:hi], m.c[lo:hi]) })
	}
	part(m.a[:n/threads], m.b[:n/threads], m.c[:n/threads])
	done.Wait()
	return float64(8*n*arrays) / float64(time.Since(start).Nanoseconds())
}

func copyPart(a, b, _ []float64) { copy(a, b) }

func addPart(a, b, c []float64) {
	b, c = b[:len(a)], c[:len(a)]
	for ; len(a) >= 4; a, b, c = a[4:], b[4:], c[4:] {
		b, c := b[:4], c[:4]
		a[0], a[1], a[2], a[3] = b[0]+c[0], b[1]+c[1], b[2]+c[2], b[3]+c[3]
	}
	for i := range a {
		a[i] = b[i] + c[i]
	}
}
