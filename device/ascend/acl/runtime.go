package acl

import (
	"errors"
	"unsafe"

	"github.com/pullback-go/pullback/device"
)

const hugeFirst = 0 // ACL_MEM_MALLOC_HUGE_FIRST: huge pages if there are any

// Init initialises CANN for the process. That it was initialised before, by whom ever, is success.
func (l *Library) Init() error {
	err := l.callValues(aclInit, 0)
	if errors.Is(err, repeatInitialize) {
		return nil
	}
	return err
}

// Finalize takes CANN down for the whole process, however often it was initialised. Streams, contexts
// and memory must be gone. A second call without Init in between is error 100037. CANN may take two
// seconds to collect the device's logs; ASCEND_LOG_DEVICE_FLUSH_TIMEOUT=0 spares them.
func (l *Library) Finalize() error { return l.callValues(aclFinalize) }

// SetDevice makes the device's default context current on this thread. Each call needs a ResetDevice.
func (l *Library) SetDevice(id int) error {
	return l.callValues(aclrtSetDevice, uintptr(int32(id)))
}

// ResetDevice gives back what SetDevice took. Streams and contexts of the device must be gone.
func (l *Library) ResetDevice(id int) error {
	return l.callValues(aclrtResetDevice, uintptr(int32(id)))
}

// CreateContext makes a context on a device, and makes it current on this thread.
func (l *Library) CreateContext(id int) (Context, error) {
	var c Context
	err := l.call(aclrtCreateContext, uintptr(unsafe.Pointer(&c)), uintptr(int32(id)))
	return c, err
}

// DestroyContext destroys a context of CreateContext. Its streams must be destroyed before.
func (l *Library) DestroyContext(c Context) error {
	return l.callValues(aclrtDestroyContext, uintptr(c))
}

// CreateStream makes a stream in the current context.
func (l *Library) CreateStream() (Stream, error) {
	var s Stream
	err := l.call(aclrtCreateStream, uintptr(unsafe.Pointer(&s)))
	return s, err
}

// DestroyStream destroys a stream when its work is done.
func (l *Library) DestroyStream(s Stream) error { return l.callValues(aclrtDestroyStream, uintptr(s)) }

// SynchronizeStream waits until all work on the stream is done. Its error may be that of any launch or
// copy since the last call. It allocates nothing when it succeeds.
func (l *Library) SynchronizeStream(s Stream) error {
	return l.callValues(aclrtSynchronizeStream, uintptr(s))
}

// Malloc allocates device memory of size bytes at an address that is a multiple of 64. What is in it is
// undefined. A size of 0 is an error in CANN. Malloc is slow and may wait for the device.
func (l *Library) Malloc(size int64) (Pointer, error) {
	var p Pointer
	if size < 0 { // which C would see as a very large number, and round up past the largest
		return 0, errorf(device.ErrParamInvalid, names[aclrtMalloc], "size", "it is %d bytes, but must be positive", size)
	}
	err := l.call(aclrtMalloc, uintptr(unsafe.Pointer(&p)), uintptr(size), hugeFirst)
	return p, err
}

// Free frees memory of Malloc. No work on any stream may still use it.
func (l *Library) Free(p Pointer) error { return l.callValues(aclrtFree, uintptr(p)) }

// MallocHost allocates pinned host memory, which asynchronous copies need.
func (l *Library) MallocHost(size int64) (Pointer, error) {
	var p Pointer
	if size < 0 {
		return 0, errorf(device.ErrParamInvalid, names[aclrtMallocHost], "size", "it is %d bytes, but must be positive", size)
	}
	err := l.call(aclrtMallocHost, uintptr(unsafe.Pointer(&p)), uintptr(size))
	return p, err
}

// FreeHost frees memory of MallocHost.
func (l *Library) FreeHost(p Pointer) error { return l.callValues(aclrtFreeHost, uintptr(p)) }

// MemcpyAsync puts a copy of count bytes to dst, which has room for destMax, on a stream. Host memory
// must come from MallocHost and stay untouched until the stream is synchronised. It allocates nothing
// when it succeeds.
func (l *Library) MemcpyAsync(dst Pointer, destMax int64, src Pointer, count int64, kind MemcpyKind, s Stream) error {
	return l.callValues(aclrtMemcpyAsync, uintptr(dst), uintptr(destMax), uintptr(src), uintptr(count), uintptr(kind), uintptr(s))
}
