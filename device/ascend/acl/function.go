package acl

// function is a C function of the run-time that the package calls, by its index in Library.address.
type function int

// The functions, by the library that has them: up to aclGetRecentErrMsg libacl_rt.so or libascendcl.so,
// from aclCreateTensor libnnopbase.so.
const (
	aclInit function = iota
	aclFinalize
	aclrtGetVersion
	aclrtGetSocName
	aclrtGetDeviceCount
	aclrtSetDevice
	aclrtResetDevice
	aclrtCreateContext
	aclrtDestroyContext
	aclrtCreateStream
	aclrtDestroyStream
	aclrtSynchronizeStream
	aclrtMalloc
	aclrtFree
	aclrtMallocHost
	aclrtFreeHost
	aclrtMemcpyAsync
	aclrtGetMemInfo
	aclGetRecentErrMsg

	aclCreateTensor
	aclDestroyTensor
	aclCreateScalar
	aclDestroyScalar
	aclCreateIntArray
	aclDestroyIntArray
	aclSetRepeatable
	aclDestroyExecutor

	functions = iota
)

// firstOfBase is the first function of libnnopbase.so.
const firstOfBase = aclCreateTensor

// optional are the functions that an installation may lack.
var optional = map[function]bool{
	aclrtGetSocName:     true,
	aclrtGetDeviceCount: true,
	aclrtGetMemInfo:     true,
	aclGetRecentErrMsg:  true,
	aclSetRepeatable:    true,
	aclDestroyExecutor:  true,
}

var names = [functions]string{
	aclInit:                "aclInit",
	aclFinalize:            "aclFinalize",
	aclrtGetVersion:        "aclrtGetVersion",
	aclrtGetSocName:        "aclrtGetSocName",
	aclrtGetDeviceCount:    "aclrtGetDeviceCount",
	aclrtSetDevice:         "aclrtSetDevice",
	aclrtResetDevice:       "aclrtResetDevice",
	aclrtCreateContext:     "aclrtCreateContext",
	aclrtDestroyContext:    "aclrtDestroyContext",
	aclrtCreateStream:      "aclrtCreateStream",
	aclrtDestroyStream:     "aclrtDestroyStream",
	aclrtSynchronizeStream: "aclrtSynchronizeStream",
	aclrtMalloc:            "aclrtMalloc",
	aclrtFree:              "aclrtFree",
	aclrtMallocHost:        "aclrtMallocHost",
	aclrtFreeHost:          "aclrtFreeHost",
	aclrtMemcpyAsync:       "aclrtMemcpyAsync",
	aclrtGetMemInfo:        "aclrtGetMemInfo",
	aclGetRecentErrMsg:     "aclGetRecentErrMsg",
	aclCreateTensor:        "aclCreateTensor",
	aclDestroyTensor:       "aclDestroyTensor",
	aclCreateScalar:        "aclCreateScalar",
	aclDestroyScalar:       "aclDestroyScalar",
	aclCreateIntArray:      "aclCreateIntArray",
	aclDestroyIntArray:     "aclDestroyIntArray",
	aclSetRepeatable:       "aclSetAclOpExecutorRepeatable",
	aclDestroyExecutor:     "aclDestroyAclOpExecutor",
}

// call calls a function that returns a status, and turns a status other than 0 into an error. Addresses
// in Go memory must be converted in the call itself.
//
//go:uintptrescapes
func (l *Library) call(f function, args ...uintptr) error {
	return l.status(names[f], call(l.address[f], args...))
}

// callValues is call without addresses in Go memory, of a function that may be missing. It allocates
// nothing when it succeeds.
func (l *Library) callValues(f function, args ...uintptr) error {
	if l.address[f] == 0 {
		return l.missing(names[f])
	}
	return l.status(names[f], callValues(l.address[f], args...))
}
