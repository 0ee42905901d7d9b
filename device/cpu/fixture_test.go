package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// fixture is an open device with a stream.
type fixture struct {
	testing.TB
	device device.Device
	stream device.Stream
}

func newFixture(t testing.TB, threads int) *fixture {
	d, err := device.Open(fmt.Sprintf("cpu?threads=%d", threads))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	s, err := d.NewStream()
	require.NoError(t, err)
	return &fixture{TB: t, device: d, stream: s}
}

func (f *fixture) alloc(bytes int64) device.Buffer {
	b, err := f.device.Alloc(bytes)
	require.NoError(f, err)
	return b
}

// random returns a contiguous tensor of random numbers between ½ and 4, of both
// signs if it is not a scalar.
func (f *fixture) random(r *rand.Rand, t device.Type) device.View {
	v := device.Contiguous(f.alloc(t.Bytes()), 0, t)
	f.fill(v, func(int) float64 {
		x := 0.5 + 3.5*r.Float64()
		if len(t.Shape) > 0 && r.IntN(2) == 0 {
			x = -x
		}
		return x
	})
	return v
}

// fill sets the elements of a view, with any strides, in row-major order.
func (f *fixture) fill(v device.View, value func(i int) float64) {
	_, write := converters[float64](v.DType, v.Buffer.(*buffer).mem)
	l := newLayout(v.Shape, v.Strides)
	for i := range device.Elements(v.Shape) {
		write([]float64{value(i)}, v.Offset+l.at(i), 1)
	}
}

// values returns the elements of a view in row-major order.
func (f *fixture) values(v device.View) []float64 {
	read, _ := converters[float64](v.DType, v.Buffer.(*buffer).mem)
	l := newLayout(v.Shape, v.Strides)
	x := make([]float64, device.Elements(v.Shape))
	for i := range x {
		read(x[i:i+1], v.Offset+l.at(i), 1)
	}
	return x
}

// output returns a tensor for the result of an operation: the first input for one that updates it.
func (f *fixture) output(op device.Op, inputs []device.View) device.View {
	if _, ok := op.(device.Updater); ok {
		return inputs[0]
	}
	types := make([]device.Type, len(inputs))
	for i, v := range inputs {
		types[i] = v.Type()
	}
	t, err := op.Infer(types)
	require.NoError(f, err)
	return device.Contiguous(f.alloc(t.Bytes()), 0, t)
}

// plan plans an operation and returns the function that launches it.
func (f *fixture) plan(op device.Op, inputs []device.View, output device.View) (launch func() error) {
	e, err := f.device.Plan(op, inputs, output)
	require.NoError(f, err)
	workspace := f.alloc(e.WorkspaceSize())
	return func() error { return e.Launch(workspace, f.stream) }
}

func (f *fixture) run(op device.Op, inputs []device.View, output device.View) {
	require.NoError(f, f.plan(op, inputs, output)())
}
