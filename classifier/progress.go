package classifier

// Progress is how far a training run has got.
type Progress struct {
	Epoch, Epochs int     // from 1
	Step, Steps   int     // of the whole run, from 1
	Rows          int     // of the epoch so far
	EndOfEpoch    bool    // this step is its epoch's last
	Loss          float64 // mean over the rows of the epoch so far, with class weights, without L2

	// Of the last epoch that has ended; NaN before, and without Options.Validation.
	ValidationLoss float64 // with class weights, without L2
	ValidationAUC  float64
}

// Epoch is how an epoch went.
type Epoch struct {
	Loss           float64 // see Progress; each row's before the step that it was part of
	ValidationLoss float64 // NaN without Options.Validation, as is the AUC
	ValidationAUC  float64
}
