package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/pullback-go/pullback/classifier"
)

// showProgress returns what tells how training goes: a live bar if w is a
// terminal, else a line an epoch.
func showProgress(w io.Writer) func(classifier.Progress) {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return func(p classifier.Progress) {
			if p.EndOfEpoch {
				fmt.Fprintf(w, "epoch %d of %d: loss %.4f\n", p.Epoch, p.Epochs, p.Loss)
			}
		}
	}
	var bar *progressbar.ProgressBar
	return func(p classifier.Progress) {
		if bar == nil {
			bar = progressbar.NewOptions(p.Steps, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
				progressbar.OptionShowIts(), progressbar.OptionSetItsString("steps"), progressbar.OptionSetPredictTime(true),
				progressbar.OptionThrottle(50e6), progressbar.OptionFullWidth(), progressbar.OptionOnCompletion(func() { fmt.Fprintln(w) }))
		}
		if p.EndOfEpoch || p.Step == 1 {
			bar.Describe(fmt.Sprintf("epoch %d/%d, loss %.4f", p.Epoch, p.Epochs, p.Loss))
		}
		_ = bar.Set(p.Step) // a terminal that cannot be written to is no reason to stop
	}
}
