// Package dataset turns a file of rows into what training reads: a matrix of
// features and labels of -1 or +1, cut into mini-batches.
//
// It does so in two stages, so that nothing about the test rows leaks into
// training. Reading makes a [Frame], the table as it is: columns of numbers or of
// categories, with gaps where values are missing. An [Encoder] is fitted on the
// training rows of a frame, and only on them: it learns what to fill gaps with,
// which categories there are, and the mean and deviation of each column. It then
// encodes any rows into a [Matrix] of float32, finding columns by name.
//
// The usual way from file to batches is
//
//	frame, err := dataset.OpenFrame("patients.csv", dataset.Options{Label: "diagnosis"})
//	fmt.Print(frame.Schema())                             // what was found: look at it
//	train, validation, test, err := frame.Split(0.1, 0.2, seed)
//	encoder, err := dataset.FitEncoder(train, dataset.EncoderOptions{})
//	matrix, err := encoder.Transform(train)               // and validation, and test
//	batches, err := matrix.Batches(32, seed, tensor.Float32)
//	for epoch := range epochs {
//		batches.Shuffle(epoch)
//		for i := range batches.Len() {
//			x, y := batches.At(i)
//			// one training step
//		}
//	}
//
// and with the encoder, which is plain data and can be kept beside a model, to
// predictions:
//
//	for matrix, err := range encoder.Stream(file, "new.csv", dataset.Options{}, 1024) {
//		// score the rows of matrix.X
//	}
//
// Files are taken as people have them: CSV with commas, semicolons or tabs, with
// or without a header; LIBSVM; NumPy's NPY and NPZ; compressed by gzip or not; all
// told by their content. What cannot be used is refused with a [ParseError], one
// sentence that names the file, the line and the column at fault. What can be used
// but should not be, such as a column that numbers the rows, is in the notes of
// the [Schema].
//
// Two more habits of good practice are built in. Partitions are stratified: every
// part holds the two classes in the shares of the whole, so that a rare class is
// neither missing from the test rows nor over-represented in them. And every
// random choice follows from a seed, the order of an epoch from the seed and the
// epoch's number alone, so that a run can be repeated, or resumed in the middle.
package dataset
