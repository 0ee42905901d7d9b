package measure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/bench/internal/reference"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/nn"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
	"github.com/pullback-go/pullback/optim"
)

// batches is how many mini-batches go round.
const batches = 8

// train makes a training step ready, put together as a classifier does it: an MLP
// with ReLU in the point's dtype, the mean soft margin loss, AdamW. Each step takes its
// mini-batch from the host and gives the loss back.
func (x *Instance) train(p Point) error {
	sizes, err := p.Network()
	if err != nil {
		return err
	}
	session, err := graph.NewSession(x.dev)
	if err != nil {
		return err
	}
	x.closers = append(x.closers, session.Close)
	loss := networkOf(p, sizes)
	step := session.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		l := loss(in)
		optim.Minimize(g, optim.NewAdamW(optim.Constant(1e-3)), l)
		return []*graph.Node{l}
	})
	rows, targets := miniBatches(p, sizes[0])
	next := 0
	x.once = func() error {
		_, err := step.RunScalar(rows[next], targets[next])
		next = (next + 1) % batches
		return err
	}
	x.check = func(*checker) (ulp float64, wrong bool, err error) {
		ulp, err = lossError(p, x.dev, rows[0], targets[0])
		return ulp, ulp > trainTolerance(p.DType), err
	}
	return nil
}

// networkOf returns what makes the nodes of the network's loss.
func networkOf(p Point, sizes []int) func(in []*graph.Node) *graph.Node {
	net := nn.MLP{Name: "mlp", Sizes: sizes, Seed: 1}
	return func(in []*graph.Node) *graph.Node {
		scores := ops.Cast(net.Forward(ops.Cast(in[0], p.DType), true), in[0].DType())
		return softmarginloss.Forward(scores, in[1], device.Mean)
	}
}

// lossError is the error in ulp of the loss of a mini-batch before any step: what comes after one
// depends on how well conditioned the step is.
func lossError(p Point, dev device.Device, rows, targets *tensor.Dense) (ulp float64, err error) {
	sizes, err := p.Network()
	if err != nil {
		return 0, err
	}
	session, err := graph.NewSession(dev)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	loss := networkOf(p, sizes)
	got, err := session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{loss(in)}
	}).RunScalar(rows, targets)
	if err != nil {
		return 0, err
	}
	want, err := networkLoss(session, p, sizes, rows, targets)
	return reference.Distance(got, want, p.DType), err
}

// trainTolerance is the error of the loss in ulp from which on it is wrong. Halves round what every layer leaves,
// the reference does not.
func trainTolerance(d device.DType) float64 {
	if d.Size() == 2 {
		return 64
	}
	return 8
}

// miniBatches returns random rows and their targets, in the dtype that the host uploads.
func miniBatches(p Point, features int) (rows, targets []*tensor.Dense) {
	r := rand.New(rand.NewPCG(1, 2))
	for range batches {
		x := graph.NewTensor(device.Type{DType: p.DType.Compute(), Shape: []int{p.N, features}})
		y := graph.NewTensor(device.Type{DType: p.DType.Compute(), Shape: []int{p.N, 1}})
		fill(x, r.NormFloat64)
		fill(y, func() float64 { return float64(2*r.IntN(2) - 1) })
		rows, targets = append(rows, x), append(targets, y)
	}
	return rows, targets
}

func fill(t *tensor.Dense, f func() float64) {
	switch data := t.Data().(type) {
	case []float32:
		for i := range data {
			data[i] = float32(f())
		}
	case []float64:
		for i := range data {
			data[i] = f()
		}
	}
}

func floats(t *tensor.Dense) []float64 {
	switch data := t.Data().(type) {
	case []float64:
		return data
	case []float32:
		list := make([]float64, len(data))
		for i, v := range data {
			list[i] = float64(v)
		}
		return list
	}
	return nil
}

// networkLoss is the mean loss of the network with the parameters that the session has now, in float64.
func networkLoss(session *graph.Session, p Point, sizes []int, rows, targets *tensor.Dense) (reference.Number, error) {
	x := floats(rows)
	n := rows.Shape()[0]
	for layer := range len(sizes) - 1 {
		in, out := sizes[layer], sizes[layer+1]
		var values [2][]float64
		for i, name := range []string{"weight", "bias"} {
			t, err := session.Value(fmt.Sprintf("mlp/%d/%s", layer, name))
			if err != nil {
				return reference.Number{}, err
			}
			values[i] = floats(t)
		}
		next := make([]float64, n*out)
		for i := range n {
			row := next[i*out : (i+1)*out]
			copy(row, values[1])
			for k, v := range x[i*in : (i+1)*in] {
				for j, w := range values[0][k*out : (k+1)*out] {
					row[j] += v * w
				}
			}
			for j := range row {
				if layer < len(sizes)-2 {
					row[j] = math.Max(row[j], 0)
				}
			}
		}
		x = next
	}
	var total reference.Total
	for i, target := range floats(targets) {
		total.Add(reference.SoftMargin(x[i], target, p.DType))
	}
	return total.Over(float64(n)), nil
}
