//go:build !windows

package atomicfile_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	mode := func() fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	defer syscall.Umask(syscall.Umask(0o027))
	require.NoError(t, atomicfile.Write(path, text("")))
	require.Equal(t, fs.FileMode(0o640), mode(), "a new file's are 0666 less the umask")
	require.NoError(t, os.Chmod(path, 0o606))
	require.NoError(t, atomicfile.Write(path, text("")))
	require.Equal(t, fs.FileMode(0o606), mode(), "an existing file's are kept")
}

// What goes wrong with the file names it, and neither the temporary file nor what the code that
// writes makes of it.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, atomicfile.Write(path, text("old")))
	const limit = 1 << 16
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	for name, fill := range map[string]func(io.Writer) error{
		"in fill": func(w io.Writer) error {
			for range 2 * limit / 8 {
				if _, err := io.WriteString(w, "12345678"); err != nil {
					return fmt.Errorf("the eighth part: %w", err)
				}
			}
			return nil
		},
		"unnoticed by fill": func(w io.Writer) error {
			_, _ = w.Write(make([]byte, 2*limit))
			return nil
		},
		"at the end": text(string(make([]byte, limit+1))),
	} {
		less := was
		less.Cur = limit
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less))
		err := atomicfile.Write(path, fill)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
		require.EqualError(t, err, path+" cannot be written: file too large", name)
		require.ErrorIs(t, err, syscall.EFBIG, name)
		requireContent(t, "old", path)
	}

	if os.Getuid() == 0 { // who may write anywhere
		return
	}
	require.NoError(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	for name, err := range map[string]error{"Check": atomicfile.Check(path), "Write": atomicfile.Write(path, text("new"))} {
		require.EqualError(t, err, path+" cannot be written: permission denied", name)
	}
}

func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(t.TempDir(), "target"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))
	require.NoError(t, os.Symlink(target, link))
	require.NoError(t, atomicfile.Check(link))
	require.NoError(t, atomicfile.Write(link, text("new")))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSymlink, info.Mode().Type(), "it is still one")
	requireContent(t, "new", target)
}

// A device or a pipe is not replaced by a file, however it is named.
func TestNotARegularFile(t *testing.T) {
	dir := t.TempDir()
	named := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(named, 0o600))
	fifo, err := os.OpenFile(named, os.O_RDWR, 0) // so that neither end waits for the other
	require.NoError(t, err)
	defer fifo.Close()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(named, link))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	for path, from := range map[string]*os.File{named: fifo, link: fifo, fmt.Sprintf("/dev/fd/%d", w.Fd()): r} {
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s is not there", path)
			continue
		}
		require.NoError(t, atomicfile.Check(path))
		require.NoError(t, atomicfile.Write(path, text("through")))
		got := make([]byte, len("through"))
		_, err = from.Read(got)
		require.NoError(t, err)
		require.Equal(t, "through", string(got))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	for i, mode := range []fs.FileMode{fs.ModeSymlink, fs.ModeNamedPipe} {
		require.Equal(t, mode, entries[i].Type())
	}

	dangling := filepath.Join(dir, "dangling")
	require.NoError(t, os.Symlink(filepath.Join(dir, "nothing"), dangling))
	require.ErrorIs(t, atomicfile.Check(dangling), fs.ErrNotExist)
	require.ErrorIs(t, atomicfile.Write(dangling, text("")), fs.ErrNotExist)
}
