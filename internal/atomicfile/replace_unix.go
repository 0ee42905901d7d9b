//go:build !windows

package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// replace puts what fill writes in place of the file at path.
func replace(path string, fill func(w io.Writer) error) error {
	folder := filepath.Dir(path)
	pending, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(folder), renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer pending.Cleanup()
	if err := fill(pending); err != nil {
		return err
	}
	if err := pending.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes sure that a rename is on disk. Some file systems cannot, and say EINVAL
// or ENOTSUP.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
