package cpu

import "unsafe"

// cacheLine is the alignment of buffers in bytes.
const cacheLine = 64

// element is a type that memory can be seen as. None of them holds pointers.
type element interface {
	uint16 | float32 | float64
}

// align cuts up to cacheLine-1 bytes off the front of mem, so that it starts at a
// multiple of cacheLine. The Go heap does not move what is on it.
func align(mem []byte) []byte {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return mem[-address&(cacheLine-1):]
}

// typed returns mem as elements of type E, leaving out bytes at the end that do
// not make one up.
//
// This is the package's one cast of memory. It is sound because mem starts at an
// address that is a multiple of E's size (buffers and scratch start at cache lines,
// and are only cut at multiples of 8 bytes), because every bit pattern is a valid E,
// and because the result keeps mem alive as any slice does.
func typed[E element](mem []byte) []E {
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/int(unsafe.Sizeof(e)))
}
