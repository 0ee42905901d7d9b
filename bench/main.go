// Command bench compares devices: how fast they are, and how exact.
//
//	go run ./bench -quick                         # a table in under 20 seconds
//	go run ./bench -json r.json -plot r.png       # all of it, with a picture
//	go run ./bench replay -device cpu FILE…       # recorded calls, once more
//	go run ./bench verify -n 10000                # random calls on all devices
//
// # Reading the table
//
// A group of rows is one operation in one dtype, layout and size; a row is a device.
//
//	operation   dtype    layout      size  device      ns/element  spread  GB/s  speed  max ulp
//	relu        float32  contiguous  4096  cpu             0.0432   ±0.6%   185      1        0
//	                                       cpu?simd=off     0.712   ±1.1%  11.2  0.0607       0
//
// ns/element is the median time of one operation divided by the size, the launch and the wait for its end
// included. spread is half the distance between the quartiles: half of the samples lie
// within so much of the middle. GB/s counts every byte that the operation must read or write, once;
// above the memory limits under the table the data was in a cache. speed is how many times as fast as the group's first device; "≈"
// says that the two differ by less than their spreads together, so that nothing should be made of it. max
// ulp is the largest error against a float64 reference, in units in the last place of the dtype: 0.5 is what
// correct rounding leaves. In sums and matrix products the unit is that of the terms. Of large outputs the
// reference computes some rows.
//
// On Linux the time in which other programs kept the launching thread from a processor is taken off. A device
// with several threads still suffers from them; a line under the table says so when they were busy.
//
// Small sizes show what a launch costs, middle ones what the kernels can do from the caches,
// the largest what memory allows. All that stands in the table was measured in that run.
//
// The same work exists as benchmarks in Go's standard format:
//
//	go test ./bench -run xxx -bench . -count 6 | tee new.txt      # for benchstat
//
// PULLBACK_DEVICE names their device, "cpu?threads=1" if it is not set. RESULTS.md
// beside this file has figures next to other frameworks', with the commands to repeat them.
//
// Exit status: 0; 1 if something failed or a case did not pass; 2 if the flags
// cannot be read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errUsage is returned when what is wrong with the flags has been said.
var errUsage = errors.New("usage")

// run is the command: its arguments, where it prints, and its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command := compare
	if len(args) > 0 {
		switch args[0] {
		case "replay":
			command, args = replayFiles, args[1:]
		case "verify":
			command, args = verifyDevices, args[1:]
		}
	}
	err := command(ctx, args, stdout, stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(stderr, "bench:", err)
	return 1
}

// newFlags returns flags that print to stderr, with a usage of the given text.
func newFlags(name, usage string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, usage)
		flags.PrintDefaults()
	}
	return flags
}

// parseFlags returns flag.ErrHelp, or errUsage for whatever else is wrong.
func parseFlags(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	return nil
}

// usagef says what is wrong with the arguments, and how they are used.
func usagef(flags *flag.FlagSet, format string, args ...any) error {
	fmt.Fprintf(flags.Output(), format+"\n", args...)
	flags.Usage()
	return errUsage
}
