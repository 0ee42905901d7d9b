// Package bench holds the benchmarks by which pullback is compared with other
// frameworks and with the limits of the machine, in Go's standard format:
//
//	go test ./bench -bench . -count 6 | tee new.txt      # for benchstat
//
// PULLBACK_DEVICE names the device, "cpu?threads=1" if it is not set. RESULTS.md
// beside this file has figures, with the commands to repeat them.
package bench
