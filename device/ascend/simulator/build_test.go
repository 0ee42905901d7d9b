//go:build linux

package simulator

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeCompiler makes CC a script that writes empty files, and the cache an empty folder, whose path it returns.
// Every run of it leaves a line in the folder's file runs.
func fakeCompiler(t *testing.T, body string) (cache string) {
	t.Helper()
	cache = t.TempDir()
	script := filepath.Join(t.TempDir(), "cc")
	text := "#!/bin/sh\necho run >>" + filepath.Join(cache, "runs") + "\n" + body + `
case "$*" in *--version*) echo fake 1.0; exit;; esac
while [ $# -gt 1 ]; do [ "$1" = -o ] && : >"$2"; shift; done
`
	require.NoError(t, os.WriteFile(script, []byte(text), 0o700))
	t.Setenv("CC", script)
	t.Setenv("XDG_CACHE_HOME", cache)
	return cache
}

func runs(t *testing.T, cache string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(cache, "runs"))
	require.NoError(t, err)
	return len(content) / len("run\n")
}

func TestBuildOnce(t *testing.T) {
	cache := fakeCompiler(t, "")
	dir, err := Build(t.Context())
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "lib", "libopapi.so"))
	require.FileExists(t, filepath.Join(dir, "include", "acl", "acl.h"))
	require.NoDirExists(t, filepath.Join(dir, "csrc"))
	built := runs(t, cache)
	again, err := Build(t.Context())
	require.NoError(t, err)
	require.Equal(t, dir, again)
	require.Equal(t, built+1, runs(t, cache), "only the version is asked for again")

	to := filepath.Join(t.TempDir(), "sdk")
	for range 2 { // files that are there are replaced
		require.NoError(t, WriteTo(t.Context(), to))
	}
	require.FileExists(t, filepath.Join(to, "lib", "libascendcl.so"))
	require.FileExists(t, filepath.Join(to, "include", "aclnnop", "aclnn_add.h"))
}

// What is built already needs no compiler.
func TestBuildWithoutCompiler(t *testing.T) {
	cache := fakeCompiler(t, "")
	dir, err := Build(t.Context())
	require.NoError(t, err)
	t.Setenv("CC", "/nonexistent/cc")
	again, err := Build(t.Context())
	require.NoError(t, err)
	require.Equal(t, dir, again)
	require.NoError(t, os.Chmod(dir, 0o722))
	_, err = Build(t.Context())
	require.ErrorContains(t, err, "can be written by others")

	// Another version's build is not one of these sources.
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, os.Rename(dir, filepath.Join(cache, "pullback", "ascendsim-0123456789abcdef-0123456789abcdef")))
	_, err = Build(t.Context())
	require.ErrorIs(t, err, ErrNoCompiler)
}

func TestConcurrentBuilds(t *testing.T) {
	cache := fakeCompiler(t, "")
	var wg sync.WaitGroup
	dirs, errs := make([]string, 6), make([]error, 6)
	for i := range dirs {
		wg.Go(func() { dirs[i], errs[i] = Build(context.Background()) })
	}
	wg.Wait()
	for i := range dirs {
		require.NoError(t, errs[i])
		require.Equal(t, dirs[0], dirs[i])
	}
	entries, err := os.ReadDir(filepath.Join(cache, "pullback"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "losers clean up")
}

func TestBuildFailures(t *testing.T) {
	t.Run("no compiler", func(t *testing.T) {
		t.Setenv("CC", "/nonexistent/cc -m64")
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		_, err := Build(t.Context())
		require.ErrorIs(t, err, ErrNoCompiler)
		require.ErrorIs(t, WriteTo(t.Context(), t.TempDir()), ErrNoCompiler)
	})
	t.Run("broken compiler", func(t *testing.T) {
		cache := fakeCompiler(t, `case "$*" in *event.c*) echo "event.c: no room in the margin" >&2; exit 1;; esac`)
		_, err := Build(t.Context())
		require.ErrorContains(t, err, "no room in the margin")
		entries, err := os.ReadDir(filepath.Join(cache, "pullback"))
		require.NoError(t, err)
		require.Empty(t, entries)
	})
	t.Run("cancelled", func(t *testing.T) {
		fakeCompiler(t, "")
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		cancel(cause)
		_, err := Build(ctx)
		require.ErrorIs(t, err, cause)
	})
}

// Libraries are loaded only from a folder that nobody else can have written to.
func TestBuildDistrusts(t *testing.T) {
	for _, where := range []string{"parent", "folder"} {
		for _, how := range []string{"writable", "symlink", "file", "foreign"} {
			t.Run(where+" "+how, func(t *testing.T) {
				if how == "foreign" && os.Geteuid() != 0 {
					t.Skip("only root can give a folder away")
				}
				cache := fakeCompiler(t, "")
				dir, err := Build(t.Context())
				require.NoError(t, err)
				if where == "parent" {
					dir = filepath.Join(cache, "pullback")
				}
				switch how {
				case "writable":
					require.NoError(t, os.Chmod(dir, 0o722))
				case "symlink":
					require.NoError(t, os.Rename(dir, dir+"-moved"))
					require.NoError(t, os.Symlink(dir+"-moved", dir))
				case "file":
					require.NoError(t, os.RemoveAll(dir))
					require.NoError(t, os.WriteFile(dir, nil, 0o600))
				case "foreign":
					require.NoError(t, os.Chown(dir, 12345, 12345))
				}
				_, err = Build(t.Context())
				require.ErrorContains(t, err, strconv.Quote(dir)[1:len(strconv.Quote(dir))-1])
			})
		}
	}
}
