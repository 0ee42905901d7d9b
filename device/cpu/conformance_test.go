package cpu_test

import (
	"testing"

	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/device/devicetest"
)

func TestConformance(t *testing.T) {
	names := []string{"cpu", "cpu?simd=off", "cpu?threads=3"}
	if raceEnabled {
		names = names[2:] // races need threads, and the others differ in nothing else that it sees
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { devicetest.Run(t, name, devicetest.Options{}) })
	}
}

// The number of threads must not change a bit.
func TestConformanceThreads(t *testing.T) {
	devicetest.RunSame(t, "cpu?threads=1", "cpu?threads=3", devicetest.Options{})
}
