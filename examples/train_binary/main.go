// Command train_binary trains binary classifiers on tables of data, says how well they do on
// rows they have not seen, and uses them.
//
//	go run ./examples/train_binary                          # the embedded breast cancer data
//	go run ./examples/train_binary -data my.csv -label paid -positive no -save model.safetensors -report report
//	go run ./examples/train_binary predict -model model.safetensors -data new.csv -out predictions.csv
//	zcat more.csv.gz | go run ./examples/train_binary evaluate -model model.safetensors -data -
//	go run ./examples/train_binary export -model model.safetensors -onnx model.onnx
//
// Exit status: 0; 1 if the data, the device or the training cannot be what the
// flags ask for, or if a signal stopped the program; 2 if the flags cannot be read.
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

	_ "github.com/pullback-go/pullback/device/cpu"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// action does what a command's flags ask for.
type action func(ctx context.Context, stdout, stderr io.Writer) error

// commands are the first arguments that have a meaning; without one, a model is trained.
var commands = map[string]func(args []string, stderr io.Writer) (action, error){
	"predict":  parsePredict,
	"evaluate": parseEvaluate,
	"export":   parseExport,
}

// promptly calls do, but returns as soon as the context ends, whatever do waits for, be it a pipe that
// nobody writes to. It is for work that leaves nothing behind, which the end of the program then ends.
func promptly(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
}

// run is the program: its arguments, where it prints, and its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	parse := parseTrain
	if len(args) > 0 && commands[args[0]] != nil {
		parse, args = commands[args[0]], args[1:]
	}
	act, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2 // the flag package has said what is wrong
	}
	if err := act(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "train_binary:", err)
		return 1
	}
	return 0
}
