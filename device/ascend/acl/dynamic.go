//go:build linux && !android && (amd64 || arm64)

package acl

import (
	"sync"

	"github.com/ebitengine/purego"
)

// supported says whether this platform can call C.
const supported = true

// open opens a shared library for good. Its symbols stay its own: published to the whole process,
// they would take the place of equally named ones in libraries that are opened later.
func open(path string) (handle uintptr, err error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// lookup returns the address of a symbol of a library or of one that it depends on; 0 if there is none.
func lookup(handle uintptr, name string) uintptr {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return address
}

// call calls a C function of integer and pointer arguments and returns its integer result.
// Go memory whose address is converted in the call itself stays where it is until the call returns.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(fn, args...)
	return result
}

// blocks are arguments of calls on their way to C.
var blocks = sync.Pool{New: func() any { return new([8]uintptr) }}

// callValues is call for at most 8 arguments none of which is an address in Go memory. It allocates
// nothing, whereas the rule that keeps such memory in its place puts the arguments of call on the heap.
func callValues(fn uintptr, args ...uintptr) uintptr {
	block := blocks.Get().(*[8]uintptr)
	result, _, _ := purego.SyscallN(fn, block[:copy(block[:], args)]...)
	blocks.Put(block)
	return result
}

// bind makes the Go function that fptr points to call the C function fn.
func bind(fptr any, fn uintptr) { purego.RegisterFunc(fptr, fn) }
