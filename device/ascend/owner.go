package ascend

import (
	"runtime"
	"sync"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// queued is how many tasks may wait for the owner: a few training steps' worth.
const queued = 1024

// owner is the goroutine, locked to an OS thread, that makes every CANN call of a
// device, in the order in which they were asked for.
type owner struct {
	tasks chan task

	mu     sync.RWMutex // held for reading by whatever must end before the device closes, see enter
	closed bool
	ended  sync.Once
}

// task is one thing to do on the owner's thread. It is a struct, not a closure, so
// that queueing a launch or a copy allocates nothing.
type task struct {
	run    func(*task) error
	done   chan<- error // who waits for the result; nil if it is kept by the stream
	stream *stream

	executor  *executor
	workspace acl.Pointer
	dst, src  acl.Pointer
	size      int64
}

// start begins the goroutine. It ends after the last task, see stop.
func (o *owner) start() {
	o.tasks = make(chan task, queued)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		var t task             // one for all, as its address escapes
		for t = range o.tasks {
			o.do(&t)
		}
	}()
}

// do runs a task. Queued tasks of a stream that has failed are passed over until
// the failure has been reported.
func (o *owner) do(t *task) {
	if t.done != nil {
		t.done <- t.run(t)
		return
	}
	if t.stream.failure == nil {
		t.stream.failure = t.run(t)
	}
}

// enter keeps the device open until leave, and returns an error if it is closed.
func (o *owner) enter(op string) error {
	o.mu.RLock()
	if o.closed {
		o.mu.RUnlock()
		return device.Closed(op)
	}
	return nil
}

func (o *owner) leave() { o.mu.RUnlock() }

// call runs f on the owner's thread and waits for it.
func (o *owner) call(op string, f func() error) error {
	if err := o.enter(op); err != nil {
		return err
	}
	defer o.leave()
	return o.await(f)
}

// await is call between enter and leave.
func (o *owner) await(f func() error) error {
	done := make(chan error, 1)
	o.tasks <- task{run: func(*task) error { return f() }, done: done}
	return <-done
}

// stop runs f as the last task and ends the goroutine. Called again, it waits for the
// first call and does nothing.
func (o *owner) stop(f func() error) (err error) {
	o.ended.Do(func() {
		o.mu.Lock()
		o.closed = true
		o.mu.Unlock()
		err = o.await(f)
		close(o.tasks)
	})
	return err
}
