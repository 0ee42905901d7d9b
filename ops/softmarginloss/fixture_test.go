package softmarginloss_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/device/devicetest"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// accuracy is what a device owes: the error of a float32 result in units in the last place.
type accuracy struct {
	device string
	ulp    float64
}

// The framework promises 2 ulp; the plain kernels compute in float64 and round once.
var accuracies = []accuracy{{"cpu", 2}, {"cpu?simd=off", 0.501}}

// float64ULP is the error of a float64 result.
const float64ULP = 4

// accepts reports whether got, stored as d, is within ulp of the exact value. A
// half is rounded from a float32 that is.
func accepts(got, exact, ulp float64, d device.DType) bool {
	switch {
	case d == device.Float64:
		return devicetest.ULP(got, exact, d) <= 2*float64ULP // exact is itself from float64 arithmetic
	case d == device.Float32, math.IsNaN(exact), math.IsInf(exact, 0):
		return devicetest.ULP(got, exact, d) <= ulp
	}
	slack := ulp * devicetest.Unit(exact, device.Float32)
	stored := func(x float64) float64 { return devicetest.Round(devicetest.Round(x, device.Float32), d) }
	return stored(exact-slack) <= got && got <= stored(exact+slack)
}

// bench is a device with a stream, and the calls under test on it.
type bench struct {
	*testing.T
	device device.Device
	stream device.Stream
}

func newBench(t *testing.T, name string) *bench {
	dev, err := device.Open(name)
	require.NoError(t, err)
	stream, err := dev.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, stream.Close())
		require.NoError(t, dev.Close())
	})
	return &bench{t, dev, stream}
}

// upload returns a buffer that holds data.
func (b *bench) upload(data []byte) device.Buffer {
	buffer, err := b.device.Alloc(int64(len(data)))
	require.NoError(b, err)
	require.NoError(b, b.stream.Upload(buffer, 0, data))
	return buffer
}

func (b *bench) download(buffer device.Buffer) []byte {
	data := make([]byte, buffer.Size())
	require.NoError(b, b.stream.Download(data, buffer, 0))
	return data
}

// values returns a contiguous view of values, rounded to the dtype.
func (b *bench) values(d device.DType, shape []int, values ...float64) device.View {
	return device.Contiguous(b.upload(devicetest.Encode(values, d)), 0, device.Type{DType: d, Shape: shape})
}

// call is a two-phase call without its output.
type call struct {
	forward                  bool
	gradOutput, self, target device.View
	reduction                device.Reduction
}

func (c call) plan(dev device.Device, output device.View) (int64, device.Executor, error) {
	if c.forward {
		return softmarginloss.ForwardGetWorkspaceSize(dev, c.self, c.target, c.reduction, output)
	}
	return softmarginloss.BackwardGetWorkspaceSize(dev, c.gradOutput, c.self, c.target, c.reduction, output)
}

// run makes the call into an output of the given dtype, shape and strides, that
// lies in poisoned memory, and returns its elements in row-major order. It
// requires that nothing but them is written, and that a second launch gives the same.
func (b *bench) run(c call, t device.Type, strides []int) []float64 {
	const offset = 3
	last := offset
	for i, d := range t.Shape {
		last += max(d-1, 0) * strides[i]
	}
	poison := make([]byte, (last+1+offset)*t.DType.Size())
	for i := range poison {
		poison[i] = 0xa5
	}
	output := device.View{Buffer: b.upload(poison), DType: t.DType, Shape: t.Shape, Strides: strides, Offset: offset}
	size, executor, err := c.plan(b.device, output)
	require.NoError(b, err)
	require.Equal(b, executor.WorkspaceSize(), size)
	var workspace device.Buffer
	if size > 0 {
		workspace, err = b.device.Alloc(size)
		require.NoError(b, err)
	}
	require.NoError(b, executor.Launch(workspace, b.stream))
	first := b.download(output.Buffer)
	require.NoError(b, executor.Launch(workspace, b.stream))
	require.Equal(b, first, b.download(output.Buffer), "the second launch")
	require.NoError(b, executor.Close())

	stored := devicetest.Decode(first, t.DType)
	got := make([]float64, 0, t.Elements())
	for _, position := range positions(output) {
		got = append(got, stored[position])
		copy(first[position*t.DType.Size():][:t.DType.Size()], poison)
	}
	require.Equal(b, poison, first, "written outside the output")
	return got
}

// positions returns where the view's elements lie, in row-major order.
func positions(v device.View) []int {
	list := []int{v.Offset}
	for i, d := range v.Shape {
		var longer []int
		for _, p := range list {
			for k := range d {
				longer = append(longer, p+k*v.Strides[i])
			}
		}
		list = longer
	}
	return list
}

// layouts returns strides for an output: contiguous, every second element with
// gaps between rows, and with the axes in reverse order.
func layouts(shape []int) map[string][]int {
	gaps, reversed := make([]int, len(shape)), make([]int, len(shape))
	n, m := 2, 1
	for i := range shape {
		reversed[i] = m
		m *= max(shape[i], 1)
		j := len(shape) - 1 - i
		gaps[j] = n
		n = n*max(shape[j], 1) + 1
	}
	return map[string][]int{"contiguous": device.RowMajor(shape), "gaps": gaps, "reversed": reversed}
}

// golden is a tensor as the files in testdata hold it.
type golden struct {
	DType   string
	Shape   []int
	Strides []int
	Offset  int
	Bits    []string // of the storage
	Float64 []string // bits of the exact elements
}

func (g golden) dtype() device.DType {
	d, err := device.ParseDType(g.DType)
	if err != nil {
		panic(err)
	}
	return d
}

func (g golden) typ() device.Type { return device.Type{DType: g.dtype(), Shape: g.Shape} }

// number returns the value of hexadecimal bits.
func number(bits string, d device.DType) float64 {
	n, err := strconv.ParseUint(bits, 16, 8*d.Size())
	if err != nil {
		panic(err)
	}
	return fromBits(n, d)
}

func fromBits(bits uint64, d device.DType) float64 {
	switch d {
	case device.Float16:
		return float64(float16.Frombits(uint16(bits)).Float32())
	case device.BFloat16:
		return float64(math.Float32frombits(uint32(bits) << 16))
	case device.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// view uploads the tensor.
func (b *bench) view(g golden) device.View {
	data := make([]float64, len(g.Bits))
	for i, bits := range g.Bits {
		data[i] = number(bits, g.dtype())
	}
	v := b.values(g.dtype(), g.Shape, data...)
	if g.Strides != nil {
		v.Strides, v.Offset = g.Strides, g.Offset
	}
	return v
}

// read reads a file of testdata.
func read(t *testing.T, name string, into any) {
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	require.NoError(t, json.NewDecoder(r).Decode(into))
}
