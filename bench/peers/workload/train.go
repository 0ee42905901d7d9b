package workload

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"
)

// The settings of Adam.
const (
	LearningRate = 1e-3
	Beta1        = 0.9
	Beta2        = 0.999
	Epsilon      = 1e-8
)

const (
	checked           = 10 // steps whose losses are compared
	trainingTolerance = 1e-4
	rounds            = 5
	roundTime         = 300 * time.Millisecond
)

// Jobs are the classifiers to train, those of the table in RESULTS.md.
var Jobs = []Job{
	{[]int{30, 1}, 32},
	{[]int{30, 64, 32, 1}, 32},
	{[]int{30, 64, 32, 1}, 256},
	{[]int{28, 256, 256, 1}, 1024},
}

// Job is the training of an MLP with ReLU by Adam on the mean soft margin loss, in
// float32, with one mini-batch that comes from the host at every step.
type Job struct {
	Sizes []int // the widths of the layers, the features first
	Rows  int   // of the mini-batch
}

func (j Job) String() string {
	return fmt.Sprintf("%s batch %d", strings.ReplaceAll(strings.Trim(fmt.Sprint(j.Sizes), "[]"), " ", "-"), j.Rows)
}

// Batch returns the mini-batch: rows of features, row-major, and a label of -1 or 1 for each.
func (j Job) Batch() (features, labels []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	features, labels = make([]float32, j.Rows*j.Sizes[0]), make([]float32, j.Rows)
	for i := range features {
		features[i] = float32(r.NormFloat64())
	}
	for i := range labels {
		labels[i] = float32(2*r.IntN(2) - 1)
	}
	return features, labels
}

// Layer holds the parameters of a linear layer before the first step. The weight is
// In by Out, row-major, so that the layer's output is input*Weight + Bias.
type Layer struct {
	In, Out      int
	Weight, Bias []float32
}

// Layers returns the parameters to start from, uniform within 1/sqrt(In).
func (j Job) Layers() []Layer {
	r := rand.New(rand.NewPCG(3, 4))
	var layers []Layer
	for i, in := range j.Sizes[:len(j.Sizes)-1] {
		l := Layer{In: in, Out: j.Sizes[i+1]}
		l.Weight, l.Bias = make([]float32, l.In*l.Out), make([]float32, l.Out)
		for _, values := range [][]float32{l.Weight, l.Bias} {
			for k := range values {
				values[k] = float32((2*r.Float64() - 1) / math.Sqrt(float64(in)))
			}
		}
		layers = append(layers, l)
	}
	return layers
}

// Measure prints how many microseconds a step takes. step is one whole step, from the
// mini-batch on the host to the updated parameters; it returns the loss before the update.
func (j Job) Measure(step func() float32) {
	var answer string
	for i, want := range j.losses(checked) {
		got := step()
		answer = fmt.Sprintf("loss of step %d %.5f, true %.5f", i+1, got, want)
		if !(math.Abs(float64(got)-want) <= trainingTolerance) { // negated, so that NaN fails too
			log.Fatalf("wrong: %v: %s", j, answer)
		}
	}
	runtime.GC()
	var times []float64
	for range rounds {
		start, steps := time.Now(), 0
		for time.Since(start) < roundTime {
			step()
			steps++
		}
		times = append(times, time.Since(start).Seconds()*1e6/float64(steps))
	}
	report(j.String(), times, "us", answer)
}
