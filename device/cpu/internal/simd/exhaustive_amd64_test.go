package simd

import (
	"flag"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var exhaustive = flag.Bool("exhaustive", false, "try all 2^32 numbers (minutes)")

// TestExhaustive finds the largest errors over all float32 numbers, with
//
//	go test -run Exhaustive -exhaustive -v -timeout 1h
//
// and those of the losses alone with -run Exhaustive/Loss. Numbers are margins to the losses:
// targets are 1, because of a target of -1 the kernels see nothing but the margin's other sign.
// The reference is float64, with errors below 2^-50.
func TestExhaustive(t *testing.T) {
	if !*exhaustive {
		t.Skip("not asked for; add -exhaustive")
	}
	targets := slices.Repeat([]float32{1}, sweep)
	const third = float32(1.0 / 3)
	thirds := slices.Repeat([]float32{third}, sweep)
	gradient := func(m float64) float64 { return -lossSigmoid(m) }
	gradientThird := func(m float64) float64 { return -lossSigmoid(m) * float64(third) }
	gradientNinth := func(m float64) float64 { return gradientThird(m) * float64(third) }
	type row struct {
		name string
		ulp  float64
		run  func(dst, x []float32)
		want func(x float64) float64
	}
	rows := []row{
		{"Exp", 1, Exp, math.Exp},
		{"Log", 1, Log, math.Log},
		{"Sigmoid", 2, Sigmoid, func(x float64) float64 { return lossSigmoid(-x) }},
		{"Tanh", 1.5, Tanh, math.Tanh},
		{"Softplus", 2, Softplus, func(x float64) float64 { return loss(-x) }},
		{"GELU", 4.5, GELU, gelu},
	}
	for _, set := range softMarginSets() {
		of, n := set.float32, set.name
		rows = append(rows,
			row{"Loss" + n, 2, func(dst, x []float32) { of.Loss(dst, x, targets) }, loss},
			row{"LossGradient" + n, 2, func(dst, x []float32) { of.Backward(dst, x, targets, 1) }, gradient},
			row{"LossGradientThird" + n, 2, func(dst, x []float32) { of.Backward(dst, x, targets, third) }, gradientThird},
			row{"LossGradientWithSums" + n, 2, func(dst, x []float32) { of.SumsBackward(dst, x, targets, 1, make([]float64, sweep/Part)) }, gradient},
			row{"LossGradientWithSumsThird" + n, 2, func(dst, x []float32) { of.SumsBackward(dst, x, targets, third, make([]float64, sweep/Part)) }, gradientThird},
			row{"LossGradientOfVector" + n, 2, func(dst, x []float32) { of.BackwardVector(dst, thirds, x, targets, third) }, gradientNinth})
	}
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			worst, at := largestError(c.run, c.want)
			t.Logf("%.4f ulp at %v", worst, at)
			require.LessOrEqual(t, worst, c.ulp, "at %v", at)
		})
	}
}

// sweep is how many numbers are tried at a time.
const sweep = 1 << 16

// largestError tries all numbers.
func largestError(run func(dst, x []float32), want func(x float64) float64) (worst float64, at float32) {
	var next atomic.Int64
	var lock sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			x, dst := make([]float32, sweep), make([]float32, sweep)
			localWorst, localAt := 0.0, float32(0)
			for {
				first := next.Add(sweep) - sweep
				if first >= 1<<32 {
					break
				}
				for i := range x {
					x[i] = math.Float32frombits(uint32(first) + uint32(i))
				}
				run(dst, x)
				for i, got := range dst {
					y := want(float64(x[i]))
					if got == float32(y) && math.Abs(y) > 0x1p-126 {
						continue // within ½ ulp
					}
					if u := ulps(got, y, y); u > localWorst {
						localWorst, localAt = u, x[i]
					}
				}
			}
			lock.Lock()
			defer lock.Unlock()
			if localWorst > worst {
				worst, at = localWorst, localAt
			}
		})
	}
	workers.Wait()
	return worst, at
}

// loss is log(1 + e^-m), by series of which the rest does not count where m is tiny.
func loss(m float64) float64 {
	switch {
	case math.Abs(m) < 0x1p-20:
		return math.Ln2 - m/2 + m*m/8
	case m > 700:
		return 0
	case m < -700:
		return -m
	}
	return softplus(-m)
}

// lossSigmoid is sigmoid(-m), likewise.
func lossSigmoid(m float64) float64 {
	switch {
	case math.Abs(m) < 0x1p-20:
		return 0.5 - m/4 + m*m*m/48
	case m > 700:
		return 0
	case m < -700:
		return 1
	}
	return sigmoid(-m)
}
