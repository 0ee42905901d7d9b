//go:build !linux || android || (!amd64 && !arm64)

package acl

import "errors"

// supported says whether this platform can call C. Where it cannot, Load returns an error
// and so there is no Library to call the functions below with.
const supported = false

var errNotSupported = errors.New("not supported")

func open(string) (uintptr, error)           { return 0, errNotSupported }
func lookup(uintptr, string) uintptr         { return 0 }
func call(uintptr, ...uintptr) uintptr       { return 0 }
func callValues(uintptr, ...uintptr) uintptr { return 0 }
func bind(any, uintptr)                      {}
