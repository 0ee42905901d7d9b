package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/internal/atomicfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text writes a text.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func requireContent(t *testing.T, want, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(data))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, atomicfile.Check(path))
	require.NoFileExists(t, path)
	for _, s := range []string{"longer", "new", ""} {
		require.NoError(t, atomicfile.Write(path, text(s)))
		requireContent(t, s, path)
	}
}

// What was there stays when the new content fails half-way.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	failure := errors.New("no more")
	require.NoError(t, atomicfile.Write(path, text("old")))
	require.Equal(t, failure, atomicfile.Write(path, func(w io.Writer) error {
		require.NoError(t, text("half")(w))
		return failure
	}))
	requireContent(t, "old", path)
	require.NoError(t, atomicfile.Check(path))
	requireContent(t, "old", path)
}

func TestPlacesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for path, reason := range map[string]string{
		dir:                              "it is a directory",
		filepath.Join(dir, "no", "file"): "there is no directory " + filepath.Join(dir, "no"),
	} {
		want := path + " cannot be written: " + reason
		require.EqualError(t, atomicfile.Check(path), want)
		require.EqualError(t, atomicfile.Write(path, text("")), want)
	}
}
