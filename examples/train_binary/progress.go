package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"

	"github.com/pullback-go/pullback/classifier"
)

// speed measures the steps after the first, which also compiles.
type speed struct {
	first          int
	start          time.Time
	stepsPerSecond float64
}

func (s *speed) add(p classifier.Progress) {
	if s.first == 0 {
		s.first, s.start = p.Step, time.Now()
		return
	}
	s.stepsPerSecond = float64(p.Step-s.first) / time.Since(s.start).Seconds()
}

// showProgress returns what tells how training on so many rows goes, and what to call at its end: a
// live bar if w is a terminal, else a line an epoch.
func showProgress(w io.Writer, rows int) (show func(classifier.Progress), finish func()) {
	if f, ok := w.(*os.File); !ok || !isatty.IsTerminal(f.Fd()) {
		return func(p classifier.Progress) {
			if p.EndOfEpoch {
				fmt.Fprintln(w, progressText(p))
			}
		}, func() {}
	}
	var bar *pb.ProgressBar
	show = func(p classifier.Progress) {
		done := int64(p.Epoch-1)*int64(rows) + int64(p.Rows)
		if bar == nil {
			bar = pb.ProgressBarTemplate(`{{string . "text"}} {{bar . }} {{speed . "%s rows/s" "…"}} {{rtime . "%s left" "%s" "…"}}`).New(p.Epochs * rows)
			bar.SetWriter(w)
			bar.SetCurrent(done)
			bar.Start()
		}
		if p.EndOfEpoch || done == int64(p.Rows) {
			bar.Set("text", barText(p))
		}
		bar.SetCurrent(done)
	}
	return show, func() {
		if bar != nil {
			bar.Finish()
		}
	}
}

// barText leaves a bar some of the 80 columns of a usual terminal.
func barText(p classifier.Progress) string {
	text := fmt.Sprintf("epoch %d of %d: loss %.4f", p.Epoch, p.Epochs, p.Loss)
	if !math.IsNaN(p.ValidationLoss) {
		text += fmt.Sprintf(", AUC %.4f", p.ValidationAUC)
	}
	return text
}

func progressText(p classifier.Progress) string {
	text := fmt.Sprintf("epoch %d of %d: loss %.4f", p.Epoch, p.Epochs, p.Loss)
	if !math.IsNaN(p.ValidationLoss) {
		text += fmt.Sprintf(", validation loss %.4f, AUC %.4f", p.ValidationLoss, p.ValidationAUC)
	}
	return text
}

// printNotes prints sentences about the rows.
func printNotes(w io.Writer, sentences []string) error {
	for _, s := range sentences {
		if _, err := fmt.Fprintln(w, "note:", s); err != nil {
			return err
		}
	}
	return nil
}

// notes is a log handler that prints warnings as sentences.
type notes struct{ w io.Writer }

func (n notes) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (n notes) WithAttrs([]slog.Attr) slog.Handler               { return n }
func (n notes) WithGroup(string) slog.Handler                    { return n }

func (n notes) Handle(_ context.Context, r slog.Record) error {
	text := "note: " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf("; %s %v", a.Key, a.Value)
		return true
	})
	_, err := fmt.Fprintln(n.w, text)
	return err
}
