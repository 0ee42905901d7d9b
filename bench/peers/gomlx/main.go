// Command gomlxbench measures the soft margin loss, mean, forward and gradient for the
// scores, and training steps, in GoMLX on its pure-Go backend. Argument: the backend's
// configuration, such as "go" or "go:parallelism=1,ops_sequential".
package main

import (
	"log"
	"os"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/pullback-go/pullback/bench/peers/workload"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gomlx configuration")
	}
	backend, err := compute.NewWithConfig(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	workload.Introduce("GoMLX", "github.com/gomlx/gomlx", os.Args[1])
	measureLoss(backend)
	for _, job := range workload.Jobs {
		train(backend, job)
	}
}

func softMarginLoss(scores, labels *graph.Node) *graph.Node {
	return graph.ReduceAllMean(graph.Log1P(graph.Exp(graph.Neg(graph.Mul(scores, labels)))))
}

func measureLoss(backend compute.Backend) {
	l := workload.NewLoss()
	// ToDevice moves a tensor to the backend and frees its local copy; calls find it there.
	onDevice := func(data []float32) *tensors.Tensor {
		t := tensors.FromFlatDataAndDimensions(data, len(data))
		if err := t.ToDevice(backend, 0); err != nil {
			log.Fatal(err)
		}
		return t
	}
	scores, labels := onDevice(l.Scores), onDevice(l.Labels)
	exec := graph.MustNewExec(backend, func(scores, labels *graph.Node) (loss, grad *graph.Node) {
		loss = softMarginLoss(scores, labels)
		return loss, graph.Gradient(loss, scores)[0]
	})
	var loss, grad *tensors.Tensor
	l.Measure(func() {
		loss, grad = exec.MustCall2(scores, labels) // the first call compiles; results stay on the device
	}, func() (float32, []float32) {
		return tensors.ToScalar[float32](loss), tensors.MustCopyFlatData[float32](grad)
	}, func() { // gives the buffers back to the backend's pool
		loss.MustFinalizeAll()
		grad.MustFinalizeAll()
	})
}

func train(backend compute.Backend, job workload.Job) {
	layers := job.Layers()
	adam := optimizer.Adam().LearningRate(workload.LearningRate).Betas(workload.Beta1, workload.Beta2).Epsilon(workload.Epsilon).Done()
	// What train.Trainer compiles, without its moving average of the loss.
	step := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, h, labels *graph.Node) *graph.Node {
		g := h.Graph()
		scope.Store().SetTraining(g, true)
		for k, l := range layers {
			in := scope.In("layer%d", k)
			w := in.VariableWithValue("weight", tensors.FromFlatDataAndDimensions(l.Weight, l.In, l.Out)).NodeValue(g)
			b := in.VariableWithValue("bias", tensors.FromFlatDataAndDimensions(l.Bias, 1, l.Out)).NodeValue(g)
			h = graph.Add(graph.Dot(h, w).Product(), b)
			if k < len(layers)-1 {
				h = activation.Relu(h)
			}
		}
		loss := softMarginLoss(h, labels)
		adam.UpdateGraph(scope, g, loss)
		return loss
	})
	defer step.Finalize()
	features, labels := job.Batch()
	job.Measure(func() float32 {
		x := tensors.FromFlatDataAndDimensions(features, job.Rows, job.Sizes[0])
		y := tensors.FromFlatDataAndDimensions(labels, job.Rows, 1)
		loss := step.MustCall(x, y)[0]
		value := tensors.ToScalar[float32](loss)
		for _, t := range []*tensors.Tensor{x, y, loss} { // gives the buffers back to the backend's pool
			t.MustFinalizeAll()
		}
		return value
	})
}
