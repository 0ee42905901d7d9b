// Package casefile reads and writes files of recorded calls. There are three
// formats, all JSON and perhaps compressed with gzip, told apart by their content.
// Numbers are IEEE 754 bits in hexadecimal, so that no decimal rounding comes in.
//
// pointwise: single elements of the soft margin loss without reduction,
//
//	{"dtype": "float32", "rows": [[self, target, loss, gradient], …]}
//
// tensors: whole calls, a list of
//
//	{"self": T, "target": T, "gradOutput": T, "reduction": 0, "loss": E, "gradInput": E}
//
// for the loss, its gradient or both (what is not expected may be left out), and, for
// any operation that has a float64 reference,
//
//	{"op": "MatMul", "attributes": {"TransposeSelf": true}, "inputs": [T, …], "output": E}
//
// T is {"dtype", "shape", "bits"} with the storage in order, and "strides" and "offset" in
// elements unless it is contiguous. E is {"dtype", "shape", "float64"} with the
// exact elements; it may have strides and an offset too, the layout of the output, and "scale", the magnitudes
// whose units in the last place the error is counted in.
//
// status: types alone, with the code that phase one returns, null for a missing argument:
//
//	{"name": "rank 9", "op": "backward", "gradOutput": T, "self": T, "target": T, "output": T, "reduction": 0, "code": 161002}
package casefile

import (
	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
)

// The formats.
const (
	Pointwise = "pointwise"
	Tensors   = "tensors"
	Status    = "aclnn_status"
)

// File is what a file holds.
type File struct {
	Format string
	Cases  int
	Checks []Check // some cases have two, the loss and its gradient
}

// Check is one call and what must come of it.
type Check struct {
	calls.Call
	Name string
	Case int // counted from 0

	// PerElement is set where element i is a case of its own, number Case+i.
	PerElement bool

	// Want is what the output must hold; nil if only phase one is asked, which must answer Code.
	Want []reference.Number
	Code device.Code

	// Tolerance is the error to allow in ulp, 0 for the one that the dtype has by default.
	Tolerance float64
}

// maxElements is how many elements a tensor in a file may have or reach over.
const maxElements = 1 << 22
