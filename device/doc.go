// Package device is the contract between pullback and the hardware it runs on.
//
// The contract is CANN's two-phase operator call, made the rule for every
// device. Phase one, [Device.Plan], checks the arguments of one operation,
// sizes the workspace it needs and returns an [Executor]. Phase two,
// [Executor.Launch], runs that executor on a [Stream]. Everything that can be
// refused is refused in phase one; phase two is made to be repeated many times
// and allocates nothing.
//
//	dev, err := device.Open("cpu?threads=2")     // import _ ".../device/cpu"
//	x, err := dev.Alloc(4 * 1024)                 // bytes
//	exe, err := dev.Plan(device.Exp{},
//		[]device.View{device.Contiguous(x, 0, t)}, device.Contiguous(y, 0, t))
//	stream, err := dev.NewStream()
//	err = exe.Launch(workspace, stream)           // workspace of exe.WorkspaceSize() bytes
//
// An operation is described by a small comparable struct, its descriptor, such
// as [MatMul] or [SoftMarginLossBackward]. The descriptor's Infer method is the
// one place where the operation's rules for dtype, rank and shape live; devices
// and graphs both ask it, so they cannot disagree.
//
// Operands are [View] values: a buffer, a dtype, a shape, strides and an offset,
// the same facts that an aclTensor carries. Inputs may be strided, transposed or
// broadcast (stride 0); outputs may be strided.
//
// # Numbers
//
// float32, float16 and bfloat16 mix freely: inputs promote to the widest
// (float16 with bfloat16 gives float32), arithmetic is float32 or better, and
// the result is rounded to nearest even to float32 and from there to the
// output's dtype, which need not be the promoted one. float64 mixes with nothing and
// is there for gradient checks; a device may refuse it.
//
// # Errors
//
// Every refusal is an [*Error] with CANN's code, the operation, the argument at
// fault and a sentence; errors.Is compares it with a [Code]:
//
//	if errors.Is(err, device.ErrParamInvalid) { … }
package device
