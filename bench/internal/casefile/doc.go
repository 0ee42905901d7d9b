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
//
// Files are read case by case, so what a case takes of memory is free again when the next one is
// read; how much one may take, and all of them together, is limited.
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

// Case is one case, or all rows of a pointwise file, which are made in one call.
type Case struct {
	Number int // of the case, or of the first row, from 0
	Rows   int // how many cases this is
	Checks []Check
}

// Check is one call and what must come of it. A case may have two, the loss and its gradient of
// the same scores and targets.
type Check struct {
	calls.Call
	Name string

	// Want is what the output must hold; nil if only phase one is asked, which must answer Code.
	Want []reference.Number
	Code device.Code

	// Tolerance is the error to allow in ulp, 0 for the one that the dtype has by default.
	Tolerance float64
}

// What a file may hold.
const (
	MaxBytes         = 256 << 20 // unpacked
	maxCaseBytes     = 32 << 20
	maxRowBytes      = 4 << 10
	maxRows          = 1 << 20 // of a pointwise file
	maxElements      = 1 << 22 // of the tensors of a case, or that they reach over
	maxTotalElements = 1 << 26 // the same, of all cases
)
