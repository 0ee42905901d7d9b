package verify

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// names are the operations that are tried: all with a reference but the updates. An Adam step divides by
// 1-β^step, which cancels: what is left of a β that is rounded to float32 is right to a few tens of ulps, on a
// device that takes it so, and to less than one on another. No bound between the two would mean anything.
var names = slices.DeleteFunc(reference.Names(), func(name string) bool {
	rule, _ := reference.Lookup(name)
	return rule.Kind == reference.Update
})

// Random returns call number i of the seed: one call, or a soft margin loss and its gradient of
// the same scores and targets, which a device may make in one pass.
func Random(seed uint64, i int) []calls.Call {
	g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
	at := g.IntN(len(names) + 1)
	if at == len(names) {
		return g.both()
	}
	rule, _ := reference.Lookup(names[at])
	shapes, op := g.shapes(rule)
	return []calls.Call{g.call(rule, op, shapes)}
}

// both draws a reduced loss with its gradient, which has one gradOutput then.
func (g generator) both() []calls.Call {
	rule, _ := reference.Lookup("SoftMarginLossBackward")
	shapes, op := g.shapes(rule)
	for op.(device.SoftMarginLossBackward).Reduction == device.None {
		shapes, op = g.shapes(rule)
	}
	shapes[0] = []int{}
	backward := g.call(rule, op, shapes)
	return []calls.Call{{
		Op:     device.SoftMarginLoss{Reduction: op.(device.SoftMarginLossBackward).Reduction},
		Inputs: backward.Inputs[1:],
		Output: blank(backward.Output.DType, []int{}),
	}, backward}
}

// call draws the operands of an operation.
func (g generator) call(rule reference.Rule, op device.Op, shapes [][]int) calls.Call {
	dtypes := g.dtypes(len(shapes) + 1)
	c := calls.Call{Op: op}
	types := make([]device.Type, len(shapes))
	special := rule.Specials && g.chance(0.3)
	// Sums of one number repeated round the same way at every step, which no tolerance for sums allows.
	sums := rule.Kind == reference.Matrices || rule.Kind == reference.Reduce ||
		rule.Kind == reference.Loss && op != rule.Op
	for k, shape := range shapes {
		t := g.place(dtypes[k], shape, !sums && g.chance(0.15))
		g.fill(t, g.source(rule, k), special)
		c.Inputs, types[k] = append(c.Inputs, t), t.Type()
	}
	result, err := op.Infer(types)
	if err != nil {
		panic("verify: " + err.Error()) // shapes makes what belongs together
	}
	c.Output = g.place(dtypes[len(shapes)], result.Shape, false)
	for b := range c.Output.Data {
		c.Output.Data[b] = 0xa5
	}
	return c
}

type generator struct{ *rand.Rand }

func (g generator) chance(p float64) bool { return g.Float64() < p }

// shape is small, now and then with one long axis and seldom empty.
func (g generator) shape(rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1 + g.IntN(6)
	}
	if rank > 0 && g.chance(0.3) {
		shape[g.IntN(rank)] = 1 + g.IntN(400)
	}
	if rank > 0 && g.chance(0.03) {
		shape[g.IntN(rank)] = 0
	}
	return shape
}

// shapes returns the shapes of the operands, and the operation with attributes that go with them.
func (g generator) shapes(rule reference.Rule) ([][]int, device.Op) {
	switch rule.Kind {
	case reference.Reduce:
		shape := g.shape(g.IntN(5))
		axes := device.AxisSet(g.IntN(1 << len(shape)))
		if rule.Op.Name() == "ReduceSum" {
			return [][]int{shape}, device.ReduceSum{Axes: axes, KeepDims: g.chance(0.5)}
		}
		return [][]int{shape}, device.ReduceMean{Axes: axes, KeepDims: g.chance(0.5)}
	case reference.Matrices:
		m, k, n := 1+g.IntN(40), 1+g.IntN(80), 1+g.IntN(40)
		if rule.Inputs == 3 {
			return [][]int{{m, k}, {k, n}, {n}}, device.Linear{}
		}
		op := device.MatMul{TransposeSelf: g.chance(0.5), TransposeOther: g.chance(0.5)}
		self, other := []int{m, k}, []int{k, n}
		if op.TransposeSelf {
			slices.Reverse(self)
		}
		if op.TransposeOther {
			slices.Reverse(other)
		}
		return [][]int{self, other}, op
	}
	full := g.shape(g.IntN(5))
	shapes := make([][]int, rule.Inputs)
	for i := range shapes {
		shapes[i] = slices.Clone(full)
		if rule.Inputs > 1 && g.chance(0.3) { // one that is broadcast
			shapes[i] = shapes[i][g.IntN(len(full)+1):]
			for a := range shapes[i] {
				if g.chance(0.3) {
					shapes[i][a] = 1
				}
			}
		}
	}
	r := device.Reduction(g.IntN(3))
	if rule.Kind == reference.Loss && r != device.None {
		shapes[rule.Inputs-2] = full // one score against many targets is two numbers repeated, see call
	}
	switch rule.Op.(type) {
	case device.SoftMarginLoss:
		return shapes, device.SoftMarginLoss{Reduction: r}
	case device.SoftMarginLossBackward:
		return shapes, device.SoftMarginLossBackward{Reduction: r}
	case device.BCEWithLogits:
		return shapes, device.BCEWithLogits{Reduction: r}
	case device.BCEWithLogitsBackward:
		return shapes, device.BCEWithLogitsBackward{Reduction: r}
	}
	return shapes, rule.Op
}

// dtypes are mostly the same, else a mixture, of those that mix.
func (g generator) dtypes(n int) []device.DType {
	if g.chance(0.12) {
		return slices.Repeat([]device.DType{device.Float64}, n)
	}
	mix := []device.DType{device.Float32, device.Float16, device.BFloat16}
	list := slices.Repeat([]device.DType{mix[g.IntN(3)]}, n)
	if g.chance(0.3) {
		for i := range list {
			list[i] = mix[g.IntN(3)]
		}
	}
	return list
}

// place lays a tensor out: axes in any order, gaps between elements and rows, an offset,
// and if repeats is set one axis along which an element is repeated. What is no
// element is NaN.
func (g generator) place(d device.DType, shape []int, repeats bool) calls.Tensor {
	t := calls.Tensor{DType: d, Shape: shape, Strides: make([]int, len(shape))}
	order := make([]int, len(shape))
	for i := range order {
		order[i] = len(shape) - 1 - i // the last axis is the innermost
	}
	if g.chance(0.3) {
		g.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	step := 1
	if g.chance(0.2) {
		step = 2 + g.IntN(2)
	}
	for _, a := range order {
		t.Strides[a] = step
		step *= max(shape[a], 1)
		if g.chance(0.15) {
			step += 1 + g.IntN(3)
		}
	}
	if g.chance(0.3) {
		t.Offset = 1 + g.IntN(4)
	}
	if repeats && len(shape) > 0 {
		t.Strides[g.IntN(len(shape))] = 0
	}
	need, _ := calls.Need(t.Shape, t.Strides, t.Offset)
	t.Data = slices.Repeat([]byte{0xff}, need*d.Size())
	return t
}

// fill gives the elements values.
func (g generator) fill(t calls.Tensor, source func() float64, special bool) {
	size := t.DType.Size()
	for _, p := range t.Positions() {
		x := source()
		if special && g.chance(0.2) {
			x = specials[g.IntN(len(specials))]
		}
		copy(t.Data[p*size:], devicetest.Encode([]float64{x}, t.DType))
	}
}

var specials = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 65504, -88.75, 104}

// source draws the values of operand k.
func (g generator) source(rule reference.Rule, k int) func() float64 {
	normal := func(deviation float64) func() float64 {
		return func() float64 { return deviation * g.NormFloat64() }
	}
	sign := func() float64 { return float64(2*g.IntN(2) - 1) }
	if rule.Kind == reference.Loss {
		switch k += 3 - rule.Inputs; { // gradOutput, self, target
		case k == 0:
			return normal(2)
		case k == 1:
			return normal(10)
		case rule.Op.Name() == "BCEWithLogits" || rule.Op.Name() == "BCEWithLogitsBackward":
			if g.chance(0.5) {
				return g.Float64
			}
			return func() float64 { return float64(g.IntN(2)) }
		case g.chance(0.3):
			return normal(3)
		}
		return sign
	}
	if rule.Kind == reference.Elementwise {
		return normal([]float64{0.01, 1, 20}[g.IntN(3)])
	}
	return normal(1)
}
