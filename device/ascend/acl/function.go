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
	aclrtSetCurrentContext
	aclrtCreateStream
	aclrtDestroyStream
	aclrtSynchronizeStream
	aclrtMalloc
	aclrtFree
	aclrtMallocHost
	aclrtFreeHost
	aclrtMemcpy
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

// firstOfBase is the first function of libnnopbase.so, firstOptional the first that
// an installation may lack.
const (
	firstOfBase   = aclCreateTensor
	firstOptional = aclSetRepeatable
)

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
	aclrtSetCurrentContext: "aclrtSetCurrentContext",
	aclrtCreateStream:      "aclrtCreateStream",
	aclrtDestroyStream:     "aclrtDestroyStream",
	aclrtSynchronizeStream: "aclrtSynchronizeStream",
	aclrtMalloc:            "aclrtMalloc",
	aclrtFree:              "aclrtFree",
	aclrtMallocHost:        "aclrtMallocHost",
	aclrtFreeHost:          "aclrtFreeHost",
	aclrtMemcpy:            "aclrtMemcpy",
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

// callValues is call without addresses in Go memory. It allocates nothing when it succeeds.
func (l *Library) callValues(f function, args ...uintptr) error {
	return l.status(names[f], callValues(l.address[f], args...))
}
