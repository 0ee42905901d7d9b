package device

import (
	"fmt"
	"strings"
)

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
	return errorf(ErrParamNull, op, arg, format, args...)
}

func invalidf(op, arg, format string, args ...any) error {
	return errorf(ErrParamInvalid, op, arg, format, args...)
}

func errorf(code Code, op, arg, format string, args ...any) error {
	return &Error{Code: code, Op: op, Arg: arg, Reason: fmt.Sprintf(format, args...)}
}
