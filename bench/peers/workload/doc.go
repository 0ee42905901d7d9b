// Package workload is what the Go peers are measured on, so that each of them does the
// same: the data, the clock, and the right answers. The answers come from plain loops
// in float64, and a peer must give them before its time counts.
package workload

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Introduce prints the peer's name, its module's version in this program, the variant
// that the arguments chose, and how many threads Go uses.
func Introduce(name, module string, variant ...string) {
	version := "(unknown version)"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				version = dep.Version
			}
		}
	}
	fmt.Printf("%s, %s GOMAXPROCS=%d\n",
		strings.Join(append([]string{name, version}, variant...), " "), runtime.Version(), runtime.GOMAXPROCS(0))
}

// report prints a line of results; times are in the unit.
func report(name string, times []float64, unit, answer string) {
	slices.Sort(times)
	fmt.Printf("%-26s best %10.2f %s, median %10.2f %s of %2d; %s\n",
		name, times[0], unit, times[len(times)/2], unit, len(times), answer)
}
