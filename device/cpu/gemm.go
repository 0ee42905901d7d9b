package cpu

import (
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/cpu/internal/gemm"
)

// vectorProduct is a product by vector kernels. Operands are used where they
// lie, at any strides, if they hold float32.
type vectorProduct struct {
	plan          *gemm.Plan
	a, b, bias, c vectorOperand
	workspace     int64 // where the plan's own workspace starts, in bytes
}

// vectorOperand is a tensor as gemm sees it: float32 at strides, packed in the workspace if need be.
type vectorOperand struct {
	*matrixOperand[float32]
	rowStride, colStride int
}

// newVectorOperand returns the matrix v. If contiguousRows, its rows are.
func newVectorOperand(v device.View, contiguousRows bool, workspace *int64) vectorOperand {
	if v.DType == device.Float32 && !contiguousRows {
		m := &matrixOperand[float32]{operand: newOperand[float32](v), rows: v.Shape[0], cols: v.Shape[1]}
		return vectorOperand{m, v.Strides[0], v.Strides[1]}
	}
	m := newMatrixOperand[float32](v, workspace)
	return vectorOperand{m, m.stride, 1}
}

// planVectorProduct is [planMatMul] by vector kernels, with an activation applied to the result.
func planVectorProduct(a, b device.View, bias *device.View, output device.View, activation gemm.Activation) *program {
	m, k, n := a.Shape[0], a.Shape[1], b.Shape[1]
	plan := &program{}
	if m == 0 || n == 0 {
		return plan
	}
	p := &vectorProduct{}
	operand := func(v device.View, contiguousRows bool) vectorOperand {
		o := newVectorOperand(v, contiguousRows, &plan.workspace)
		if o.packed {
			plan.phases = append(plan.phases, o.pack())
		}
		return o
	}
	if k > 0 {
		p.a, p.b = operand(a, false), operand(b, false)
	}
	if bias != nil {
		p.bias = operand(bias.BroadcastTo([]int{1, n}), true)
	}
	p.c = newVectorOperand(output, true, &plan.workspace)
	cRow := p.c.rowStride
	if m == 1 {
		cRow = n // the stride of a single row may be anything
	}
	p.plan = gemm.NewPlan(gemm.Product{
		M: m, K: k, N: n, ARow: p.a.rowStride, ACol: p.a.colStride, BRow: p.b.rowStride, BCol: p.b.colStride,
		CRow: cRow, Activation: activation,
	})
	p.workspace = plan.workspace
	plan.workspace += int64(p.plan.Workspace()) * 4
	if parts := p.plan.PackParts(); parts > 0 {
		plan.phases = append(plan.phases, phase{parts: parts, cost: k * (m + n), run: p.pack})
	}
	plan.phases = append(plan.phases, phase{parts: p.plan.Parts(), cost: m*n*k/productsPerUnit + m*n, run: p.multiply})
	if p.c.packed {
		plan.phases = append(plan.phases, phase{parts: blocks(m * n), cost: m * n, run: p.c.unpack})
	}
	return plan
}

// productsPerUnit is how many multiplications with their additions the kernels do in a unit of cost, see [cheap].
const productsPerUnit = 8

func (p *vectorProduct) pack(lo, hi int, workspace []byte, _ scratch) {
	p.plan.Pack(p.a.data(workspace), p.b.data(workspace), p.own(workspace), lo, hi)
}

func (p *vectorProduct) multiply(lo, hi int, workspace []byte, _ scratch) {
	p.plan.Multiply(p.c.data(workspace), p.a.data(workspace), p.b.data(workspace), p.bias.data(workspace), p.own(workspace), lo, hi)
}

// own returns the plan's part of the workspace.
func (p *vectorProduct) own(workspace []byte) []float32 {
	if p.plan.Workspace() == 0 {
		return nil
	}
	return typed[float32](workspace[p.workspace:])[:p.plan.Workspace()]
}

// data returns the elements from the first on, nil if there is no operand.
func (o vectorOperand) data(workspace []byte) []float32 {
	if o.matrixOperand == nil {
		return nil
	}
	return o.matrix(workspace).data
}

// unpack stores blocks lo to hi of the elements where they belong.
func (o vectorOperand) unpack(lo, hi int, workspace []byte, _ scratch) {
	packed := o.matrix(workspace).data
	for b := lo; b < hi; b++ {
		start, n := blockAt(b, o.elements())
		o.store(start, packed[start:][:n])
	}
}
