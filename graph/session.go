package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
)

// Session runs functions on a device and holds what outlives a run: parameters
// and state, by name, and the number of completed steps. It may be used by
// several goroutines; runs of one session happen one after the other, those of
// different sessions on one device at the same time.
type Session struct {
	device device.Device

	mu         sync.Mutex
	stream     device.Stream
	functions  []*Function
	parameters map[string]*stored
	names      []string                 // of the parameters, in order of their creation
	restored   map[string]*tensor.Dense // values set before any function declared the name
	step       int64
	workspace  device.Buffer // shared by all programs, as their runs follow each other; may be nil
	staging    []byte        // room for the largest tensor that had to be packed
	closed     bool
	noReuse    bool // for tests, see layOut
}

// stored is a parameter or state on the device.
type stored struct {
	typ     device.Type
	buffer  device.Buffer
	trained bool
}

var errClosed = errors.New("graph: the session is closed")

// NewSession returns a session on the device, which must stay open until the session is closed.
func NewSession(dev device.Device) (*Session, error) {
	if dev == nil {
		return nil, errors.New("graph: the device is nil; open one with device.Open, and look at the error it returns")
	}
	stream, err := dev.NewStream()
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return &Session{device: dev, stream: stream, parameters: map[string]*stored{}, restored: map[string]*tensor.Dense{}}, nil
}

// Close waits for a run in progress and frees the session's memory on the device.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	errs := []error{s.stream.Synchronize()}
	for _, f := range s.functions {
		for _, p := range f.programs {
			errs = append(errs, p.close())
		}
		f.programs = nil
	}
	for _, name := range s.names {
		errs = append(errs, s.parameters[name].buffer.Free())
	}
	if s.workspace != nil {
		errs = append(errs, s.workspace.Free())
	}
	return errors.Join(append(errs, s.stream.Close())...)
}

// Step returns the number of completed runs that updated something.
func (s *Session) Step() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.step
}

// SetStep sets the step counter, to go on from where an earlier session stopped.
func (s *Session) SetStep(step int64) error {
	if step < 0 {
		return fmt.Errorf("graph: step %d; a session counts its steps from 0", step)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step = step
	return nil
}

// Parameters returns the names of the trained parameters that compiled functions
// have declared, in order.
func (s *Session) Parameters() []string { return s.list(true) }

// States returns the names of the states that compiled functions have declared, in order.
func (s *Session) States() []string { return s.list(false) }

func (s *Session) list(trained bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.names), func(name string) bool {
		return s.parameters[name].trained != trained
	})
}

// Value returns a copy of the parameter or state with the given name, as [NewTensor] makes it.
func (s *Session) Value(name string) (*tensor.Dense, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.lookUp(name)
	if err != nil {
		return nil, err
	}
	t := NewTensor(p.typ)
	h, err := hostTensorOf(t)
	if err != nil {
		return nil, err
	}
	if err := s.download(h, device.Contiguous(p.buffer, 0, p.typ)); err != nil {
		return nil, fmt.Errorf("graph: parameter %q: %w", name, err)
	}
	return t, nil
}

// SetValue overwrites the parameter or state with the given name. The tensor
// must have its shape and the dtype that [Session.Value] returns. A name that no
// function has declared yet gets the value, in the place of its initialiser's, when one does; see
// [Session.Unclaimed].
func (s *Session) SetValue(name string, t *tensor.Dense) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	p := s.parameters[name]
	if p == nil {
		h, err := hostTensorOf(t)
		if err != nil {
			return fmt.Errorf("graph: parameter %q: %w", name, err)
		}
		kept := NewTensor(h.typ())
		to, err := hostTensorOf(kept)
		if err != nil {
			return err
		}
		h.pack(to.data)
		s.restored[name] = kept
		return nil
	}
	data, err := packValue(p.typ, t)
	if err != nil {
		return fmt.Errorf("graph: parameter %q: %w", name, err)
	}
	if err = upload(s.stream, device.Contiguous(p.buffer, 0, p.typ), data); err == nil {
		err = s.stream.Synchronize() // which may be where a copy fails
	}
	if err != nil {
		return fmt.Errorf("graph: parameter %q: %w", name, err)
	}
	return nil
}

// Unclaimed returns the names that [Session.SetValue] has set and no compiled function has declared yet,
// sorted. After a model was restored and has run, a name that is left is one that it does not have.
func (s *Session) Unclaimed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.restored))
}

// packValue returns the elements of t, which must fit a value of type typ, as the device holds them.
func packValue(typ device.Type, t *tensor.Dense) ([]byte, error) {
	h, err := hostTensorOf(t)
	if err == nil {
		err = h.fits(typ)
	}
	if err != nil {
		return nil, err
	}
	data := make([]byte, h.typ().Bytes())
	h.pack(data)
	if typ.DType == device.BFloat16 {
		values := make([]float64, typ.Elements())
		for i := range values {
			values[i] = scalarValue(data[4*i:], device.Float32)
		}
		encode(data, device.BFloat16, values)
	}
	return data, nil
}

func (s *Session) lookUp(name string) (*stored, error) {
	if s.closed {
		return nil, errClosed
	}
	p := s.parameters[name]
	if p == nil {
		return nil, fmt.Errorf("graph: no function that has run declares a parameter %q", name)
	}
	return p, nil
}

// parameter returns the storage of a parameter or state node, made and
// initialised when the name is new.
func (s *Session) parameter(n *Node) (*stored, error) {
	trained := n.kind == parameter
	if p := s.parameters[n.name]; p != nil {
		if p.trained != trained {
			return nil, fmt.Errorf("%s: %q is a %s here, and not so in another function of the session; give one of them another name", n.Position(), n.name, n.kind)
		}
		if !p.typ.Equal(n.typ) {
			return nil, fmt.Errorf("%s: %s %q is %s here, but in another function of the session %s; give one of them another name",
				n.Position(), n.kind, n.name, n.typ, p.typ)
		}
		return p, nil
	}
	buffer, err := s.alloc(n.typ.Bytes()) // first, so that a size that cannot be had is an error
	if err != nil {
		return nil, fmt.Errorf("%s: parameter %q: %w", n.Position(), n.name, err)
	}
	p := &stored{typ: n.typ, buffer: buffer, trained: trained}
	s.parameters[n.name] = p // from here on forget takes it back
	s.names = append(s.names, n.name)
	var data []byte
	if t := s.restored[n.name]; t != nil {
		if data, err = packValue(n.typ, t); err != nil {
			return nil, fmt.Errorf("%s: parameter %q was set before it was declared: %w", n.Position(), n.name, err)
		}
	} else {
		data = make([]byte, n.typ.Bytes())
		if n.source.init != nil {
			values := make([]float64, n.typ.Elements())
			n.source.init(values)
			encode(data, n.typ.DType, values)
		}
	}
	if err := upload(s.stream, device.Contiguous(buffer, 0, n.typ), data); err != nil {
		return nil, fmt.Errorf("%s: parameter %q: %w", n.Position(), n.name, err)
	}
	return p, nil
}

// alloc returns device memory for size bytes, with the room after it that a region has.
func (s *Session) alloc(size int64) (device.Buffer, error) { return s.device.Alloc(regionSize(size)) }

// stage returns room to pack a tensor of n bytes, until the next call.
func (s *Session) stage(n int64) []byte {
	if int64(len(s.staging)) < n {
		s.staging = make([]byte, n)
	}
	return s.staging[:n]
}

// forget takes back the parameters that were made since there were n.
func (s *Session) forget(n int) error {
	var errs []error
	for _, name := range s.names[n:] {
		errs = append(errs, s.parameters[name].buffer.Free())
		delete(s.parameters, name)
	}
	s.names = s.names[:n]
	return errors.Join(errs...)
}

// grow makes sure that the workspace holds n bytes.
func (s *Session) grow(n int64) error {
	if n == 0 || s.workspace != nil && s.workspace.Size() >= n {
		return nil
	}
	larger, err := s.alloc(n)
	if err != nil {
		return err
	}
	smaller := s.workspace
	s.workspace = larger
	if smaller == nil {
		return nil
	}
	return errors.Join(s.stream.Synchronize(), smaller.Free())
}

// download fills h from the contiguous view v.
func (s *Session) download(h hostTensor, v device.View) error {
	t := v.Type()
	offset := int64(v.Offset) * int64(t.DType.Size())
	if h.dtype == t.DType && h.contiguous() {
		return s.stream.Download(h.data[:t.Bytes()], v.Buffer, offset)
	}
	data := s.stage(t.Bytes())
	if err := s.stream.Download(data, v.Buffer, offset); err != nil {
		return err
	}
	h.unpack(data, t.DType)
	return nil
}
