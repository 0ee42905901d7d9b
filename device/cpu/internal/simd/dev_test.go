package simd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func cpuNow() int64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return t.Nano()
}

// best time of f in ns/element, many short runs
func measure(n int, f func()) float64 {
	reps := max(1, (1<<15)/n)
	best := int64(1 << 62)
	for k := 0; k < 300; k++ {
		t := cpuNow()
		for r := 0; r < reps; r++ {
			f()
		}
		t = cpuNow() - t
		best = min(best, t)
	}
	return float64(best) / float64(reps) / float64(n)
}

func TestDev(t *testing.T) {
	runtime.LockOSThread()
	if os.Getenv("DEV") == "" {
		t.Skip()
	}
	for _, n := range []int{32, 1 << 10, 1 << 14, 1 << 18} {
		x, y, g := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i] = (rand.Float32() - .5) * 10
			y[i] = float32(rand.IntN(2)*2 - 1)
		}
		fmt.Printf("n=%8d", n)
		for _, f := range []func(dst, a, b []float32, s, u, f float32){bwd1, bwd2, bwd3, bwd4} {
			fmt.Printf(" %6.3f", measure(n, func() { f(g, x, y, 0x1.8p23+127, 1, 1) }))
		}
		fmt.Println()
	}
}
