//go:build linux

package simulator

import (
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A C++ program in the vendor's documented order of calls prints the gradient that the formula gives.
func TestVendorOrder(t *testing.T) {
	eachVariant(t, func(t *testing.T, v *variant) {
		out, errs, err := v.start(t, v.program(t, "vendor_order.cpp"), "")
		require.NoError(t, err, errs)
		require.Equal(t, "-0\n-0.0672354\n-0.0596015\n-0.0355694\n", out)
		require.Empty(t, errs)
	})
}

func TestRuntime(t *testing.T) {
	eachVariant(t, func(t *testing.T, v *variant) {
		report := filepath.Join(t.TempDir(), "leaks")
		out, errs, err := v.start(t, v.program(t, "runtime.c"), "", "REPORT="+report)
		require.NoError(t, err, "%s%s", out, errs)
		require.Empty(t, errs)
		require.NotContains(t, out, "FAIL")

		leaks, err := os.ReadFile(report)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(leaks)), "\n")
		require.ElementsMatch(t, []string{
			"ascendsim: alive at aclFinalize: 9",
			"ascendsim: leaked: context of aclrtSetDevice",
			"ascendsim: leaked: context of aclrtCreateContext",
			"ascendsim: leaked: stream of aclrtCreateStream",
			"ascendsim: leaked: event of aclrtCreateEvent",
			"ascendsim: leaked: tensor FLOAT",
			"ascendsim: leaked: scalar FLOAT",
			"ascendsim: leaked: executor aclnnExp",
			"ascendsim: leaked: device buffer of 16 bytes",
			"ascendsim: leaked: host buffer of 48 bytes",
		}, lines)
	})
}

// The environment sets faults for programs that know nothing of the simulator.
func TestFaultsOfEnvironment(t *testing.T) {
	v := variants[0]
	program := v.program(t, "vendor_order.cpp")
	for _, row := range []struct{ faults, says string }{
		{"malloc=3", "207001"},
		{"plan=1", "561103"},
		{"launch=1", "507015"},
		{"task=1", "507015"},
		{"copy=5", "507899"},
		{"stall=1;lost=1", "507899"},
		{"malloc=0", `"malloc=0", which is no fault`},
		{"nothing", `"nothing", which is no fault`},
		{"launch=x", `"launch=x", which is no fault`},
	} {
		out, errs, err := v.start(t, program, "", "ASCENDSIM_FAULTS="+row.faults)
		require.Error(t, err, row.faults)
		require.Empty(t, out, row.faults)
		require.Contains(t, errs, row.says)
	}
	_, errs, err := v.start(t, program, "", "ASCENDSIM_FAULTS=report=stderr;stall=5;no-repeat;no-bf16")
	require.NoError(t, err)
	require.Equal(t, "ascendsim: alive at aclFinalize: 0\n", errs)
}

// Reading device memory from the host ends a program, as it would on a device or sooner.
func TestHostTouch(t *testing.T) {
	v := variants[0]
	out, _, err := v.start(t, v.program(t, "host_touch.c"), "")
	require.Equal(t, "allocated\n", out)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	status := exit.Sys().(syscall.WaitStatus)
	require.True(t, status.Signaled())
	require.Equal(t, syscall.SIGSEGV, status.Signal())
}

// Each header stands alone, in both languages.
func TestHeaders(t *testing.T) {
	c, cxx := requireCompiler(t)
	dir := t.TempDir()
	require.NoError(t, unpack("include", dir))
	var inC, inCXX []string
	err := fs.WalkDir(sources, "include", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		header := strings.TrimPrefix(name, "include/")
		text := "#include \"" + header + "\"\n#include \"" + header + "\"\nextern int defined;\n"
		base := strings.ReplaceAll(header, "/", "_")
		inC, inCXX = append(inC, base+".c"), append(inCXX, base+".cpp")
		if err := os.WriteFile(filepath.Join(dir, base+".c"), []byte(text), 0o600); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, base+".cpp"), []byte(text), 0o600)
	})
	require.NoError(t, err)
	require.Greater(t, len(inC), 50)
	strict := []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-Iinclude"}
	_, err = c.run(t.Context(), dir, flags([]string{"-std=c11"}, strict, inC)...)
	require.NoError(t, err)
	_, err = cxx.run(t.Context(), dir, flags([]string{"-std=c++17"}, strict, inCXX)...)
	require.NoError(t, err)
}

// The libraries export every function that the headers declare, and nothing else but what they need of each
// other; and each says that it is a simulator.
func TestLibraries(t *testing.T) {
	v := variants[0]
	dir := v.build(t)
	declared := map[string]bool{}
	declaration := regexp.MustCompile(`(?:ACL_FUNC_VISIBILITY|visibility\("default"\)\)\)) [\w ]+?[ *](\w+)\(`)
	err := fs.WalkDir(sources, "include", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sources.ReadFile(name)
		for _, match := range declaration.FindAllSubmatch(text, -1) {
			declared[string(match[1])] = true
		}
		return err
	})
	require.NoError(t, err)

	exported := map[string]bool{}
	for _, l := range libraries {
		path := filepath.Join(dir, "lib", "lib"+l.name+".so")
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(content), "pullback Ascend simulator")

		library, err := elf.Open(path)
		require.NoError(t, err)
		defer library.Close()
		soname, err := library.DynString(elf.DT_SONAME)
		require.NoError(t, err)
		require.Equal(t, []string{"lib" + l.name + ".so"}, soname)
		rpath, err := library.DynString(elf.DT_RPATH)
		require.NoError(t, err)
		require.Equal(t, []string{"$ORIGIN"}, rpath)
		symbols, err := library.DynamicSymbols()
		require.NoError(t, err)
		for _, symbol := range symbols {
			own := symbol.Section != elf.SHN_UNDEF && elf.ST_BIND(symbol.Info) == elf.STB_GLOBAL
			if own && !strings.HasPrefix(symbol.Name, "sim") {
				exported[symbol.Name] = true
			}
		}
	}
	require.Greater(t, len(declared), 240)
	for name := range declared {
		require.True(t, exported[name], "%s is declared and not exported", name)
	}
	for name := range exported {
		require.True(t, declared[name], "%s is exported and not declared", name)
	}
}
