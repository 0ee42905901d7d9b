package device_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// The first thing that is wrong is what the error names.
func TestGuards(t *testing.T) {
	b := newBuffer(64)
	for _, test := range []struct {
		err  error
		want string // empty if nothing is wrong
	}{
		{device.CheckLaunch("Add", "npu", false, true, nil, 0), ""},
		{device.CheckLaunch("Add", "npu", false, true, b, 64), ""},
		{device.CheckLaunch("Add", "npu", true, false, nil, 1), "Add: the executor is closed; plan the operation again (561103 ACLNN_ERR_INNER_NULLPTR)"},
		{device.CheckLaunch("Add", "npu", false, false, nil, 1), "Add: stream: it is not an open stream of npu (107003 ACL_ERROR_RT_STREAM_CONTEXT)"},
		{device.CheckLaunch("Add", "npu", false, true, nil, 1), "Add: workspace: it is missing or smaller than the 1 bytes that WorkspaceSize asks for (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{device.CheckLaunch("Add", "npu", false, true, b, 65), "Add: workspace: it is missing or smaller than the 65 bytes that WorkspaceSize asks for (161001 ACLNN_ERR_PARAM_NULLPTR)"},

		{device.CheckRange("Upload", "dst", b, 0, 64), ""},
		{device.CheckRange("Upload", "dst", b, 64, 0), ""},
		{device.CheckRange("Upload", "dst", nil, 0, 0), "Upload: dst: the buffer is missing (161001 ACLNN_ERR_PARAM_NULLPTR)"},
		{device.CheckRange("Upload", "dst", b, -1, 0), "Upload: dst: 0 bytes at offset -1 reach outside the buffer of 64 bytes (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.CheckRange("Upload", "dst", b, 65, 0), "Upload: dst: 0 bytes at offset 65 reach outside the buffer of 64 bytes (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.CheckRange("Upload", "dst", b, 1, math.MaxInt64), "Upload: dst: 9223372036854775807 bytes at offset 1 reach outside the buffer of 64 bytes (161002 ACLNN_ERR_PARAM_INVALID)"},

		{device.CheckBuffer("Add", "self", "npu", true, false), ""},
		{device.CheckBuffer("Add", "self", "npu", true, true), "Add: self: the buffer has been freed (161002 ACLNN_ERR_PARAM_INVALID)"},
		{device.CheckBuffer("Add", "self", "npu", false, false), "Add: self: the buffer belongs to another device than this npu; allocate it here and upload the data (161002 ACLNN_ERR_PARAM_INVALID)"},
	} {
		if test.want == "" {
			require.NoError(t, test.err)
		} else {
			require.EqualError(t, test.err, test.want)
		}
	}
}
