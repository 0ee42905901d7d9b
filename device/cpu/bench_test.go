package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pullback-go/pullback/device"
)

// bench launches an operation on tensors of random numbers, and reports the time
// for each of its elements, whatever the benchmark takes them to be.
func bench(b *testing.B, name string, op device.Op, elements int, types ...device.Type) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
			f := newFixture(b, threads)
			r := rand.New(rand.NewPCG(1, 2))
			var inputs []device.View
			for _, t := range types {
				inputs = append(inputs, f.random(r, t, len(t.Shape) > 0))
			}
			launch := f.plan(op, inputs, f.output(op, inputs))
			b.ReportAllocs()
			for b.Loop() {
				if err := launch(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(elements), "ns/element")
		})
	}
}

func BenchmarkSoftMarginLoss(b *testing.B) {
	for _, dtype := range []device.DType{device.Float32, device.Float16} {
		for n := 1 << 10; n <= 1<<20; n <<= 5 {
			t := device.Type{DType: dtype, Shape: []int{n}}
			bench(b, fmt.Sprintf("forward/%s/%d", dtype, n), device.SoftMarginLoss{Reduction: device.Mean}, n, t, t)
			scalar := device.Type{DType: dtype, Shape: []int{}}
			bench(b, fmt.Sprintf("backward/%s/%d", dtype, n), device.SoftMarginLossBackward{Reduction: device.Mean}, n, scalar, t, t)
		}
	}
}

func BenchmarkElementwise(b *testing.B) {
	const n = 1 << 16
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
		t := device.Type{DType: dtype, Shape: []int{n}}
		for _, op := range []device.Op{device.Add{}, device.ReLU{}, device.Exp{}} {
			inputs := []device.Type{t, t}[:1]
			if op == (device.Add{}) {
				inputs = []device.Type{t, t}
			}
			bench(b, op.Name()+"/"+dtype.String(), op, n, inputs...)
		}
	}
}

func BenchmarkReduceSum(b *testing.B) {
	for _, axes := range []device.AxisSet{1, 2, 3} {
		for _, shape := range [][]int{{1024, 64}, {64, 1024}, {65536, 1}, {16384, 4}} {
			bench(b, fmt.Sprint(shape, axes), device.ReduceSum{Axes: axes}, 1<<16, device.Type{DType: device.Float32, Shape: shape})
		}
	}
}

// One element is one multiplication and addition.
func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{128, 256, 512} {
		t := device.Type{DType: device.Float32, Shape: []int{n, n}}
		bench(b, fmt.Sprint(n), device.MatMul{}, n*n*n, t, t)
		bench(b, fmt.Sprint(n, " transposed"), device.MatMul{TransposeSelf: true, TransposeOther: true}, n*n*n, t, t)
	}
}

func BenchmarkLinear(b *testing.B) {
	for _, s := range [][3]int{{32, 64, 32}, {32, 64, 1}, {256, 256, 1}, {256, 256, 4}} {
		bench(b, fmt.Sprint(s), device.Linear{}, s[0]*s[1]*s[2],
			device.Type{DType: device.Float32, Shape: []int{s[0], s[1]}},
			device.Type{DType: device.Float32, Shape: []int{s[1], s[2]}},
			device.Type{DType: device.Float32, Shape: []int{s[2]}})
	}
}

func BenchmarkAdam(b *testing.B) {
	scalar := device.Type{DType: device.Float32, Shape: []int{}}
	for _, n := range []int{1 << 10, 1 << 16} {
		t := device.Type{DType: device.Float32, Shape: []int{n}}
		bench(b, fmt.Sprint(n), device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, n, t, t, scalar, scalar, t, t)
	}
}

// BenchmarkLayouts is the loss and its gradient where the scores are not contiguous.
func BenchmarkLayouts(b *testing.B) {
	for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
		for _, shape := range [][]int{{256, 256}, {1024, 1024}, {4096, 30}, {300, 3000}} {
			rows, columns := shape[0], shape[1]
			for _, layout := range []struct {
				name    string
				strides []int
			}{
				{"contiguous", []int{columns, 1}},
				{"every second", []int{2 * columns, 2}},
				{"every third", []int{3 * columns, 3}},
				{"transposed", []int{1, rows}},
			} {
				for _, op := range []device.Op{device.SoftMarginLoss{Reduction: device.Mean}, device.SoftMarginLossBackward{Reduction: device.Mean}} {
					b.Run(fmt.Sprintf("%s/%s/%v/%s", op.Name(), dtype, shape, layout.name), func(b *testing.B) {
						f := newFixture(b, 1)
						r := rand.New(rand.NewPCG(1, 2))
						t := device.Type{DType: dtype, Shape: shape}
						self := f.random(r, device.Type{DType: dtype, Shape: []int{3 * rows * columns}}, true)
						self.Shape, self.Strides = shape, layout.strides
						inputs := []device.View{self, f.random(r, t, true)}
						if op.Name() == "SoftMarginLossBackward" {
							inputs = append([]device.View{f.random(r, device.Type{DType: dtype, Shape: []int{}}, false)}, inputs...)
						}
						launch := f.plan(op, inputs, f.output(op, inputs))
						for b.Loop() {
							if err := launch(); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows*columns), "ns/element")
					})
				}
			}
		}
	}
}

// BenchmarkSubnormal compares operations on ordinary numbers with the same on subnormal ones, at
// which processors are slow. Of the losses it is the scores that are subnormal.
func BenchmarkSubnormal(b *testing.B) {
	const n = 1 << 12
	for dtype, tiny := range map[device.DType]float64{device.Float32: 0x1p-130, device.Float64: 0x1p-1030} {
		vector, scalar, matrix := device.Type{DType: dtype, Shape: []int{n}}, device.Type{DType: dtype}, device.Type{DType: dtype, Shape: []int{64, 64}}
		for _, c := range []struct {
			op     device.Op
			inputs []device.Type
			at     int // the input that is subnormal
		}{
			{device.Exp{}, []device.Type{vector}, 0},
			{device.Log{}, []device.Type{vector}, 0},
			{device.Sqrt{}, []device.Type{vector}, 0},
			{device.Tanh{}, []device.Type{vector}, 0},
			{device.Sigmoid{}, []device.Type{vector}, 0},
			{device.GELU{}, []device.Type{vector}, 0},
			{device.Softplus{}, []device.Type{vector}, 0},
			{device.LeakyReLU{NegativeSlope: 0.1}, []device.Type{vector}, 0},
			{device.Add{}, []device.Type{vector, vector}, 0},
			{device.Mul{}, []device.Type{vector, vector}, 0},
			{device.Div{}, []device.Type{vector, vector}, 0},
			{device.TanhBackward{}, []device.Type{vector, vector}, 1},
			{device.GELUBackward{}, []device.Type{vector, vector}, 1},
			{device.SoftMarginLoss{Reduction: device.Mean}, []device.Type{vector, vector}, 0},
			{device.SoftMarginLossBackward{Reduction: device.Mean}, []device.Type{scalar, vector, vector}, 1},
			{device.BCEWithLogits{Reduction: device.Mean}, []device.Type{vector, vector}, 0},
			{device.BCEWithLogitsBackward{Reduction: device.Mean}, []device.Type{scalar, vector, vector}, 1},
			{device.MatMul{}, []device.Type{matrix, matrix}, 0},
			{device.ReduceSum{Axes: 1}, []device.Type{vector}, 0},
			{device.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, []device.Type{vector, vector, scalar, scalar, vector, vector}, 1},
		} {
			for _, scale := range []float64{1, tiny} {
				b.Run(fmt.Sprintf("%s/%s/subnormal=%v", c.op.Name(), dtype, scale == tiny), func(b *testing.B) {
					f := newFixture(b, 1)
					r := rand.New(rand.NewPCG(1, 2))
					inputs := make([]device.View, len(c.inputs))
					for i, t := range c.inputs {
						inputs[i] = f.random(r, t, false)
					}
					read, write := converters[float64](dtype, inputs[c.at].Buffer.(*buffer).mem)
					x := make([]float64, c.inputs[c.at].Elements())
					read(x, 0, 1)
					for i := range x {
						x[i] *= scale
					}
					write(x, 0, 1)
					output := inputs[0]
					if _, inPlace := c.op.(device.Updater); !inPlace {
						output = f.output(c.op, inputs)
					}
					launch := f.plan(c.op, inputs, output)
					for b.Loop() {
						if err := launch(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
