package device_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// A code's thousands say which part of CANN gives it, and so does the beginning of its name.
func TestCodeNames(t *testing.T) {
	named := map[string]device.Code{}
	for code := device.Code(1); code < 700000; code++ {
		_, name, ok := strings.Cut(code.Error(), " ")
		if !ok {
			continue
		}
		require.NotContains(t, named, name)
		named[name] = code
		family := "^ACL_ERROR_[A-Z]+"
		switch code / 1000 % 100 {
		case 7:
			family = "^ACL_ERROR_RT_[A-Z]+"
		case 61:
			family = "^ACLNN_ERR_[A-Z]+"
		}
		require.Regexp(t, regexp.MustCompile(family), name, "%d", code)
	}
	// The codes that people ask about.
	for name, code := range map[string]device.Code{
		"ACL_ERROR_REPEAT_INITIALIZE":              100002,
		"ACL_ERROR_COMPILING_STUB_MODE":            100039,
		"ACL_ERROR_INVALID_OPP_PATH":               148049,
		"ACL_ERROR_RT_NO_DEVICE":                   207004,
		"ACL_ERROR_RT_AICORE_EXCEPTION":            507015,
		"ACL_ERROR_RT_DEV_SETUP_ERROR":             507033,
		"ACL_ERROR_RT_VECTOR_CORE_EXCEPTION":       507035,
		"ACL_ERROR_RT_DRV_INTERNAL_ERROR":          507899,
		"ACLNN_ERR_INNER_FIND_KERNEL_ERROR":        561003,
		"ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND":       561107,
		"ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND": 561112,
		"ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID": 561119,
	} {
		require.Equal(t, code, named[name], name)
	}
}
