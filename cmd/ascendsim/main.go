// Command ascendsim builds a software simulator of Ascend's C interface and runs CANN programs on it.
//
//	go run ./cmd/ascendsim -o DIR                   # writes DIR/include and DIR/lib
//	go run ./cmd/ascendsim run -- PROGRAM ARGS…     # runs a program on it
//
// The libraries have the vendor's file names, libascendcl.so, libnnopbase.so and libopapi.so. Nothing is
// installed: they are built with the system's C compiler, once, in the user's cache folder. Package
// simulator says what they do.
//
// Exit status: the program's, as ascendsim becomes the program; 1 if the simulator cannot be
// built or the program not started; 2 if the arguments cannot be read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/pullback-go/pullback/device/ascend/simulator"
)

const usage = `Usage:
  ascendsim -o DIR                   write the headers to DIR/include and the libraries to DIR/lib
  ascendsim run -- PROGRAM ARGS...   run a CANN program on the simulator

To build a program:
  c++ -IDIR/include program.cpp -LDIR/lib -lascendcl -lnnopbase -lopapi

Environment:
  ASCENDSIM_FAULTS   faults to simulate, such as "malloc=3;stall=10"; include/ascendsim.h lists them
  CC                 the C compiler to build with, instead of cc
  XDG_CACHE_HOME     where to keep what is built, instead of ~/.cache
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command: its arguments, where it prints, and its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := do(ctx, args, stdout)
	switch bad := (usageError)(""); {
	case err == nil:
		return 0
	case errors.As(err, &bad):
		fmt.Fprintf(stderr, "ascendsim: %v\n\n%s", err, usage)
		return 2
	}
	fmt.Fprintln(stderr, "ascendsim:", err)
	return 1
}

// usageError is a mistake in the arguments.
type usageError string

func (e usageError) Error() string { return string(e) }

// do does what the arguments ask for.
func do(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) > 0 && args[0] == "run" {
		args = args[1:]
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		if len(args) == 0 {
			return usageError("run needs a program")
		}
		return runProgram(ctx, args)
	}
	flags := flag.NewFlagSet("ascendsim", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dir := flags.String("o", "", "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return nil
	case err != nil:
		return usageError(err.Error())
	case flags.NArg() > 0:
		return usageError(fmt.Sprintf("%q is not a command; there is only run", flags.Arg(0)))
	case *dir == "":
		return usageError("say where to write, by -o DIR, or what to run, by run -- PROGRAM")
	}
	return simulator.WriteTo(ctx, *dir)
}

// runProgram becomes the program, with the simulator's libraries before any others.
// It returns only if that fails.
func runProgram(ctx context.Context, args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("cannot find the program: %w", err)
	}
	dir, err := simulator.Build(ctx)
	if err != nil {
		return err
	}
	libraries := filepath.Join(dir, "lib")
	if more := os.Getenv("LD_LIBRARY_PATH"); more != "" {
		libraries += string(filepath.ListSeparator) + more
	}
	if err := os.Setenv("LD_LIBRARY_PATH", libraries); err != nil {
		return err
	}
	return become(path, args)
}
