// Package measure takes the time of device operations so that two devices, or two
// runs, can be compared.
//
// What is measured is a [Point]: an operation with its dtype, reduction, layout and
// size. Every point is visited in several rounds that are spread over the whole run, and within a
// round the devices take turns, so that a machine which is busy for a while takes
// its toll of all of them alike. Each visit allocates anew, launches until
// caches and clocks have settled, and then takes samples: as many launches as fill a
// length the clock can tell, with the synchronisation that ends them. On Linux the
// time in which the launching thread was ready to run and other programs had the processors is
// taken off, and samples that were disturbed so are left out as long as enough others are left.
//
// Inputs are random numbers from tables of some 2^18, too many for a branch or
// value predictor to learn, and small tensors come in several copies with different
// contents that are used in turn. Tensors that together do not fit into half of
// the last cache are used in turn until they do not fit into twice of it, so that they come from
// memory every time.
package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pullback-go/pullback/device"
)

// The operations that can be measured.
const (
	Forward   = "softmarginloss_forward"
	Backward  = "softmarginloss_backward"
	Both      = "softmarginloss_both"
	MatMul    = "matmul"
	Linear    = "linear"
	ReLU      = "relu"
	Sum       = "sum"
	AdamW     = "adamw"
	Upload    = "upload"
	Download  = "download"
	TrainStep = "train_step"
)

// Ops lists the operations in the order of the table.
var Ops = []string{Forward, Backward, Both, MatMul, Linear, ReLU, Sum, AdamW, Upload, Download, TrainStep}

// Layouts lists the layouts of an operation's first input; the others are contiguous.
var Layouts = []string{"contiguous", "strided", "transposed", "broadcast"}

// Point is what is measured.
type Point struct {
	Op        string
	DType     device.DType
	Reduction string // "none", "mean" or "sum", of a loss; else empty
	Layout    string // the widths of the network, as "30-64-32-1", for train_step
	N         int    // elements, or rows for train_step
}

// HasReduction reports whether points of the operation have a reduction.
func HasReduction(op string) bool { return op == Forward || op == Backward || op == Both }

// HasLayout reports whether the operation can be measured in layouts other than the contiguous one.
func HasLayout(op string) bool {
	return !slices.Contains([]string{AdamW, Upload, Download, TrainStep}, op)
}

// width is the number of columns of a linear layer's input, weight and output.
const width = 256

// shape returns the rows and columns of n elements: a matrix as nearly square as it can be, with no more rows than
// columns; or of a matrix product no more columns than rows, which keeps the weight as small as the product.
func (p Point) shape() (rows, columns int) {
	if p.Op == Linear {
		return p.N / width, width
	}
	for r := 1; r*r <= p.N; r++ {
		if p.N%r == 0 {
			rows = r
		}
	}
	if p.Op == MatMul {
		return p.N / rows, rows
	}
	return rows, p.N / rows
}

// Check returns why the point cannot be measured, if it cannot.
func (p Point) Check() error {
	if p.Op == TrainStep {
		if _, err := p.Network(); err != nil {
			return err
		}
	}
	rows, columns := p.shape()
	switch {
	case p.memory() > maxMemory:
		return fmt.Errorf("%s of %d in %s takes more than the %d GiB of memory that a measurement may", p.Op, p.N, p.DType, maxMemory>>30)
	case p.Op == TrainStep:
		return nil
	case p.Op == Linear && p.N%width != 0:
		return fmt.Errorf("linear of %d elements: it must be a multiple of the %d columns", p.N, width)
	case (p.Layout == "transposed" || p.Layout == "broadcast") && (rows < 2 || columns < 2):
		return fmt.Errorf("%s of %d elements, %s: they do not make a matrix of more than one row and column", p.Op, p.N, p.Layout)
	}
	return nil
}

// Network returns the widths of a train_step's layers.
func (p Point) Network() ([]int, error) {
	var sizes []int
	for _, s := range strings.Split(p.Layout, "-") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 1<<14 {
			return nil, fmt.Errorf("the network %q is not a list of widths such as 30-64-32-1", p.Layout)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) < 2 || sizes[len(sizes)-1] != 1 {
		return nil, fmt.Errorf("the network %q does not end in the one score of a binary classifier, as 30-64-32-1 does", p.Layout)
	}
	return sizes, nil
}

// reduction returns the device's number of the point's reduction.
func (p Point) reduction() device.Reduction {
	switch p.Reduction {
	case "mean":
		return device.Mean
	case "sum":
		return device.Sum
	}
	return device.None
}
