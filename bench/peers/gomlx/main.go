// Command gomlxbench measures the soft-margin loss, mean, forward and gradient
// for the scores, in GoMLX on its pure-Go backend. Argument: the backend's
// configuration, such as "go" or "go:parallelism=1,ops_sequential".
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

const n, warm, iters = 1 << 20, 5, 40

func main() {
	rng := rand.New(rand.NewSource(2))
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(rng.NormFloat64()), float32(2*rng.Intn(2)-1)
	}

	backend, err := compute.NewWithConfig(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// ToDevice moves a tensor to the backend and frees its local copy; calls find it there.
	onDevice := func(data []float32) *tensors.Tensor {
		t := tensors.FromFlatDataAndDimensions(data, n)
		if err := t.ToDevice(backend, 0); err != nil {
			log.Fatal(err)
		}
		return t
	}
	xs, ys := onDevice(x), onDevice(y)
	exec := MustNewExec(backend, func(x, y *Node) (loss, grad *Node) {
		loss = ReduceAllMean(Log1P(Exp(Neg(Mul(x, y)))))
		return loss, Gradient(loss, x)[0]
	})

	var times []float64
	for i := range warm + iters {
		start := time.Now()
		loss, grad := exec.MustCall2(xs, ys) // the first call compiles; results stay on the device
		elapsed := time.Since(start)
		if i == 0 {
			check(x, y, tensors.ToScalar[float32](loss), tensors.MustCopyFlatData[float32](grad))
		}
		loss.MustFinalizeAll() // gives the buffers back to the backend's pool
		grad.MustFinalizeAll()
		if i >= warm {
			times = append(times, elapsed.Seconds()*1e3)
		}
	}
	slices.Sort(times)
	fmt.Printf("GoMLX %v GOMAXPROCS=%d: median %.2f ms, best %.2f ms of %d\n",
		backend.Description(), runtime.GOMAXPROCS(0), times[iters/2], times[0], iters)
}

// check compares the loss, and the gradient times n, with float64 arithmetic.
func check(x, y []float32, loss float32, grad []float32) {
	var want, off float64
	for i := range x {
		e := math.Exp(-float64(x[i]) * float64(y[i]))
		want += math.Log1p(e) / n
		off = max(off, math.Abs(float64(grad[i])*n+float64(y[i])*e/(1+e)))
	}
	fmt.Printf("loss %.7f, true %.7f, largest gradient error times n %.1e\n", loss, want, off)
}
