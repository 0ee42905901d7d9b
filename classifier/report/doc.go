// Package report writes what became of a training run as one HTML page with
// pictures, and the same pictures as PNG files beside it.
//
//	r, err := report.Of(model, train, test)
//	err = report.Write(ctx, "out", r)
//
// A [Report] is plain data, for any model's results. Scores and labels give the table of metrics,
// the ROC and precision-recall curves, the histogram of scores, the calibration and the confusion
// matrix. Every other field adds a part of its own, and every one may be left out.
//
// The page needs no other file and makes no request: its pictures are in it. The same
// report gives the same bytes. Colours are those of Okabe and Ito, which people
// with any kind of colour vision can tell apart, and whatever is told by colour is told by
// dashes, shapes or words too.
package report
