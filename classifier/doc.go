// Package classifier trains and uses binary classifiers on tables of data: the
// whole job in a few calls.
//
//	frame, err := dataset.OpenFrame("patients.csv", dataset.Options{Label: "diagnosis"})
//	train, validation, test, err := frame.Split(0.1, 0.2, 1)
//	opts := classifier.DefaultOptions()
//	opts.Validation, opts.Patience = validation, 5
//	model, err := classifier.Fit(ctx, dev, train, opts)
//	defer model.Close()
//	result, err := model.Evaluate(test)      // loss, accuracy, AUC and more
//	predictions, err := model.Predict(rows)  // score, probability and label a row
//	err = model.Save("model.safetensors")
//
// A model is a multi-layer perceptron on the features that a [dataset.Encoder] makes of a
// table's columns. Its score is a logit: the probability of the positive class is
// 1/(1+exp(-score)) if it was trained with the soft margin loss or binary
// cross-entropy. A row is predicted positive if its score is at least the model's threshold.
//
// A row to predict may have gaps, which are filled as those of the training rows were, and a category that
// these did not have, which counts as none of theirs; [Prediction] and [Evaluation] have Warnings about that.
//
// # Repeatable, and resumable
//
// A run depends on nothing but the rows, the options and the kind of device: the same seed gives the
// same weights to the bit, on every run and for every number of threads. So a
// run can be stopped anywhere, by its context or by a crash, and go on from its last
// [Options.Checkpoint] as if it had never stopped. Options.Resume refuses to go on
// with other rows or options.
//
// # Half precision
//
// In float16 and bfloat16 the layers' products are computed in 16 bits, while weights,
// their updates and the loss stay in float32. The gradients of float16 would vanish below
// 6e-8, so the loss is multiplied by a scale that adapts itself (Micikevicius et al., 2018,
// arXiv:1710.03740): it starts at 2¹⁶, is halved when a gradient is not finite, which
// skips the step, and doubled after 2000 steps without that. This is PyTorch's GradScaler.
package classifier
