//go:build linux && !android && (amd64 || arm64)

package acl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/device/ascend/acl"
)

// fakes are the libraries that the tests are made with, by name: the source file in testdata and the compiler's arguments.
var fakes = map[string][]string{
	"runtime":         {"runtime.c", "-Wl,-soname,libascendcl.so"},
	"runtime stub":    {"runtime.c", "-DSTUB"},
	"runtime lacking": {"runtime.c", "-DLACKING"},
	"runtime old":     {"runtime.c", "-DOLD"},
	"base":            {"base.c", "-Wl,-soname,libnnopbase.so"},
	"log":             {"log.c", "-Wl,-soname,libfakelog.so"},
	"wrap":            {"log.c", "-DWRAP", "-Wl,-soname,libfakewrap.so", "-L.", "-l:log"},
	"base needy":      {"base.c", "-DNEEDY", "-Wl,-soname,libnnopbase.so", "-L.", "-l:wrap"},
	"base old":        {"base.c", "-DOLD"},
	"base lasting":    {"base.c", "-DLASTING"},
	"base lacking":    {"base.c", "-DLACKING"},
	"operators":       {"operators.c"},
	"operators needy": {"operators.c", "-DNEEDY", "-L.", "-l:base"},
}

// fakeDirectory holds the compiled fakes, each in a file of its name.
var fakeDirectory string

// TestMain compiles the fakes, unless the process is one that [loadInChild] started.
func TestMain(m *testing.M) {
	if paths, ok := os.LookupEnv("ACL_TEST_LOAD"); ok {
		child(strings.Split(paths, "|"))
		return
	}
	if _, err := exec.LookPath("cc"); err != nil {
		fmt.Println("acl: no test, because there is no C compiler, cc")
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		return
	}
	var err error
	if fakeDirectory, err = os.MkdirTemp("", "acl"); err != nil {
		panic(err)
	}
	source, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	build := func(name string) {
		args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC", "-o", name, filepath.Join(source, fakes[name][0])}, fakes[name][1:]...)
		cc := exec.Command("cc", args...)
		cc.Dir = fakeDirectory
		if out, err := cc.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%s: %v: %s", name, err, out))
		}
	}
	first := []string{"base", "log", "wrap"} // which others are linked with
	for _, name := range first {
		build(name)
	}
	for name := range fakes {
		if !slices.Contains(first, name) {
			build(name)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(fakeDirectory)
		os.Exit(code)
	}))
}

// install copies fakes to where files says: paths below a new directory, which it returns, and names of
// fakes. "link to PATH" makes a symbolic link; any other name is the text of the file.
func install(t testing.TB, files map[string]string) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for path, name := range files {
		content := []byte(name)
		if fakes[name] != nil {
			content, err = os.ReadFile(filepath.Join(fakeDirectory, name))
			require.NoError(t, err)
		}
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, ok := strings.CutPrefix(name, "link to "); ok {
			require.NoError(t, os.Symlink(target, path))
			continue
		}
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
	return dir
}

// load locks the goroutine to its thread, where the device 0 becomes current, and returns a loaded fake.
func load(t testing.TB) *acl.Library {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	l, err := acl.Load(install(t, map[string]string{"libascendcl.so": "runtime", "libnnopbase.so": "base", "libopapi.so": "operators"}))
	require.NoError(t, err)
	require.NoError(t, l.SetDevice(0))
	return l
}

// function makes the Go function that fptr points to call an exported function of the fake.
func function(t testing.TB, l *acl.Library, name string, fptr any) {
	address, ok := l.Symbol(name)
	require.True(t, ok, name)
	purego.RegisterFunc(fptr, address)
}
