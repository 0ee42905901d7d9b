package acl

import "unsafe"

// Handles of objects that live in C. The zero value is none, C's NULL. A handle is valid with the
// [Library] that it came from, until it is destroyed; C checks neither.
type (
	Tensor   uintptr // aclTensor *: a strided view of device memory
	Scalar   uintptr // aclScalar *: a number in host memory
	IntArray uintptr // aclIntArray *: integers in host memory, such as the axes of a reduction
	Executor uintptr // aclOpExecutor *: what phase one makes and phase two runs
	Stream   uintptr // aclrtStream: a queue of work; 0 is the default stream of the context
	Context  uintptr // aclrtContext: what belongs to one user of a device
	Pointer  uintptr // void *: device memory, or pinned host memory
)

// Bytes returns the first n bytes of pinned host memory as a slice. p must come from
// [Library.MallocHost]; the slice must not be used after FreeHost. Device memory is not readable.
func (p Pointer) Bytes(n int64) []byte {
	// The address is C's, so the garbage collector has no part in it. Reading it through a
	// pointer is how such an address becomes one.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n)
}

// DataType is an element type, numbered as aclDataType.
type DataType int32

// Data types that operators are called with here; CANN has more.
const (
	Float    DataType = 0
	Float16  DataType = 1
	Bool     DataType = 12
	BFloat16 DataType = 27
)

// MemcpyKind is the direction of a copy, numbered as aclrtMemcpyKind.
type MemcpyKind int32

// Directions of a copy.
const (
	HostToDevice MemcpyKind = 1
	DeviceToHost MemcpyKind = 2
)
