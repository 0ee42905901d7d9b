package ascend

import (
	"errors"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

// stagingSize is the pinned host memory of a stream, through which its copies go.
// Larger copies are made in pieces.
const stagingSize = 4 << 20

// stream is a CANN stream. Launches and uploads are queued for the owner; the first that
// CANN refuses is kept until something that waits for the stream returns it. A kernel that
// fails on the NPU breaks its stream for good: what follows is dropped, and fails with the same.
type stream struct {
	device *npu
	closed bool
	done   chan error // reused by every task that is waited for

	staging []byte // pinned memory, which the library owns
	used    int    // of staging, by uploads that may not have been copied yet

	// Used on the owner's thread.
	handle   acl.Stream
	pinned   acl.Pointer
	failure  error
	returned device.Code // of the failure that the last wait returned, 0 if there was none
	fresh    bool        // something was queued since
}

func (d *npu) NewStream() (device.Stream, error) {
	s := &stream{device: d, done: make(chan error, 1)}
	err := d.call("NewStream", func() (err error) {
		if s.handle, err = d.lib.CreateStream(); err != nil {
			return err
		}
		if s.pinned, err = d.lib.MallocHost(stagingSize); err != nil {
			return errors.Join(err, d.lib.DestroyStream(s.handle))
		}
		d.streams[s] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.staging = s.pinned.Bytes(stagingSize)
	return s, nil
}

// Upload copies src to pinned memory and queues the copy from there. It waits for
// the stream only when that memory is full.
func (s *stream) Upload(dst device.Buffer, offset int64, src []byte) error {
	if err := s.device.enter("Upload"); err != nil {
		return err
	}
	defer s.device.leave()
	to, err := s.locate("Upload", "dst", dst, offset, int64(len(src)))
	if err != nil {
		return err
	}
	for len(src) > 0 {
		if s.used == len(s.staging) {
			if err := s.wait(task{run: runSynchronize}); err != nil {
				return err
			}
		}
		n := copy(s.staging[s.used:], src)
		s.device.tasks <- task{run: runUpload, stream: s, dst: to, src: s.pinned + acl.Pointer(s.used), size: int64(n)}
		s.used = min(s.used+(n+63)&^63, len(s.staging)) // DMA engines like cache lines
		to += acl.Pointer(n)
		src = src[n:]
	}
	return nil
}

func runUpload(t *task) error {
	t.stream.fresh = true
	return t.stream.device.lib.MemcpyAsync(t.dst, t.size, t.src, t.size, acl.HostToDevice, t.stream.handle)
}

// Download queues a copy to pinned memory behind everything else, waits for it and copies from there.
func (s *stream) Download(dst []byte, src device.Buffer, offset int64) error {
	if err := s.device.enter("Download"); err != nil {
		return err
	}
	defer s.device.leave()
	from, err := s.locate("Download", "src", src, offset, int64(len(dst)))
	if err != nil {
		return err
	}
	if len(dst) == 0 {
		return s.wait(task{run: runSynchronize})
	}
	for len(dst) > 0 {
		n := min(len(dst), len(s.staging))
		if err := s.wait(task{run: runDownload, dst: s.pinned, src: from, size: int64(n)}); err != nil {
			return err
		}
		copy(dst[:n], s.staging)
		from += acl.Pointer(n)
		dst = dst[n:]
	}
	return nil
}

func runDownload(t *task) error {
	s := t.stream
	s.fresh = true
	if s.failure == nil {
		s.failure = s.device.lib.MemcpyAsync(t.dst, t.size, t.src, t.size, acl.DeviceToHost, s.handle)
	}
	return s.settle()
}

func (s *stream) Synchronize() error {
	if err := s.device.enter("Synchronize"); err != nil {
		return err
	}
	defer s.device.leave()
	if s.closed {
		return device.StreamClosed("Synchronize")
	}
	return s.wait(task{run: runSynchronize})
}

func runSynchronize(t *task) error { return t.stream.settle() }

// settle waits for the stream and returns the first failure since the last time: what a
// broken stream repeats is one only if something was queued. It runs on the owner's thread.
func (s *stream) settle() error {
	err := s.device.lib.SynchronizeStream(s.handle) // also after a failure: what was queued before it still runs
	if s.failure != nil {
		err = s.failure
	}
	if !s.fresh && s.returned != 0 && codeOf(err) == s.returned {
		return nil
	}
	s.failure, s.returned, s.fresh = nil, codeOf(err), false
	return err
}

// codeOf returns the code of an error, 0 if it has none.
func codeOf(err error) (code device.Code) {
	_ = errors.As(err, &code)
	return code
}

// wait hands over a task that ends with the stream idle, and waits for it.
func (s *stream) wait(t task) error {
	t.stream, t.done = s, s.done
	s.device.tasks <- t
	err := <-s.done
	s.used = 0
	return err
}

// locate checks a stream and the range of n bytes at offset, and returns its address.
func (s *stream) locate(op, arg string, b device.Buffer, offset, n int64) (acl.Pointer, error) {
	if s.closed {
		return 0, device.StreamClosed(op)
	}
	if err := device.CheckRange(op, arg, b, offset, n); err != nil {
		return 0, err
	}
	if err := s.device.checkBuffer(op, arg, b); err != nil {
		return 0, err
	}
	return b.(*buffer).at + acl.Pointer(offset), nil
}

// Close waits for what is queued and returns the first failure that has not been returned yet.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.device.enter("Close") != nil { // the device's Close has done it
		return nil
	}
	defer s.device.leave()
	return s.wait(task{run: func(*task) error { return errors.Join(s.settle(), s.destroy()) }})
}

// destroy frees what the stream has. It runs on the owner's thread.
func (s *stream) destroy() error {
	delete(s.device.streams, s)
	return errors.Join(s.device.lib.DestroyStream(s.handle), s.device.lib.FreeHost(s.pinned))
}
