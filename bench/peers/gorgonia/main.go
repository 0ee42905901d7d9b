// Command gorgoniabench measures the soft-margin loss, mean, forward and gradient
// for the scores, in Gorgonia. Arguments: log1p or softplus, then value or dual.
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

	. "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const n, warm, iters = 1 << 20, 5, 40

func main() {
	rng := rand.New(rand.NewSource(2))
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(rng.NormFloat64()), float32(2*rng.Intn(2)-1)
	}

	g := NewGraph()
	vector := func(name string, data []float32) *Node {
		return NewVector(g, tensor.Float32, WithShape(n), WithName(name),
			WithValue(tensor.New(tensor.WithShape(n), tensor.WithBacking(data))))
	}
	xs, ys := vector("x", x), vector("y", y)
	each := Must(Neg(Must(HadamardProd(xs, ys))))
	if os.Args[1] == "softplus" {
		each = Must(Softplus(each))
	} else {
		each = Must(Log1p(Must(Exp(each))))
	}
	loss := Must(Mean(each))
	grads, err := Grad(loss, xs)
	if err != nil {
		log.Fatal(err)
	}
	var options []VMOpt
	if os.Args[2] == "dual" { // as for a solver: the gradient is also added to that of x
		options = append(options, BindDualValues(xs))
	}
	vm := NewTapeMachine(g, options...)
	defer vm.Close()

	var times []float64
	for i := range warm + iters {
		start := time.Now()
		if err := vm.RunAll(); err != nil {
			log.Fatal(err)
		}
		elapsed := time.Since(start)
		if i == 0 {
			grad := grads[0].Value()
			if os.Args[2] == "dual" {
				grad, _ = xs.Grad()
			}
			check(x, y, loss.Value().Data().(float32), grad.Data().([]float32))
		}
		vm.Reset()
		if i >= warm {
			times = append(times, elapsed.Seconds()*1e3)
		}
	}
	slices.Sort(times)
	fmt.Printf("Gorgonia %v GOMAXPROCS=%d: median %.2f ms, best %.2f ms of %d\n",
		os.Args[1:], runtime.GOMAXPROCS(0), times[iters/2], times[0], iters)
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
