// Command gorgoniabench measures the soft margin loss, mean, forward and gradient for
// the scores, and training steps, in Gorgonia. Arguments: log1p or softplus, the
// operator that the loss is made of, then value or dual, where the gradient is kept.
package main

import (
	"log"
	"os"
	"strconv"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/bench/peers/workload"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "log1p" && os.Args[1] != "softplus" || os.Args[2] != "value" && os.Args[2] != "dual" {
		log.Fatal("usage: gorgonia log1p|softplus value|dual")
	}
	workload.Introduce("Gorgonia", "gorgonia.org/gorgonia", os.Args[1:]...)
	measureLoss()
	for _, job := range workload.Jobs {
		train(job)
	}
}

func softMarginLoss(scores, labels *G.Node) *G.Node {
	each := G.Must(G.Neg(G.Must(G.HadamardProd(scores, labels))))
	if os.Args[1] == "softplus" {
		each = G.Must(G.Softplus(each))
	} else {
		each = G.Must(G.Log1p(G.Must(G.Exp(each))))
	}
	return G.Must(G.Mean(each))
}

func array(data []float32, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}

func run(vm G.VM) {
	if err := vm.RunAll(); err != nil {
		log.Fatal(err)
	}
}

func measureLoss() {
	l := workload.NewLoss()
	n := len(l.Scores)
	g := G.NewGraph()
	vector := func(name string, data []float32) *G.Node {
		return G.NewVector(g, tensor.Float32, G.WithShape(n), G.WithName(name), G.WithValue(array(data, n)))
	}
	scores, labels := vector("scores", l.Scores), vector("labels", l.Labels)
	loss := softMarginLoss(scores, labels)
	grads, err := G.Grad(loss, scores)
	if err != nil {
		log.Fatal(err)
	}
	var options []G.VMOpt
	if os.Args[2] == "dual" { // as for a solver: the gradient is also added to that of the scores
		options = append(options, G.BindDualValues(scores))
	}
	vm := G.NewTapeMachine(g, options...)
	defer vm.Close()
	l.Measure(func() { run(vm) }, func() (float32, []float32) {
		grad := grads[0].Value()
		if os.Args[2] == "dual" {
			if grad, err = scores.Grad(); err != nil {
				log.Fatal(err)
			}
		}
		return loss.Value().Data().(float32), grad.Data().([]float32)
	}, vm.Reset)
}

// train always keeps the gradients where a solver wants them.
func train(job workload.Job) {
	g := G.NewGraph()
	matrix := func(name string, rows, columns int, options ...G.NodeConsOpt) *G.Node {
		return G.NewMatrix(g, tensor.Float32, append(options, G.WithShape(rows, columns), G.WithName(name))...)
	}
	features, labels := matrix("features", job.Rows, job.Sizes[0]), matrix("labels", job.Rows, 1)
	h := features
	var params G.Nodes
	layers := job.Layers()
	for k, l := range layers {
		w := matrix("weight"+strconv.Itoa(k), l.In, l.Out, G.WithValue(array(l.Weight, l.In, l.Out)))
		b := matrix("bias"+strconv.Itoa(k), 1, l.Out, G.WithValue(array(l.Bias, 1, l.Out)))
		h = G.Must(G.BroadcastAdd(G.Must(G.Mul(h, w)), b, nil, []byte{0}))
		if k < len(layers)-1 {
			h = G.Must(G.Rectify(h))
		}
		params = append(params, w, b)
	}
	cost := softMarginLoss(h, labels)
	var loss G.Value
	G.Read(cost, &loss)
	if _, err := G.Grad(cost, params...); err != nil {
		log.Fatal(err)
	}
	vm := G.NewTapeMachine(g, G.BindDualValues(params...))
	defer vm.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(workload.LearningRate), G.WithBeta1(workload.Beta1), G.WithBeta2(workload.Beta2), G.WithEps(workload.Epsilon))

	x, y := job.Batch()
	rows, targets := array(x, job.Rows, job.Sizes[0]), array(y, job.Rows, 1)
	job.Measure(func() float32 {
		if err := G.Let(features, rows); err != nil {
			log.Fatal(err)
		}
		if err := G.Let(labels, targets); err != nil {
			log.Fatal(err)
		}
		run(vm)
		value := loss.Data().(float32)
		if err := solver.Step(G.NodesToValueGrads(params)); err != nil {
			log.Fatal(err)
		}
		vm.Reset()
		return value
	})
}
