package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// replace puts what fill writes in place of the file at path. Windows has no way to sync
// a folder.
func replace(path string, fill func(w io.Writer) error) (err error) {
	pending, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(pending.Name()))
		}
	}()
	if err := errors.Join(fill(pending), pending.Sync(), pending.Close()); err != nil {
		return err
	}
	return os.Rename(pending.Name(), path)
}
