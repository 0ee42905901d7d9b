package devicetest

import (
	"math/rand/v2"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// opCase is the row of one operation.
type opCase struct {
	calls    []call    // smallest first, so that the first failure is a small one
	operands []operand // what each input holds

	// want is the reference, written from the formula: the tensors that op
	// writes, which are the output alone or those that it Updates.
	want func(op device.Op, in []tensor) [][]number

	ulp        float64                // error allowed in float32, see the package comment
	signedZero bool                   // the sign of a zero is specified
	open       func(x []float64) bool // special values for which the documentation leaves the result open
	steps      int                    // launches in a row, each on what the last one left; 1 if 0
}

// call is an operation with its attributes, and the shapes of inputs to call it with.
type call struct {
	op     device.Op
	shapes [][]int
	probe  bool // small, but good for trying every layout and combination of dtypes
}

// operand says what an input holds.
type operand struct {
	draw    func(r *rand.Rand, step int) float64
	special []float64                            // met with every special value of the other inputs
	dtype   func(main device.DType) device.DType // where it is not free; main is the first input's
}

// tensor is an input as the reference sees it, in row-major order.
type tensor struct {
	shape []int
	data  []float64
}

// dtypes lists float64 last, because it mixes with none of the others.
var dtypes = []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64}

// large reports whether the call is there for devices that split their work
// only. It is made in float32, and its result is not looked at so closely.
func (c call) large() bool {
	return slices.ContainsFunc(c.shapes, func(s []int) bool { return count(s) >= largeCall })
}

const largeCall = 100_000

// cases returns the table. Every operation of package device has a row in it.
func cases() []opCase {
	return slices.Concat(elementwiseCases(), lossCases(), layoutCases(), reduceCases(), matMulCases(), optimizerCases(), customCases())
}

// name returns the name of the row's operation.
func (c *opCase) name() string { return c.calls[0].op.Name() }

// run is one call with everything decided.
type run struct {
	call
	inputs  []device.DType
	output  device.DType
	layouts []layout // of the inputs, and last of the output
	inPlace int      // the input whose view the output is, or -1
	special bool     // the inputs hold their special values
}

// newRun takes the dtypes where they are free, and contiguous layouts.
func (c *opCase) newRun(cl call, inputs []device.DType, output device.DType) run {
	r := run{call: cl, inputs: slices.Clone(inputs), output: output, inPlace: -1}
	for i, o := range c.operands {
		if o.dtype != nil {
			r.inputs[i] = o.dtype(inputs[0])
		}
	}
	if u, ok := cl.op.(device.Updater); ok {
		r.inPlace = u.Updates()[0]
		r.output = r.inputs[r.inPlace]
	}
	if cast, ok := cl.op.(device.Cast); ok {
		r.output = cast.To
	}
	r.layouts = slices.Repeat([]layout{contiguous}, len(inputs)+1)
	return r
}

func (c *opCase) uniform(cl call, d device.DType) run {
	return c.newRun(cl, slices.Repeat([]device.DType{d}, len(cl.shapes)), d)
}

// sizes returns every call in every dtype.
func (c *opCase) sizes(o Options) []run {
	var runs []run
	for _, cl := range c.calls {
		for _, d := range dtypes {
			if !cl.large() || d == device.Float32 {
				runs = append(runs, c.uniform(cl, d))
			}
		}
	}
	return o.possible(runs)
}

// mixed returns the probes in every combination of dtypes that mix, or some
// combinations where there are too many.
func (c *opCase) mixed(o Options) []run {
	const most = 32
	free := dtypes[:3]
	r := rand.New(rand.NewPCG(1, 1))
	var runs []run
	for _, cl := range c.calls {
		if !cl.probe {
			continue
		}
		n := len(cl.shapes) + 1
		all := 1
		for range n {
			all *= len(free)
		}
		for k := range min(all, most) {
			if all > most {
				k = r.IntN(all)
			}
			combination := make([]device.DType, n)
			for i := range combination {
				combination[i] = free[k%len(free)]
				k /= len(free)
			}
			runs = append(runs, c.newRun(cl, combination[:n-1], combination[n-1]))
		}
	}
	return o.possible(runs)
}

// strided returns the probes with each layout for one operand after the other,
// for all of them, and in mixtures, in two dtypes.
func (c *opCase) strided(o Options) []run {
	var runs []run
	for _, cl := range c.calls {
		if !cl.probe {
			continue
		}
		for _, d := range dtypes[:2] {
			n := len(cl.shapes) + 1
			for k, l := range layouts {
				for i := range n { // operand i alone
					r := c.uniform(cl, d)
					r.layouts[i] = l
					runs = append(runs, r)
				}
				all, mixture := c.uniform(cl, d), c.uniform(cl, d)
				for i := range n {
					all.layouts[i] = l
					mixture.layouts[i] = layouts[(k+i)%len(layouts)]
				}
				runs = append(runs, all, mixture)
			}
		}
	}
	for _, r := range runs {
		if u, ok := r.op.(device.Updater); ok {
			for _, i := range u.Updates() {
				r.layouts[i] = r.layouts[i].forOutput()
			}
		}
		r.layouts[len(r.inputs)] = r.layouts[len(r.inputs)].forOutput()
	}
	return o.possible(runs)
}

// inPlaces returns the probes of an element-wise operation with the output in
// the place of each input that has the result's type.
func (c *opCase) inPlaces(o Options) []run {
	var runs []run
	for _, cl := range c.calls {
		if _, ok := cl.op.(device.Elementwise); !ok || !cl.probe {
			continue
		}
		for _, d := range dtypes {
			for i := range cl.shapes {
				r := c.uniform(cl, d)
				if result, err := cl.op.Infer(r.types()); err != nil || !result.Equal(r.types()[i]) {
					continue
				}
				r.inPlace = i
				strided := c.uniform(cl, d)
				strided.inPlace = i
				strided.layouts[i] = layouts[1]
				runs = append(runs, r, strided)
			}
		}
	}
	return o.possible(runs)
}

// types returns the inputs' types.
func (r run) types() []device.Type {
	var types []device.Type
	for i, shape := range r.shapes {
		types = append(types, device.Type{DType: r.inputs[i], Shape: shape})
	}
	return types
}

// specials returns a run of each operation, in each dtype, in which every
// special value of an input meets every one of the others.
func (c *opCase) specials(o Options) []run {
	var runs []run
	n := 1
	for _, op := range c.operands {
		n *= len(op.special)
	}
	seen := map[device.Op]bool{}
	for _, cl := range c.calls {
		if n == 0 || seen[cl.op] {
			continue
		}
		seen[cl.op] = true
		cl.shapes = slices.Repeat([][]int{{n}}, len(cl.shapes))
		for _, d := range dtypes {
			r := c.uniform(cl, d)
			r.special = true
			runs = append(runs, r)
		}
	}
	return o.possible(runs)
}

// possible leaves out the runs with a dtype that the device does not have.
func (o Options) possible(runs []run) []run {
	return slices.DeleteFunc(runs, func(r run) bool {
		return !o.has(r.output) || slices.ContainsFunc(r.inputs, func(d device.DType) bool { return !o.has(d) })
	})
}
