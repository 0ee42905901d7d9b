package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// randomProgram is a model that the bytes of a fuzzer's input describe.
type randomProgram struct {
	smooth bool // float64, and no operation near a pole or a jump, so that differences can judge its gradients
	dtype  device.DType
	shapes [][]int // of the inputs
	params []device.Type
	steps  []byte
	step   optim.Optimizer // nil for a program without updates
	seed   uint64
}

// next returns a number from 0 to n-1, and 0 when the bytes are used up.
func next(data *[]byte, n int) int {
	if len(*data) == 0 {
		return 0
	}
	b := (*data)[0]
	*data = (*data)[1:]
	return int(b) % n
}

func newRandomProgram(data []byte) *randomProgram {
	p := &randomProgram{dtype: device.Float64, seed: uint64(next(&data, 256))}
	switch next(&data, 4) {
	case 0, 1:
		p.smooth = true
	case 2:
		p.dtype = []device.DType{device.Float32, device.Float16}[next(&data, 2)]
	}
	shape := func() []int {
		s := make([]int, next(&data, 4))
		for i := range s {
			s[i] = []int{2, 1, 3, 4, 5, 0}[next(&data, 23)%6]
		}
		return s
	}
	for range 1 + next(&data, 3) {
		p.shapes = append(p.shapes, shape())
	}
	for range next(&data, 3) {
		p.params = append(p.params, typ(p.dtype, shape()...))
	}
	switch lr := optim.Constant(0.01); next(&data, 4) {
	case 1:
		p.step = optim.SGD{LR: lr, Momentum: 0.9}
	case 2:
		p.step = optim.NewAdam(lr)
	case 3:
		p.step = optim.NewRMSprop(lr)
	}
	p.steps = data[:min(len(data), 80)]
	return p
}

func (p *randomProgram) inputs() []*tensor.Dense {
	rng := rand.New(rand.NewPCG(p.seed, 3))
	var list []*tensor.Dense
	for _, shape := range p.shapes {
		wide := make([]float64, device.Elements(shape))
		single, half := make([]float32, len(wide)), make([]float16.Float16, len(wide))
		for i := range wide {
			wide[i] = 4*rng.Float64() - 2
			single[i] = float32(wide[i])
			half[i] = float16.Fromfloat32(single[i])
		}
		backing := map[device.DType]any{device.Float64: wide, device.Float32: single, device.Float16: half}[p.dtype]
		list = append(list, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)))
	}
	return list
}

// build makes the program's nodes and returns all that compute something, the last one of all last.
func (p *randomProgram) build(g *graph.Graph, in []*graph.Node) []*graph.Node {
	values := slices.Clone(in)
	for i, t := range p.params {
		rng := rand.New(rand.NewPCG(p.seed, uint64(10+i)))
		values = append(values, g.Parameter(fmt.Sprint("p", i), t, func(v []float64) {
			for j := range v {
				v[j] = 2*rng.Float64() - 1
			}
		}))
	}
	first := len(values)
	data := p.steps
	pick := func() *graph.Node { return values[len(values)-1-next(&data, len(values))] }
	number := func(v float64) *graph.Node { return g.Constant(p.dtype, v) }
	for len(data) > 0 && len(values) < 30 {
		x := p.apply(&data, pick(), pick, number)
		if x.Type().Elements() > 200 {
			x = ops.Mean(x)
		}
		values = append(values, x)
	}
	if len(values) == first {
		values = append(values, ops.Square(values[0]))
	}
	return values[first:]
}

// apply makes the node of one step.
func (p *randomProgram) apply(data *[]byte, x *graph.Node, pick func() *graph.Node, number func(float64) *graph.Node) *graph.Node {
	// fitting returns a value that broadcasts with x.
	fitting := func() *graph.Node {
		y := pick()
		if _, ok := device.Broadcast(x.Shape(), y.Shape()); !ok {
			return ops.Sum(y)
		}
		return y
	}
	reduction := device.Reduction(next(data, 3))
	axis := next(data, 4)
	switch op := next(data, 48); op {
	case 0, 1:
		return ops.Add(x, fitting())
	case 2, 3:
		return ops.Sub(x, fitting())
	case 4, 5:
		return ops.Mul(x, fitting())
	case 6:
		y := fitting()
		if p.smooth {
			y = ops.Add(ops.Softplus(y), number(0.5))
		}
		return ops.Div(x, y)
	case 7:
		return ops.Maximum(x, fitting())
	case 8:
		return ops.Neg(x)
	case 9:
		return ops.Abs(x)
	case 10:
		if p.smooth {
			return ops.Square(x)
		}
		return ops.Sign(x)
	case 11:
		return ops.Square(x)
	case 12:
		if p.smooth {
			x = ops.Add(ops.Square(x), number(0.5))
		}
		return ops.Sqrt(x)
	case 13:
		if p.smooth {
			x = ops.Tanh(x)
		}
		return ops.Exp(x)
	case 14:
		if p.smooth {
			x = ops.Add(ops.Softplus(x), number(0.5))
		}
		return ops.Log(x)
	case 15:
		return ops.ReLU(x)
	case 16:
		return ops.LeakyReLU(x, 0.1)
	case 17:
		return ops.Tanh(x)
	case 18:
		return ops.Sigmoid(x)
	case 19:
		return ops.GELU(x)
	case 20:
		return ops.Softplus(x)
	case 21, 22:
		if rank := len(x.Shape()); rank > 0 {
			return []func(*graph.Node, ...int) *graph.Node{ops.Sum, ops.SumKeepDims, ops.MeanKeepDims}[next(data, 3)](x, axis%rank)
		}
		return ops.Sum(x)
	case 23:
		return ops.Sum(x)
	case 24, 25, 26:
		if rank := len(x.Shape()); rank > 1 && axis > 0 { // a rotation of the axes
			p := make([]int, rank)
			for i := range p {
				p[i] = (i + axis) % rank
			}
			return ops.Transpose(x, p...)
		}
		return ops.Transpose(x)
	case 27, 28:
		if n := x.Type().Elements(); n > 0 && n%(axis+1) == 0 {
			return ops.Reshape(x, -1, axis+1)
		}
		return ops.Reshape(x, x.Type().Elements())
	case 29, 30:
		return ops.BroadcastTo(x, append([]int{1 + axis}, x.Shape()...)...)
	case 31, 32, 33:
		y := pick()
		a, b := matrixOf(x), matrixOf(y)
		if a.Type().Elements() > 30 || b.Type().Elements() > 30 {
			return ops.Mean(a)
		}
		transposeA, transposeB := axis&1 == 1, axis&2 == 2
		if !transposeA {
			a = ops.Transpose(a)
		}
		k := a.Shape()
		if len(k) != 2 || b.Type().Elements() == 0 {
			return ops.Tanh(a)
		}
		b = ops.BroadcastTo(ops.Mean(b, 0), k[0], len0(b)) // as many rows as a, in its own number of columns
		if transposeB {
			b = ops.Transpose(b)
		}
		if !transposeA {
			a = ops.Transpose(a)
		}
		return ops.MatMulTransposed(a, b, transposeA, transposeB)
	case 34:
		a := matrixOf(x)
		if !a.Valid() || a.Type().Elements() == 0 || a.Type().Elements() > 30 {
			return ops.Tanh(a)
		}
		w := ops.Mean(ops.Transpose(a), 1) // a column's mean
		return ops.Linear(a, ops.BroadcastTo(ops.Reshape(w, -1, 1), a.Shape()[1], 3), ops.BroadcastTo(ops.Mean(a), 3))
	case 35, 36:
		return softmarginloss.Forward(x, ops.Tanh(ops.BroadcastTo(ops.Mean(x), x.Shape()...)), reduction)
	case 37:
		return softmarginloss.Forward(x, x, reduction)
	case 38:
		return ops.BCEWithLogits(x, ops.Sigmoid(x), reduction)
	case 39:
		return ops.SquaredHinge(x, ops.Neg(x), reduction)
	case 40:
		return ops.Dropout(x, 0.3, uint64(axis))
	case 41, 42:
		if p.dtype == device.Float64 {
			return ops.Mul(x, number(0.5))
		}
		return ops.Cast(x, []device.DType{device.BFloat16, device.Float16, device.Float32}[axis%3])
	case 43:
		return ops.Mul(x, number(float64(axis)-1.5))
	case 44:
		return ops.Hinge(x, ops.Square(x), reduction)
	case 45:
		return graph.Apply(device.Copy{}, func(_, g *graph.Node) []*graph.Node { return []*graph.Node{g} }, x)
	case 46: // two views of the same memory
		y := ops.Transpose(x)
		if _, ok := device.Broadcast(x.Shape(), y.Shape()); ok {
			return ops.Sub(x, y)
		}
		return ops.MatMul(matrixOf(x), ops.Transpose(matrixOf(x)))
	default: // a call with arguments that need not be right
		if next(data, 16) > 0 {
			return ops.Softplus(x)
		}
		axes := []int{next(data, 12) - 2, next(data, 12) - 2, next(data, 12) - 2}[:next(data, 4)]
		switch next(data, 8) {
		case 0:
			return ops.Sum(x, axes...)
		case 1:
			return ops.Transpose(x, axes...)
		case 2:
			return ops.Reshape(x, axes...)
		case 3:
			return ops.BroadcastTo(x, axes...)
		case 4:
			return ops.MatMul(x, pick())
		case 5:
			return ops.Add(x, ops.Cast(pick(), device.DType(next(data, 7))))
		case 6:
			return ops.Linear(x, pick(), pick())
		}
		return ops.SumTo(x, pick())
	}
}

// matrixOf returns the elements of x as a matrix.
func matrixOf(x *graph.Node) *graph.Node {
	shape := x.Shape()
	if !x.Valid() || len(shape) == 2 {
		return x
	}
	if len(shape) == 0 || slices.Contains(shape, 0) {
		return ops.Reshape(ops.Sum(x), 1, 1)
	}
	return ops.Reshape(x, -1, shape[len(shape)-1])
}

// len0 returns the number of columns of a matrix.
func len0(x *graph.Node) int {
	if shape := x.Shape(); len(shape) == 2 {
		return shape[1]
	}
	return 1
}

// differentiated are the nodes of a program and its derivatives.
type differentiated struct {
	values  []*graph.Node
	y, z    *graph.Node   // a scalar of the values, and one of its gradients
	xs      []*graph.Node // the inputs and parameters
	dy, dz  []*graph.Node // the derivatives for xs, nil where there are none
	updated bool
}

// differentiate builds the program with first and second derivatives, and with updates if it has some.
func (p *randomProgram) differentiate(g *graph.Graph, in []*graph.Node) *differentiated {
	d := &differentiated{values: p.build(g, in)}
	d.xs = append(slices.Clone(in), g.Parameters()...)
	d.y = g.Constant(p.dtype, 0)
	for _, v := range d.values[max(0, len(d.values)-3):] {
		d.y = ops.Add(d.y, ops.Mean(v))
		if v.Type().Elements() == 0 {
			d.y = ops.Sum(v)
		}
	}
	gradients := func(y *graph.Node) []*graph.Node {
		list := make([]*graph.Node, len(d.xs))
		var xs []*graph.Node
		for _, x := range d.xs {
			if y.DependsOn(x) {
				xs = append(xs, x)
			}
		}
		flow := graph.Gradients(y, xs...)
		for i, x := range d.xs {
			if j := slices.Index(xs, x); j >= 0 {
				list[i] = flow[j]
			}
		}
		return list
	}
	d.dy = gradients(d.y)
	d.z = g.Constant(p.dtype, 0)
	for _, g := range d.dy {
		if g != nil {
			d.z = ops.Add(d.z, ops.Sum(ops.Square(g)))
		}
	}
	d.dz = gradients(d.z)
	if p.step != nil {
		var params, flow []*graph.Node
		for i, x := range d.xs {
			if i >= len(in) && d.dy[i] != nil {
				params, flow = append(params, x), append(flow, d.dy[i])
			}
		}
		p.step.Update(params, flow)
		d.updated = len(params) > 0
	}
	return d
}

// outputs are what a program gives: its last value, and all derivatives.
func (d *differentiated) outputs() []*graph.Node {
	list := []*graph.Node{d.y, d.z, d.values[len(d.values)-1]}
	for _, n := range append(slices.Clone(d.dy), d.dz...) {
		if n != nil {
			list = append(list, n)
		}
	}
	return list
}

// bits returns tensors in a form that shows every bit, each NaN as any other.
func bits(list []*tensor.Dense) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%v", t.Shape())
		if t.Shape().TotalSize() == 0 {
			continue // of which Data would panic
		}
		switch data := t.Data().(type) {
		case []float64:
			for _, v := range data {
				fmt.Fprintf(&b, " %x", v)
			}
		case []float32:
			for _, v := range data {
				fmt.Fprintf(&b, " %x", v)
			}
		case []float16.Float16:
			for _, v := range data {
				fmt.Fprintf(&b, " %x", v.Float32())
			}
		default:
			fmt.Fprintf(&b, " %x", data)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// programFuzzer runs random programs in sessions that share memory differently.
type programFuzzer struct {
	dev device.Device
}

func newProgramFuzzer(t testing.TB) *programFuzzer {
	dev, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return &programFuzzer{dev}
}

func (f *programFuzzer) session(t testing.TB) *graph.Session {
	s, err := graph.NewSession(f.dev)
	require.NoError(t, err)
	return s
}

// check builds and runs the program, and reports whether it is a valid one, and how
// many derivatives were compared with differences.
func (f *programFuzzer) check(t *testing.T, p *randomProgram) (valid bool, compared int) {
	model := func(g *graph.Graph, in []*graph.Node) []*graph.Node { return p.differentiate(g, in).outputs() }
	inputs := p.inputs()
	var types []device.Type
	for _, shape := range p.shapes {
		types = append(types, typ(p.dtype, shape...))
	}

	// What memory is shared, and what is in the rest of it, makes no difference.
	var results []string
	for _, how := range []string{"plain", "no reuse", "poisoned"} {
		s := f.session(t)
		if how == "no reuse" {
			s.NoReuse()
		}
		function := s.Function(model)
		var result strings.Builder
		for step := range 3 {
			outputs, err := function.Run(inputs...)
			if err != nil {
				require.Zero(t, step, "%v", err)
				_, mistake := function.Trace(types...)
				require.Equal(t, mistake, err, "what can be built can be run")
				require.ErrorContains(t, err, "_test.go:", "an error names the line of the call")
				require.NoError(t, s.Close())
				return false, 0
			}
			if how == "poisoned" {
				function.Poison()
			}
			result.WriteString(bits(outputs))
		}
		for _, name := range append(s.Parameters(), s.States()...) {
			v, err := s.Value(name)
			require.NoError(t, err)
			result.WriteString(name + bits([]*tensor.Dense{v}))
		}
		require.NoError(t, s.Close())
		results = append(results, result.String())
	}
	require.Equal(t, results[0], results[1], "without reuse")
	require.Equal(t, results[0], results[2], "with dead memory poisoned")
	if !p.smooth {
		return true, 0
	}
	return true, f.compare(t, p, inputs)
}

// compare checks the derivatives with central differences, where two steps of
// different size agree on those.
func (f *programFuzzer) compare(t *testing.T, p *randomProgram, inputs []*tensor.Dense) (compared int) {
	s := f.session(t)
	defer func() { require.NoError(t, s.Close()) }()
	plain := *p
	plain.step = nil
	var d *differentiated
	outputs, err := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		d = plain.differentiate(g, in)
		return append(d.outputs(), d.values...)
	}).Run(inputs...)
	require.NoError(t, err)
	for _, o := range outputs {
		for _, v := range o.Float64s() {
			if !(math.Abs(v) < 1e4) {
				return 0
			}
		}
	}
	scalars := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		d := plain.differentiate(g, in)
		return []*graph.Node{d.y, d.z}
	})
	at := func(x *float64, v float64) [2]float64 {
		old := *x
		*x = v
		out, err := scalars.Run(inputs...)
		*x = old
		require.NoError(t, err)
		return [2]float64{out[0].Float64s()[0], out[1].Float64s()[0]}
	}
	place := 3
	for order, derivatives := range [][]*graph.Node{d.dy, d.dz} {
		for i, n := range derivatives {
			if n == nil {
				continue
			}
			analytic := outputs[place].Float64s()
			place++
			if i >= len(inputs) {
				continue // a parameter: the same rules as for an input
			}
			data := inputs[i].Float64s()
			for j := range data {
				x := &data[j]
				var estimates []float64
				for _, h := range []float64{0x1p-12, 0x1p-14, 0x1p-16} {
					estimates = append(estimates, (at(x, *x+h)[order]-at(x, *x-h)[order])/(2*h))
				}
				scale := max(1, math.Abs(estimates[2]))
				if slices.Max(estimates)-slices.Min(estimates) > 1e-5*scale {
					continue // a bend or too much curvature
				}
				compared++
				require.InDelta(t, estimates[2], analytic[j], 1e-4*scale, "order %d, input %d, element %d", order+1, i, j)
			}
		}
	}
	return compared
}

// seedPrograms are the bytes of the programs that every test run tries.
func seedPrograms() [][]byte {
	var list [][]byte
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		data := make([]byte, 20+rng.IntN(60))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		list = append(list, data)
	}
	return list
}

// FuzzGraph builds programs of random operations with first and second derivatives and
// perhaps an optimizer's step. One that has a mistake is refused with the line that made it.
// The others give the same bits whatever memory their values share, and whatever is in the
// memory that no value is in; and their derivatives are those that differences find.
func FuzzGraph(f *testing.F) {
	fuzzer := newProgramFuzzer(f)
	for _, data := range seedPrograms() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzer.check(t, newRandomProgram(data)) })
}

// TestFuzzGraphReaches checks that the programs of FuzzGraph are mostly valid, and that
// differences can judge many of their derivatives.
func TestFuzzGraphReaches(t *testing.T) {
	f := newProgramFuzzer(t)
	valid, compared, updated := 0, 0, 0
	for _, data := range seedPrograms() {
		p := newRandomProgram(data)
		ok, n := f.check(t, p)
		compared += n
		if ok {
			valid++
		}
		if ok && p.step != nil && len(p.params) > 0 {
			updated++
		}
	}
	t.Log(valid, compared, updated)
	require.Greater(t, valid, 100)
	require.Greater(t, compared, 300)
	require.Greater(t, updated, 20)
}
