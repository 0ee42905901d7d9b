// Command spagobench measures the soft margin loss, forward and gradient for the
// scores, and training steps, in spaGO. Argument: log or softplus, the operator that
// the loss is made of.
package main

import (
	"log"
	"os"

	"github.com/nlpodyssey/spago/ag"
	"github.com/nlpodyssey/spago/mat"
	"github.com/nlpodyssey/spago/nn"
	"github.com/nlpodyssey/spago/optimizers/adam"

	"github.com/pullback-go/pullback/bench/peers/workload"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "log" && os.Args[1] != "softplus" {
		log.Fatal("usage: spago log|softplus")
	}
	workload.Introduce("spaGO", "github.com/nlpodyssey/spago", os.Args[1])
	measureLoss()
	for _, job := range workload.Jobs {
		train(job)
	}
}

var one, threshold = mat.Scalar[float32](1), mat.Scalar[float32](20)

// softMarginLoss wants columns: the gradient of ReduceMean is one whatever its operand.
func softMarginLoss(scores, labels mat.Tensor) mat.Tensor {
	each := ag.Neg(ag.Prod(scores, labels))
	if os.Args[1] == "softplus" {
		each = ag.SoftPlus(each, one, threshold)
	} else {
		each = ag.Log(ag.AddScalar(ag.Exp(each), one)) // there is no log1p
	}
	return ag.ReduceMean(each)
}

func matrix(rows, columns int, data []float32) *mat.Dense[float32] {
	return mat.NewDense[float32](mat.WithShape(rows, columns), mat.WithBacking(data))
}

func backward(loss mat.Tensor) {
	if err := ag.Backward(loss); err != nil {
		log.Fatal(err)
	}
}

func measureLoss() {
	l := workload.NewLoss()
	scores, labels := matrix(len(l.Scores), 1, l.Scores), matrix(len(l.Labels), 1, l.Labels)
	scores.SetRequiresGrad(true)
	var loss mat.Tensor
	l.Measure(func() {
		loss = softMarginLoss(scores, labels)
		backward(loss)
	}, func() (float32, []float32) {
		return loss.Item().F32(), scores.Grad().Data().F32()
	}, scores.ZeroGrad)
}

func train(job workload.Job) {
	var weights, biases []*nn.Param
	for _, l := range job.Layers() {
		weights = append(weights, nn.NewParam(matrix(l.In, l.Out, l.Weight)))
		biases = append(biases, nn.NewParam(matrix(1, l.Out, l.Bias)))
	}
	features, labels := job.Batch()
	// Nothing is broadcast: a column of ones times a bias repeats it for every row.
	ones := matrix(job.Rows, 1, mat.CreateInitializedSlice[float32](job.Rows, 1))
	optimizer := adam.New(adam.NewConfig(workload.LearningRate, workload.Beta1, workload.Beta2, workload.Epsilon))
	job.Measure(func() float32 {
		var h mat.Tensor = matrix(job.Rows, job.Sizes[0], features)
		for k := range weights {
			h = ag.Add(ag.Mul(h, weights[k]), ag.Mul(ones, biases[k]))
			if k < len(weights)-1 {
				h = ag.ReLU(h)
			}
		}
		loss := softMarginLoss(h, matrix(job.Rows, 1, labels))
		backward(loss)
		// optimizers.Optimizer returns before its goroutines have finished and never
		// advances Adam's time step, so the parameters are updated one by one.
		for _, params := range [][]*nn.Param{weights, biases} {
			for _, p := range params {
				if err := optimizer.OptimizeParams(p); err != nil {
					log.Fatal(err)
				}
			}
		}
		optimizer.IncExample()
		return loss.Item().F32()
	})
}
