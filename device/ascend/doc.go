// Package ascend is the device of Huawei's Ascend NPUs, driven through CANN's
// AscendCL and aclnn libraries. They are loaded at run time, without cgo: the same
// program runs where there are none, as long as it does not open the device.
//
//	import _ "github.com/pullback-go/pullback/device/ascend"
//
//	dev, err := device.Open("ascend:0")
//
// # Names
//
//	ascend:N              the NPU with number N; ascend is ascend:0
//	ascend:sim            the simulator, built with the system's C compiler on first use
//	ascend:0?loss=stable  the soft margin loss composed from operators that do not overflow
//	ascend:0?fallback=cpu operations that CANN has no operator for run on the CPU
//	ascend:0?path=DIR     the libraries in DIR, not those that the environment names
//
// The vendor's own loss kernels compute e^(-target·self) and so return NaN, or
// Inf, for a margin below -88; loss=stable is for models that may be that wrong.
// fallback=cpu needs package device/cpu to be imported.
//
// # How it works
//
// CANN keeps the current context, the error message and the state of phase one
// for each thread, so one goroutine, locked to a thread, makes every call of a
// device: see owner. Launches and uploads are queued for it and return at once;
// what fails there is returned when the stream is synchronised. While it waits for one
// stream, the NPU goes on with others, but nothing new reaches them.
//
// Plan is phase one. An operation of package device is one aclnn operator or a
// sequence of several: see recipe. Their executors are made repeatable, so that
// a launch is phase two alone; where the library refuses, or has no way to destroy
// them, phase one is repeated before every launch. Values between the operators of a
// sequence are float32 and have memory of their own, taken when the operation is planned.
//
// Float64 is refused everywhere, bfloat16 on chips without it.
package ascend
