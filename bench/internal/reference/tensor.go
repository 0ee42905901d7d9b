package reference

// Tensor is an operand, its elements in row-major order.
type Tensor struct {
	Shape []int
	Data  []float64
}

// broadcast returns the shape in which the tensors meet, and for each tensor the
// strides by which its elements are walked along that shape.
func broadcast(in []Tensor) (shape []int, strides [][]int) {
	for _, t := range in {
		for len(shape) < len(t.Shape) {
			shape = append(shape, 1)
		}
	}
	strides = make([][]int, len(in))
	for i, t := range in {
		lead := len(shape) - len(t.Shape)
		strides[i] = make([]int, len(shape))
		n := 1
		for a := len(t.Shape) - 1; a >= 0; a-- {
			if d := t.Shape[a]; d != 1 {
				strides[i][lead+a] = n
				shape[lead+a] = d
				n *= d
			}
		}
	}
	return shape, strides
}

// walk calls visit with the positions of each index of the shape in row-major order.
func walk(shape []int, strides [][]int, visit func(at []int)) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	index, at := make([]int, len(shape)), make([]int, len(strides))
	for range n {
		visit(at)
		for a := len(shape) - 1; a >= 0; a-- {
			index[a]++
			for i := range at {
				at[i] += strides[i][a]
			}
			if index[a] < shape[a] {
				break
			}
			for i := range at {
				at[i] -= shape[a] * strides[i][a]
			}
			index[a] = 0
		}
	}
}

// each returns f of the elements at every index of the broadcast of the tensors.
func each(in []Tensor, f func(x []float64) Number) []Number {
	shape, strides := broadcast(in)
	out := []Number{}
	x := make([]float64, len(in))
	walk(shape, strides, func(at []int) {
		for i, t := range in {
			x[i] = t.Data[at[i]]
		}
		out = append(out, f(x))
	})
	return out
}

// matrix reads element (i, j) of a matrix, or of its transpose.
func (t Tensor) matrix(transposed bool) (rows, columns int, at func(i, j int) float64) {
	r, c := t.Shape[0], t.Shape[1]
	if transposed {
		return c, r, func(i, j int) float64 { return t.Data[j*c+i] }
	}
	return r, c, func(i, j int) float64 { return t.Data[i*c+j] }
}

// product is the matrix product with the bias, if there is one.
func product(a, b Tensor, transposeA, transposeB bool, bias []float64) []Number {
	m, inner, atA := a.matrix(transposeA)
	_, n, atB := b.matrix(transposeB)
	out := make([]Number, 0, m*n)
	for i := range m {
		for j := range n {
			var t Total
			for k := range inner {
				t.Add(exact(atA(i, k) * atB(k, j)))
			}
			if bias != nil {
				t.Add(exact(bias[j]))
			}
			out = append(out, t.Over(1))
		}
	}
	return out
}
