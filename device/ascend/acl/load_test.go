//go:build linux && !android && (amd64 || arm64)

package acl_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/acl"
)

var machine = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]

// small is a whole installation in one directory; with other files it makes up those of the tests.
func small(dir string, more ...string) map[string]string {
	files := map[string]string{dir + "/libascendcl.so": "runtime", dir + "/libnnopbase.so": "base", dir + "/libopapi.so": "operators"}
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

// Each row loads in a process of its own, because libraries stay loaded. DIR stands for
// the directory of the files.
func TestLoad(t *testing.T) {
	arch := "/" + machine + "-linux/lib64"
	const single = "libascendcl.so libnnopbase.so libopapi.so"
	for name, test := range map[string]struct {
		files map[string]string
		env   []string
		paths []string // what to load, one after the other
		want  string   // the last one's path, the libraries in the process and the variables that changed
	}{
		"a directory": {files: small("x"), paths: []string{"DIR/x"}, want: "DIR/x/libascendcl.so: " + single},
		"a file": {
			files: small("x"),
			paths: []string{"DIR/x/libascendcl.so"},
			want:  "DIR/x/libascendcl.so: " + single,
		},
		"a root": {
			files: small("x/lib64"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/lib64/libascendcl.so: " + single,
		},
		"a root by architecture": {
			files: small("x" + arch),
			paths: []string{"DIR/x"},
			want:  "DIR/x" + arch + "/libascendcl.so: " + single,
		},
		"a root with lib": {
			files: small("x/lib"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/lib/libascendcl.so: " + single,
		},
		"a relative path": {files: small("x"), paths: []string{"x"}, want: "DIR/x/libascendcl.so: " + single},
		"twice": {
			files: small("x"),
			paths: []string{"DIR/x", "DIR/x"},
			want:  "DIR/x/libascendcl.so: " + single,
		},
		"ASCEND_HOME_PATH": {
			files: small("x/lib64"),
			env:   []string{"ASCEND_HOME_PATH=DIR/x"},
			want:  "DIR/x/lib64/libascendcl.so: " + single,
		},
		"ASCEND_TOOLKIT_HOME": {
			files: small("x/lib64"),
			env:   []string{"ASCEND_TOOLKIT_HOME=DIR/x"},
			want:  "DIR/x/lib64/libascendcl.so: " + single,
		},
		"HOME before the loader": {
			files: small("Ascend/cann/lib64", "y/libascendcl.so", "runtime"),
			env:   []string{"LD_LIBRARY_PATH=DIR/y"},
			want:  "DIR/Ascend/cann/lib64/libascendcl.so: " + single,
		},
		"HOME, layout of CANN 8": {
			files: small("Ascend/ascend-toolkit/latest/lib64"),
			want:  "DIR/Ascend/ascend-toolkit/latest/lib64/libascendcl.so: " + single,
		},
		"the loader's path": {
			files: small("x"),
			env:   []string{"LD_LIBRARY_PATH=DIR/x"},
			want:  "libascendcl.so: " + single,
		},
		"the loader's path, split": {
			files: small("x", "x/libopapi_math.so", "operators", "x/libopapi_nn.so", "operators", "x/libacl_rt.so", "runtime"),
			env:   []string{"LD_LIBRARY_PATH=DIR/x"},
			want:  "libacl_rt.so: libacl_rt.so libnnopbase.so libopapi_math.so libopapi_nn.so",
		},
		"HOME_PATH comes first": {
			files: small("x/lib64", "y/lib64/libascendcl.so", "runtime"),
			env:   []string{"ASCEND_HOME_PATH=DIR/x", "ASCEND_TOOLKIT_HOME=DIR/y"},
			want:  "DIR/x/lib64/libascendcl.so: " + single,
		},
		"HOME_PATH has nothing": {
			files: small("x/lib64", "y/lib64/libother.so", "runtime"),
			env:   []string{"ASCEND_HOME_PATH=DIR/y", "ASCEND_TOOLKIT_HOME=DIR/x"},
			want:  "DIR/x/lib64/libascendcl.so: " + single,
		},
		"split before single": {
			files: small("x", "x/libopapi_math.so", "operators", "x/libopapi_nn.so", "operators", "x/libacl_rt.so", "runtime"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/libacl_rt.so: libacl_rt.so libnnopbase.so libopapi_math.so libopapi_nn.so",
		},
		"split but incomplete": {
			files: small("x", "x/libopapi_math.so", "operators"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/libascendcl.so: " + single,
		},
		"the run-time is a part": {
			files: small("x", "x/libacl_rt.so", "runtime lacking"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/libascendcl.so: libacl_rt.so " + single,
		},
		"after a stub": {
			files: small("x/lib64", "y/lib64/libascendcl.so", "runtime stub"),
			env:   []string{"ASCEND_HOME_PATH=DIR/y", "ASCEND_TOOLKIT_HOME=DIR/x"},
			want:  "DIR/x/lib64/libascendcl.so: " + single + " libascendcl.so",
		},
		"needed libraries": {
			files: small("x", "x/libopapi.so", "operators needy", "x/libnnopbase.so", "base needy", "x/libfakewrap.so", "wrap", "x/libfakelog.so", "log"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/libascendcl.so: libascendcl.so libfakelog.so libfakewrap.so libnnopbase.so libopapi.so",
		},
		"twice, by a link": {
			files: small("x/lib64", "x/lib64/libopapi.so", "operators needy", "y", "link to x"),
			paths: []string{"DIR/x", "DIR/y"},
			want:  "DIR/y/lib64/libascendcl.so: " + single,
		},
		"two that do not clash": {
			files: small("x", "y/libascendcl.so", "runtime", "y/libnnopbase.so", "base", "y/libopapi.so", "operators"),
			paths: []string{"DIR/x", "DIR/y"},
			want:  "DIR/y/libascendcl.so: " + single + " " + single,
		},
		"other names of libopapi": {
			files: map[string]string{"libascendcl.so": "runtime", "libnnopbase.so": "base", "libaclnn_math.so": "operators", "libaclnn_ops_infer.so": "operators", "libaclnn_ops_train.so": "operators"},
			paths: []string{"DIR"},
			want:  "DIR/libascendcl.so: libaclnn_math.so libaclnn_ops_infer.so libaclnn_ops_train.so libascendcl.so libnnopbase.so",
		},
		"an old libnnopbase": {
			files: small("x", "x/libnnopbase.so", "base old"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/libascendcl.so: " + single,
		},
		"an old run-time": {
			files: small("x", "x/libascendcl.so", "runtime old"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/libascendcl.so: " + single,
		},
		"a file of any name": {
			files: small("x", "x/libascendcl.so.1", "runtime"),
			paths: []string{"DIR/x/libascendcl.so.1"},
			want:  "DIR/x/libascendcl.so.1: libascendcl.so.1 libnnopbase.so libopapi.so",
		},
		"variables that are not set": {
			files: small("x/lib64", "x/opp/version.info", "1"),
			paths: []string{"DIR/x"},
			want:  "DIR/x/lib64/libascendcl.so: " + single + " ASCEND_HOME_PATH=DIR/x ASCEND_OPP_PATH=DIR/x/opp",
		},
		"variables by architecture": {
			files: small("x"+arch, "x/opp/version.info", "1"),
			paths: []string{"DIR/x"},
			want:  "DIR/x" + arch + "/libascendcl.so: " + single + " ASCEND_HOME_PATH=DIR/x ASCEND_OPP_PATH=DIR/x/opp",
		},
		"variables that are set": {
			files: small("x/lib64", "x/opp/version.info", "1"),
			env:   []string{"ASCEND_HOME_PATH=DIR/x", "ASCEND_OPP_PATH=/mine"},
			want:  "DIR/x/lib64/libascendcl.so: " + single,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := loadInChild(t, test.files, test.env, test.paths)
			require.Equal(t, test.want, got)
		})
	}
}

func TestLoadError(t *testing.T) {
	none := map[string]string{"x/README": "text"}
	for name, test := range map[string]struct {
		files map[string]string
		env   []string
		paths []string
		code  device.Code
		want  []string // parts of the message
	}{
		"nothing": {files: none, code: 100003, want: []string{"$ASCEND_HOME_PATH is not set", "$ASCEND_TOOLKIT_HOME is not set", "/usr/local/Ascend/cann: there is no such directory",
			"/usr/local/Ascend/ascend-toolkit/latest: ", "DIR/Ascend/cann: ", "the dynamic loader's path: ", "libascendcl.so", "No such file", "set_env.sh"}},
		"the variable has nothing": {
			files: none,
			env:   []string{"ASCEND_HOME_PATH=DIR/x"},
			code:  100003,
			want:  []string{"DIR/x: neither it nor lib64", "has libacl_rt.so or libascendcl.so", "$ASCEND_TOOLKIT_HOME is not set"},
		},
		"no directory": {
			files: none,
			paths: []string{"DIR/y"},
			code:  100003,
			want:  []string{"Load: DIR/y: ", "there is no such directory"},
		},
		"not a library": {
			files: small("x", "x/libascendcl.so", "text"),
			paths: []string{"DIR/x"},
			code:  100003,
			want:  []string{"dlopen: libascendcl.so: file too short"},
		},
		"a function is missing": {
			files: small("x", "x/libascendcl.so", "runtime lacking"),
			paths: []string{"DIR/x"},
			code:  device.ErrUnsupported,
			want:  []string{"DIR/x: aclrtMemcpyAsync: libascendcl.so: the library lacks this function"},
		},
		"a function of libnnopbase": {files: small("x", "x/libnnopbase.so", "base lacking"), paths: []string{"DIR/x"}, code: device.ErrUnsupported,
			want: []string{"aclCreateIntArray: libnnopbase.so: the library lacks this function"}},
		"no libnnopbase": {
			files: map[string]string{"libascendcl.so": "runtime", "libopapi.so": "operators"},
			paths: []string{"DIR"},
			code:  100003,
			want:  []string{"dlopen: libnnopbase.so: cannot open"},
		},
		"no operators": {
			files: map[string]string{"libascendcl.so": "runtime", "libnnopbase.so": "base"},
			paths: []string{"DIR"},
			code:  100003,
			want:  []string{"there is no library of operators: libopapi_math.so with libopapi_nn.so, or libopapi.so, or "},
		},
		"a stub": {
			files: small("x", "x/libascendcl.so", "runtime stub"),
			paths: []string{"DIR/x"},
			code:  100039,
			want:  []string{"aclrtGetVersion: libascendcl.so: ", "devlib", "ACL_ERROR_COMPILING_STUB_MODE"},
		},
		"a stub for all": {
			files: small("x", "x/libascendcl.so", "runtime stub"),
			env:   []string{"LD_LIBRARY_PATH=DIR/x"},
			code:  100039,
			want:  []string{"the dynamic loader's path: aclrtGetVersion: libascendcl.so: ", "devlib"},
		},
		"a library needed": {
			files: small("x", "x/libnnopbase.so", "base needy", "x/libfakewrap.so", "wrap"),
			paths: []string{"DIR/x"},
			code:  100003,
			want:  []string{"dlopen: libnnopbase.so: libfakewrap.so: cannot open shared object file"},
		},
		"two that clash": {
			files: small("x", "y/libascendcl.so", "runtime", "y/libnnopbase.so", "base", "y/libopapi.so", "operators needy"),
			paths: []string{"DIR/x", "DIR/y"},
			code:  100003, want: []string{"libopapi.so: it needs libnnopbase.so, for which the process has already loaded DIR/x/libnnopbase.so; a process can use one installation"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := loadInChild(t, test.files, test.env, test.paths)
			require.True(t, strings.HasPrefix(got, fmt.Sprintf("error %d: ", int32(test.code))), got)
			require.NotContains(t, got, "\n")
			for _, want := range test.want {
				require.Contains(t, got, want)
			}
		})
	}
}

// loadInChild installs files and loads from paths in a new process, where HOME is the installation's directory too.
func loadInChild(t *testing.T, files map[string]string, env, paths []string) string {
	if _, err := os.Stat("/usr/local/Ascend"); err == nil && paths == nil {
		t.Skip("this machine has an installation of CANN, which may be found")
	}
	dir := install(t, files)
	expand := strings.NewReplacer("DIR", dir)
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0", "HOME=" + dir, "ACL_TEST_LOAD=" + expand.Replace(strings.Join(paths, "|"))}
	for _, variable := range env {
		cmd.Env = append(cmd.Env, expand.Replace(variable))
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	return strings.ReplaceAll(strings.TrimSpace(string(out)), dir, "DIR")
}

// child loads from each path and prints what came of the last.
func child(paths []string) {
	variables := map[string]string{"ASCEND_HOME_PATH": os.Getenv("ASCEND_HOME_PATH"), "ASCEND_OPP_PATH": os.Getenv("ASCEND_OPP_PATH")}
	var l *acl.Library
	var err error
	for _, path := range paths {
		l, err = acl.Load(path)
	}
	var e *device.Error
	if errors.As(err, &e) {
		fmt.Printf("error %d: %v\n", int32(e.Code), err)
		return
	}
	mapped, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	libraries := regexp.MustCompile(`/\S*/lib(acl|ascend|fake|nnop|opapi)\S+`).FindAllString(string(mapped), -1)
	slices.Sort(libraries) // by their paths
	libraries = slices.Compact(libraries)
	for i, path := range libraries {
		libraries[i] = filepath.Base(path)
	}
	fmt.Printf("%s: %s", l.Path(), strings.Join(libraries, " "))
	var getenv func(string) string // of C, which is where CANN looks
	address, _ := l.Symbol("fakeGetenv")
	purego.RegisterFunc(&getenv, address)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if value := getenv(name); value != variables[name] {
			fmt.Printf(" %s=%s", name, value)
		}
	}
	if _, err := purego.Dlsym(purego.RTLD_DEFAULT, "fakeGetenv"); err == nil {
		fmt.Print(" which are open to all")
	}
	fmt.Println()
}
