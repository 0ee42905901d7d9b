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
// included. spread is half the distance between the quartiles, the range in which the middle half of the
// samples lies. GB/s counts every byte that the operation must read or write, once;
// above the memory limits under the table the data was in a cache. speed is how many times as fast as the group's first device; "≈"
// says that the ranges between their quartiles meet, so that nothing should be made of the difference. max
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
// Exit status: 0; 1 if something failed, a case did not pass or a result is further from the reference than
// verify allows; 2 if the flags
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
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(stderr, "bench:", err)
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		return 2
	}
	return 1
}

// usageError says what is wrong with the arguments of a command.
type usageError struct{ command, reason string }

func (e *usageError) Error() string {
	return fmt.Sprintf("%s; %s -h lists the flags", e.reason, e.command)
}

func usagef(flags *flag.FlagSet, format string, args ...any) error {
	return &usageError{flags.Name(), fmt.Sprintf(format, args...)}
}

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	return flags
}

// parseFlags prints the usage and returns flag.ErrHelp where that is asked for, and a usageError
// if the flags cannot be read.
func parseFlags(flags *flag.FlagSet, usage string, args []string, stderr io.Writer) error {
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(stderr, usage)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
	case err != nil:
		err = usagef(flags, "%v", err)
	}
	return err
}

// given reports which flags are set.
func given(flags *flag.FlagSet) map[string]bool {
	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set
}
