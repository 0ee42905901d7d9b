package main

import (
	"io"
	"os"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// showProgress returns what tells how far a run is, a live bar if w is a terminal and
// nothing elsewhere, and what to call at its end.
func showProgress(w io.Writer, what string) (show func(done, total int), finish func()) {
	if f, ok := w.(*os.File); !ok || !isatty.IsTerminal(f.Fd()) {
		return func(int, int) {}, func() {}
	}
	var bar *pb.ProgressBar
	show = func(done, total int) {
		if bar == nil {
			bar = pb.ProgressBarTemplate(`{{string . "what"}} {{bar . }} {{percent . }} {{rtime . "%s left" "%s" "…"}}`).New(total)
			bar.Set("what", what)
			bar.SetWriter(w)
			bar.Start()
		}
		bar.SetCurrent(int64(done))
	}
	return show, func() {
		if bar != nil {
			bar.Finish()
		}
	}
}
