// Package atomicfile writes files as a whole or not at all. What is written lies in a temporary
// file beside its place, named as it with a dot in front and digits at the end, until it is whole and on disk;
// then that is renamed. So whenever the program or the machine stops, the path names the
// old file or the new one.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes what fill does to the file at path. A new file gets the permissions 0666 less the umask,
// one that is there keeps its own. A symbolic link is followed. What is not a regular file, such as a pipe, is
// written to as it is. An error of fill's own is returned unchanged; what goes wrong with the file, in
// fill or after it, gives an error that names the path.
func Write(path string, fill func(io.Writer) error) error {
	var failed error
	err := write(path, func(w io.Writer) error {
		file := &recorder{Writer: w}
		b := bufio.NewWriter(file)
		err := fill(b)
		switch {
		case file.err != nil: // which fill may have put in words of its own
			return file.err
		case err != nil:
			failed = err
			return err
		}
		return b.Flush()
	})
	if failed != nil {
		return failed
	}
	return explain(path, err)
}

// recorder keeps the error of the writer, which tells it from those of the code that writes.
type recorder struct {
	io.Writer
	err error
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	r.err = err
	return n, err
}

// Check returns an error if a file at path cannot be written, so that this is known before there is
// something to write.
func Check(path string) error {
	target, regular, err := resolve(path)
	if err == nil && regular {
		var f *os.File
		if f, err = os.CreateTemp(filepath.Dir(target), ".*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	return explain(path, err)
}

func write(path string, fill func(io.Writer) error) error {
	target, regular, err := resolve(path)
	if err != nil {
		return err
	}
	if regular {
		return replace(target, fill)
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// resolve follows links, and reports whether what is there is a regular file or may become one.
func resolve(path string) (target string, regular bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return "", false, errors.New("it is a directory")
	case err == nil && !info.Mode().IsRegular():
		return path, false, nil
	case err == nil:
		target, err = filepath.EvalSymlinks(path)
		return target, true, err
	}
	if _, there := os.Lstat(path); there == nil {
		return "", false, err // a link to nothing
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return "", false, fmt.Errorf("there is no directory %s", folder)
	}
	return path, true, nil
}

// explain says that the file cannot be written, and why, without the name of the temporary file.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	if at := new(fs.PathError); errors.As(err, &at) {
		err = at.Err
	} else if at := new(os.LinkError); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}
