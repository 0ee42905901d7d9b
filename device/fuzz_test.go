package device_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// tape is a source of choices: the bytes of a fuzzer's input, and zeros when they are used up.
type tape struct{ bytes []byte }

// next returns a number from 0 to n-1, n at most 256.
func (t *tape) next(n int) int {
	if len(t.bytes) == 0 {
		return 0
	}
	b := t.bytes[0]
	t.bytes = t.bytes[1:]
	return int(b) % n
}

// rarely is true for few of the 256 bytes, and not for 0.
func (t *tape) rarely() bool { return t.next(256) >= 250 }

// wild returns a number that has no reason to be right.
func (t *tape) wild() int {
	edges := []int{-1, math.MaxInt, math.MinInt, math.MaxInt / 2, math.MaxInt/8 + 1, math.MaxInt/8 + 2, vast, vast - 1, 1 << 16, 1 << 20}
	if i := t.next(2 * len(edges)); i < len(edges) {
		return edges[i]
	}
	return t.next(256)
}

// permutation returns the axes of a tensor in another order.
func (t *tape) permutation(rank int) []int {
	p := make([]int, rank)
	for i := range p {
		j := t.next(i + 1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}

func (t *tape) dtype() device.DType {
	if t.rarely() {
		return device.DType(t.next(256))
	}
	return device.DType(1 + t.next(4))
}

// dimensions are those of tensors that a launch is tried on: around the widths of
// vectors and of the blocks in which kernels work.
var dimensions = []int{1, 2, 3, 0, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 255}

func (t *tape) shape(rank int) []int {
	shape := make([]int, rank)
	left := 1100 // more than a block of the CPU, which is 1024
	for i := range shape {
		shape[i] = dimensions[t.next(len(dimensions))]
		if shape[i] > left {
			shape[i] = 2
		}
		left /= max(shape[i], 1)
	}
	return shape
}

// broadcastOf returns a shape that broadcasts to the given one.
func (t *tape) broadcastOf(shape []int) []int {
	shape = slices.Clone(shape)
	switch t.next(4) {
	case 1:
		for i := range shape {
			if t.next(2) == 1 {
				shape[i] = 1
			}
		}
	case 2:
		shape = shape[t.next(len(shape)+1):]
	}
	return shape
}

// call is an operation with the types of its inputs, mostly ones that it takes.
func (t *tape) call() (op device.Op, types []device.Type) {
	base := t.shape(t.next(5))
	if t.rarely() {
		base = t.shape(9)
	}
	mixed := []device.DType{f32, f16, b16}
	main := t.dtype()
	dtype := func() device.DType {
		if main == f64 || t.next(2) == 0 {
			return main
		}
		return mixed[t.next(3)]
	}
	add := func(shape []int) { types = append(types, device.Type{DType: dtype(), Shape: shape}) }
	slope := []float64{0, 0.1, -2, math.Inf(1), math.NaN()}[t.next(5)]
	reduction := device.Reduction(t.next(3))
	if t.rarely() {
		reduction = device.Reduction(t.wild())
	}

	unary := []device.Op{
		device.Copy{}, device.Neg{}, device.Exp{}, device.Log{}, device.Sqrt{}, device.Square{}, device.Abs{}, device.Sign{}, device.Tanh{},
		device.Sigmoid{}, device.ReLU{}, device.GELU{}, device.Softplus{}, device.LeakyReLU{NegativeSlope: slope},
	}
	binary := []device.Op{
		device.Add{}, device.Sub{}, device.Mul{}, device.Div{}, device.Maximum{}, device.ReLUBackward{}, device.TanhBackward{},
		device.SigmoidBackward{}, device.GELUBackward{}, device.LeakyReLUBackward{NegativeSlope: slope},
		device.SoftMarginLoss{Reduction: reduction}, device.BCEWithLogits{Reduction: reduction},
	}
	ternary := []device.Op{
		device.MaximumBackward{}, device.SoftMarginLossBackward{Reduction: reduction}, device.BCEWithLogitsBackward{Reduction: reduction},
	}
	switch t.next(10) {
	case 0, 1:
		op = unary[t.next(len(unary))]
		add(base)
	case 2:
		op = binary[t.next(len(binary))]
		add(t.broadcastOf(base))
		add(t.broadcastOf(base))
	case 3:
		op = ternary[t.next(len(ternary))]
		add(t.broadcastOf(base))
		add(t.broadcastOf(base))
		add(t.broadcastOf(base))
	case 4:
		axes, keep := device.AxisSet(t.next(256)), t.next(2) == 1
		if !t.rarely() {
			axes &= device.AllAxes(min(len(base), device.MaxRank))
		}
		op = []device.Op{device.ReduceSum{Axes: axes, KeepDims: keep}, device.ReduceMean{Axes: axes, KeepDims: keep}}[t.next(2)]
		add(base)
	case 5:
		m := device.MatMul{TransposeSelf: t.next(2) == 1, TransposeOther: t.next(2) == 1}
		dims := t.shape(2)
		a, b := []int{dims[0], dims[1]}, []int{dims[1], dimensions[t.next(len(dimensions))]}
		if t.next(2) == 1 {
			op = device.Linear{}
			add(a)
			add(b)
			add(b[1:])
			break
		}
		if m.TransposeSelf {
			slices.Reverse(a)
		}
		if m.TransposeOther {
			slices.Reverse(b)
		}
		op = m
		add(a)
		add(b)
	case 6:
		optimizer := []device.Optimizer{
			device.SGD{}, device.SGD{Momentum: 0.9, Dampening: 0.5, WeightDecay: 0.1, Nesterov: t.next(2) == 1},
			device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, AMSGrad: t.next(2) == 1, Decoupled: t.next(2) == 1, WeightDecay: 0.1},
			device.RMSprop{Alpha: 0.99, Epsilon: 1e-8, Momentum: float64(t.next(2)), Centered: t.next(2) == 1},
			device.Adagrad{LRDecay: 0.1, Epsilon: 1e-10},
		}[t.next(5)]
		op = optimizer
		add(base)
		add(base)
		add(nil)
		add(nil)
		for range optimizer.State() {
			add(base)
		}
	case 7:
		op = device.Dropout{P: []float64{0, 0.5, 0.999, 1, -1, math.NaN()}[t.next(6)]}
		add(base)
		types = append(types, device.Type{DType: f32, Shape: []int{2}})
	case 8:
		op = device.Cast{To: t.dtype()}
		add(base)
	default:
		dims := func(list []int) device.Dims {
			d, _ := device.MakeDims(list) // of no dimension if there are too many
			return d
		}
		to := slices.Clone(base)
		if t.next(2) == 1 && len(to) > 1 { // two axes as one
			to = append([]int{to[0] * to[1]}, to[2:]...)
		}
		if t.rarely() {
			to = append(to, t.wild())
		}
		permutation := t.permutation(len(base))
		if t.rarely() && len(permutation) > 0 {
			permutation[0] = t.wild()
		}
		op = []device.Op{device.Reshape{To: dims(to)}, device.Transpose{Permutation: dims(permutation)}, device.BroadcastTo{To: dims(base)}}[t.next(3)]
		add(t.broadcastOf(base))
	}
	if t.rarely() {
		types[t.next(len(types))].Shape = []int{t.wild(), t.wild()}
	}
	if t.rarely() {
		types = types[1:]
	}
	if t.rarely() {
		types = append(types, types...)
	}
	return op, types
}

// view lays a tensor out in the buffer, mostly within it.
func (t *tape) view(b device.Buffer, typ device.Type) device.View {
	v := device.Contiguous(b, 0, typ)
	rank := len(typ.Shape)
	switch t.next(8) {
	case 1, 2: // its axes in another order, with gaps
		n := 1 + t.next(2)
		for _, axis := range t.permutation(rank) {
			v.Strides[axis] = n
			n *= max(typ.Shape[axis], 1) + t.next(3)
		}
	case 3: // elements repeated
		for i := range v.Strides {
			v.Strides[i] *= t.next(2)
		}
	case 4: // no order at all
		for i := range v.Strides {
			v.Strides[i] = t.next(12)
		}
	}
	v.Offset = t.next(256) * t.next(4)
	if rank > 0 && t.rarely() {
		v.Strides[t.next(rank)] = t.wild()
	}
	if t.rarely() {
		v.Offset = t.wild()
	}
	if t.rarely() {
		v.Strides = append(v.Strides, 1)
	}
	return v
}

// mark marks the bytes that are elements of the view.
func mark(marked []bool, v device.View) {
	size := v.DType.Size()
	for _, a := range addresses(v) {
		for i := range size {
			marked[a*size+i] = true
		}
	}
}

// elementBits returns the elements' bits in row-major order, every NaN with the same ones:
// which of several a computation gives is left open.
func elementBits(v device.View, mem []byte) []uint64 {
	bits := []uint64{}
	size := v.DType.Size()
	for _, a := range addresses(v) {
		e := mem[a*size:]
		var u uint64
		nan := false
		switch v.DType {
		case f64:
			u = binary.NativeEndian.Uint64(e)
			nan = math.IsNaN(math.Float64frombits(u))
		case f32:
			u = uint64(binary.NativeEndian.Uint32(e))
			nan = u&0x7fffffff > 0x7f800000
		case f16:
			u = uint64(binary.NativeEndian.Uint16(e))
			nan = u&0x7fff > 0x7c00
		case b16:
			u = uint64(binary.NativeEndian.Uint16(e))
			nan = u&0x7fff > 0x7f80
		}
		if nan {
			u = math.MaxUint64
		}
		bits = append(bits, u)
	}
	return bits
}

// written returns the tensors that the call overwrites.
func written(op device.Op, inputs []device.View, output device.View) []device.View {
	u, ok := op.(device.Updater)
	if !ok {
		return []device.View{output}
	}
	var list []device.View
	for _, i := range u.Updates() {
		list = append(list, inputs[i])
	}
	return list
}

// planFuzzer has the memory that calls are tried on.
type planFuzzer struct {
	dev     device.Device
	stream  device.Stream
	buffers [4]device.Buffer
	others  []device.Buffer // that no call may use
}

const fuzzBufferSize = 1 << 14

func newPlanFuzzer(t testing.TB, name string) *planFuzzer {
	p := &planFuzzer{}
	var err error
	p.dev, err = device.Open(name)
	require.NoError(t, err)
	p.stream, err = p.dev.NewStream()
	require.NoError(t, err)
	for i := range p.buffers {
		p.buffers[i] = p.alloc(t, fuzzBufferSize-int64(i)) // of sizes that elements do and do not fill
	}
	freed := p.alloc(t, 64)
	require.NoError(t, freed.Free())
	foreign, err := device.Open(name)
	require.NoError(t, err)
	elsewhere, err := foreign.Alloc(fuzzBufferSize)
	require.NoError(t, err)
	p.others = []device.Buffer{nil, freed, elsewhere, newBuffer(fuzzBufferSize), p.alloc(t, 0)}
	t.Cleanup(func() {
		require.NoError(t, foreign.Close())
		require.NoError(t, p.stream.Close())
		require.NoError(t, p.dev.Close())
	})
	return p
}

func (p *planFuzzer) alloc(t require.TestingT, size int64) device.Buffer {
	b, err := p.dev.Alloc(size)
	require.NoError(t, err)
	return b
}

func (p *planFuzzer) buffer(choices *tape, i int) device.Buffer {
	if choices.rarely() {
		return p.others[choices.next(len(p.others))]
	}
	if choices.next(4) == 3 {
		i = choices.next(len(p.buffers)) // perhaps one that another tensor is in
	}
	return p.buffers[i%len(p.buffers)]
}

// launch runs the call on the contents, and returns the contents after it.
func (p *planFuzzer) launch(t require.TestingT, exe device.Executor, buffers []device.Buffer, contents [][]byte) [][]byte {
	for i, b := range buffers {
		require.NoError(t, p.stream.Upload(b, 0, contents[i]))
	}
	var workspace device.Buffer
	if n := exe.WorkspaceSize(); n > 0 {
		workspace = p.alloc(t, n)
		require.NoError(t, p.stream.Upload(workspace, 0, bytes.Repeat([]byte{0xff}, int(n))))
	}
	require.NoError(t, exe.Launch(workspace, p.stream))
	after := make([][]byte, len(buffers))
	for i, b := range buffers {
		after[i] = make([]byte, b.Size())
		require.NoError(t, p.stream.Download(after[i], b, 0))
	}
	if workspace != nil {
		require.NoError(t, workspace.Free())
	}
	return after
}

// check plans a call that the choices describe, and launches it if it is valid and small.
func (p *planFuzzer) check(t *testing.T, choices *tape) (planned, launched bool) {
	op, types := choices.call()
	inputs := make([]device.View, len(types))
	for i, typ := range types {
		inputs[i] = choices.view(p.buffer(choices, i), typ)
	}
	result, err := op.Infer(types)
	if err != nil {
		requireCoded(t, err)
		result = device.Type{DType: f32, Shape: []int{2}}
	}
	if result.DType != f64 && choices.next(3) == 1 {
		result.DType = []device.DType{f32, f16, b16}[choices.next(3)]
	}
	output := choices.view(p.buffer(choices, 3), result)
	updater, _ := op.(device.Updater)
	if len(inputs) > 0 && (choices.next(4) == 3 || updater != nil && !choices.rarely()) { // in place
		output = inputs[0]
		if updater == nil {
			output = inputs[choices.next(len(inputs))]
		}
	}

	exe, err := p.dev.Plan(op, inputs, output)
	if err != nil {
		requireCoded(t, err)
		return false, false
	}
	defer func() { require.NoError(t, exe.Close()) }()
	require.GreaterOrEqual(t, exe.WorkspaceSize(), int64(0), "%s %+v", device.OpString(op), inputs)
	work := 1
	for _, v := range append([]device.View{output}, inputs...) {
		n := device.Elements(v.Shape)
		if n > 1<<14 || work > 1<<26 {
			return true, false
		}
		work *= max(n, 1)
	}
	p.checkLaunch(t, choices, op, inputs, output, exe)
	return true, true
}

func (p *planFuzzer) checkLaunch(t *testing.T, choices *tape, op device.Op, inputs []device.View, output device.View, exe device.Executor) {
	rng := rand.New(rand.NewPCG(uint64(choices.next(256)), 1))
	dtype := inputs[0].DType
	anyBits := choices.next(3) == 1
	contents := make([][]byte, len(p.buffers))
	garbage := make([][]byte, len(p.buffers))
	for i, b := range p.buffers {
		contents[i], garbage[i] = make([]byte, b.Size()), bytes.Repeat([]byte{byte(1 + rng.IntN(255))}, int(b.Size()))
		for j := 0; j+8 <= len(contents[i]); j += 8 {
			word := contents[i][j:]
			switch v := rng.NormFloat64(); {
			case anyBits:
				binary.NativeEndian.PutUint64(word, rng.Uint64())
			case dtype == f64:
				binary.NativeEndian.PutUint64(word, math.Float64bits(v))
			case dtype == f32:
				binary.NativeEndian.PutUint32(word, math.Float32bits(float32(v)))
				binary.NativeEndian.PutUint32(word[4:], math.Float32bits(float32(rng.NormFloat64())))
			default: // a float16 of medium size, and a bfloat16 of any
				binary.NativeEndian.PutUint64(word, rng.Uint64()&0xbfffbfffbfffbfff)
			}
		}
	}
	describe := func() string { return device.OpString(op) }

	// Nothing outside the elements that it writes has changed.
	out := written(op, inputs, output)
	after := p.launch(t, exe, p.buffers[:], contents)
	for i, b := range p.buffers {
		marked := make([]bool, b.Size())
		for _, v := range out {
			if v.Buffer == b {
				mark(marked, v)
			}
		}
		for j, m := range marked {
			if !m && after[i][j] != contents[i][j] {
				t.Fatalf("%s of %+v to %+v wrote to byte %d of buffer %d, which is no element of the output", describe(), inputs, output, j, i)
			}
		}
	}
	memoryOf := func(v device.View, mem [][]byte) []byte {
		if i := slices.Index(p.buffers[:], v.Buffer); i >= 0 {
			return mem[i]
		}
		return nil // of a view without elements in the buffer of no bytes
	}
	var want [][]uint64
	for _, v := range out {
		want = append(want, elementBits(v, memoryOf(v, after)))
	}

	// Nothing outside the elements of the inputs has been read.
	for i, b := range p.buffers {
		marked := make([]bool, b.Size())
		for _, v := range inputs {
			if v.Buffer == b {
				mark(marked, v)
			}
		}
		for j, m := range marked {
			if m {
				garbage[i][j] = contents[i][j]
			}
		}
	}
	after = p.launch(t, exe, p.buffers[:], garbage)
	for i, v := range out {
		require.Equal(t, want[i], elementBits(v, memoryOf(v, after)), "%s of %+v to %+v depends on memory outside its inputs", describe(), inputs, output)
	}

	// Contiguous copies of the inputs give the same bits.
	plain := make([]device.View, len(inputs))
	copies := make([]device.Buffer, len(inputs)+1)
	packed := make([][]byte, len(inputs)+1)
	for i, v := range inputs {
		mem, size := memoryOf(v, contents), v.DType.Size()
		for _, a := range addresses(v) {
			packed[i] = append(packed[i], mem[a*size:][:size]...)
		}
		copies[i] = p.alloc(t, int64(len(packed[i])))
		plain[i] = device.Contiguous(copies[i], 0, v.Type())
	}
	packed[len(inputs)] = make([]byte, output.Type().Bytes())
	copies[len(inputs)] = p.alloc(t, output.Type().Bytes())
	plainOutput := device.Contiguous(copies[len(inputs)], 0, output.Type())
	if _, ok := op.(device.Updater); ok {
		plainOutput = plain[0]
	}
	plainExe, err := p.dev.Plan(op, plain, plainOutput)
	require.NoError(t, err, "%s of contiguous copies of %+v", describe(), inputs)
	after = p.launch(t, plainExe, copies, packed)
	for i, v := range written(op, plain, plainOutput) {
		require.Equal(t, want[i], elementBits(v, after[slices.Index(copies, v.Buffer)]),
			"%s of %+v to %+v gives other bits than of contiguous copies", describe(), inputs, output)
	}
	require.NoError(t, plainExe.Close())
	for _, b := range copies {
		require.NoError(t, b.Free())
	}
}

// requireCoded checks that a refusal is the device's, with a code and a reason.
func requireCoded(t require.TestingT, err error) {
	var e *device.Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.NotZero(t, e.Code)
	require.NotEmpty(t, e.Reason)
}

// seedCalls are the bytes of the calls that every test run tries.
func seedCalls() [][]byte {
	list := make([][]byte, 300)
	for seed := range list {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		list[seed] = make([]byte, 100)
		for i := range list[seed] {
			list[seed][i] = byte(rng.Uint32())
		}
	}
	return list
}

// FuzzPlan plans calls of all operations with shapes, strides, offsets and dtypes of all
// kinds, on buffers that they share. A call is refused with a coded error, or its launch
// touches no memory but the elements of its operands, and gives the bits that it gives
// for contiguous copies of them.
func FuzzPlan(f *testing.F) {
	fuzzers := []*planFuzzer{newPlanFuzzer(f, "cpu?threads=1"), newPlanFuzzer(f, "cpu?threads=1&simd=off")}
	for _, data := range seedCalls() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range fuzzers {
			p.check(t, &tape{data})
		}
	})
}

// TestFuzzPlanReaches checks that the choices of FuzzPlan lead where they should: to
// refusals, to plans, and to launches.
func TestFuzzPlanReaches(t *testing.T) {
	p := newPlanFuzzer(t, "cpu?threads=1")
	plans, launches := 0, 0
	calls := seedCalls()
	for _, data := range calls {
		planned, launched := p.check(t, &tape{data})
		if planned {
			plans++
		}
		if launched {
			launches++
		}
	}
	t.Log(plans, launches)
	require.Greater(t, launches, len(calls)/5)
	require.Greater(t, len(calls)-plans, len(calls)/5)
}
