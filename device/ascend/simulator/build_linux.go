package simulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

// Build returns a folder with the headers, in include, and the shared libraries, in lib. It is
// in the user's cache folder, under a name that stands for the sources, the compiler and its flags, and
// is built if it is not there. Concurrent calls, of several processes too, all succeed.
//
// The error is [ErrNoCompiler] if there is no C compiler and nothing that one has built of these sources before. A cache
// folder that someone else owns or may write to is refused.
func Build(ctx context.Context) (dir string, err error) {
	name, err := hashSources(runtime.GOARCH, fmt.Sprint(compileFlags, linkFlags))
	if err != nil {
		return "", err
	}
	name = "ascendsim-" + name + "-"
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("simulator: there is no cache folder to build in; set XDG_CACHE_HOME: %w", err)
	}
	parent := filepath.Join(cache, "pullback")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("simulator: cannot make the cache folder: %w", err)
	}
	if err := trust(parent); err != nil {
		return "", err
	}
	cc, err := findCompiler()
	if err != nil {
		return built(parent, name, err)
	}
	version, err := cc.run(ctx, "", "--version")
	if err != nil {
		return "", err
	}
	dir = filepath.Join(parent, name+hash(strings.Join(cc, " "), version))
	switch err := trust(dir); {
	case err == nil:
		return dir, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}

	fresh, err := os.MkdirTemp(parent, "ascendsim-building-*") // with mode 0700
	if err != nil {
		return "", fmt.Errorf("simulator: cannot build in the cache folder: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := cc.compile(ctx, fresh); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		// Someone else's build has come first, which is as good, or the folder cannot be written to.
		if trust(dir) != nil {
			return "", fmt.Errorf("simulator: cannot keep what was built: %w", err)
		}
	}
	return dir, nil
}

// built returns the first folder in parent whose name begins with prefix, or the error if there is none.
func built(parent, prefix string, none error) (string, error) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", fmt.Errorf("simulator: cannot look for earlier builds: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			dir := filepath.Join(parent, entry.Name())
			return dir, trust(dir)
		}
	}
	return "", none
}

// trust returns nil if dir is a folder whose contents nobody else can have made.
func trust(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("simulator: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("simulator: %s is not a folder; libraries are loaded only from one that nobody else can change", dir)
	case ok && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("simulator: %s belongs to user %d; libraries are loaded only from a folder of one's own: remove it or set XDG_CACHE_HOME", dir, stat.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("simulator: %s can be written by others (mode %v); run chmod go-w on it, or remove it", dir, info.Mode().Perm())
	}
	return nil
}

// WriteTo writes dir/include and dir/lib, for compiling and linking programs. Files that are there
// already are replaced.
func WriteTo(ctx context.Context, dir string) error {
	built, err := Build(ctx)
	if err != nil {
		return err
	}
	return filepath.WalkDir(built, func(from string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(built, from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, relative)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		// Renaming leaves programs that run on the old libraries alone.
		return renameio.WriteFile(to, content, 0o644)
	})
}
