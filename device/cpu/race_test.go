//go:build race

package cpu_test

// raceEnabled is whether the race detector watches, which makes everything several times slower.
const raceEnabled = true
