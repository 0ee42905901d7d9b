package devicetest

import (
	"fmt"
	"math"

	"github.com/pullback-go/pullback/device"
)

// Hypotenuse is a [device.Custom] operation that only this package knows:
// out = √(self² + other²). A device that runs no kernels of users lists its name in
// [Options.Without].
type Hypotenuse struct{}

func (Hypotenuse) Name() string { return "Hypotenuse" }

// Infer takes two inputs of the same shape.
func (op Hypotenuse) Infer(inputs []device.Type) (device.Type, error) {
	t, err := device.Add{}.Infer(inputs)
	if err == nil && !(t.Equal(device.Type{DType: t.DType, Shape: inputs[0].Shape}) && t.Equal(device.Type{DType: t.DType, Shape: inputs[1].Shape})) {
		err = &device.Error{Code: device.ErrParamInvalid, Op: op.Name(), Reason: fmt.Sprintf("%s and %s have different shapes", inputs[0], inputs[1])}
	}
	return t, err
}

func (Hypotenuse) Compute(output device.HostTensor, inputs []device.HostTensor) {
	for i := range output.Data {
		output.Data[i] = math.Hypot(inputs[0].Data[i], inputs[1].Data[i])
	}
}

func customCases() []opCase {
	c := opCase{
		operands: []operand{{draw: normal(3), special: few}, {draw: normal(3), special: few}},
		want:     each(func(_ device.Op, x []float64) number { return exactly(math.Hypot(x[0], x[1])) }),
		ulp:      0.51, // float64 arithmetic is rounded twice on the way to float32
	}
	for _, shape := range [][]int{{}, {0}, {1}, {7}, {3, 0, 2}, {2, 3, 4}, {1, 6, 1, 8}, {1037}, {363, 367}} {
		c.calls = append(c.calls, call{Hypotenuse{}, [][]int{shape, shape}, len(shape) > 2})
	}
	return []opCase{c}
}
