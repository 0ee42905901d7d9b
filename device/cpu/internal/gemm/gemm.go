package gemm

import (
	"fmt"
	"math"
)

// Available reports whether this CPU has what the package needs: AVX2 and FMA.
// Without it there are no plans.
func Available() bool { return len(available()) > 0 }

// Activation is applied to the elements of a product before they are stored.
type Activation int

const (
	Identity Activation = iota
	ReLU                // max(x, 0), and NaN where x is NaN
)

// floor returns the smallest value that the activation gives: both of them are max(floor, x).
func (a Activation) floor() float32 {
	if a == ReLU {
		return 0
	}
	return float32(math.Inf(-1))
}

// Product describes C = activation(A·B + bias), where A is M by K and B is K by N.
// Strides count elements and are not negative: A[i,l] lies at i·ARow + l·ACol, B[l,j] at
// l·BRow + j·BCol and C[i,j] at i·CRow + j. A transposed matrix is one with its
// strides exchanged, and a stride of 0 repeats a row or column.
type Product struct {
	M, K, N    int
	ARow, ACol int
	BRow, BCol int
	CRow       int // not less than N
	Activation Activation
}

// Plan is a planned product. Running does not change it, so it may be run any number
// of times, and at the same time with different workspaces.
type Plan struct {
	kernels   *kernels
	m, k, n   int
	a, b      operand
	cRow      int
	floor     float32
	swapped   bool // A, B and C are here what is Bᵀ, Aᵀ and Cᵀ to the caller
	workspace int

	// The rows or columns of C are shared out in parts.
	shareColumns bool
	partSize     int
}

// NewPlan plans a product. Its sizes and strides must not reach beyond what an int
// can count. It returns nil if the package is not [Available].
func NewPlan(product Product) *Plan {
	k := available()
	if len(k) == 0 {
		return nil
	}
	return newPlan(product, k[len(k)-1])
}

func newPlan(x Product, kernels *kernels) *Plan {
	// A stride along which there is one element, or none, means nothing. It
	// becomes what suits the kernels.
	if x.M <= 1 {
		x.ARow = x.K
	}
	if x.K <= 1 {
		x.ACol, x.BRow = 1, x.N
	}
	if x.N <= 1 {
		x.BCol = 1
	}
	p := &Plan{kernels: kernels, cRow: x.CRow, floor: x.Activation.floor()}
	if x.N == 1 && x.CRow == 1 && x.M > 1 {
		p.swapped = true // one row times a matrix: a vector holds elements of C, not one of them
		x.M, x.N = x.N, x.M
		x.ARow, x.ACol, x.BRow, x.BCol = x.BCol, x.BRow, x.ACol, x.ARow
		p.cRow = 1
	}
	p.m, p.k, p.n = x.M, x.K, x.N
	p.a = operand{k: x.K, n: x.M, along: x.ACol, across: x.ARow}
	p.b = operand{k: x.K, n: x.N, along: x.BRow, across: x.BCol}
	p.share()
	p.usePanels(p.worthPacking())
	return p
}

// share decides what parts C falls into.
func (p *Plan) share() {
	columns := p.columnsPerCall()
	p.partSize = p.kernels.rows
	if p.shareColumns = ceil(p.n, columns) > ceil(p.m, p.kernels.rows); p.shareColumns {
		p.partSize = columns
	}
}

// Workspace returns how many float32s of workspace a run of the plan needs.
func (p *Plan) Workspace() int { return p.workspace }

// PackParts returns how many parts the work of Pack falls into. It may be 0.
func (p *Plan) PackParts() int { return p.a.panels() + p.b.panels() }

// Parts returns how many parts the work of Multiply falls into, each of them some
// rows or columns of C.
func (p *Plan) Parts() int {
	if p.m == 0 || p.n == 0 {
		return 0
	}
	if p.shareColumns {
		return ceil(p.n, p.partSize)
	}
	return ceil(p.m, p.partSize)
}

// Pack does the parts of packing from lo up to, but not including, hi. A and b start at
// the first elements of A and B.
func (p *Plan) Pack(a, b, workspace []float32, lo, hi int) {
	if lo >= hi {
		return
	}
	if p.swapped {
		a, b = b, a
	}
	p.checkOperands(a, b, workspace)
	for i := lo; i < hi; i++ {
		if j := i - p.a.panels(); j < 0 {
			p.a.pack(p.kernels, a, workspace, i)
		} else {
			p.b.pack(p.kernels, b, workspace, j)
		}
	}
}

// Multiply does the parts of the product from lo up to, but not including, hi. Every
// part of Pack must be done before. The slices start at the first elements of A, B
// and C, which must not share memory; bias holds N elements, or is nil. Parts can be
// done at the same time, and no element of C depends on how they are shared out.
func (p *Plan) Multiply(c, a, b, bias, workspace []float32, lo, hi int) {
	if lo >= hi {
		return
	}
	if p.swapped {
		a, b = b, a
	}
	r := rectangle{0, p.m, 0, p.n}
	if p.shareColumns {
		r.j0, r.j1 = lo*p.partSize, min(hi*p.partSize, p.n)
	} else {
		r.i0, r.i1 = lo*p.partSize, min(hi*p.partSize, p.m)
	}
	p.checkLengths(c, a, b, bias, workspace)
	s := p.start(c, bias, r)
	if p.k == 0 {
		p.clampStart(c, s, r)
	} else {
		p.multiplyTiles(c, a, b, workspace, s, r)
	}
}

// checkLengths panics if a slice is too short: assembly does not look.
func (p *Plan) checkLengths(c, a, b, bias, workspace []float32) {
	need("C", c, (p.m-1)*p.cRow+p.n)
	p.checkOperands(a, b, workspace)
	switch {
	case bias == nil:
	case p.swapped:
		need("the bias", bias, p.m)
	default:
		need("the bias", bias, p.n)
	}
}

func (p *Plan) checkOperands(a, b, workspace []float32) {
	need("A", a, p.a.length())
	need("B", b, p.b.length())
	need("the workspace", workspace, p.workspace)
}

func need(name string, data []float32, length int) {
	if len(data) < length {
		panic(fmt.Sprintf("gemm: %s has %d elements where the plan needs %d", name, len(data), length))
	}
}

// rectangle is rows i0 up to i1 and columns j0 up to j1 of C.
type rectangle struct{ i0, i1, j0, j1 int }

// start is what the sums of C start from: element [i,j] is data[i·row + j·col].
type start struct {
	data     []float32
	row, col int
}

// zeros is a row of zeros, as long as any kernel wants it.
var zeros [8 * 16]float32

func (p *Plan) start(c, bias []float32, r rectangle) start {
	switch {
	case bias == nil:
		return start{zeros[:], 0, 0}
	case !p.swapped:
		return start{bias, 0, 1}
	}
	// The same for all columns: kernels cannot do that, but they can start from C itself.
	for j := r.j0; j < r.j1; j++ {
		c[j] = bias[0]
	}
	return start{c, p.cRow, 1}
}

// clampStart is the product of matrices without inner elements.
func (p *Plan) clampStart(c []float32, s start, r rectangle) {
	for i := r.i0; i < r.i1; i++ {
		for j := r.j0; j < r.j1; j++ {
			c[i*p.cRow+j] = max(p.floor, s.data[i*s.row+j*s.col])
		}
	}
}

// ceil returns a/b, rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }
