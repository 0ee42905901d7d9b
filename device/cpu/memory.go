package cpu

import (
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
)

// buffer is memory of the Go heap, aligned to cache lines.
type buffer struct {
	device *cpu
	size   int64
	mem    []byte // nil once freed
	freed  bool
}

func (b *buffer) Size() int64 { return b.size }

// Free gives the memory to the garbage collector, which waits for executors that still refer to it.
func (b *buffer) Free() error {
	if b.freed {
		return device.FreedBefore()
	}
	b.freed, b.mem = true, nil
	return nil
}

func (d *cpu) Alloc(size int64) (device.Buffer, error) {
	d.open.RLock()
	defer d.open.RUnlock()
	if d.closed {
		return nil, device.Closed("Alloc")
	}
	if size < 0 {
		return nil, device.NegativeSize(size)
	}
	mem, ok := allocate(size)
	if !ok {
		return nil, &device.Error{Code: device.ErrOutOfMemory, Op: "Alloc", Reason: fmt.Sprintf("%d bytes are more than this machine has to give", size)}
	}
	return &buffer{device: d, size: size, mem: mem}, nil
}

// large is the size in bytes from which the operating system is asked first
// whether the memory can be had. The Go heap ends the program if it cannot.
const large = 1 << 28

// allocate returns zeroed memory that starts at a cache line, and false if there is not so much.
func allocate(size int64) (mem []byte, ok bool) {
	if size > math.MaxInt-2*cacheLine || size >= large && !obtainable(int(size)) {
		return nil, false
	}
	defer func() {
		if recover() != nil { // make, of a size beyond the address space
			mem, ok = nil, false
		}
	}()
	return align(make([]byte, int(size)+cacheLine-1))[:size:size], true
}

// checkBuffer refuses a buffer that launches of this device cannot use.
func (d *cpu) checkBuffer(op, arg string, b device.Buffer) error {
	own, ok := b.(*buffer)
	ok = ok && own.device == d
	return device.CheckBuffer(op, arg, d.name, ok, ok && own.freed)
}
