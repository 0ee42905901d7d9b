package device_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

func TestError(t *testing.T) {
	for _, test := range []struct {
		err  *device.Error
		text string
	}{
		{&device.Error{Code: invalid, Op: "Add", Arg: "other", Reason: "it is wrong"}, "Add: other: it is wrong (161002 ACLNN_ERR_PARAM_INVALID)"},
		{&device.Error{Code: null, Op: "Add", Reason: "it is missing"}, "Add: it is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{&device.Error{Code: null, Arg: "op", Reason: "it is missing"}, "op: it is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{&device.Error{Code: 561999, Reason: "100% strange"}, "100% strange (561999)"},
		{&device.Error{Code: -1, Reason: "negative"}, "negative (-1)"},
	} {
		require.EqualError(t, test.err, test.text)
	}
}

func TestErrorIs(t *testing.T) {
	var err error = &device.Error{Code: device.ErrParamInvalid, Op: "Add", Reason: "wrong"}
	for _, err := range []error{err, fmt.Errorf("step 3: %w", err), errors.Join(errors.New("other"), err)} {
		require.ErrorIs(t, err, device.ErrParamInvalid)
		require.NotErrorIs(t, err, device.ErrParamNull)
		var e *device.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "Add", e.Op)
		var code device.Code
		require.ErrorAs(t, err, &code)
		require.Equal(t, device.ErrParamInvalid, code)
	}
}

// The codes are CANN's, which programs that read logs go by.
func TestCodes(t *testing.T) {
	for code, text := range map[device.Code]string{
		device.ErrUninitialized:   "100001 ACL_ERROR_UNINITIALIZE",
		device.ErrInvalidDevice:   "107001 ACL_ERROR_RT_INVALID_DEVICEID",
		device.ErrContext:         "107002 ACL_ERROR_RT_CONTEXT_NULL",
		device.ErrStream:          "107003 ACL_ERROR_RT_STREAM_CONTEXT",
		device.ErrParamNull:       "161001 ACLNN_ERR_PARAM_NULLPTR",
		device.ErrParamInvalid:    "161002 ACLNN_ERR_PARAM_INVALID",
		device.ErrUnsupported:     "200001 ACL_ERROR_API_NOT_SUPPORT",
		device.ErrOutOfMemory:     "207001 ACL_ERROR_RT_MEMORY_ALLOCATION",
		device.ErrRuntime:         "361001 ACLNN_ERR_RUNTIME_ERROR",
		device.ErrInternal:        "561000 ACLNN_ERR_INNER",
		device.ErrExecutorInvalid: "561103 ACLNN_ERR_INNER_NULLPTR",
		0:                         "0",
	} {
		require.EqualError(t, code, text)
	}
}
