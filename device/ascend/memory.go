package ascend

import (
	"errors"
	"math"
	"math/bits"
	"sync"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// buffer is device memory as the library gives it: aligned to 64 bytes, with at
// least 32 bytes behind it. It has blockSize(size) bytes, and none at all for a size of 0.
type buffer struct {
	device *npu
	size   int64
	at     acl.Pointer
	freed  bool
}

func (b *buffer) Size() int64 { return b.size }

// Free gives the memory back to the pool, which may hand it out again at once.
func (b *buffer) Free() error {
	d := b.device
	d.pool.Lock()
	defer d.pool.Unlock()
	if b.freed {
		return device.FreedBefore()
	}
	b.freed = true
	if b.size > 0 {
		block := blockSize(b.size)
		d.pool.free[block] = append(d.pool.free[block], b.at)
	}
	return nil
}

// pool keeps freed blocks, as allocating device memory is slow and stops the device.
type pool struct {
	sync.Mutex                         // also guards freed of every buffer
	free       map[int64][]acl.Pointer // by blockSize
	all        map[acl.Pointer]bool    // every block taken from the library
}

// blockSize rounds a size up so that blocks of much the same size can stand in for
// each other, and that ever new sizes do not fill the pool: to 512 bytes, as CANN rounds
// its own, or to an eighth of the largest power of two below it.
func blockSize(size int64) int64 {
	step := max(512, int64(1)<<bits.Len64(uint64(size-1))>>4)
	if size > math.MaxInt64-step {
		return size
	}
	return (size + step - 1) / step * step
}

// reuse returns a buffer in memory that was freed, nil if there is none of the size.
func (d *npu) reuse(size int64) *buffer {
	if size == 0 {
		return &buffer{device: d}
	}
	block := blockSize(size)
	d.pool.Lock()
	defer d.pool.Unlock()
	list := d.pool.free[block]
	if len(list) == 0 {
		return nil
	}
	d.pool.free[block] = list[:len(list)-1]
	return &buffer{device: d, size: size, at: list[len(list)-1]}
}

// alloc is Alloc on the owner's thread.
func (d *npu) alloc(size int64) (*buffer, error) {
	if b := d.reuse(size); b != nil {
		return b, nil
	}
	d.pool.Lock()
	defer d.pool.Unlock()
	at, err := d.lib.Malloc(blockSize(size))
	if errors.Is(err, device.ErrOutOfMemory) && d.pool.trim(d.lib) {
		at, err = d.lib.Malloc(blockSize(size))
	}
	if err != nil {
		return nil, err
	}
	d.pool.all[at] = true
	return &buffer{device: d, size: size, at: at}, nil
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

// Alloc asks the owner only for memory that the pool does not have.
func (d *npu) Alloc(size int64) (device.Buffer, error) {
	if err := d.enter("Alloc"); err != nil {
		return nil, err
	}
	defer d.leave()
	if size < 0 {
		return nil, device.NegativeSize(size)
	}
	b := d.reuse(size)
	if b == nil {
		err := d.await(func() (err error) {
			b, err = d.alloc(size)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// checkBuffer refuses a buffer that this device cannot use.
func (d *npu) checkBuffer(op, arg string, b device.Buffer) error {
	own, ok := b.(*buffer)
	ok = ok && own.device == d
	d.pool.Lock()
	defer d.pool.Unlock()
	return device.CheckBuffer(op, arg, d.name, ok, ok && own.freed)
}
