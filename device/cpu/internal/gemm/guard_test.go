//go:build unix

package gemm

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// guarded is memory that faults where it is not to be touched.
type guarded struct {
	mem  []byte
	page int // bytes
}

// newGuarded maps so many pages, and bars those that barred picks.
func newGuarded(t *testing.T, pages int, barred func(page int) bool) *guarded {
	g := &guarded{page: os.Getpagesize()}
	var err error
	g.mem, err = syscall.Mmap(-1, 0, pages*g.page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(g.mem)) })
	for i := range pages {
		if barred(i) {
			require.NoError(t, syscall.Mprotect(g.mem[i*g.page:][:g.page], syscall.PROT_NONE))
		}
	}
	return g
}

// floats returns length elements from a byte on.
func (g *guarded) floats(start, length int) []float32 {
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&g.mem[start])), length)
}

// Kernels neither read nor write outside their operands: a barred page follows the
// last element of each, or precedes the first, for all small sizes and odd larger ones.
func TestStaysWithinOperands(t *testing.T) {
	sets := needKernels(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r := rand.New(rand.NewPCG(9, 10))
	const pages = 300 // of each operand
	var operands [5]*guarded
	for i := range operands {
		operands[i] = newGuarded(t, pages+2, func(page int) bool { return page == 0 || page == pages+1 })
	}
	next, atEnd := 0, false
	alloc := func(length int) []float32 {
		g := operands[next%len(operands)]
		next++
		if atEnd {
			return g.floats((pages+1)*g.page-4*length, length)
		}
		return g.floats(g.page, length)
	}
	check := func(m, k, n int, kindA, kindB int) {
		a, b := kinds[kindA].strides(m, k), kinds[kindB].strides(k, n)
		p := newProblem(r, newMatrix(m, k, r).repeated(a), newMatrix(k, n, r).repeated(b))
		for _, kernels := range sets {
			for _, atEnd = range []bool{false, true} {
				next = 0
				p.check(t, setting{kernels, a, b, r.IntN(2), r.IntN(2) == 0, r.IntN(2) == 0}, alloc)
			}
		}
	}
	const small = 20
	for m := range small + 1 {
		for k := range small + 1 {
			for n := range small + 1 {
				check(m, k, n, r.IntN(2), r.IntN(2))
			}
		}
	}
	for kindA := range kinds {
		for kindB := range kinds {
			for _, size := range [][3]int{{13, 7, 33}, {7, 19, 49}, {1, 33, 131}, {67, 17, 1}, {25, 41, 63}, {9, 1, 100}} {
				check(size[0], size[1], size[2], kindA, kindB)
			}
		}
	}
}

// Nor do they touch what lies between rows: each row of C, and each row or column of A and B,
// has a page of its own, with barred pages on both sides.
func TestStaysWithinRows(t *testing.T) {
	sets := needKernels(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r := rand.New(rand.NewPCG(11, 12))
	const most = 40
	var operands [3]*guarded
	for i := range operands {
		operands[i] = newGuarded(t, 2*most+1, func(page int) bool { return page%2 == 0 })
	}
	// lay puts rows into pages of their own, at their ends or at their beginnings.
	lay := func(g *guarded, m matrix, transposed, atEnd bool) ([]float32, strides) {
		rows, cols, s := m.rows, m.cols, strides{2 * g.page / 4, 1}
		if transposed {
			rows, cols, s = cols, rows, strides{1, s.row}
		}
		start := g.page
		if atEnd {
			start += g.page - 4*cols
		}
		data := g.floats(start, (rows-1)*2*g.page/4+cols)
		for i := range m.rows {
			for j := range m.cols {
				data[i*s.row+j*s.col] = m.at(i, j)
			}
		}
		return data, s
	}
	for _, kernels := range sets {
		for i := range 1500 {
			m, k, n := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
			p := newProblem(r, newMatrix(m, k, r), newMatrix(k, n, r))
			s := setting{kernels: kernels, packA: r.IntN(2) == 0, packB: r.IntN(2) == 0}
			var a, b []float32
			a, s.a = lay(operands[0], p.a, i&1 != 0, i&2 != 0)
			b, s.b = lay(operands[1], p.b, i&4 != 0, i&8 != 0)
			c, cStrides := lay(operands[2], p.ascending, false, i&16 != 0)
			s.cGap = cStrides.row - n
			for i := range m {
				fill(c[i*cStrides.row:][:n])
			}
			plan := p.plan(s)
			workspace := make([]float32, plan.Workspace())
			plan.Pack(a, b, workspace, 0, plan.PackParts())
			plan.Multiply(c, a, b, p.bias, workspace, 0, plan.Parts())
			want := p.ascending
			for i := range m {
				for j := range n {
					if x := c[i*cStrides.row+j]; x != want.at(i, j) {
						require.Equal(t, want.at(i, j), x, "%d×%d×%d %v: [%d,%d]", m, k, n, s, i, j)
					}
				}
			}
		}
	}
}
