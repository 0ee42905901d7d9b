package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"

	"github.com/pullback-go/pullback/classifier"
)

// speed measures the steps after the first, which also compiles.
type speed struct {
	start          time.Time
	stepsPerSecond float64
}

func (s *speed) add(p classifier.Progress) {
	if p.Step == 1 {
		s.start = time.Now()
		return
	}
	s.stepsPerSecond = float64(p.Step-1) / time.Since(s.start).Seconds()
}

// showProgress returns what tells how training goes, and what to call at its end: a
// live bar if w is a terminal, else a line an epoch.
func showProgress(w io.Writer) (show func(classifier.Progress), finish func()) {
	if f, ok := w.(*os.File); !ok || !isatty.IsTerminal(f.Fd()) {
		return func(p classifier.Progress) {
			if p.EndOfEpoch {
				fmt.Fprintf(w, "epoch %d of %d: loss %.4f\n", p.Epoch, p.Epochs, p.Loss)
			}
		}, func() {}
	}
	var bar *pb.ProgressBar
	show = func(p classifier.Progress) {
		if bar == nil {
			bar = pb.ProgressBarTemplate(`{{string . "loss"}} {{bar . }} {{percent . }} {{speed . "%s steps/s" "…"}} {{rtime . "%s left" "%s" "…"}}`).New(p.Steps)
			bar.SetWriter(w)
			bar.Start()
		}
		if p.EndOfEpoch || p.Step == 1 {
			bar.Set("loss", fmt.Sprintf("epoch %d of %d: loss %.4f", p.Epoch, p.Epochs, p.Loss))
		}
		bar.SetCurrent(int64(p.Step))
	}
	return show, func() {
		if bar != nil {
			bar.Finish()
		}
	}
}
