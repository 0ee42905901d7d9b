//go:build linux

package simulator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, v := range variants {
		os.RemoveAll(v.dir)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

// skipOrFail ends a test that needs a tool which is not there: a failure where CI=true.
func skipOrFail(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// requireCompiler returns the C compiler, and as C++'s the one of the same family or $CXX.
func requireCompiler(t *testing.T) (c, cxx compiler) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the simulator needs Linux")
	}
	c, err := findCompiler()
	if err != nil {
		skipOrFail(t, "%v", err)
	}
	cxx = strings.Fields(os.Getenv("CXX"))
	if len(cxx) == 0 {
		cxx = compiler{"c++"}
		if strings.Contains(filepath.Base(c[0]), "clang") {
			cxx = compiler{"clang++"}
		}
	}
	if _, err := exec.LookPath(cxx[0]); err != nil {
		skipOrFail(t, "there is no C++ compiler %s", cxx[0])
	}
	return c, cxx
}

// variant is a build of the libraries and of the programs that test them.
type variant struct {
	name  string
	flags []string
	once  sync.Once
	dir   string
	err   error
}

var variants = []*variant{
	{name: "plain", flags: []string{"-Wall", "-Wextra", "-Werror", "-pedantic"}},
	{name: "address and undefined", flags: []string{"-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}},
	{name: "thread", flags: []string{"-O1", "-g", "-fsanitize=thread"}},
}

// build returns the variant's folder, built once for all tests. It skips a sanitizer that the
// compiler does not have or that does not run here.
func (v *variant) build(t *testing.T) string {
	t.Helper()
	c, _ := requireCompiler(t)
	v.once.Do(func() {
		if v.dir, v.err = os.MkdirTemp("", "ascendsim-test-*"); v.err != nil {
			return
		}
		probe := filepath.Join(v.dir, "probe.c")
		if v.err = os.WriteFile(probe, []byte("int main(void) { return 0; }\n"), 0o600); v.err != nil {
			return
		}
		if _, v.err = c.run(context.Background(), v.dir, slices.Concat(v.flags, []string{probe, "-o", "probe"})...); v.err != nil {
			return
		}
		if v.err = exec.Command(filepath.Join(v.dir, "probe")).Run(); v.err != nil {
			v.err = fmt.Errorf("the probe of a sanitizer does not run: %w", v.err)
			return
		}
		v.err = c.compile(context.Background(), v.dir, v.flags...)
	})
	if v.err != nil && v.name != "plain" && strings.Contains(v.err.Error(), "probe") {
		skipOrFail(t, "%s cannot be sanitized here: %v", v.name, v.err)
	}
	require.NoError(t, v.err)
	return v.dir
}

// program compiles a program of testdata against the variant's headers and libraries.
func (v *variant) program(t *testing.T, source string) string {
	t.Helper()
	dir := v.build(t)
	cc, cxx := requireCompiler(t)
	language := []string{"-std=c11", "-D_GNU_SOURCE"}
	if strings.HasSuffix(source, ".cpp") {
		cc, language = cxx, []string{"-std=c++17"}
	}
	source, err := filepath.Abs(filepath.Join("testdata", source))
	require.NoError(t, err)
	binary := filepath.Join(t.TempDir(), "program")
	_, err = cc.run(t.Context(), dir, slices.Concat(v.flags, language, []string{"-Wall", "-Wextra", "-Werror", "-Iinclude", source, "-o", binary,
		"-pthread", "-Llib", "-lascendcl", "-lnnopbase", "-lopapi", "-lacl_op_compiler", "-lm"})...)
	require.NoError(t, err)
	return binary
}

// start runs a program on the variant's libraries and returns what it printed.
func (v *variant) start(t *testing.T, binary, stdin string, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), append([]string{"LD_LIBRARY_PATH=" + filepath.Join(v.dir, "lib")}, env...)...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// eachVariant runs a test on every build.
func eachVariant(t *testing.T, test func(t *testing.T, v *variant)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) { test(t, v) })
	}
}
