// Package dataset turns a file of rows into what training reads: features and
// labels in memory, parted into training and test rows, standardised, and cut
// into mini-batches.
//
// A [Table] is the whole of it: a dense matrix of features, one row for each
// example, beside a label of -1 or +1, the two targets of a margin loss. What
// the classes are called in the file stays with the table as Negative and
// Positive.
//
// The usual way from file to batches is
//
//	table, err := dataset.OpenCSV("patients.csv", dataset.CSVOptions{Label: "diagnosis"})
//	train, test, err := table.Split(0.2, seed)
//	scaler, err := dataset.FitScaler(train)
//	train, err = scaler.Apply(train)
//	test, err = scaler.Apply(test)
//	batches, err := dataset.NewBatches(train, 32, seed, tensor.Float32)
//	for epoch := range epochs {
//		batches.Shuffle(epoch)
//		for i := range batches.Len() {
//			x, y := batches.At(i)
//			// one training step
//		}
//	}
//
// Three habits of good practice are built in. The split is stratified: both
// parts hold the two classes in the shares of the whole, so that a rare class
// is neither missing from the test rows nor over-represented in them. The
// [Scaler] is fitted on the training rows and only applied to the test rows, so
// that nothing about the test rows leaks into training. And every random choice
// follows from a seed, the order of an epoch from the seed and the epoch's
// number alone, so that a run can be repeated, or resumed in the middle.
//
// A file that cannot be used is refused with a [ParseError], one sentence that
// names the file, the line and the column at fault. Nothing is skipped or filled
// in: a missing value is an error.
package dataset
