package acl

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/pullback-go/pullback/device"
)

// Names of libraries, in the order in which they are tried.
var (
	runtimeLibraries  = []string{"libacl_rt.so", "libascendcl.so"}
	baseLibrary       = "libnnopbase.so"
	operatorLibraries = [][]string{ // nn calls into math
		{"libopapi_math.so", "libopapi_nn.so"},
		{"libopapi.so"},
		{"libaclnn_math.so", "libaclnn_ops_infer.so", "libaclnn_ops_train.so"},
	}
)

// driverDirectories hold libraries of the driver, which is installed apart from CANN.
var driverDirectories = []string{
	"/usr/local/Ascend/driver/lib64",
	"/usr/local/Ascend/driver/lib64/common",
	"/usr/local/Ascend/driver/lib64/driver",
}

// libraryDirectories returns where the libraries may be below an installation's root.
func libraryDirectories() []string {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	return []string{".", "lib64", machine + "-linux/lib64", "lib"}
}

// search finds and loads an installation.
func search(path string) (*Library, error) {
	var roots, tried []string
	if path != "" {
		roots = []string{path}
	} else {
		for _, variable := range []string{"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"} {
			if root := os.Getenv(variable); root != "" {
				roots = append(roots, root)
			} else {
				tried = append(tried, "$"+variable+" is not set")
			}
		}
		parents := []string{"/usr/local/Ascend"}
		if home, err := os.UserHomeDir(); err == nil {
			parents = append(parents, filepath.Join(home, "Ascend"))
		}
		for _, parent := range parents {
			for _, name := range []string{"cann", "ascend-toolkit/latest", "latest"} {
				roots = append(roots, filepath.Join(parent, name))
			}
		}
	}

	code := errInvalidFile
	note := func(where string, err *device.Error) {
		if code == errInvalidFile {
			code = err.Code
		}
		tried = append(tried, where+": "+strings.TrimSuffix(err.Error(), fmt.Sprintf(" (%v)", err.Code)))
	}
	for _, root := range slices.Compact(roots) {
		installations, err := installationsAt(root)
		if err != nil {
			note(root, err)
		}
		for _, i := range installations {
			l, err := i.load()
			if err == nil {
				i.setEnvironment()
				return l, nil
			}
			note(i.directory, err)
		}
	}
	if path == "" {
		l, err := (&installation{runtimes: runtimeLibraries}).load()
		if err == nil {
			return l, nil
		}
		note("the dynamic loader's path", err)
	}
	if path != "" {
		return nil, errorf(code, "Load", path, "there is no CANN that works; name the root of an installation, or the directory of its libascendcl.so; tried: %s",
			strings.Join(tried, "; "))
	}
	return nil, errorf(code, "Load", path, "no CANN was found that works, so source the set_env.sh of the installation, set ASCEND_HOME_PATH to its root, "+
		"or name the directory of libascendcl.so; tried: %s", strings.Join(tried, "; "))
}

// An installation is a directory that holds CANN's libraries.
type installation struct {
	directory string   // absolute; empty for wherever the dynamic loader looks
	runtimes  []string // names to try for the run-time library
}

// loaded has the path from which a library of a name was opened first: the one that the dynamic loader takes
// when another library needs one of that name. It knows nothing of libraries that the loader itself found. The
// mutex is held while libraries are opened.
var loaded = struct {
	sync.Mutex
	paths map[string]string
}{paths: map[string]string{}}

// installationsAt returns the installations in a root, or in the directory of a library.
func installationsAt(root string) ([]*installation, *device.Error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, errorf(errInvalidFile, "", "", "%v", err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, errorf(errInvalidFile, "", "", "there is no such directory")
	}
	if !info.IsDir() {
		return []*installation{{directory: filepath.Dir(root), runtimes: []string{filepath.Base(root)}}}, nil
	}
	var found []*installation
	for _, sub := range libraryDirectories() {
		i := &installation{directory: filepath.Join(root, sub)}
		for _, name := range runtimeLibraries {
			if isFile(filepath.Join(i.directory, name)) {
				i.runtimes = append(i.runtimes, name)
			}
		}
		if i.runtimes != nil {
			found = append(found, i)
		}
	}
	if found == nil {
		return nil, errorf(errInvalidFile, "", "", "neither it nor %s in it has %s",
			strings.Join(libraryDirectories()[1:], ", "), strings.Join(runtimeLibraries, " or "))
	}
	return found, nil
}

// load opens the libraries and looks up the functions.
func (i *installation) load() (*Library, *device.Error) {
	var l *Library
	var err *device.Error
	for _, name := range i.runtimes {
		var handle uintptr
		l = &Library{operators: map[string]*Operator{}}
		if handle, err = i.open(name); err == nil {
			err = in(name, l.start(filepath.Join(i.directory, name), handle))
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}

	base, err := i.open(baseLibrary)
	if err == nil {
		err = in(baseLibrary, l.resolve(base, firstOfBase, functions))
	}
	if err != nil {
		return nil, err
	}
	l.handles = append(l.handles, base)
	operators, err := i.openOperators()
	if err != nil {
		return nil, err
	}
	l.handles = append(l.handles, operators...)
	return l, nil
}

// in adds a library's name to an error.
func in(library string, err *device.Error) *device.Error {
	if err != nil {
		err.Arg = library
	}
	return err
}

// openOperators opens the first set of operator libraries that is complete.
func (i *installation) openOperators() ([]uintptr, *device.Error) {
	for _, set := range operatorLibraries {
		if !i.has(set) {
			continue
		}
		var handles []uintptr
		for _, name := range set {
			handle, err := i.open(name)
			if err != nil {
				return nil, err
			}
			handles = append(handles, handle)
		}
		return handles, nil
	}
	var sets []string
	for _, set := range operatorLibraries {
		sets = append(sets, strings.Join(set, " with "))
	}
	return nil, errorf(errInvalidFile, "", "", "there is no library of operators: %s", strings.Join(sets, ", or "))
}

// has says whether all of the libraries are there. The dynamic loader only tells by
// loading, so it is asked for the first.
func (i *installation) has(set []string) bool {
	if i.directory == "" {
		_, err := open(set[0])
		return err == nil
	}
	return !slices.ContainsFunc(set, func(name string) bool { return !isFile(filepath.Join(i.directory, name)) })
}

// open opens a library of the installation.
func (i *installation) open(name string) (uintptr, *device.Error) {
	path := filepath.Join(i.directory, name)
	if i.directory != "" {
		if err := i.openNeeded(path); err != nil {
			return 0, err
		}
	}
	handle, err := open(path)
	if err != nil {
		return 0, errorf(errInvalidFile, "dlopen", name, "%s", strings.TrimPrefix(oneLine(err.Error()), path+": "))
	}
	if _, ok := loaded.paths[name]; !ok && i.directory != "" {
		loaded.paths[name] = path
	}
	return handle, nil
}

// openNeeded opens what a library needs, and what that needs, from the installation and the driver.
// The dynamic loader looks for a needed library only along LD_LIBRARY_PATH, as it was when the
// program began, and in the system's directories; but one that is loaded already it takes, going by
// the name alone. What is not found here, or cannot be opened, is left to the loader, whose message
// then names it.
func (i *installation) openNeeded(path string) *device.Error {
	file, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	if err != nil {
		return nil
	}
	for _, name := range needed {
		for _, directory := range append([]string{i.directory}, driverDirectories...) {
			dependency := filepath.Join(directory, name)
			if !isFile(dependency) {
				continue
			}
			if other, ok := loaded.paths[name]; ok {
				if !sameFile(other, dependency) {
					return errorf(errInvalidFile, "dlopen", filepath.Base(path),
						"it needs %s, for which the process has already loaded %s; a process can use one installation of CANN only", name, other)
				}
				break
			}
			loaded.paths[name] = dependency
			if err := i.openNeeded(dependency); err != nil {
				return err
			}
			if _, err := open(dependency); err != nil {
				delete(loaded.paths, name)
			}
			break
		}
	}
	return nil
}

// setEnvironment sets the variables by which CANN finds its kernels, if they are not set.
func (i *installation) setEnvironment() {
	for _, up := range []string{"..", "../.."} { // from lib64 and from <arch>-linux/lib64
		root := filepath.Join(i.directory, up)
		opp := filepath.Join(root, "opp")
		if info, err := os.Stat(opp); err != nil || !info.IsDir() {
			continue
		}
		for name, value := range map[string]string{"ASCEND_HOME_PATH": root, "ASCEND_OPP_PATH": opp} {
			if os.Getenv(name) == "" {
				_ = os.Setenv(name, value) // fails for malformed names only
			}
		}
		return
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// sameFile says whether two paths lead to one file: installations are full of links.
func sameFile(a, b string) bool {
	left, err := os.Stat(a)
	if err != nil {
		return false
	}
	right, err := os.Stat(b)
	return err == nil && os.SameFile(left, right)
}
