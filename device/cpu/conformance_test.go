package cpu_test

import (
	"testing"

	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/device/devicetest"
)

func TestConformance(t *testing.T) {
	for _, name := range []string{"cpu", "cpu?simd=off", "cpu?threads=1", "cpu?threads=3"} {
		t.Run(name, func(t *testing.T) { devicetest.Run(t, name, devicetest.Options{}) })
	}
}

// The number of threads must not change a bit.
func TestConformanceThreads(t *testing.T) {
	devicetest.RunSame(t, "cpu?threads=1", "cpu?threads=3", devicetest.Options{})
}
