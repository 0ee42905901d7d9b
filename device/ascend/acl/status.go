package acl

import (
	"fmt"
	"strings"

	"github.com/pullback-go/pullback/device"
)

// Status codes that the package itself looks at or gives.
const (
	success          = 0
	repeatInitialize = device.Code(100002)
	errInvalidFile   = device.Code(100003) // a library is missing or cannot be loaded
	errStub          = device.Code(100039) // a library is a stub to link with, and computes nothing
)

// hints says what is usually behind codes whose own messages leave people puzzled.
var hints = map[device.Code]string{
	errStub: "this library is one of CANN's stubs for linking (devlib), so take devlib off LD_LIBRARY_PATH and use the libraries in lib64",
	107002:  "no context is current on this OS thread, so lock the goroutine to its thread and call SetDevice or SetCurrentContext there first",
	107003:  "the stream was made in another context than the one that is current on this thread",
	161002:  "the operator does not take this dtype, rank, shape or format on this chip; BFLOAT16 needs a 910B or newer, and few operators take DOUBLE",
	207001:  "the memory is used up by this process or by another one, which npu-smi info shows",
	507033:  "the device could not be set up, so see with npu-smi info that it is healthy, that driver and firmware fit this CANN, and that a container is given /dev/davinci* and the driver",
	561003:  "the operator's kernel was not found, so install the kernels package of this chip in the version of the toolkit",
	561103:  "this is most often the kernels package of this chip that is missing or of another version than the toolkit",
	561107:  "ASCEND_OPP_PATH does not lead to an opp folder, so source the set_env.sh of the CANN installation before the program starts",
}

// status makes an error of what a C function returned, an int, if it is not 0.
func (l *Library) status(function string, result uintptr) error {
	if status := int32(result); status != success {
		return l.failure(function, status)
	}
	return nil
}

// failure makes an error of a status other than 0 that a C function just returned on this thread. CANN
// forgets its message when it is read, or when the next call fails.
func (l *Library) failure(function string, status int32) *device.Error {
	code := device.Code(status)
	parts := make([]string, 0, 2)
	if message := oneLine(l.recentErrMsg()); message != "" {
		parts = append(parts, message)
	}
	if hint := hints[code]; hint != "" {
		parts = append(parts, hint)
	}
	if len(parts) == 0 {
		parts = append(parts, "CANN gives no message")
	}
	return &device.Error{Code: code, Op: function, Reason: strings.Join(parts, "; ")}
}

// oneLine returns s with every run of white space, line ends among them, made one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func errorf(code device.Code, op, arg, format string, args ...any) *device.Error {
	return &device.Error{Code: code, Op: op, Arg: arg, Reason: fmt.Sprintf(format, args...)}
}
