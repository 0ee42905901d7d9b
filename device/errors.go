package device

import (
	"fmt"
	"strings"
)

// Code is a status code, numbered as CANN numbers it on every device.
// A Code is itself an error, so that errors.Is(err, device.ErrParamInvalid)
// recognises an [*Error] by its code.
type Code int32

// Status codes that the framework itself gives. A device that calls CANN may
// return any other of CANN's codes. Sources: CANN's aclnn return codes
// (161…, 361…, 561…) and AscendCL's acl_base.h and rt_error_codes.h.
const (
	ErrUninitialized   Code = 100001 // the device is closed
	ErrInvalidDevice   Code = 107001 // there is no such device
	ErrContext         Code = 107002 // no context on this thread
	ErrStream          Code = 107003 // the stream is closed or belongs to another device
	ErrParamNull       Code = 161001 // an argument is missing
	ErrParamInvalid    Code = 161002 // an argument breaks a rule of dtype, rank, shape, value or layout
	ErrOutOfMemory     Code = 207001 // memory could not be had
	ErrUnsupported     Code = 200001 // the device has no such operation
	ErrRuntime         Code = 361001 // a call of the device's run-time failed
	ErrInternal        Code = 561000 // the device broke its own rules
	ErrExecutorInvalid Code = 561103 // the executor is closed or not this device's
)

var codeNames = map[Code]string{
	ErrUninitialized:   "ACL_ERROR_UNINITIALIZE",
	ErrInvalidDevice:   "ACL_ERROR_RT_INVALID_DEVICEID",
	ErrContext:         "ACL_ERROR_RT_CONTEXT_NULL",
	ErrStream:          "ACL_ERROR_RT_STREAM_CONTEXT",
	ErrParamNull:       "ACLNN_ERR_PARAM_NULLPTR",
	ErrParamInvalid:    "ACLNN_ERR_PARAM_INVALID",
	ErrOutOfMemory:     "ACL_ERROR_RT_MEMORY_ALLOCATION",
	ErrUnsupported:     "ACL_ERROR_API_NOT_SUPPORT",
	ErrRuntime:         "ACLNN_ERR_RUNTIME_ERROR",
	ErrInternal:        "ACLNN_ERR_INNER",
	ErrExecutorInvalid: "ACLNN_ERR_INNER_NULLPTR",
}

// Error returns the code and its name, as "161002 ACLNN_ERR_PARAM_INVALID".
func (c Code) Error() string {
	if name, ok := codeNames[c]; ok {
		return fmt.Sprintf("%d %s", int32(c), name)
	}
	return fmt.Sprintf("%d", int32(c))
}

// Error is what a device says when it refuses or fails: CANN's code, the
// operation, the argument at fault and a sentence. Op and Arg may be empty.
type Error struct {
	Code   Code
	Op     string
	Arg    string
	Reason string
}

// Error returns one line: operation, argument, reason and code.
func (e *Error) Error() string {
	var b strings.Builder
	for _, part := range []string{e.Op, e.Arg} {
		if part != "" {
			b.WriteString(part)
			b.WriteString(": ")
		}
	}
	fmt.Fprintf(&b, "%s (%v)", e.Reason, e.Code)
	return b.String()
}

// Unwrap returns the code, so that errors.Is finds it.
func (e *Error) Unwrap() error { return e.Code }

func nullf(op, arg, format string, args ...any) error {
	return &Error{Code: ErrParamNull, Op: op, Arg: arg, Reason: fmt.Sprintf(format, args...)}
}

func invalidf(op, arg, format string, args ...any) error {
	return &Error{Code: ErrParamInvalid, Op: op, Arg: arg, Reason: fmt.Sprintf(format, args...)}
}
