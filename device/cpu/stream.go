package cpu

import "github.com/pullback-go/pullback/device"

// stream runs everything at once, in the goroutine that calls it. It holds that
// goroutine's scratch.
type stream struct {
	device  *cpu
	scratch scratch
	closed  bool
}

func (d *cpu) NewStream() (device.Stream, error) {
	d.open.RLock()
	defer d.open.RUnlock()
	if d.closed {
		return nil, device.Closed("NewStream")
	}
	return &stream{device: d, scratch: newScratch()}, nil
}

func (s *stream) Upload(dst device.Buffer, offset int64, src []byte) error {
	return s.transfer("Upload", "dst", dst, offset, int64(len(src)), func(mem []byte) { copy(mem, src) })
}

func (s *stream) Download(dst []byte, src device.Buffer, offset int64) error {
	return s.transfer("Download", "src", src, offset, int64(len(dst)), func(mem []byte) { copy(dst, mem) })
}

// transfer checks the range of n bytes at offset, and lets move copy it.
func (s *stream) transfer(op, arg string, b device.Buffer, offset, n int64, move func(mem []byte)) error {
	s.device.open.RLock()
	defer s.device.open.RUnlock()
	if err := s.check(op); err != nil {
		return err
	}
	if err := device.CheckRange(op, arg, b, offset, n); err != nil {
		return err
	}
	if err := s.device.checkBuffer(op, arg, b); err != nil {
		return err
	}
	move(b.(*buffer).mem[offset : offset+n])
	return nil
}

// Synchronize has nothing to wait for.
func (s *stream) Synchronize() error {
	s.device.open.RLock()
	defer s.device.open.RUnlock()
	return s.check("Synchronize")
}

// check refuses a stream that can no longer be used. The device's lock must be held.
func (s *stream) check(op string) error {
	switch {
	case s.device.closed:
		return device.Closed(op)
	case s.closed:
		return device.StreamClosed(op)
	}
	return nil
}

func (s *stream) Close() error {
	s.closed = true
	return nil
}
