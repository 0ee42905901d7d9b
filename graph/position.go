package graph

import (
	"fmt"
	"runtime"
	"strings"
)

// position is where a node was made: the call stack, resolved when it is asked for.
type position []uintptr

// here returns the position of the caller outside the framework.
func here() position {
	var pcs [24]uintptr
	return append(position(nil), pcs[:runtime.Callers(2, pcs[:])]...)
}

// module is the import path of the framework; its packages build on users' behalf.
const module = "github.com/pullback-go/pullback/"

// String returns "file:line" of the innermost frame that is not the framework's
// own: a program's, whose functions belong to package main, or a test's.
func (p position) String() string {
	frames := runtime.CallersFrames(p)
	for {
		f, more := frames.Next()
		if f.File != "" && !frameworkFrame(f) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "unknown position"
		}
	}
}

func frameworkFrame(f runtime.Frame) bool {
	return strings.HasPrefix(f.Function, module) && !strings.HasSuffix(f.File, "_test.go") ||
		strings.HasPrefix(f.Function, "runtime.") // of a panic
}
