package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// random returns a contiguous tensor of random numbers: between ½ and 4, and of
// both signs where signed.
func (f *fixture) random(r *rand.Rand, t device.Type, signed bool) device.View {
	v := device.Contiguous(f.alloc(t.Bytes()), 0, t)
	_, write := converters[float64](t.DType, v.Buffer.(*buffer).mem)
	x := make([]float64, t.Elements())
	for i := range x {
		const period = 4099 // a prime; drawing them all would take longer than the operation
		if i >= period {
			x[i] = x[i-period]
			continue
		}
		x[i] = 0.5 + 3.5*r.Float64()
		if signed && r.IntN(2) == 0 {
			x[i] = -x[i]
		}
	}
	write(x, 0, 1)
	return v
}

// strided returns a copy of a contiguous tensor in which the axes lie in reverse
// order, every other element, some way into the buffer.
func (f *fixture) strided(v device.View) device.View {
	const offset, step = 3, 2
	reversed := slices.Clone(v.Shape)
	slices.Reverse(reversed)
	strides := device.RowMajor(reversed)
	slices.Reverse(strides)
	for i := range strides {
		strides[i] *= step
	}
	bytes := int64(offset+step*device.Elements(v.Shape)) * int64(v.DType.Size())
	s := device.View{Buffer: f.alloc(bytes), DType: v.DType, Shape: v.Shape, Strides: strides, Offset: offset}
	size, dst, src := v.DType.Size(), s.Buffer.(*buffer).mem, v.Buffer.(*buffer).mem
	for i, at := range offsets(s) {
		copy(dst[at*size:][:size], src[i*size:])
	}
	return s
}

// bits returns the elements of a view in row-major order, as bytes.
func bits(v device.View) []byte {
	size, mem := v.DType.Size(), v.Buffer.(*buffer).mem
	if v.IsContiguous() {
		return mem[v.Offset*size:][:device.Elements(v.Shape)*size]
	}
	var b []byte
	for _, at := range offsets(v) {
		b = append(b, mem[at*size:][:size]...)
	}
	return b
}

// offsets returns where the elements of a view lie, in row-major order, counting
// the indices up one by one.
func offsets(v device.View) []int {
	at := []int{v.Offset}
	for axis, d := range v.Shape {
		var longer []int
		for _, o := range at {
			for i := range d {
				longer = append(longer, o+i*v.Strides[axis])
			}
		}
		at = longer
	}
	return at
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
