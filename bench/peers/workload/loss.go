package workload

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"runtime"
	"time"
)

const (
	elements   = 1 << 20
	warmUp     = 5
	iterations = 40
)

// A float32 sum of 2^20 terms, one after another, is off by some 2e-5.
const (
	lossTolerance     = 5e-5
	gradientTolerance = 1e-5 // of a gradient between -1 and 1, before the division by the number of elements
)

// Loss is the mean soft margin loss, log(1 + exp(-label*score)), over many elements.
type Loss struct {
	Scores, Labels []float32 // the labels are -1 or 1
}

// NewLoss returns 2^20 normal scores with random labels.
func NewLoss() Loss {
	r := rand.New(rand.NewPCG(1, 2))
	l := Loss{make([]float32, elements), make([]float32, elements)}
	for i := range l.Scores {
		l.Scores[i], l.Labels[i] = float32(r.NormFloat64()), float32(2*r.IntN(2)-1)
	}
	return l
}

// Measure prints how many milliseconds run takes: the mean loss and its gradient for
// the scores, once. Off the clock, result gives what the first run computed, and reset
// makes ready for the next.
func (l Loss) Measure(run func(), result func() (mean float32, gradient []float32), reset func()) {
	runtime.GC() // what was built before belongs to nobody's time
	var answer string
	var times []float64
	for i := range warmUp + iterations {
		start := time.Now()
		run()
		elapsed := time.Since(start)
		if i == 0 {
			answer = l.check(result())
		}
		reset()
		if i >= warmUp {
			times = append(times, elapsed.Seconds()*1e3)
		}
	}
	report("soft margin loss, 2^20", times, "ms", answer)
}

// check ends the program when the mean or the gradient is wrong.
func (l Loss) check(mean float32, gradient []float32) string {
	if len(gradient) != elements {
		log.Fatalf("the gradient has %d elements, not %d", len(gradient), elements)
	}
	var want, off float64
	for i := range l.Scores {
		score, label := float64(l.Scores[i]), float64(l.Labels[i])
		e := math.Exp(-label * score)
		want += math.Log1p(e) / elements
		off = max(off, math.Abs(float64(gradient[i])*elements+label*e/(1+e)))
	}
	answer := fmt.Sprintf("loss %.7f, true %.7f, largest gradient error times n %.1e", mean, want, off)
	// Negated, so that NaN fails too.
	if !(math.Abs(float64(mean)-want) <= lossTolerance) || !(off <= gradientTolerance) {
		log.Fatal("wrong: ", answer)
	}
	return answer
}
