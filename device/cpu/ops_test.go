package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// call is an operation with the shapes of its inputs.
type call struct {
	op     device.Op
	shapes [][]int
}

func (c call) String() string { return fmt.Sprintf("%s%+v%v", c.op.Name(), c.op, c.shapes) }

// inputs returns random inputs. Dropout's key is float32 in any case, and a
// float64 operation takes its scalars as float64.
func (c call) inputs(f *fixture, dtype device.DType) []device.View {
	r := rand.New(rand.NewPCG(7, uint64(dtype)))
	_, optimizer := c.op.(device.Optimizer)
	inputs := make([]device.View, len(c.shapes))
	for i, shape := range c.shapes {
		t := device.Type{DType: dtype, Shape: shape}
		if _, ok := c.op.(device.Dropout); ok && i == 1 {
			t.DType = device.Float32
		}
		inputs[i] = f.random(r, t, !optimizer || i < 2) // rates, steps and squares are positive
	}
	return inputs
}

// calls returns every operation of package device, over matrices of about rows by cols elements.
func calls(rows, cols int) []call {
	shape, scalar := []int{rows, cols}, []int{}
	dims := func(list ...int) device.Dims {
		d, err := device.MakeDims(list)
		if err != nil {
			panic(err)
		}
		return d
	}
	var list []call
	add := func(op device.Op, shapes ...[]int) { list = append(list, call{op, shapes}) }
	for _, op := range []device.Op{
		device.Neg{}, device.Exp{}, device.Log{}, device.Sqrt{}, device.Square{}, device.Abs{}, device.Sign{}, device.Tanh{},
		device.Sigmoid{}, device.ReLU{}, device.GELU{}, device.Softplus{}, device.LeakyReLU{NegativeSlope: 0.1}, device.Copy{},
		device.Cast{To: device.Float16}, device.Cast{To: device.Float64},
		device.ReduceSum{}, device.ReduceSum{Axes: 1}, device.ReduceSum{Axes: 2}, device.ReduceMean{Axes: 3, KeepDims: true},
		device.Reshape{To: dims(cols, rows)}, device.Transpose{Permutation: dims(1, 0)}, device.BroadcastTo{To: dims(2, rows, cols)},
	} {
		add(op, shape)
	}
	for _, op := range []device.Op{
		device.Add{}, device.Sub{}, device.Mul{}, device.Div{}, device.Maximum{}, device.ReLUBackward{}, device.TanhBackward{},
		device.SigmoidBackward{}, device.GELUBackward{}, device.LeakyReLUBackward{NegativeSlope: 0.1},
	} {
		add(op, shape, shape)
		add(op, shape, []int{cols})
	}
	add(device.MaximumBackward{}, shape, shape, shape)
	add(device.Dropout{P: 0.3}, shape, []int{2})
	for reduction := device.None; reduction <= device.Sum; reduction++ {
		add(device.SoftMarginLoss{Reduction: reduction}, shape, shape)
		add(device.BCEWithLogits{Reduction: reduction}, shape, []int{rows, 1})
		add(device.SoftMarginLossBackward{Reduction: reduction}, scalar, shape, shape)
		add(device.BCEWithLogitsBackward{Reduction: reduction}, scalar, shape, shape)
	}
	for _, inner := range []int{0, 3, 64} {
		for _, n := range []int{1, 3, cols} {
			add(device.MatMul{}, []int{rows, inner}, []int{inner, n})
			add(device.MatMul{TransposeSelf: true, TransposeOther: true}, []int{inner, rows}, []int{n, inner})
			add(device.Linear{}, []int{rows, inner}, []int{inner, n}, []int{n})
		}
	}
	for _, op := range []device.Optimizer{
		device.SGD{}, device.SGD{Momentum: 0.9, Dampening: 0.1, WeightDecay: 0.01}, device.SGD{Momentum: 0.9, Nesterov: true},
		device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, AMSGrad: true},
		device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01, Decoupled: true},
		device.RMSprop{Alpha: 0.99, Epsilon: 1e-8}, device.RMSprop{Alpha: 0.9, Epsilon: 1e-8, Momentum: 0.5, Centered: true},
		device.Adagrad{Epsilon: 1e-10, LRDecay: 0.1},
	} {
		shapes := [][]int{shape, shape, scalar, scalar}
		for range op.State() {
			shapes = append(shapes, shape)
		}
		add(op, shapes...)
	}
	return list
}

// results launches the call and returns the output, and the inputs that an optimizer updates.
func (c call) results(f *fixture, inputs []device.View, output device.View) []byte {
	f.run(c.op, inputs, output)
	all := slices.Clone(bits(output))
	if u, ok := c.op.(device.Updater); ok {
		for _, i := range u.Updates() {
			all = append(all, bits(inputs[i])...)
		}
	}
	return all
}

// The result of every operation is the same to the bit for every number of threads.
func TestThreadsAgree(t *testing.T) {
	var fixtures []*fixture
	for _, threads := range []int{1, 2, 3, 7} {
		fixtures = append(fixtures, newFixture(t, threads))
	}
	for _, c := range calls(311, 499) {
		for _, dtype := range []device.DType{device.Float32, device.BFloat16} {
			var want []byte
			for i, f := range fixtures {
				inputs := c.inputs(f, dtype)
				got := c.results(f, inputs, f.output(c.op, inputs))
				if i == 0 {
					want = got
				}
				require.True(t, bytes.Equal(want, got), "%s of %s", c, dtype)
			}
		}
	}
}

// Neither where operands lie nor how changes the result.
func TestStridedAndContiguousAgree(t *testing.T) {
	f := newFixture(t, 2)
	for _, size := range [][2]int{{1, 1}, {5, 7}, {37, 61}, {1100, 3}, {2, 1100}} {
		for _, c := range calls(size[0], size[1]) {
			for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
				inputs := c.inputs(f, dtype)
				output := f.output(c.op, inputs)
				var spread []device.View
				for _, v := range inputs {
					spread = append(spread, f.strided(v))
				}
				spreadOutput := spread[0]
				if _, ok := c.op.(device.Updater); !ok {
					spreadOutput = f.strided(output)
				}
				want := c.results(f, inputs, output)
				require.True(t, bytes.Equal(want, c.results(f, spread, spreadOutput)), "%s of %s", c, dtype)
			}
		}
	}
}

// A launch allocates nothing, whether the pool takes part or not.
func TestLaunchAllocatesNothing(t *testing.T) {
	f := newFixture(t, 3)
	for _, size := range [][2]int{{5, 7}, {311, 499}} {
		for _, c := range calls(size[0], size[1]) {
			for _, dtype := range []device.DType{device.Float32, device.Float16, device.Float64} {
				inputs := c.inputs(f, dtype)
				for i, v := range inputs {
					if i%2 == 1 {
						inputs[i] = f.strided(v)
					}
				}
				launch := f.plan(c.op, inputs, f.output(c.op, inputs))
				var err error
				require.Zero(t, testing.AllocsPerRun(2, func() { err = launch() }), "%s of %s", c, dtype)
				require.NoError(t, err)
			}
		}
	}
}
