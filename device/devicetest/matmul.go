package devicetest

import (
	"slices"

	"github.com/pullback-go/pullback/device"
)

// matrixSizes are m, k and n of [m,k] by [k,n].
var matrixSizes = [][3]int{
	{1, 1, 1}, {2, 0, 3}, {0, 3, 2}, {3, 2, 0}, {1, 7, 1}, {3, 4, 5}, {8, 8, 8}, {17, 33, 9}, {64, 64, 64}, {5, 300, 7}, {1, 1000, 1},
	{70, 3, 1}, {150, 40, 170},
}

func matMulCases() []opCase {
	numbers := operand{draw: normal(1)}
	infinities := operand{draw: mixed(normal(1), normal(1), normal(1), normal(1), normal(1), oneOf(0, negZero, 1e-40, inf, nan))}
	var products, small []call
	for _, size := range matrixSizes {
		m, k, n := size[0], size[1], size[2]
		for i := range 4 {
			op := device.MatMul{TransposeSelf: i&1 != 0, TransposeOther: i&2 != 0}
			self, other := []int{m, k}, []int{k, n}
			if op.TransposeSelf {
				slices.Reverse(self)
			}
			if op.TransposeOther {
				slices.Reverse(other)
			}
			c := call{op, [][]int{self, other}, size == [3]int{3, 4, 5}}
			products = append(products, c)
			if c.probe {
				small = append(small, c)
			}
		}
	}
	var linears []call
	for _, size := range matrixSizes {
		m, k, n := size[0], size[1], size[2]
		linears = append(linears, call{device.Linear{}, [][]int{{m, k}, {k, n}, {n}}, size == [3]int{3, 4, 5}})
	}
	product := func(op device.Op, in []tensor) [][]number {
		o := op.(device.MatMul)
		return [][]number{matrixProduct(in[0], in[1], o.TransposeSelf, o.TransposeOther, nil)}
	}
	linear := func(_ device.Op, in []tensor) [][]number {
		return [][]number{matrixProduct(in[0], in[1], false, false, in[2].data)}
	}
	return []opCase{
		{calls: products, operands: []operand{numbers, numbers}, want: product, ulp: 8},
		{calls: small, operands: []operand{infinities, infinities}, want: product, ulp: 8},
		{calls: linears, operands: []operand{numbers, numbers, numbers}, want: linear, ulp: 8},
	}
}

// matrixProduct is Σ_k a[i,k]·b[k,j] + bias[j], without bias if it is nil.
func matrixProduct(a, b tensor, transposeA, transposeB bool, bias []float64) []number {
	m, k, rowA, columnA := a.shape[0], a.shape[1], a.shape[1], 1
	if transposeA {
		m, k, rowA, columnA = k, m, 1, rowA
	}
	n, rowB, columnB := b.shape[1], b.shape[1], 1
	if transposeB {
		n, rowB, columnB = b.shape[0], 1, rowB
	}
	var out []number
	terms := make([]number, k, k+1)
	for i := range m {
		for j := range n {
			for l := range terms {
				terms[l] = exactly(a.data[i*rowA+l*columnA] * b.data[l*rowB+j*columnB])
			}
			if bias == nil {
				out = append(out, sum(terms))
			} else {
				out = append(out, sum(append(terms, exactly(bias[j]))))
			}
		}
	}
	return out
}
