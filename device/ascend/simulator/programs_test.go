//go:build linux

package simulator

import (
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
		require.Equal(t, "ascendsim: warning: aclnnExp: phase one was on another thread; CANN keeps state between the phases for each thread\n", errs)
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

// A configuration file must hold a JSON object; what is in it does not matter.
func TestConfiguration(t *testing.T) {
	v := variants[0]
	program := v.program(t, "config.c")
	path := filepath.Join(t.TempDir(), "acl.json")
	run := func(path, starts string) {
		t.Helper()
		out, errs, err := v.start(t, program, "", "CONFIG="+path)
		require.NoError(t, err, errs)
		require.Empty(t, errs)
		require.True(t, strings.HasPrefix(out, starts), "%s: %s", path, out)
	}
	run(path, "100003 ")
	run(t.TempDir(), "100003 ")
	for text, starts := range map[string]string{
		"{}": "0 ",
		" \n{ \"dump\" : {\"list\":[1,-0.5e+3, 20, true,false,null, {}, [ ]], \"mode\":\"all \\u00e9\\n\"}}\n": "0 ",
		"":                                      "100006 ",
		"{ not":                                 "100006 ",
		"[]":                                    "100006 ",
		"{}{}":                                  "100006 ",
		"{\"a\"}":                               "100006 ",
		"{\"a\":}":                              "100006 ",
		"{\"a\":1,}":                            "100006 ",
		"{\"a\":01}":                            "100006 ",
		"{\"a\":1.}":                            "100006 ",
		"{\"a\":-}":                             "100006 ",
		"{\"a\":1e}":                            "100006 ",
		"{\"a\":\"":                             "100006 ",
		"{\"a\":\"\\x\"}":                       "100006 ",
		"{\"a\":\"\\u12\"}":                     "100006 ",
		"{\"a\":\"\n\"}":                        "100006 ",
		"{\"a\":tru}":                           "100006 ",
		"{\"a\":[1 2]}":                         "100006 ",
		"{\"a\":" + strings.Repeat("[", 100000): "100006 ",
		"{\"a\":\"" + strings.Repeat("x", 10000) + "\"}": "0 ",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		run(path, starts)
	}
}

// What a device would log, or might not take, is said on standard error, and done.
func TestWarnings(t *testing.T) {
	eachVariant(t, func(t *testing.T, v *variant) {
		out, errs, err := v.start(t, v.program(t, "warnings.c"), "")
		require.NoError(t, err, out)
		require.Empty(t, out)
		require.Equal(t, "ascendsim: warning: aclnnSoftMarginLossBackward: gradOutput has the format FRACTAL_NZ; it is read as ND\n"+
			"ascendsim: warning: aclnnInplaceRelu: phase one was on another thread; CANN keeps state between the phases for each thread\n", errs)
	})
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

// Status codes have the vendor's names and numbers: in C++ all of them where a constant is needed, in C
// those of the run-time.
func TestStatusCodes(t *testing.T) {
	c, cxx := requireCompiler(t)
	dir := t.TempDir()
	require.NoError(t, unpack("include", dir))
	var inC, inCXX strings.Builder
	inC.WriteString("#include \"acl/acl.h\"\nconst char *name(int code)\n{\n    switch (code) {\n")
	inCXX.WriteString("#include \"acl/acl.h\"\n")
	for name, code := range map[string]int{
		"NONE": 0, "INVALID_PARAM": 100000, "UNINITIALIZE": 100001, "REPEAT_INITIALIZE": 100002, "INVALID_FILE": 100003, "WRITE_FILE": 100004,
		"PARSE_FILE": 100006, "INVALID_PROFILING_CONFIG": 100010, "INVALID_MODEL_ID": 100011, "MODEL_NOT_DYNAMIC": 100019, "OP_TYPE_NOT_MATCH": 100020,
		"OP_NOT_FOUND": 100024, "OP_LOAD_FAILED": 100025, "UNSUPPORTED_DATA_TYPE": 100026, "FORMAT_NOT_MATCH": 100027, "KERNEL_NOT_FOUND": 100029,
		"INVALID_QUEUE_ID": 100032, "WAIT_CALLBACK_TIMEOUT": 100036, "REPEAT_FINALIZE": 100037, "COMPILING_STUB_MODE": 100039,
		"PROF_REPEAT_SUBSCRIBE": 148046, "INVALID_OPP_PATH": 148049, "UNSUPPORTED_JPEG": 148052, "INVALID_BUNDLE_MODEL_ID": 148053,
		"BAD_ALLOC": 200000, "API_NOT_SUPPORT": 200001, "FEATURE_UNSUPPORTED": 200006, "STORAGE_OVER_LIMIT": 300000, "INTERNAL_ERROR": 500000,
		"PROFILING_FAILURE": 500005,
		"RT_PARAM_INVALID":  107000, "RT_CONTEXT_NULL": 107002, "RT_STREAM_CONTEXT": 107003, "RT_ADDR_UNALIGNED": 107008, "RT_INVALID_MEMORY_TYPE": 107016,
		"RT_INVALID_HANDLE": 107017, "RT_SYSPARAMOPT_NOT_SET": 107021, "RT_DEVICE_TASK_ABORT": 107022, "RT_FEATURE_NOT_SUPPORT": 207000,
		"RT_MEMORY_ALLOCATION": 207001, "RT_NO_STREAM_RESOURCE": 207008, "RT_REPEATED_INIT": 207015, "RT_AIVEC_OVER_FLOW": 207016, "RT_OVER_FLOW": 207017,
		"RT_DEVIDE_OOM": 207018, "RT_INTERNAL_ERROR": 507000, "RT_SOC_VERSION": 507008, "RT_AICORE_EXCEPTION": 507015, "RT_AICPU_EXCEPTION": 507018,
		"RT_DEV_SETUP_ERROR": 507033, "RT_VECTOR_CORE_EXCEPTION": 507035, "RT_STREAM_SYNC_TIMEOUT": 507046, "RT_EVENT_SYNC_TIMEOUT": 507047,
		"RT_DEVICE_MEM_ERROR": 507053, "RT_DRV_INTERNAL_ERROR": 507899, "RT_SOCKET_CLOSE": 507901,
	} {
		fmt.Fprintf(&inCXX, "static_assert(ACL_ERROR_%s == %d, \"\");\n", name, code)
		if strings.HasPrefix(name, "RT_") {
			fmt.Fprintf(&inC, "    case ACL_ERROR_%s: return \"%d\";\n", name, code)
		}
	}
	inCXX.WriteString("static_assert(ACL_SUCCESS == 0 && ACL_RT_SUCCESS == 0 && ACL_MAJOR_VERSION == 1 && ACL_MINOR_VERSION >= 10, \"\");\nconst int *address = &ACL_SUCCESS;\n")
	inC.WriteString("    default: return code == ACL_SUCCESS ? \"\" : 0;\n    }\n}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "codes.c"), []byte(inC.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "codes.cpp"), []byte(inCXX.String()), 0o600))
	strict := []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-Iinclude"}
	_, err := c.run(t.Context(), dir, slices.Concat([]string{"-std=c11"}, strict, []string{"codes.c"})...)
	require.NoError(t, err)
	_, err = cxx.run(t.Context(), dir, slices.Concat([]string{"-std=c++17"}, strict, []string{"codes.cpp"})...)
	require.NoError(t, err)
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
	_, err = c.run(t.Context(), dir, slices.Concat([]string{"-std=c11"}, strict, inC)...)
	require.NoError(t, err)
	_, err = cxx.run(t.Context(), dir, slices.Concat([]string{"-std=c++17"}, strict, inCXX)...)
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
