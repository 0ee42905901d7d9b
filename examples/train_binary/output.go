package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// output is a file to be written. A regular file is written beside its place and
// moved there when it is whole; anything else, such as a pipe, is written to.
type output struct {
	what string      // for messages
	path string      // without links; empty if no file is wanted
	mode fs.FileMode // of the file to be made, less what the umask takes away
	temp bool
}

// newOutput makes sure that a file can be written to path, so that a path that
// cannot be is known before work begins, and that it is not that of the input.
func newOutput(what, path, input string) (_ *output, err error) {
	o := &output{what: what, path: path, mode: 0o666, temp: true}
	if path == "" {
		return o, nil
	}
	defer func() { err = o.explain(err) }()
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		info, err := os.Stat(resolved)
		if err != nil {
			return nil, err
		}
		if source, err := os.Stat(input); err == nil && os.SameFile(info, source) {
			return nil, errors.New("it is the file of the data")
		}
		if info.IsDir() {
			return nil, errors.New("it is a directory")
		}
		o.path, o.mode, o.temp = resolved, info.Mode().Perm(), info.Mode().IsRegular()
	}
	if !o.temp {
		return o, nil
	}
	f, err := o.create()
	if err != nil {
		return nil, err
	}
	return o, errors.Join(f.Close(), os.Remove(f.Name()))
}

// create makes an empty file of a name of its own beside the output's place.
func (o *output) create() (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("%s.%016x.tmp", o.path, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.mode)
}

// write writes what fill does, if a file is wanted. An error of fill is returned as it is.
func (o *output) write(fill func(io.Writer) error) (err error) {
	if o.path == "" {
		return nil
	}
	var f *os.File
	if o.temp {
		f, err = o.create()
	} else {
		f, err = os.OpenFile(o.path, os.O_WRONLY|os.O_TRUNC, 0)
	}
	if err != nil {
		return o.explain(err)
	}
	failed := fill(f)
	if o.temp && failed == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && failed == nil && o.temp {
		err = os.Rename(f.Name(), o.path)
	}
	if o.temp && (err != nil || failed != nil) {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return errors.Join(failed, o.explain(err))
}

func (o *output) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the %s cannot be written to %s: %w", o.what, o.path, err)
}

// buffered calls fill with a buffer in front of w.
func buffered(w io.Writer, fill func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := fill(b); err != nil {
		return err
	}
	return b.Flush()
}
