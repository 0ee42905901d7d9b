package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// costPerThread is the cost of a phase, see [cheap], some twenty microseconds, for
// which it is worth having one more thread: waking a goroutine takes a good part of that. A phase of less than twice as many stays with its caller.
const costPerThread = 256 << 10

// pool is the threads of a device besides the callers': goroutines that sleep
// until a launch has work to share. One launch at a time uses them; another that
// comes meanwhile does its work alone.
type pool struct {
	helpers int
	ticket  atomic.Int64  // counts the phases that were shared
	awake   atomic.Int32  // helpers that look for the next ticket
	wake    chan struct{} // a token is a hint to a sleeping helper that there may be work
	ended   sync.WaitGroup

	launch sync.Mutex // held by the launch that uses the pool

	// The work, nil between launches. Helpers hold the lock for reading while they
	// work on it, so that taking it for writing means waiting for them; a helper
	// that wakes too late finds nothing to do, and nobody has waited for it.
	work      sync.RWMutex
	phase     *phase
	workspace []byte
	threads   int          // that share it
	next      atomic.Int64 // the first part that nobody has taken
}

// newPool starts a pool for the given number of threads, callers included.
func newPool(threads int) *pool {
	p := &pool{helpers: threads - 1, wake: make(chan struct{}, threads)}
	for range p.helpers {
		p.ended.Add(1)
		go p.help()
	}
	return p
}

// close ends the helpers and waits for them. No launch may be running.
func (p *pool) close() {
	close(p.wake)
	p.ended.Wait()
}

// help runs parts of launches until the pool is closed.
func (p *pool) help() {
	defer p.ended.Done()
	s := newScratch()
	for ticket := int64(0); p.await(&ticket); {
		p.work.RLock()
		if p.phase != nil {
			p.takeParts(s)
		}
		p.work.RUnlock()
	}
}

// vigil is how long a helper stays awake for more work after it has had some: large
// operations follow each other, and waking a thread takes tens of microseconds.
const vigil = 100 * time.Microsecond

// await returns when a phase newer than the ticket may be there, and false when the pool is closed.
func (p *pool) await(ticket *int64) bool {
	p.awake.Add(1)
	for start := time.Now(); p.ticket.Load() == *ticket && time.Since(start) < vigil; {
		runtime.Gosched()
	}
	p.awake.Add(-1)
	open := true
	if p.ticket.Load() == *ticket { // a phase that came since has sent a token, as it saw one helper less awake
		_, open = <-p.wake
	}
	*ticket = p.ticket.Load()
	return open
}

// takeParts runs parts of the phase until none is left: many at a time at first, which
// costs little, and fewer and fewer towards the end, so that all threads end together.
func (p *pool) takeParts(s scratch) {
	for {
		lo := p.next.Load()
		left := p.phase.parts - int(lo)
		if left <= 0 {
			return
		}
		n := max(1, left/(4*p.threads))
		if p.next.CompareAndSwap(lo, lo+int64(n)) {
			p.phase.run(int(lo), int(lo)+n, p.workspace, s)
		}
	}
}

// lockWork takes the lock of the work as soon as the helpers are done with it. A thread that
// sleeps takes long to wake, and they need not be long, so it stays awake for a while.
func (p *pool) lockWork() {
	for start := time.Now(); time.Since(start) < vigil; runtime.Gosched() {
		if p.work.TryLock() {
			return
		}
	}
	p.work.Lock()
}

// run does all parts of a phase and returns when they are done. The scratch is the caller's.
func (p *pool) run(ph *phase, workspace []byte, s scratch) {
	helpers := min(p.helpers, ph.parts-1, ph.cost/costPerThread-1)
	if helpers <= 0 || !p.launch.TryLock() {
		ph.run(0, ph.parts, workspace, s)
		return
	}
	defer p.launch.Unlock()

	p.lockWork()
	p.phase, p.workspace, p.threads = ph, workspace, helpers+1
	p.next.Store(0)
	p.work.Unlock()

	p.ticket.Add(1)
	for range helpers - int(p.awake.Load()) {
		select {
		case p.wake <- struct{}{}:
		default: // enough tokens are on their way
		}
	}
	p.takeParts(s)

	p.lockWork()
	p.phase, p.workspace = nil, nil
	p.work.Unlock()
}
