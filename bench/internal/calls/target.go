package calls

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Target is a device with a stream. It may be used by one goroutine at a time.
type Target struct {
	device.Device
	stream  device.Stream
	buffers []device.Buffer
}

// NewTarget returns a target on the device.
func NewTarget(dev device.Device) (*Target, error) {
	stream, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	return &Target{Device: dev, stream: stream}, nil
}

// Open opens a device by name as a target.
func Open(name string) (*Target, error) {
	dev, err := device.Open(name)
	if err != nil {
		return nil, err
	}
	t, err := NewTarget(dev)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return t, nil
}

// Close ends the stream and closes the device.
func (t *Target) Close() error { return errors.Join(t.stream.Close(), t.Device.Close()) }

// guard is how many bytes follow a tensor's storage on the device.
const guard = 64

// view uploads a tensor's storage.
func (t *Target) view(x Tensor) (device.View, error) {
	if x.Missing() {
		return device.View{}, nil
	}
	b, err := t.Alloc(int64(len(x.Data) + guard))
	if err != nil {
		return device.View{}, err
	}
	t.buffers = append(t.buffers, b)
	if err := t.stream.Upload(b, 0, x.Data); err != nil {
		return device.View{}, err
	}
	if err := t.stream.Upload(b, int64(len(x.Data)), guardBytes); err != nil {
		return device.View{}, err
	}
	return x.on(b), nil
}

var guardBytes = bytes.Repeat([]byte{0xdb}, guard)

// free returns the memory that views have taken.
func (t *Target) free() error {
	var errs []error
	for _, b := range t.buffers {
		errs = append(errs, b.Free())
	}
	t.buffers = nil
	return errors.Join(errs...)
}

// views uploads the operands of calls. Storage that inputs of several calls have in common is
// uploaded once, so that the device sees that they are the same.
func (t *Target) views(list []Call) ([]device.Call, error) {
	planned := make([]device.Call, len(list))
	shared := map[*byte]device.Buffer{}
	for i, c := range list {
		planned[i] = device.Call{Op: c.Op, Inputs: make([]device.View, len(c.Inputs))}
		for k, x := range c.Inputs {
			if len(list) > 1 && len(x.Data) > 0 && shared[&x.Data[0]] != nil {
				planned[i].Inputs[k] = x.on(shared[&x.Data[0]])
				continue
			}
			v, err := t.view(x)
			if err != nil {
				return nil, err
			}
			planned[i].Inputs[k] = v
			if len(x.Data) > 0 {
				shared[&x.Data[0]] = v.Buffer
			}
		}
		if u, ok := c.Op.(device.Updater); ok && len(c.Inputs) > 0 {
			planned[i].Output = planned[i].Inputs[u.Updates()[0]]
			continue
		}
		var err error
		if planned[i].Output, err = t.view(c.Output); err != nil {
			return nil, err
		}
	}
	return planned, nil
}

// Plan plans calls that are launched one after the other, fused where the device can.
func Plan(dev device.Device, list []device.Call) (executors []device.Executor, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll(executors))
		}
	}()
	fuser, fuses := dev.(device.Fuser)
	for len(list) > 0 {
		n, exe, err := 0, device.Executor(nil), error(nil)
		if fuses && len(list) > 1 {
			n, exe, err = fuser.PlanFused(list)
		}
		if err == nil && n == 0 {
			n = 1
			exe, err = dev.Plan(list[0].Op, list[0].Inputs, list[0].Output)
		}
		if err != nil {
			return executors, err
		}
		executors, list = append(executors, exe), list[n:]
	}
	return executors, nil
}

func closeAll(executors []device.Executor) error {
	var errs []error
	for _, e := range executors {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// Plan makes phase one alone and returns what it answers.
func (t *Target) Plan(c Call) (err error) {
	defer func() { err = errors.Join(err, t.free()) }()
	planned, err := t.views([]Call{c})
	if err != nil {
		return err
	}
	executors, err := Plan(t.Device, planned)
	return errors.Join(err, closeAll(executors))
}

// StrayWrite is the error of a launch that changed what is not its output.
type StrayWrite struct{ Where string }

func (e *StrayWrite) Error() string { return "the launch changed " + e.Where }

// Run makes calls one after the other, in one pass where the device can fuse them, and returns
// the elements of each output in row-major order. The error is the device's, or a *StrayWrite.
func (t *Target) Run(list ...Call) (values [][]float64, err error) {
	defer func() { err = errors.Join(err, t.free()) }()
	planned, err := t.views(list)
	if err != nil {
		return nil, err
	}
	executors, err := Plan(t.Device, planned)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeAll(executors)) }()
	for _, exe := range executors {
		var workspace device.Buffer
		if size := exe.WorkspaceSize(); size > 0 {
			if workspace, err = t.Alloc(size); err != nil {
				return nil, err
			}
			t.buffers = append(t.buffers, workspace)
		}
		if err := exe.Launch(workspace, t.stream); err != nil {
			return nil, err
		}
	}
	if err := t.stream.Synchronize(); err != nil {
		return nil, err
	}
	for i, c := range list {
		x, err := t.collect(c, planned[i].Inputs, planned[i].Output)
		if err != nil {
			return nil, err
		}
		values = append(values, x)
	}
	return values, nil
}

// collect downloads the output and watches the rest.
func (t *Target) collect(c Call, in []device.View, out device.View) ([]float64, error) {
	written := map[int]bool{} // the inputs that may change
	before := c.Result()
	if u, ok := c.Op.(device.Updater); ok {
		for _, i := range u.Updates() {
			written[i] = true
		}
	}
	for i, x := range c.Inputs {
		if written[i] {
			continue
		}
		if now, err := t.download(in[i].Buffer); err != nil {
			return nil, err
		} else if !bytes.Equal(now, append(bytes.Clone(x.Data), guardBytes...)) {
			return nil, &StrayWrite{device.ArgName(c.Op, i)}
		}
	}
	data, err := t.download(out.Buffer)
	if err != nil {
		return nil, err
	}
	result := before
	result.Data = data
	values := result.Values()
	was, size := append(bytes.Clone(before.Data), guardBytes...), before.DType.Size()
	for _, p := range result.Positions() { // what is not an element must be as before
		copy(data[p*size:(p+1)*size], was[p*size:])
	}
	for i := range data {
		if data[i] != was[i] {
			return nil, &StrayWrite{fmt.Sprintf("byte %d of the output's buffer, which is no element", i)}
		}
	}
	return values, nil
}

func (t *Target) download(b device.Buffer) ([]byte, error) {
	data := make([]byte, b.Size())
	return data, t.stream.Download(data, b, 0)
}

// Lacks names what the device does not have of what a call needs that it refused with the given error: the
// operation, or a dtype, which it then refuses in the plainest call of the operation too. It is empty
// where the call itself is at fault.
func (t *Target) Lacks(c Call, refused error) string {
	switch {
	case errors.Is(refused, device.ErrUnsupported):
		return c.Op.Name()
	case !errors.Is(refused, device.ErrParamInvalid):
		return ""
	}
	rule, _ := reference.Lookup(c.Op.Name())
	for _, x := range append([]Tensor{c.Output}, c.Inputs...) {
		if !x.Missing() && rule.Op != nil && !t.Has(rule.Op, x.DType) {
			return fmt.Sprintf("%s in %s", c.Op.Name(), x.DType)
		}
	}
	return ""
}

// Has reports whether the device takes the operation with all operands of the dtype,
// by planning it on one element.
func (t *Target) Has(op device.Op, d device.DType) bool {
	rule, ok := reference.Lookup(op.Name())
	if !ok {
		return false
	}
	shapes := make([][]int, rule.Inputs)
	for i := range shapes {
		switch {
		case rule.Kind == reference.Update && (i == 2 || i == 3):
			shapes[i] = []int{}
		case rule.Kind == reference.Matrices && i < 2:
			shapes[i] = []int{1, 1}
		case rule.Kind == reference.Reduce:
			shapes[i] = []int{1, 1, 1, 1, 1, 1, 1, 1}
		default:
			shapes[i] = []int{1}
		}
	}
	c := Call{Op: op}
	types := make([]device.Type, len(shapes))
	for i, shape := range shapes {
		x := New(d, shape, []float64{1})
		c.Inputs, types[i] = append(c.Inputs, x), x.Type()
	}
	result, err := op.Infer(types)
	if err != nil {
		return false
	}
	c.Output = New(d, result.Shape, []float64{0})
	refused := t.Plan(c)
	return !errors.Is(refused, device.ErrUnsupported) && !errors.Is(refused, device.ErrParamInvalid)
}
