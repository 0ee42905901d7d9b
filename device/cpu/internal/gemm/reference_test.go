package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// matrix is what an operand holds, wherever it lies.
type matrix struct {
	rows, cols int
	data       []float32
}

// newMatrix returns a matrix of random numbers, some of them 0, or subnormal.
func newMatrix(rows, cols int, r *rand.Rand) matrix {
	m := matrix{rows, cols, make([]float32, rows*cols)}
	for i := range m.data {
		switch r.IntN(16) {
		case 0:
		case 1:
			m.data[i] = float32(r.NormFloat64() * 0x1p-130)
		default:
			m.data[i] = float32(r.NormFloat64())
		}
	}
	return m
}

func (m matrix) at(i, j int) float32 { return m.data[i*m.cols+j] }

// repeated returns the matrix as the strides make it: repeated where they are 0.
func (m matrix) repeated(s strides) matrix {
	for i := range m.rows {
		for j := range m.cols {
			if s.row == 0 {
				m.data[i*m.cols+j] = m.data[j]
			}
			if s.col == 0 {
				m.data[i*m.cols+j] = m.data[i*m.cols]
			}
		}
	}
	return m
}

// fma returns a·b + c, rounded once.
func fma(a, b, c float32) float32 {
	// The product is exact. The sum, rounded to odd in float64, rounds to float32 as the exact
	// sum does: Boldo and Melquiond, "When double rounding is odd", 2005.
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	t := s - p
	err := (p - (s - t)) + (q - t)
	if err != 0 && math.Float64bits(s)&1 == 0 { // so s is finite
		s = math.Nextafter(s, math.Copysign(math.Inf(1), err))
	}
	return float32(s)
}

// problem is the mathematics of a product, and what its elements must be to the bit.
type problem struct {
	a, b       matrix
	bias       []float32 // nil for none
	activation Activation

	ascending matrix // summed in ascending order of k
}

// newProblem multiplies matrices, with or without bias and activation.
func newProblem(r *rand.Rand, a, b matrix) *problem {
	m, k, n := a.rows, a.cols, b.cols
	p := &problem{a: a, b: b, activation: Activation(r.IntN(2))}
	if r.IntN(2) == 0 {
		p.bias = newMatrix(1, n, r).data
	}
	p.ascending = matrix{m, n, make([]float32, m*n)}
	for i := range m {
		for j := range n {
			sum := float32(0)
			if p.bias != nil {
				sum = p.bias[j]
			}
			for l := range k {
				sum = fma(p.a.at(i, l), p.b.at(l, j), sum)
			}
			p.ascending.data[i*n+j] = p.activate(sum)
		}
	}
	return p
}

func (p *problem) activate(x float32) float32 {
	if p.activation == ReLU && x < 0 {
		return 0
	}
	return x
}

// strides are where the elements of an operand lie.
type strides struct{ row, col int }

func (s strides) length(rows, cols int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*s.row + (cols-1)*s.col + 1
}

// kinds of strides that views have.
var kinds = []struct {
	name    string
	strides func(rows, cols int) strides
}{
	{"contiguous", func(_, cols int) strides { return strides{cols, 1} }},
	{"transposed", func(rows, _ int) strides { return strides{1, rows} }},
	{"columns of a wider matrix", func(_, cols int) strides { return strides{cols + 5, 1} }},
	{"rows of a wider transposed matrix", func(rows, _ int) strides { return strides{1, rows + 3} }},
	{"every third column", func(_, cols int) strides { return strides{3 * cols, 3} }},
	{"every second row and column, transposed", func(rows, _ int) strides { return strides{2, 4 * rows} }},
	{"columns of a page", func(_, cols int) strides { return strides{(cols + 1023) &^ 1023, 1} }},
	{"columns of a page, transposed", func(rows, _ int) strides { return strides{1, (rows + 1023) &^ 1023} }},
	{"one row, repeated", func(int, int) strides { return strides{0, 1} }},
	{"one column, repeated", func(int, int) strides { return strides{1, 0} }},
	{"one element, repeated", func(int, int) strides { return strides{0, 0} }},
}

// setting is one way to run a problem.
type setting struct {
	kernels      *kernels
	a, b         strides
	cGap         int  // between rows of C
	packA, packB bool // even where it is not worth it
}

func (s setting) String() string {
	return fmt.Sprintf("%s a%v b%v c gap %d pack %v %v", s.kernels.name, s.a, s.b, s.cGap, s.packA, s.packB)
}

// untouched fills what no kernel may write, or read and use.
var untouched = float32(math.NaN())

// plan returns the plan of the problem.
func (p *problem) plan(s setting) *Plan {
	plan := newPlan(Product{M: p.a.rows, K: p.a.cols, N: p.b.cols, ARow: s.a.row, ACol: s.a.col, BRow: s.b.row, BCol: s.b.col,
		CRow: p.b.cols + s.cGap, Activation: p.activation}, s.kernels)
	if s.packA || s.packB {
		plan.usePanels(s.packA, s.packB)
	}
	return plan
}

// multiply runs the problem and returns C. The memory of all operands comes from alloc.
func (p *problem) multiply(s setting, alloc func(length int) []float32) []float32 {
	plan := p.plan(s)
	a, b := place(p.a, s.a, alloc), place(p.b, s.b, alloc)
	var bias []float32
	if p.bias != nil {
		bias = place(matrix{1, p.b.cols, p.bias}, strides{p.b.cols, 1}, alloc)
	}
	c := alloc(strides{plan.cRow, 1}.length(plan.m, plan.n))
	workspace := alloc(plan.Workspace())
	fill(c)
	fill(workspace)
	plan.Pack(a, b, workspace, 0, plan.PackParts())
	plan.Multiply(c, a, b, bias, workspace, 0, plan.Parts())
	return c
}

// check runs the problem, and compares every element of C and the gaps between its rows.
func (p *problem) check(t *testing.T, s setting, alloc func(length int) []float32) {
	c := p.multiply(s, alloc)
	want := p.ascending
	m, k, n := p.a.rows, p.a.cols, p.b.cols
	for i, x := range c {
		row, col := i/(n+s.cGap), i%(n+s.cGap)
		switch {
		case col >= n:
			require.True(t, isNaN(x), "%d×%d×%d %v: the gap after row %d is written", m, k, n, s, row)
		case x != want.at(row, col):
			require.Equal(t, want.at(row, col), x, "%d×%d×%d %v: [%d,%d]", m, k, n, s, row, col)
		}
	}
}

// place lays a matrix out in memory.
func place(m matrix, s strides, alloc func(int) []float32) []float32 {
	data := alloc(s.length(m.rows, m.cols))
	fill(data)
	for i := range m.rows {
		for j := range m.cols {
			data[i*s.row+j*s.col] = m.at(i, j)
		}
	}
	return data
}

func fill(data []float32) {
	for i := range data {
		data[i] = untouched
	}
}

func isNaN(x float32) bool { return x != x }

// needKernels skips a test where the package is not available.
func needKernels(t testing.TB) []*kernels {
	k := available()
	if len(k) == 0 {
		require.False(t, Available())
		require.Nil(t, NewPlan(Product{M: 1, K: 1, N: 1}))
		t.Skip("this CPU has no kernels")
	}
	return k
}
