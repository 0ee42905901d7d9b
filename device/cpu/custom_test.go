package cpu

import (
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
	_, err := f.device.Plan(total{}, []device.View{one.BroadcastTo([]int{1 << 50})}, out)
	require.ErrorIs(t, err, device.ErrOutOfMemory)
}
