//go:build !linux || android || (!amd64 && !arm64)

package acl_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

func TestLoadIsNotSupported(t *testing.T) {
	_, err := acl.Load("")
	require.ErrorIs(t, err, device.ErrUnsupported)
	require.ErrorContains(t, err, "not supported here, on "+runtime.GOOS+"/"+runtime.GOARCH)
}
