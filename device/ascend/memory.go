package ascend

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

type pointer = acl.Pointer

// buffer is a block of device memory. One of 0 bytes has none.
type buffer struct {
	device *npu
	size   int64
	block  block
	freed  bool
}

func (b *buffer) Size() int64 { return b.size }

// Free gives the memory back to the pool, which may hand it out again at once.
func (b *buffer) Free() error {
	d := b.device
	d.pool.Lock()
	defer d.pool.Unlock()
	if b.freed {
		return &device.Error{Code: device.ErrParamInvalid, Op: "Free", Arg: "buffer", Reason: "it has been freed before"}
	}
	b.freed = true
	if b.block.size > 0 {
		d.pool.free[b.block.size] = append(d.pool.free[b.block.size], b.block.at)
	}
	return nil
}

// pool keeps freed blocks by size, as allocating device memory is slow and
// stops the device.
type pool struct {
	sync.Mutex // also guards freed of every buffer
	free       map[int64][]pointer
	all        map[pointer]bool // every block taken from the library
}

// block is memory as the library gave it: aligned to 64 bytes, with at least 32 bytes behind it.
type block struct {
	at   pointer
	size int64
}

// blockSize rounds a size up so that blocks of much the same size can stand in for
// each other: to 512 bytes, as CANN rounds its own, and to 1 MiB from there on.
func blockSize(size int64) int64 {
	const small, large = 512, 1 << 20
	step := int64(small)
	if size > large {
		step = large
	}
	if size > math.MaxInt64-step {
		return size
	}
	return (size + step - 1) / step * step
}

// take returns a block of at least size bytes. It runs on the owner's thread.
func (d *npu) take(size int64) (block, error) {
	if size == 0 {
		return block{}, nil
	}
	size = blockSize(size)
	d.pool.Lock()
	defer d.pool.Unlock()
	if list := d.pool.free[size]; len(list) > 0 {
		at := list[len(list)-1]
		d.pool.free[size] = list[:len(list)-1]
		return block{at, size}, nil
	}
	at, err := d.lib.Malloc(size)
	if errors.Is(err, device.ErrOutOfMemory) && d.pool.trim(d.lib) {
		at, err = d.lib.Malloc(size)
	}
	if err != nil {
		return block{}, err
	}
	d.pool.all[at] = true
	return block{at, size}, nil
}

// trim gives all freed blocks back to the library, and returns whether there were any.
func (p *pool) trim(lib *library) bool {
	any := false
	for size, list := range p.free {
		for _, at := range list {
			any = true
			delete(p.all, at)
			_ = lib.Free(at) // a block that cannot be freed is lost, which the next Malloc will tell
		}
		delete(p.free, size)
	}
	return any
}

// alloc is Alloc on the owner's thread.
func (d *npu) alloc(size int64) (*buffer, error) {
	b, err := d.take(size)
	if err != nil {
		return nil, err
	}
	return &buffer{device: d, size: size, block: b}, nil
}

func (d *npu) Alloc(size int64) (device.Buffer, error) {
	if size < 0 {
		return nil, &device.Error{Code: device.ErrParamInvalid, Op: "Alloc", Arg: "size", Reason: fmt.Sprintf("%d is negative", size)}
	}
	var b *buffer
	err := d.call("Alloc", func() (err error) {
		b, err = d.alloc(size)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// checkBuffer refuses a buffer that this device cannot use.
func (d *npu) checkBuffer(op, arg string, b device.Buffer) error {
	own, ok := b.(*buffer)
	if !ok || own.device != d {
		return &device.Error{Code: device.ErrParamInvalid, Op: op, Arg: arg,
			Reason: fmt.Sprintf("the buffer belongs to another device than this %s; allocate it here and upload the data", d.name)}
	}
	d.pool.Lock()
	defer d.pool.Unlock()
	if own.freed {
		return &device.Error{Code: device.ErrParamInvalid, Op: op, Arg: arg, Reason: "the buffer has been freed"}
	}
	return nil
}
