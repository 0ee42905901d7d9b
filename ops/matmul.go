package ops

import (
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// MatMul returns the matrix product of a [m,k] and b [k,n], of shape [m,n].
func MatMul(a, b *graph.Node) *graph.Node { return MatMulTransposed(a, b, false, false) }

// MatMulTransposed returns the matrix product of a and b, each transposed first if its flag says so.
func MatMulTransposed(a, b *graph.Node, transposeA, transposeB bool) *graph.Node {
	op := device.MatMul{TransposeSelf: transposeA, TransposeOther: transposeB}
	return graph.Apply(op, func(n, g *graph.Node) nodes {
		// C = A·B gives dA = dC·Bᵀ and dB = Aᵀ·dC; a transposed operand transposes its gradient.
		a, b := n.Input(0), n.Input(1)
		var ga, gb *graph.Node
		if transposeA {
			ga = MatMulTransposed(b, g, transposeB, true)
		} else {
			ga = MatMulTransposed(g, b, false, !transposeB)
		}
		if transposeB {
			gb = MatMulTransposed(g, a, true, transposeA)
		} else {
			gb = MatMulTransposed(a, g, !transposeA, false)
		}
		return nodes{SumTo(ga, a), SumTo(gb, b)}
	}, a, b)
}

// Linear returns x·w + b for x [m,k], w [k,n] and b [n], of shape [m,n].
func Linear(x, w, b *graph.Node) *graph.Node {
	return graph.Apply(device.Linear{}, func(n, g *graph.Node) nodes {
		x, w, b := n.Input(0), n.Input(1), n.Input(2)
		return nodes{
			SumTo(MatMulTransposed(g, w, false, true), x),
			SumTo(MatMulTransposed(x, g, true, false), w),
			SumTo(g, b),
		}
	}, x, w, b)
}
