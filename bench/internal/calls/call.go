package calls

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// Call is an operation with its operands. What the output's storage holds before the
// launch is its Data; an optimizer's output is its first input, and Output is not looked at.
type Call struct {
	Op     device.Op
	Inputs []Tensor
	Output Tensor
}

// Result returns the tensor that the call writes: an optimizer's first input, or the output.
func (c Call) Result() Tensor {
	if u, ok := c.Op.(device.Updater); ok {
		return c.Inputs[u.Updates()[0]]
	}
	return c.Output
}

// Want returns what the reference says of the output.
func (c Call) Want() ([]reference.Number, error) {
	in := make([]reference.Tensor, len(c.Inputs))
	for i, t := range c.Inputs {
		in[i] = t.Reference()
	}
	return reference.Compute(c.Op, in)
}

// Tolerance returns the error that the result may have, in ulp, see [reference.Tolerance].
func (c Call) Tolerance() float64 {
	terms := 1
	switch rule, _ := reference.Lookup(c.Op.Name()); rule.Kind {
	case reference.Matrices:
		terms = c.Inputs[0].Shape[1]
		if op, ok := c.Op.(device.MatMul); ok && op.TransposeSelf {
			terms = c.Inputs[0].Shape[0]
		}
	case reference.Reduce, reference.Loss: // a loss without reduction has one term
		shape := c.Inputs[0].Shape
		for _, t := range c.Inputs[1:] {
			shape, _ = device.Broadcast(shape, t.Shape)
		}
		terms = device.Elements(shape) / max(device.Elements(c.Output.Shape), 1)
	}
	return reference.Tolerance(c.Op, c.Result().DType, terms)
}

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
	return device.View{Buffer: b, DType: x.DType, Shape: x.Shape, Strides: x.Strides, Offset: x.Offset}, nil
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

// views uploads the operands of a call.
func (t *Target) views(c Call) (in []device.View, out device.View, err error) {
	in = make([]device.View, len(c.Inputs))
	for i, x := range c.Inputs {
		if in[i], err = t.view(x); err != nil {
			return nil, out, err
		}
	}
	if u, ok := c.Op.(device.Updater); ok && len(in) > 0 {
		return in, in[u.Updates()[0]], nil
	}
	out, err = t.view(c.Output)
	return in, out, err
}

// Plan makes phase one alone and returns what it answers.
func (t *Target) Plan(c Call) (err error) {
	defer func() { err = errors.Join(err, t.free()) }()
	in, out, err := t.views(c)
	if err != nil {
		return err
	}
	exe, err := t.Device.Plan(c.Op, in, out)
	if err != nil {
		return err
	}
	return exe.Close()
}

// StrayWrite is the error of a launch that changed what is not its output.
type StrayWrite struct{ Where string }

func (e *StrayWrite) Error() string { return "the launch changed " + e.Where }

// Run makes the call once and returns the elements of the output in row-major order.
// The error is the device's, or a *StrayWrite.
func (t *Target) Run(c Call) (values []float64, err error) {
	defer func() { err = errors.Join(err, t.free()) }()
	in, out, err := t.views(c)
	if err != nil {
		return nil, err
	}
	exe, err := t.Device.Plan(c.Op, in, out)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
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
	if err := t.stream.Synchronize(); err != nil {
		return nil, err
	}
	return t.collect(c, in, out)
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

// Refused reports whether the error is that of a device which does not have the
// operation or the dtype.
func Refused(err error) bool {
	return errors.Is(err, device.ErrUnsupported) || errors.Is(err, device.ErrParamInvalid)
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
	return !Refused(t.Plan(c))
}
