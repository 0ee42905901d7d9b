//go:build !windows

package modelfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	mode := func() fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	defer syscall.Umask(syscall.Umask(0o027))
	require.NoError(t, Write(path, example()))
	require.Equal(t, fs.FileMode(0o640), mode(), "a new file's are 0666 less the umask")
	require.NoError(t, os.Chmod(path, 0o606))
	require.NoError(t, Write(path, example()))
	require.Equal(t, fs.FileMode(0o606), mode(), "an existing file's are kept")
}

func TestNotARegularFile(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.ErrorContains(t, Write(pipe, example()), "not a regular file")
	_, err := Read(pipe, noLimit) // which does not wait for a writer
	require.ErrorContains(t, err, "not a regular file")

	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(target, nil, 0o600))
	require.NoError(t, os.Symlink(target, link))
	require.NoError(t, Write(link, example()))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, info.Mode().Type(), "the link is followed, not replaced")
	_, err = Read(target, noLimit)
	require.NoError(t, err)
}
