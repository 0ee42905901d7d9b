package acl

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"

	"github.com/pullback-go/pullback/device"
)

// Library is an installation of CANN, loaded into the process for good.
type Library struct {
	path    string    // of the run-time library; a name without a directory if the dynamic loader found it
	handles []uintptr // the run-time, libnnopbase.so, then the operators
	address [functions]uintptr

	recentErrMsg func() string // aclGetRecentErrMsg, or "" where that is missing
	socName      func() string // aclrtGetSocName, likewise

	mu        sync.Mutex
	operators map[string]*Operator
}

// Load opens CANN's libraries. path is the directory that holds them, an installation's root, or
// libascendcl.so or libacl_rt.so itself. If path is empty, Load looks into
//
//   - $ASCEND_HOME_PATH and $ASCEND_TOOLKIT_HOME,
//   - cann, ascend-toolkit/latest and latest in /usr/local/Ascend and in $HOME/Ascend,
//
// and at last asks the dynamic loader, which knows LD_LIBRARY_PATH. The libraries of a root are in
// lib64, <arch>-linux/lib64 or lib. The first installation that works is taken, and of it
//
//   - libacl_rt.so, or else libascendcl.so;
//   - libnnopbase.so;
//   - libopapi_math.so and libopapi_nn.so, or else libopapi.so, or else libaclnn_math.so,
//     libaclnn_ops_infer.so and libaclnn_ops_train.so; never two of these sets, whose symbols clash.
//
// What a library needs is looked for beside it and in the driver's directories first, so that
// LD_LIBRARY_PATH need not be set. CANN finds its kernels by ASCEND_OPP_PATH: where that or
// ASCEND_HOME_PATH is not set, Load sets it to the installation that it has loaded.
//
// A process can use one installation, since the dynamic loader links the libraries of a second one to
// those of the first; Load refuses where that would happen. The same one may be loaded again.
//
// An error says what was tried, why it failed and what to set. Its code is 100003 if there is no
// installation, 100039 if it is a stub, and [device.ErrUnsupported] if it lacks a function or if this
// platform cannot run CANN. Nothing that was loaded is unloaded, not even on failure, since CANN does
// not survive that.
func Load(path string) (*Library, error) {
	if !supported {
		return nil, errorf(device.ErrUnsupported, "Load", "",
			"CANN runs on linux/amd64 and linux/arm64, so it is not supported here, on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	// The message of a failed dlopen belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	loaded.Lock()
	defer loaded.Unlock()
	return search(path)
}

// Symbol returns the address of an exported function of the installation.
func (l *Library) Symbol(name string) (uintptr, bool) {
	for _, handle := range l.handles {
		if address := lookup(handle, name); address != 0 {
			return address, true
		}
	}
	return 0, false
}

// missing is the error for a function that the installation does not have.
func (l *Library) missing(name string) *device.Error {
	return errorf(device.ErrUnsupported, name, "", "it is not in the installed CANN version, library %s", l.path)
}

// resolve looks up the functions from one to before another, all of which are in the library of the handle.
func (l *Library) resolve(handle uintptr, from, to function) *device.Error {
	for f := from; f < to; f++ {
		l.address[f] = lookup(handle, names[f])
		if l.address[f] == 0 && !optional[f] {
			return errorf(device.ErrUnsupported, names[f], "", "the library lacks this function, so it is not CANN's or of a version too old")
		}
	}
	return nil
}

// start readies the run-time library. It calls a function that needs no device, because a stub gives
// itself away by nothing but the status that it returns.
func (l *Library) start(path string, handle uintptr) *device.Error {
	if err := l.resolve(handle, aclInit, firstOfBase); err != nil {
		return err
	}
	l.path, l.handles = path, append(l.handles, handle)
	for f, text := range map[function]*func() string{aclGetRecentErrMsg: &l.recentErrMsg, aclrtGetSocName: &l.socName} {
		*text = func() string { return "" }
		if address := l.address[f]; address != 0 {
			bind(text, address)
		}
	}
	var version [3]int32 // of AscendCL, which is not that of CANN
	err := l.call(aclrtGetVersion, uintptr(unsafe.Pointer(&version[0])), uintptr(unsafe.Pointer(&version[1])), uintptr(unsafe.Pointer(&version[2])))
	var e *device.Error
	if errors.As(err, &e) && e.Code == errStub {
		return e
	}
	return nil
}
