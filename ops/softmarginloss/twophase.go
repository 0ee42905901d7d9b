package softmarginloss

import "github.com/pullback-go/pullback/device"

// ForwardGetWorkspaceSize is phase one of the loss: it checks the call, and
// returns the bytes of workspace it needs and the executor. Phase two is
// executor.Launch(workspace, stream), as often as wanted, until executor.Close.
//
// self and target broadcast against each other; out has their broadcast shape for
// [device.None] and no axes otherwise. Of float32, float16 and bfloat16 each
// tensor may have its own dtype; float64 goes only with float64, and not on
// every device. Rank 0 to 8, any strides. Errors are [*device.Error]:
// [device.ErrParamNull] for a missing tensor, [device.ErrParamInvalid] for a
// dtype, rank, reduction or shape; an invalid call writes nothing.
func ForwardGetWorkspaceSize(dev device.Device, self, target device.View, reduction device.Reduction, out device.View) (workspaceSize int64, executor device.Executor, err error) {
	return getWorkspaceSize(dev, device.SoftMarginLoss{Reduction: reduction}, []device.View{self, target}, out)
}

// BackwardGetWorkspaceSize is phase one of the gradient for self: as
// [ForwardGetWorkspaceSize], with gradOutput, self and target broadcasting
// against each other and gradInput of exactly their broadcast shape.
func BackwardGetWorkspaceSize(dev device.Device, gradOutput, self, target device.View, reduction device.Reduction, gradInput device.View) (workspaceSize int64, executor device.Executor, err error) {
	return getWorkspaceSize(dev, device.SoftMarginLossBackward{Reduction: reduction}, []device.View{gradOutput, self, target}, gradInput)
}

func getWorkspaceSize(dev device.Device, op device.Op, inputs []device.View, output device.View) (int64, device.Executor, error) {
	if dev == nil {
		return 0, nil, &device.Error{Code: device.ErrParamNull, Op: op.Name(), Arg: "dev", Reason: "the device is missing; open one with device.Open"}
	}
	executor, err := dev.Plan(op, inputs, output)
	if err != nil {
		return 0, nil, err
	}
	return executor.WorkspaceSize(), executor, nil
}
