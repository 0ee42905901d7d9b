package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func makeFloats(n int) []float32 { return make([]float32, n) }

// Every element is what its order of summing up makes it, to the bit, for both
// instruction sets, all kinds of strides, and packed or not.
func TestElementsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	size := func() int { return []int{1, 1 + r.IntN(3), 1 + r.IntN(40), 1 + r.IntN(140)}[r.IntN(4)] }
	for _, kernels := range needKernels(t) {
		for range 1000 {
			m, k, n := size(), size(), size()
			if r.IntN(20) == 0 {
				k = kBlock*(1+r.IntN(3)) + r.IntN(50) - 25 // more than one block
			}
			s := setting{kernels: kernels, cGap: r.IntN(3), packA: r.IntN(3) == 0, packB: r.IntN(3) == 0}
			s.a = kinds[r.IntN(len(kinds))].strides(m, k)
			s.b = kinds[r.IntN(len(kinds))].strides(k, n)
			p := newProblem(r, newMatrix(m, k, r).repeated(s.a), newMatrix(k, n, r).repeated(s.b))
			p.check(t, s, makeFloats)
		}
	}
}

// The error bound of a sum of k products in any order, with respect to the exact
// value: Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.
func TestErrorBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][3]int{{128, 128, 128}, {57, 300, 129}, {1, 5000, 3}, {3, 5000, 1}, {32, 30, 64}, {30, 600, 70}, {98, 40, 1030}} {
		m, k, n := size[0], size[1], size[2]
		a, b := newMatrix(m, k, r), newMatrix(k, n, r)
		exact, bound := make([]float64, m*n), make([]float64, m*n)
		unit := float64(k) * 0x1p-24
		for i := range exact {
			for l := range k {
				term := float64(a.at(i/n, l)) * float64(b.at(l, i%n))
				exact[i] += term
				bound[i] += unit/(1-unit)*math.Abs(term) + 0x1p-150 // where it is subnormal
			}
		}
		for _, kernels := range needKernels(t) {
			for transposed := range 4 {
				s := setting{kernels: kernels, a: strides{k, 1}, b: strides{n, 1}}
				if transposed&1 != 0 {
					s.a = strides{1, m}
				}
				if transposed&2 != 0 {
					s.b = strides{1, k}
				}
				c := (&problem{a: a, b: b}).multiply(s, makeFloats)
				for i, x := range c {
					if e := math.Abs(float64(x) - exact[i]); e > bound[i] {
						require.LessOrEqual(t, e, bound[i], "%d×%d×%d %v: element %d", m, k, n, s, i)
					}
				}
			}
		}
	}
}

// However the parts are shared out, and in whatever order or at whatever time they are done,
// the result is the same to the bit.
func TestPartsDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kernels := range needKernels(t) {
		for _, x := range []Product{
			{M: 300, K: 70, N: 50, ARow: 70, ACol: 1, BRow: 50, BCol: 1, CRow: 50},
			{M: 300, K: 600, N: 256, ARow: 1, ACol: 1024, BRow: 1, BCol: 600, CRow: 256}, // A and B are packed
			{M: 5, K: 40, N: 500, ARow: 40, ACol: 1, BRow: 500, BCol: 1, CRow: 501, Activation: ReLU},
			{M: 1, K: 40, N: 700, ARow: 40, ACol: 1, BRow: 700, BCol: 1, CRow: 700},
			{M: 1, K: 40, N: 700, ARow: 40, ACol: 1, BRow: 1, BCol: 40, CRow: 700},
			{M: 700, K: 40, N: 1, ARow: 40, ACol: 1, BRow: 3, BCol: 1, CRow: 1},
			{M: 700, K: 40, N: 1, ARow: 1, ACol: 700, BRow: 1, BCol: 1, CRow: 1},
		} {
			plan := newPlan(x, kernels)
			a := newMatrix(1, strides{x.ARow, x.ACol}.length(x.M, x.K), r).data
			b := newMatrix(1, strides{x.BRow, x.BCol}.length(x.K, x.N), r).data
			bias := newMatrix(1, x.N, r).data
			run := func(each func(parts int, do func(lo, hi int))) []float32 {
				c, workspace := make([]float32, x.M*x.CRow), make([]float32, plan.Workspace())
				each(plan.PackParts(), func(lo, hi int) { plan.Pack(a, b, workspace, lo, hi) })
				each(plan.Parts(), func(lo, hi int) { plan.Multiply(c, a, b, bias, workspace, lo, hi) })
				return c
			}
			want := run(func(parts int, do func(lo, hi int)) { do(0, parts) })
			require.Greater(t, plan.Parts(), 1)
			require.True(t, slices.Equal(want, run(func(parts int, do func(lo, hi int)) {
				for i := parts - 1; i >= 0; i-- {
					do(i, i+1)
				}
			})), "%v", x)
			for range 20 {
				require.True(t, slices.Equal(want, run(func(parts int, do func(lo, hi int)) {
					var done sync.WaitGroup
					for lo, hi := 0, 0; lo < parts; lo = hi {
						hi = lo + 1 + r.IntN(parts-lo)
						done.Add(1)
						go func(lo, hi int) {
							defer done.Done()
							do(lo, hi)
						}(lo, hi)
					}
					done.Wait()
				})), "%v", x)
			}
		}
	}
}

// Infinities and NaN follow IEEE 754: no term is left out because it is multiplied by 0.
func TestNotFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	same := func(x, y float32) bool { // finite, or the same infinity, or NaN
		return x-x == 0 && y-y == 0 || x == y || isNaN(x) && isNaN(y)
	}
	for _, kernels := range needKernels(t) {
		for range 1000 {
			m, k, n := 1+r.IntN(15), 1+r.IntN(40), []int{1, 1 + r.IntN(50)}[r.IntN(2)]
			a, b := newMatrix(m, k, r), newMatrix(k, n, r)
			a.data[r.IntN(m*k)] = []float32{inf, -inf, nan, 0}[r.IntN(4)]
			b.data[r.IntN(k*n)] = []float32{inf, -inf, nan, 0}[r.IntN(4)]
			p := newProblem(r, a, b)
			s := setting{kernels: kernels, a: strides{k, 1}, b: strides{n, 1}}
			if r.IntN(2) == 0 {
				s.a = strides{1, m}
			}
			if r.IntN(2) == 0 {
				s.b = strides{1, k}
			}
			c := p.multiply(s, makeFloats)
			for i, x := range p.ascending.data {
				require.True(t, same(x, c[i]), "%d×%d×%d %v: element %d is %v, expected %v", m, k, n, s, i, c[i], x)
			}
		}
	}
}

// A product without inner elements is the bias, and one without elements is nothing.
func TestEmpty(t *testing.T) {
	for _, kernels := range needKernels(t) {
		for _, size := range [][2]int{{3, 4}, {1, 200}, {200, 1}, {1, 1}} {
			m, n := size[0], size[1]
			bias := make([]float32, n)
			for j := range bias {
				bias[j] = float32(1 - 2*(j%2))
			}
			for _, bias := range [][]float32{nil, bias} {
				for _, activation := range []Activation{Identity, ReLU} {
					plan := newPlan(Product{M: m, N: n, ARow: 1, BRow: n, BCol: 1, CRow: n, Activation: activation}, kernels)
					require.Zero(t, plan.PackParts())
					c := make([]float32, m*n)
					fill(c)
					plan.Multiply(c, nil, nil, bias, nil, 0, plan.Parts())
					for i, x := range c {
						want := float32(0)
						if bias != nil && (bias[i%n] > 0 || activation == Identity) {
							want = bias[i%n]
						}
						require.Equal(t, want, x)
					}
				}
			}
		}
		for _, size := range [][2]int{{0, 5}, {5, 0}, {0, 0}} {
			plan := newPlan(Product{M: size[0], K: 3, N: size[1], ARow: 3, ACol: 1, BRow: size[1], BCol: 1, CRow: size[1]}, kernels)
			require.Zero(t, plan.PackParts())
			require.Zero(t, plan.Parts())
			plan.Multiply(nil, nil, nil, nil, nil, 0, 0)
		}
	}
}

// Slices that are too short are found before assembly runs over their ends.
func TestShortSlices(t *testing.T) {
	for _, kernels := range needKernels(t) {
		for _, size := range [][3]int{{4, 5, 6}, {4, 5, 1}, {1, 5, 6}} {
			m, k, n := size[0], size[1], size[2]
			plan := newPlan(Product{M: m, K: k, N: n, ARow: k, ACol: 1, BRow: 1, BCol: k, CRow: n}, kernels)
			operands := [][]float32{
				make([]float32, m*n), make([]float32, m*k), make([]float32, k*n), make([]float32, n), make([]float32, plan.Workspace()),
			}
			multiply := func(o [][]float32) func() {
				return func() { plan.Multiply(o[0], o[1], o[2], o[3], o[4], 0, plan.Parts()) }
			}
			require.NotPanics(t, multiply(operands))
			for i, o := range operands {
				if len(o) == 0 {
					continue
				}
				short := append([][]float32(nil), operands...)
				short[i] = o[: len(o)-1 : len(o)-1]
				require.Panics(t, multiply(short), "operand %d", i)
			}
			if plan.PackParts() > 0 {
				require.Panics(t, func() { plan.Pack(operands[1], operands[2][:k*n-1], operands[4], 0, plan.PackParts()) })
				require.Panics(t, func() { plan.Pack(operands[1], operands[2], nil, 0, plan.PackParts()) })
			}
		}
	}
}

func TestRunsAllocateNothing(t *testing.T) {
	for _, kernels := range needKernels(t) {
		for _, p := range benchProducts() {
			if p.m*p.k*p.n < 1<<20 {
				run := p.prepare(kernels)
				require.Zero(t, testing.AllocsPerRun(10, run), p.name)
			}
		}
	}
}
