package acl

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

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
	107002:  "no context is current on this OS thread, so lock the goroutine to its thread and call SetDevice or CreateContext there first",
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
	parts := []string{oneLine(l.recentErrMsg()), hints[code], l.fact(code)} // in this order, as the last may fail itself
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	if len(parts) == 0 {
		parts = append(parts, "CANN gives no message")
	}
	return &device.Error{Code: code, Op: function, Reason: strings.Join(parts, "; ")}
}

// fact returns what CANN says on the matter of a code, empty if it says nothing.
func (l *Library) fact(code device.Code) string {
	switch code {
	case device.ErrInvalidDevice:
		var n uint32
		if l.ask(aclrtGetDeviceCount, uintptr(unsafe.Pointer(&n))) {
			return fmt.Sprintf("devices that the process can see: %d, numbered from 0", n)
		}
	case device.ErrOutOfMemory:
		const ddr, hbm = 0, 1 // ACL_DDR_MEM, which is all that some chips have, and ACL_HBM_MEM
		for _, kind := range []uintptr{hbm, ddr} {
			var free, total uint64
			if l.ask(aclrtGetMemInfo, kind, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))) && total > 0 {
				return fmt.Sprintf("of the device's %.2f GiB %.2f are free", float64(total)/(1<<30), float64(free)/(1<<30))
			}
		}
	case device.ErrParamInvalid, 561003, 561103:
		if chip := l.socName(); chip != "" { // before SetDevice it may be unknown
			return "the chip is " + chip
		}
	}
	return ""
}

// ask calls a function that may be missing, and reports whether it succeeded.
//
//go:uintptrescapes
func (l *Library) ask(f function, args ...uintptr) bool {
	if l.address[f] == 0 {
		return false
	}
	if int32(call(l.address[f], args...)) != success {
		l.recentErrMsg() // which would be taken for that of a later failure
		return false
	}
	return true
}

// oneLine returns s with every run of white space, line ends among them, made one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func errorf(code device.Code, op, arg, format string, args ...any) *device.Error {
	return &device.Error{Code: code, Op: op, Arg: arg, Reason: fmt.Sprintf(format, args...)}
}
