package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// total is a user's operation whose operand may be a view of far less memory than it has elements.
type total struct{}

func (total) Name() string { return "Total" }
func (total) Infer([]device.Type) (device.Type, error) {
	return device.Type{DType: device.Float32, Shape: []int{}}, nil
}
func (total) Compute(out device.HostTensor, in []device.HostTensor) {
	for _, x := range in[0].Data {
		out.Data[0] += x
	}
}

func TestCustomOfMoreThanMemory(t *testing.T) {
	f := newFixture(t, 1)
	scalar := device.Type{DType: device.Float32, Shape: []int{}}
	one, out := device.Contiguous(f.alloc(4), 0, scalar), device.Contiguous(f.alloc(4), 0, scalar)
	_, err := f.device.Plan(total{}, []device.View{one.BroadcastTo([]int{min(1<<50, math.MaxInt/16)})}, out)
	require.ErrorIs(t, err, device.ErrOutOfMemory)
}

// updates is a user's operation that overwrites some of its operands.
type updates struct{ list []int }

func (updates) Name() string                                { return "Updates" }
func (u updates) Updates() []int                            { return u.list }
func (updates) Infer(in []device.Type) (device.Type, error) { return in[0], nil }
func (updates) Compute(out device.HostTensor, in []device.HostTensor) {
	out.Data[0] = in[0].Data[0] + 1
}

func TestCustomUpdater(t *testing.T) {
	f := newFixture(t, 1)
	scalar := device.Type{DType: device.Float32, Shape: []int{}}
	a, b := device.Contiguous(f.alloc(4), 0, scalar), device.Contiguous(f.alloc(4), 0, scalar)
	typed[float32](a.Buffer.(*buffer).mem)[0] = 6
	f.run(updates{[]int{0}}, []device.View{a, b}, a)
	require.Equal(t, float32(7), typed[float32](a.Buffer.(*buffer).mem)[0])
	for want, list := range map[string][]int{
		"can update one tensor":          {0, 1},
		"its Updates gave [], but must":  nil,
		"its Updates gave [2], but must": {2},
		"its Updates gave [0 -1]":        {0, -1},
	} {
		_, err := f.device.Plan(updates{list}, []device.View{a, b}, a)
		require.ErrorContains(t, err, want)
	}
}
