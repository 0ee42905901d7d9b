//go:build !windows

package modelfile

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNotARegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.ErrorContains(t, Write(pipe, example()), "not a regular file")
	_, err := Read(pipe, noLimit) // which does not wait for a writer
	require.ErrorContains(t, err, "not a regular file")
}
