package cpu

import "github.com/pullback-go/pullback/device"

// product multiplies matrices: out[i,j] = bias[j] + Σ_k a[i,k] · b[k,j]. Each
// element is summed over ascending k in the compute type, starting from the bias,
// so its value does not depend on the order in which a kernel visits the elements.
type product[F float] struct {
	m, k, n       int
	a, b, bias, c *matrixOperand[F] // bias may be nil
	narrow        bool              // b is held transposed, for addDots
}

// narrowCols is the number of columns below which rows are too short for addOuter.
const narrowCols = 8

// rowsPerPart is the number of rows of the result that a thread takes at least.
const rowsPerPart = 8

// planMatMul multiplies a by b and adds the bias, if there is one, to each row.
func planMatMul[F float](a, b device.View, bias *device.View, output device.View) *program {
	p := &product[F]{m: a.Shape[0], k: a.Shape[1], n: b.Shape[1]}
	if p.m == 0 || p.n == 0 {
		return &program{}
	}
	plan := &program{}
	operand := func(v device.View) *matrixOperand[F] {
		m := newMatrixOperand[F](v, &plan.workspace)
		if m.packed {
			plan.phases = append(plan.phases, m.pack())
		}
		return m
	}
	if p.k > 0 {
		p.a = operand(a)
		if p.narrow = p.n < narrowCols; p.narrow {
			b = b.Transpose([]int{1, 0})
		}
		p.b = operand(b)
	}
	if bias != nil {
		p.bias = operand(bias.BroadcastTo([]int{1, p.n}))
	}
	p.c = newMatrixOperand[F](output, &plan.workspace)
	plan.phases = append(plan.phases, phase{
		parts: (p.m + rowsPerPart - 1) / rowsPerPart,
		cost:  p.m * p.n * (2*p.k + cheap),
		run:   p.multiply,
	})
	return plan
}

// multiply computes the rows of the result that belong to parts lo to hi.
func (p *product[F]) multiply(lo, hi int, workspace []byte, _ scratch) {
	first := lo * rowsPerPart
	rows := min(hi*rowsPerPart, p.m) - first
	c := p.c.matrix(workspace).from(first)
	for i := range rows {
		row := c.row(i, p.n)
		if p.bias != nil {
			copy(row, p.bias.matrix(workspace).data)
		} else {
			clear(row)
		}
	}
	if p.k > 0 {
		a, b := p.a.matrix(workspace).from(first), p.b.matrix(workspace)
		if p.narrow {
			addDots(c, a, b, rows, p.k, p.n)
		} else {
			addOuter(c, a, b, rows, p.k, p.n)
		}
	}
	if p.c.packed {
		for i := range rows {
			p.c.store((first+i)*p.n, c.row(i, p.n))
		}
	}
}

// addOuter adds a·b to c, where a is m by k and b is k by n: multiples of the rows of
// b are added to the rows of c.
func addOuter[F float](c, a, b matrix[F], m, k, n int) {
	for i := range m {
		addRows(c.row(i, n), a.row(i, k), b)
	}
}

// addRows adds the rows of b, multiplied by the elements of a, to c: four at a
// time, which saves loading and storing c, each sum in their order.
func addRows[F float](c, a []F, b matrix[F]) {
	n, l := len(c), 0
	for ; l+4 <= len(a); l += 4 {
		a0, a1, a2, a3 := a[l], a[l+1], a[l+2], a[l+3]
		b0, b1, b2, b3 := b.row(l, n), b.row(l+1, n), b.row(l+2, n), b.row(l+3, n)
		for j, x := range c {
			x += F(a0 * b0[j])
			x += F(a1 * b1[j])
			x += F(a2 * b2[j])
			x += F(a3 * b3[j])
			c[j] = x
		}
	}
	for ; l < len(a); l++ {
		a0, b0 := a[l], b.row(l, n)
		for j, x := range c {
			c[j] = x + F(a0*b0[j])
		}
	}
}

// addDots adds a·b to c, where a is m by k and b is k by n and given transposed: the
// rows of a are multiplied with the columns of b, four rows at a time.
func addDots[F float](c, a, b matrix[F], m, k, n int) {
	i := 0
	for ; i+4 <= m; i += 4 {
		a0, a1, a2, a3 := a.row(i, k), a.row(i+1, k), a.row(i+2, k), a.row(i+3, k)
		c0, c1, c2, c3 := c.row(i, n), c.row(i+1, n), c.row(i+2, n), c.row(i+3, n)
		for j := range n {
			x0, x1, x2, x3 := c0[j], c1[j], c2[j], c3[j]
			for l, y := range b.row(j, k) {
				x0 += F(a0[l] * y)
				x1 += F(a1[l] * y)
				x2 += F(a2[l] * y)
				x3 += F(a3[l] * y)
			}
			c0[j], c1[j], c2[j], c3[j] = x0, x1, x2, x3
		}
	}
	for ; i < m; i++ {
		a0, c0 := a.row(i, k), c.row(i, n)
		for j, x := range c0 {
			for l, y := range b.row(j, k) {
				x += F(a0[l] * y)
			}
			c0[j] = x
		}
	}
}

// matrix has contiguous rows: row i starts at data[i·stride].
type matrix[F float] struct {
	data   []F
	stride int
}

// row returns the first n elements of row i.
func (m matrix[F]) row(i, n int) []F { return m.data[i*m.stride:][:n] }

// from returns the matrix without its first i rows.
func (m matrix[F]) from(i int) matrix[F] { return matrix[F]{m.data[i*m.stride:], m.stride} }

// matrixOperand is an operand of a product. It is used where it lies if it has
// contiguous rows of the compute type, and otherwise by way of the workspace.
type matrixOperand[F float] struct {
	operand[F]
	rows, cols int
	stride     int   // of the rows, where they are used
	packed     bool  // by way of the workspace
	offset     int64 // in the workspace, in bytes
}

// newMatrixOperand returns the view, a matrix that is not empty, and adds what it
// needs to the size of the workspace.
func newMatrixOperand[F float](v device.View, workspace *int64) *matrixOperand[F] {
	m := &matrixOperand[F]{operand: newOperand[F](v), rows: v.Shape[0], cols: v.Shape[1], stride: v.Strides[0]}
	if m.packed = m.flat == nil || m.cols > 1 && v.Strides[1] != 1; m.packed {
		m.stride = m.cols
		m.offset = *workspace
		*workspace += (int64(m.elements())*int64(dtypeOf[F]().Size()) + cacheLine - 1) &^ (cacheLine - 1)
	}
	return m
}

func (m *matrixOperand[F]) elements() int { return m.rows * m.cols }

// matrix returns the operand as it is used in a launch with the given workspace.
func (m *matrixOperand[F]) matrix(workspace []byte) matrix[F] {
	if m.packed {
		return matrix[F]{typed[F](workspace[m.offset:])[:m.elements()], m.stride}
	}
	return matrix[F]{m.flat[m.base:], m.stride}
}

// pack returns the phase that copies the elements to the workspace.
func (m *matrixOperand[F]) pack() phase {
	return m.phase(m.elements(), cheap, func(start, n int, workspace []byte, s scratch) {
		m.gatherOnly(m.matrix(workspace).data[start:][:n], start, s)
	})
}

// transposeIf returns the matrix v, transposed or not.
func transposeIf(transpose bool, v device.View) device.View {
	if transpose {
		return v.Transpose([]int{1, 0})
	}
	return v
}
